/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "actions/session/stack-run.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/files/file.h"
#include "base/quote.h"
#include "base/str.h"
#include "record/session/session-list.h"
#include "record/session/session.h"
#include "render/kit/json-document.h"

#define SYSCTL "kernel/stack_tracer_enabled"

#define COMMAND "fathom stack"

static int check_kernel(const struct session_env *env, struct fathom_err *err)
{
	int r = session_env_check(env, err);

	if (r < 0)
		return r;
	if (faccessat(env->tracefs.fd, "stack_trace", F_OK, 0) < 0)
		return err_set(err, -EOPNOTSUPP,
			       "unsupported: stack tracer (needs CONFIG_STACK_TRACER)");
	return 0;
}

static bool stack_run_is_on(const struct session_env *env)
{
	char line[16];

	return file_read_line(env->proc_sys, SYSCTL, line, sizeof(line)) > 0 && line[0] != '0';
}

static bool stack_run_is_ours(const struct session_info *session)
{
	return session->state == SESSION_KEPT && str_after(session->command, COMMAND);
}

/* A detached session for this one setting, so that 'fathom reset' restores it. */
static int stack_run_start(const struct action *action, const struct session_env *env,
			   struct fathom_err *err)
{
	struct session *session;
	struct restore_result result;
	int r;

	if (stack_run_is_on(env)) {
		quote_printf(action->messages, "fathom stack: the stack tracer is already "
					       "enabled\n");
		return 0;
	}
	r = session_open("", COMMAND " --start", &session, err);
	if (r < 0)
		return r;
	r = session_set_sysctl(session, SYSCTL, "1", err);
	if (r == 0)
		return session_keep(session, err);
	session_close(session, &result, NULL);
	return r;
}

static int stack_run_stop(const struct action *action, const struct session_env *env,
			  struct fathom_err *err)
{
	_cleanup_session_list_ struct session_list list = { 0 };
	struct restore_result result;
	int r = session_list_read(env, &list, err);
	bool any = false;

	for (size_t i = 0; i < list.n && r == 0; i++) {
		if (!stack_run_is_ours(&list.list[i]))
			continue;
		any = true;
		r = session_reset(env, list.list[i].id, &result, err);
	}
	if (r < 0 || any)
		return r;
	if (stack_run_is_on(env))
		return err_set(err, -EPERM,
			       "the stack tracer was not enabled by fathom; use 'sysctl "
			       "kernel.stack_tracer_enabled=0' to disable it");
	quote_printf(action->messages, "fathom stack: the stack tracer is already disabled\n");
	return 0;
}

static int stack_run_reset(const struct session_env *env, struct fathom_err *err)
{
	int r = file_write(env->tracefs.fd, "stack_max_size", O_TRUNC, "0");

	return r < 0 ? err_set_errno(err, r, "cannot reset the stored stack") : 0;
}

/* "  3)     2912     272   alloc_pages+0x2a/0x80": depth and size of a frame, and where. */
static bool read_frame(char *line, unsigned long *ret_depth, unsigned long *ret_size,
		       const char **ret_where)
{
	char *end, *rest;

	strtoul(line, &end, 10);
	if (end == line || *end != ')')
		return false;
	*ret_depth = strtoul(end + 1, &rest, 10);
	if (rest == end + 1)
		return false;
	*ret_size = strtoul(rest, &end, 10);
	if (end == rest)
		return false;
	*ret_where = end + strspn(end, " ");
	return true;
}

/* Only the frames, as CSV, if @csv is not NULL. */
static void write_json(const struct session_env *env, char *text, struct json_csv *csv,
		       struct strbuf *buf)
{
	char line[32] = "0";
	struct json json;

	file_read_line(env->tracefs.fd, "stack_max_size", line, sizeof(line));
	json_document_begin_csv(&json, buf, csv);
	json_bool(&json, "is_on", stack_run_is_on(env));
	json_u64(&json, "max_bytes", strtoull(line, NULL, 10));
	json_begin_array(&json, "frames");
	for (char *at; (at = str_next_line(&text));) {
		unsigned long depth, size;
		const char *where;

		if (!read_frame(at, &depth, &size, &where))
			continue;
		json_begin_object(&json, NULL);
		json_u64(&json, "depth_bytes", depth);
		json_u64(&json, "size_bytes", size);
		json_string(&json, "where", where);
		json_end_object(&json);
	}
	json_end_array(&json);
	json_document_end(&json, NULL);
}

static int stack_run_show(const struct action *action, const struct session_env *env,
			  struct fathom_err *err)
{
	const struct stack_args *args = action->args;
	_cleanup_json_csv_ struct json_csv table = { .member = "frames",
						     .columns = "depth_bytes size_bytes where" };
	_cleanup_strbuf_ struct strbuf text = { 0 }, json = { 0 };
	int r = file_read(env->tracefs.fd, "stack_trace", &text);

	if (r < 0)
		return err_set_errno(err, r, "cannot read 'stack_trace'");
	if (args->json || args->csv) {
		write_json(env, text.s, args->csv ? &table : NULL, &json);
		return out_write(action->out, &json) < 0 ? err_nomem(err) : 0;
	}
	if (out_write(action->out, &text) < 0)
		return err_nomem(err);
	if (!stack_run_is_on(env))
		out_printf(action->out, OUT_PLAIN,
			   "(the stack tracer is disabled; 'fathom stack --start' enables it)\n");
	return 0;
}

static int stack_run_work(const struct action *action, struct fathom_err *err)
{
	const struct stack_args *args = action->args;
	_cleanup_session_env_ struct session_env env = SESSION_ENV_NONE;
	int r = session_env_open("", &env, err);

	if (r == 0)
		r = check_kernel(&env, err);
	if (r == 0 && args->reset)
		r = stack_run_reset(&env, err);
	if (r == 0 && args->start)
		r = stack_run_start(action, &env, err);
	if (r == 0 && args->stop)
		r = stack_run_stop(action, &env, err);
	if (r == 0 && !args->reset && !args->start && !args->stop)
		r = stack_run_show(action, &env, err);
	return r;
}

int stack_run(const struct action *action)
{
	const struct stack_args *args = action->args;
	struct fathom_err err = { 0 };

	if (action_takes_no_operands(action, &err) < 0)
		return action_usage_error(action, &err);
	if (args->start && args->stop)
		err_set(&err, -EINVAL, "--start and --stop are mutually exclusive");
	else
		action_one_format(args->json, args->csv, &err);
	if (err.code)
		return action_usage_error(action, &err);
	return stack_run_work(action, &err) < 0 ? action_failed(action, &err) : EXIT_OK;
}
