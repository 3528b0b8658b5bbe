/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The tracer of a plan, and trace options. */
#include "record/plan/plan-parts.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/files/file.h"
#include "base/str.h"
#include "kernel/tracefs/settings.h"
#include "record/rings/cpu-stats.h"
#include "record/session/session-env.h"
#include "record/session/session.h"

static int unknown_option(int place, const char *name, struct fathom_err *err)
{
	struct settings settings = { 0 };
	struct nearest nearest = { .wanted = name };
	int r;

	if (settings_read_options(place, &settings, NULL) == 0)
		for (size_t i = 0; i < settings.n; i++)
			nearest_offer(&nearest, settings.list[i].name);
	if (nearest_pick(&nearest))
		r = err_set(err, -ENOENT,
			    "no trace option '%s' in this kernel; did you mean "
			    "'%s'?",
			    name, nearest_pick(&nearest));
	else
		r = err_set(err, -ENOENT,
			    "no trace option '%s' in this kernel; see 'fathom list -O'", name);
	settings_done(&settings);
	return r;
}

/* Finds the file of an option in @place or at the top level, @top. */
static int find_option(int place, int top, const char *name, char path[PLAN_PATH_SIZE],
		       struct fathom_err *err)
{
	if (strchr(name, '/') ||
	    snprintf(path, PLAN_PATH_SIZE, "options/%s", name) >= PLAN_PATH_SIZE)
		return err_set(err, -EINVAL, "invalid trace option '%s'", name);
	return plan_has_file(place, path) || plan_has_file(top, path) ?
		       0 :
		       unknown_option(place, name, err);
}

static int set_option(struct plan *plan, struct plan_buffer *buffer, struct session *session,
		      const char *name, const char *value, struct fathom_err *err)
{
	char path[PLAN_PATH_SIZE];
	int r = find_option(buffer->place->fd, session_env(session)->tracefs.fd, name, path, err);

	return r < 0 ? r :
		       plan_set_somewhere(plan, session, buffer->place, path, KNOB_SET, value, err);
}

/* "noNAME" disables NAME, unless an option has that very name. Returns the NAME, or NULL. */
static const char *option_off(int place, const char *word)
{
	const char *off = str_after(word, "no");
	char path[PLAN_PATH_SIZE];

	snprintf(path, sizeof(path), "options/%s", word);
	return off && *off && !plan_has_file(place, path) ? off : NULL;
}

static int set_option_word(struct plan *plan, struct plan_buffer *buffer, struct session *session,
			   const char *word, struct fathom_err *err)
{
	const char *off = option_off(buffer->place->fd, word);

	if (off)
		return set_option(plan, buffer, session, off, "0", err);
	if (strstr(word, "stacktrace") || strstr(word, "stack_trace"))
		plan->wants_symbols = true;
	if (str_eq(word, "userstacktrace"))
		plan->wants_maps = true;
	if (str_eq(word, "func-args") || str_eq(word, "funcgraph-args"))
		plan->wants_types = true;
	return set_option(plan, buffer, session, word, "1", err);
}

/* "-1" means all CPUs. The kernel rejects masks with more bits than CPUs. */
static int set_cpumask(struct plan_buffer *buffer, struct session *session, struct fathom_err *err)
{
	_cleanup_strbuf_ struct strbuf mask = { 0 };
	_cleanup_free_ uint32_t *cpus = NULL;
	size_t n = 0;
	uint32_t bits;
	int r;

	if (!str_eq(buffer->cpumask, "-1"))
		return plan_set(session, buffer->place, "tracing_cpumask", KNOB_SET,
				buffer->cpumask, err);
	r = cpu_list_read(buffer->place->fd, &cpus, &n);
	if (r < 0 || !n)
		return err_set_errno(err, r ?: -ENOENT, "cannot list the CPUs");
	bits = cpus[n - 1] + 1;
	/* Words of 32 bits, highest first. */
	for (uint32_t word = (bits + 31) / 32; word-- > 0;) {
		uint32_t value = 0;

		for (size_t i = 0; i < n; i++)
			if (cpus[i] / 32 == word)
				value |= 1u << cpus[i] % 32;
		strbuf_addf(&mask, "%s%x", mask.len ? "," : "", value);
	}
	if (mask.err)
		return err_nomem(err);
	return plan_set(session, buffer->place, "tracing_cpumask", KNOB_SET, strbuf_str(&mask),
			err);
}

int plan_apply_options(struct plan *plan, struct plan_buffer *buffer, struct session *session,
		       struct fathom_err *err)
{
	int r = 0;

	if (buffer->stack)
		r = set_option_word(plan, buffer, session, "stacktrace", err);
	if (r == 0 && buffer->user_stack)
		r = set_option_word(plan, buffer, session, "userstacktrace", err);
	for (size_t i = 0; i < buffer->options.n && r == 0; i++)
		r = set_option_word(plan, buffer, session, buffer->options.list[i], err);
	if (r == 0 && buffer->cpumask)
		r = set_cpumask(buffer, session, err);
	return r;
}

int plan_preview_options(const struct plan_buffer *buffer, const struct session_env *env,
			 struct fathom_err *err)
{
	const int top = env->tracefs.fd;
	char path[PLAN_PATH_SIZE];
	int r = 0;

