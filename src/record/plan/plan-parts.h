/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Functions that the files of a plan share. */
#ifndef FATHOM_RECORD_PLAN_PLAN_PARTS_H
#define FATHOM_RECORD_PLAN_PLAN_PARTS_H

#include <stdbool.h>
#include <stddef.h>

#include <fathom/err.h>

#include "kernel/tracefs/knob.h"
#include "record/plan.h"

#define PLAN_PATH_SIZE	512
#define PLAN_GROUP_SIZE 64

/* plan.c */
/* Adds a line for the user. */
void plan_note(struct plan *plan, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Reports that @done of @total steps were taken. */
static inline void plan_progress(const struct plan *plan, const char *what, size_t done,
				 size_t total)
{
	if (plan->progress)
		plan->progress(plan->progress_data, what, done, total);
}

/* plan-settings.c */
/* Changes a setting. If the kernel rejects it, its reason is added to the message. */
int plan_set(struct session *session, struct session_place *place, const char *file,
	     enum knob_mode mode, const char *value, struct fathom_err *err);
/* Changes a setting in @place or, if only the top level has the file, for the whole machine. */
int plan_set_somewhere(struct plan *plan, struct session *session, struct session_place *place,
		       const char *file, enum knob_mode mode, const char *value,
		       struct fathom_err *err);
/* Returns whether the directory @dir has @file. */
bool plan_has_file(int dir, const char *file);
/* Writes the name of the group of the session's events. */
void plan_probe_group(const struct session *session, char *group, size_t size);

/* plan-probes.c */
/* Call before places are created: instances created later also have the events. */
int plan_make_probes(struct plan *plan, struct session *session, struct fathom_err *err);
/* plan-sets.c */
/*
 * With everything set up and tracing off: estimates the cost of sets. Returns -E2BIG if it exceeds
 * the limit.
 */
int plan_price_sets(struct plan *plan, struct session *session, struct fathom_err *err);
/* plan-users.c */
/* Creates the probes of user functions, also before places. */
int plan_make_users(struct plan *plan, struct session *session, struct fathom_err *err);
/* Enables the probes of user functions. */
int plan_apply_users(const struct plan *plan, struct plan_buffer *buffer, struct session *session,
		     struct fathom_err *err);
/* plan-events.c */
int plan_apply_events(struct plan *plan, struct plan_buffer *buffer, struct session *session,
		      struct fathom_err *err);
/* plan-functions.c */
int plan_apply_functions(struct plan *plan, struct plan_buffer *buffer, struct session *session,
			 struct fathom_err *err);
/* plan-options.c */
int plan_apply_options(struct plan *plan, struct plan_buffer *buffer, struct session *session,
		       struct fathom_err *err);
/* Returns an error if the kernel does not have the tracer. */
int plan_check_tracer(const struct plan_buffer *buffer, const struct session_env *env,
		      struct fathom_err *err);
int plan_apply_tracer(struct plan *plan, struct plan_buffer *buffer, struct session *session,
		      struct fathom_err *err);

/* For plan_preview(): the settings that would be made. */
int plan_preview_probes(struct plan *plan, const struct session_env *env, struct fathom_err *err);
int plan_preview_users(struct plan *plan, struct fathom_err *err);
int plan_preview_functions(struct plan *plan, struct plan_buffer *buffer,
			   const struct session_env *env, struct fathom_err *err);
int plan_preview_options(const struct plan_buffer *buffer, const struct session_env *env,
			 struct fathom_err *err);
int plan_preview_events(struct plan *plan, struct plan_buffer *buffer,
			const struct session_env *env, struct fathom_err *err);
/* plan-apply.c */
/* Returns the default size per CPU, in KB, of a buffer. */
unsigned long plan_buffer_size(const struct plan *plan, const struct session_env *env,
			       size_t n_cpus);
int plan_no_subbufs(struct fathom_err *err);
/* Returns whether it needs the top level, because the function tracer only records stacks there. */
bool plan_needs_top(const struct plan_buffer *buffer, const struct session_env *env);

#endif
