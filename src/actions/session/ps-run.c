/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "actions/session/ps-run.h"

#include <stdio.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/str.h"
#include "kernel/state/state.h"
#include "record/file/left-recordings.h"
#include "record/session/session-list.h"
#include "render/kit/json-document.h"
#include "render/machine/state-json.h"

#define EVENTS_SHOWN 3

/* What to print. */
struct found {
	struct session_env env;
	struct session_list sessions;
	struct left_recordings recordings;
	struct trace_state state;
};

/* Returns whether the buffer belongs to a session. */
static bool ps_run_is_ours(const struct found *found, const char *name)
{
	for (size_t i = 0; i < found->sessions.n; i++) {
		const struct session_info *session = &found->sessions.list[i];

		if (*name ? str_has_word(session->instances, " ", name) : session->top)
			return true;
	}
	return false;
}

static bool is_ours_pid(const struct found *found, long pid)
{
	for (size_t i = 0; i < found->sessions.n; i++)
		if (found->sessions.list[i].pid == pid || found->sessions.list[i].guardian == pid)
			return true;
	return false;
}

static void print_session(struct out *out, const struct session_info *session)
{
	enum out_style style = session->state == SESSION_ALIVE ? OUT_GOOD :
			       session->state == SESSION_KEPT  ? OUT_PLAIN :
								 OUT_WARN;
	time_t since = (time_t)session->since;
	struct tm tm;
	char when[32] = "-";

	if (since && localtime_r(&since, &tm))
		strftime(when, sizeof(when), "%F %T", &tm);
	out_printf(out, OUT_NAME, "%-8s", session->id);
	out_printf(out, style, "  %-11s", session_state_name(session->state));
	out_printf(out, OUT_PLAIN, "  %7ld  %-19s  %7zu  %s\n", session->pid, when,
		   session->changes, session->command);
	if (session->top || *session->instances)
		out_printf(out, OUT_FAINT, "          in %s%s%s\n",
			   session->top ? "the top level" : "",
			   session->top && *session->instances ? ", " : "", session->instances);
	if (*session->failure)
		out_printf(out, OUT_BAD, "          %s\n", session->failure);
}

static size_t print_sessions(struct out *out, const struct session_list *sessions)
{
	size_t left = 0;

	if (sessions->n == 0) {
		out_printf(out, OUT_PLAIN, "no sessions\n");
		return 0;
	}
	out_printf(out, OUT_TITLE, "%-8s  %-11s  %7s  %-19s  %7s  %s\n", "SESSION", "STATE", "PID",
		   "SINCE", "CHANGES", "COMMAND");
	for (size_t i = 0; i < sessions->n; i++) {
		print_session(out, &sessions->list[i]);
		left += sessions->list[i].state != SESSION_ALIVE &&
			sessions->list[i].state != SESSION_KEPT;
	}
	return left;
}

static void print_recordings(struct out *out, const struct left_recordings *left)
{
	if (!left->n)
		return;
	out_printf(out, OUT_TITLE,
		   "\nUnfinished recordings ('fathom recover FILE' finishes them)\n");
	for (size_t i = 0; i < left->n; i++)
		out_printf(out, OUT_PLAIN, "  '%s' (recorder %ld was killed)\n", left->list[i].path,
			   left->list[i].pid);
}

static void ps_run_print_buffer(struct out *out, const struct state_buffer *buffer)
{
	if (*buffer->name)
		out_printf(out, OUT_PLAIN, "  instance '%s':", buffer->name);
	else
		out_printf(out, OUT_PLAIN, "  top level:");
	if (*buffer->tracer && !str_eq(buffer->tracer, "nop"))
		out_printf(out, OUT_PLAIN, " tracer %s%s", buffer->tracer,
			   buffer->events.count ? "," : "");
	for (size_t i = 0; i < buffer->events.count && i < EVENTS_SHOWN; i++)
		out_printf(out, OUT_PLAIN, "%s %s", i ? "," : "", buffer->events.items[i]);
	if (buffer->events.count > EVENTS_SHOWN)
		out_printf(out, OUT_PLAIN, ", and %zu more events",
			   buffer->events.count - EVENTS_SHOWN);
	out_printf(out, OUT_PLAIN, "%s\n", buffer->on ? "" : ", paused");
}

static void print_others(struct out *out, const struct found *found)
{
	const struct trace_state *state = &found->state;
	size_t shown = 0;

	out_printf(out, OUT_TITLE, "\nOther users of tracing\n");
	for (size_t i = 0; i < state->buffers.count; i++) {
		const struct state_buffer *buffer = &state->buffers.items[i];

		if (!state_buffer_active(buffer) || ps_run_is_ours(found, buffer->name))
			continue;
		ps_run_print_buffer(out, buffer);
		shown++;
	}
	for (size_t i = 0; i < state->holders.count; i++) {
		const struct state_holder *holder = &state->holders.items[i];

		if (is_ours_pid(found, holder->pid))
			continue;
		out_printf(out, OUT_PLAIN, "  process %ld (%s): %s open", holder->pid, holder->comm,
			   holder->what);
		out_printf(out, OUT_PLAIN, holder->count > 1 ? ", %zu times\n" : "\n",
			   holder->count);
		shown++;
	}
	if (state->bpf.count) {
		out_printf(out, OUT_PLAIN, "  %zu BPF program%s attached for tracing\n",
			   state->bpf.count, state->bpf.count == 1 ? "" : "s");
		shown++;
	}
	if (!shown)
		out_printf(out, OUT_PLAIN, "  none\n");
	for (size_t i = 0; i < state->unseen.count; i++)
		out_printf(out, OUT_FAINT, "  not visible: %s (%s)\n", state->unseen.items[i].name,
			   state->unseen.items[i].text);
}

