/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the files of the plan tell each other. */
#ifndef FATHOM_RECORD_PLAN_PLAN_PARTS_H
#define FATHOM_RECORD_PLAN_PLAN_PARTS_H

#include "record/plan.h"

#define PLAN_PATH_SIZE	512
#define PLAN_GROUP_SIZE 64

/* plan.c */
/* Adds a line for the user. */
void plan_note(struct plan *plan, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* plan-settings.c */
/* One setting; what the kernel says about a refusal is added to the message. */
int plan_set(struct session *session, struct session_place *place, const char *file,
	     enum knob_mode mode, const char *value, struct fathom_err *err);
/* In @place, or for the whole machine where only the top level has the file. */
int plan_set_somewhere(struct plan *plan, struct session *session, struct session_place *place,
		       const char *file, enum knob_mode mode, const char *value,
		       struct fathom_err *err);
bool plan_has_file(int dir, const char *file);
/* The group of the session's own events. */
void plan_probe_group(const struct session *session, char *group, size_t size);

/* plan-probes.c */
/* Before there are places: an instance that is made later has them, too. */
int plan_make_probes(struct plan *plan, struct session *session, struct fathom_err *err);
/* plan-sets.c */
/* When all is set, and tracing still off: what do they cost? -E2BIG: more than they may. */
int plan_price_sets(struct plan *plan, struct session *session, struct fathom_err *err);
/* plan-users.c */
/* Probes of functions of programs; the same holds. */
int plan_make_users(struct plan *plan, struct session *session, struct fathom_err *err);
/* Switches them on. */
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
/* Does this kernel have it at all? */
int plan_check_tracer(const struct plan_buffer *buffer, const struct session_env *env,
		      struct fathom_err *err);
int plan_apply_tracer(struct plan *plan, struct plan_buffer *buffer, struct session *session,
		      struct fathom_err *err);

/* For plan_preview(): what would be set, without setting it. */
int plan_preview_probes(struct plan *plan, const struct session_env *env, struct fathom_err *err);
int plan_preview_users(struct plan *plan, struct fathom_err *err);
int plan_preview_functions(struct plan *plan, struct plan_buffer *buffer,
			   const struct session_env *env, struct fathom_err *err);
int plan_preview_options(const struct plan_buffer *buffer, const struct session_env *env,
			 struct fathom_err *err);
int plan_preview_events(struct plan *plan, struct plan_buffer *buffer,
			const struct session_env *env, struct fathom_err *err);
/* plan-apply.c */
/* Of a buffer without a size, for each CPU. */
unsigned long plan_buffer_size(const struct plan *plan, const struct session_env *env,
			       size_t n_cpus);
int plan_no_subbufs(struct fathom_err *err);
/* The function tracer takes stacks at the top level only. */
bool plan_needs_top(const struct plan_buffer *buffer, const struct session_env *env);

#endif