	if (buffer->stack)
		r = find_option(top, top, "stacktrace", path, err);
	if (r == 0 && buffer->user_stack)
		r = find_option(top, top, "userstacktrace", path, err);
	for (size_t i = 0; i < buffer->options.n && r == 0; i++) {
		const char *word = buffer->options.list[i];

		r = find_option(top, top, option_off(top, word) ?: word, path, err);
	}
	return r;
}

/* A buffer in use cannot move to another place. */
static int plan_options_check_place(const struct plan_buffer *buffer, struct fathom_err *err)
{
	_cleanup_strbuf_ struct strbuf tracers = { 0 };

	if (file_read(buffer->place->fd, "available_tracers", &tracers) < 0 ||
	    str_has_word(strbuf_str(&tracers), " \n", buffer->tracer))
		return 0;
	return err_set(err, -EINVAL,
		       "tracer '%s' needs the top-level buffer in this kernel, but the session "
		       "uses an instance: end it with 'fathom reset' and start again",
		       buffer->tracer);
}

int plan_check_tracer(const struct plan_buffer *buffer, const struct session_env *env,
		      struct fathom_err *err)
{
	_cleanup_strbuf_ struct strbuf tracers = { 0 };
	struct nearest nearest = { .wanted = buffer->tracer };
	char *rest;
	int r;

	if (!buffer->tracer || str_eq(buffer->tracer, "nop"))
		return 0;
	r = file_read(env->tracefs.fd, "available_tracers", &tracers);
	if (r == -ENOMEM)
		return err_nomem(err);
	if (r < 0 || !tracers.s)
		return 0;
	rest = tracers.s;
	for (char *word; (word = str_next_word(&rest, " \n"));) {
		if (str_eq(word, buffer->tracer))
			return buffer->place ? plan_options_check_place(buffer, err) : 0;
		nearest_offer(&nearest, word);
	}
	if (nearest_pick(&nearest))
		return err_set(err, -EINVAL, "no tracer '%s' in this kernel; did you mean '%s'?",
			       buffer->tracer, nearest_pick(&nearest));
	return err_set(err, -EINVAL, "no tracer '%s' in this kernel; see 'fathom list -t'",
		       buffer->tracer);
}

/* Functions are not traced while the administrator has disabled it. */
static int enable_ftrace(struct plan *plan, struct session *session, struct fathom_err *err)
{
	char line[16];

	if (plan->no_ftrace || plan->no_function_trace ||
	    file_read_line(session_env(session)->proc_sys, "kernel/ftrace_enabled", line,
			   sizeof(line)) <= 0 ||
	    line[0] != '0')
		return 0;
	plan_note(plan, "function tracing was disabled on this machine (kernel.ftrace_enabled = "
			"0); enabled until this ends");
	return session_set_sysctl(session, "kernel/ftrace_enabled", "1", err);
}

static int set_tracer(const struct plan_buffer *buffer, struct session *session,
		      struct fathom_err *err)
{
	return plan_set(session, buffer->place, "current_tracer", KNOB_SET, buffer->tracer, err);
}

int plan_apply_tracer(struct plan *plan, struct plan_buffer *buffer, struct session *session,
		      struct fathom_err *err)
{
	int r = 0;

	if (!buffer->tracer)
		return 0;
	if (!str_eq(buffer->tracer, "nop"))
		plan->wants_symbols = true;
	if (str_after(buffer->tracer, "function"))
		r = enable_ftrace(plan, session, err);
	/* The function tracer reads it when it is selected. */
	if (r == 0 && buffer->func_stack &&
	    plan_has_file(buffer->place->fd, "options/func_stack_trace"))
		r = plan_set(session, buffer->place, "options/func_stack_trace", KNOB_SET, "1",
			     err);
	/* Options may belong to the tracer, and exist only once it is selected. */
	buffer->late = str_after(buffer->tracer, "function") && !buffer->options.n &&
		       !buffer->func_stack;
	buffer->waits = buffer->late && plan->late_tracers;
	if (r == 0 && !buffer->waits)
		r = set_tracer(buffer, session, err);
	if (r == 0 && buffer->func_stack)
		r = set_option(plan, buffer, session, "func_stack_trace", "1", err);
	return r;
}

int plan_start_tracers(struct plan *plan, struct session *session, struct fathom_err *err)
{
	int r = 0;

	for (size_t i = 0; i < plan->n && r == 0; i++) {
		struct plan_buffer *buffer = &plan->buffers[i];

		if (!buffer->waits)
			continue;
		r = set_tracer(buffer, session, err);
		buffer->waits = false;
		if (r < 0 && *buffer->name)
			err_prefix(err, "buffer '%s'", buffer->name);
	}
	return r;
}

int plan_pause_tracers(struct plan *plan, struct session *session, struct fathom_err *err)
{
	int r = 0;

	for (size_t i = 0; i < plan->n && r == 0; i++) {
		struct plan_buffer *buffer = &plan->buffers[i];

		if (!buffer->late || buffer->waits)
			continue;
		r = plan_set(session, buffer->place, "current_tracer", KNOB_SET, "nop", err);
		buffer->waits = true;
	}
	return r;
}