static void json_session(struct json *json, const struct session_info *session)
{
	char instances[512], *rest = instances;

	snprintf(instances, sizeof(instances), "%s", session->instances);
	json_begin_object(json, NULL);
	json_string(json, "id", session->id);
	json_string(json, "state", session_state_name(session->state));
	json_s64(json, "pid", session->pid);
	json_s64(json, "guardian_pid", session->guardian);
	json_s64(json, "start_unix_seconds", session->since);
	json_string(json, "command", session->command);
	json_bool(json, "top_level", session->top);
	json_begin_array(json, "instances");
	for (char *name; (name = str_next_word(&rest, " "));)
		json_string(json, NULL, name);
	json_end_array(json);
	json_u64(json, "change_count", session->changes);
	json_string(json, "failure", *session->failure ? session->failure : NULL);
	json_end_object(json);
}

static void json_recordings(struct json *json, const struct left_recordings *left)
{
	json_begin_array(json, "unfinished_recordings");
	for (size_t i = 0; i < left->n; i++) {
		json_begin_object(json, NULL);
		json_string(json, "path", left->list[i].path);
		json_s64(json, "pid", left->list[i].pid);
		json_end_object(json);
	}
	json_end_array(json);
}

static void json_others(struct json *json, const struct found *found)
{
	const struct trace_state *state = &found->state;

	json_begin_array(json, "others");
	for (size_t i = 0; i < state->buffers.count; i++) {
		const struct state_buffer *buffer = &state->buffers.items[i];

		if (!state_buffer_active(buffer) || ps_run_is_ours(found, buffer->name))
			continue;
		state_json_buffer(json, buffer);
	}
	json_end_array(json);
	json_begin_array(json, "holders");
	for (size_t i = 0; i < state->holders.count; i++) {
		const struct state_holder *holder = &state->holders.items[i];

		if (is_ours_pid(found, holder->pid))
			continue;
		state_json_holder(json, holder);
	}
	json_end_array(json);
	json_u64(json, "bpf_program_count", state->bpf.count);
}

/* Prints the sessions as CSV if @csv. */
static int ps_run_print_json(struct out *out, const struct found *found, bool csv,
			     struct fathom_err *err)
{
	_cleanup_json_csv_ struct json_csv table = {
		.member = "sessions",
		.columns = "id state pid guardian_pid start_unix_seconds command top_level "
			   "instances change_count failure"
	};
	_cleanup_strbuf_ struct strbuf buf = { 0 };
	struct json json;

	json_document_begin_csv(&json, &buf, csv ? &table : NULL);
	json_begin_array(&json, "sessions");
	for (size_t i = 0; i < found->sessions.n; i++)
		json_session(&json, &found->sessions.list[i]);
	json_end_array(&json);
	json_recordings(&json, &found->recordings);
	json_others(&json, found);
	json_document_end(&json, NULL);
	return out_write(out, &buf) < 0 ? err_nomem(err) : 0;
}

static void ps_run_found_done(struct found *found)
{
	trace_state_done(&found->state);
	session_list_done(&found->sessions);
	left_recordings_done(&found->recordings);
	session_env_done(&found->env);
}

int ps_run(const struct action *action)
{
	const struct ps_args *args = action->args;
	_cleanup_(ps_run_found_done) struct found found = { .env = SESSION_ENV_NONE };
	struct fathom_err err = { 0 };

	if (action_takes_no_operands(action, &err) < 0 ||
	    action_one_format(args->json, args->csv, &err) < 0)
		return action_usage_error(action, &err);
	if (session_env_open("", &found.env, &err) < 0 ||
	    session_list_read(&found.env, &found.sessions, &err) < 0 ||
	    trace_state_read("", &found.env.tracefs, &found.state, &err) < 0)
		return action_failed(action, &err);
	if (found.env.journals >= 0)
		left_recordings_read(found.env.journals, false, &found.recordings);
	if (args->json || args->csv) {
		if (ps_run_print_json(action->out, &found, args->csv, &err) < 0)
			return action_failed(action, &err);
		return EXIT_OK;
	}
	if (print_sessions(action->out, &found.sessions))
		out_printf(action->out, OUT_WARN,
			   "use 'fathom reset' to restore what was left behind\n");
	print_recordings(action->out, &found.recordings);
	print_others(action->out, &found);
	return EXIT_OK;
}
