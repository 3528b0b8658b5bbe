/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "actions/probe/probe-run.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "actions/plan/plan-args.h"
#include "actions/plan/plan-run.h"
#include "actions/plan/probe-progress.h"
#include "actions/probe/probe-set.h"
#include "base/cleanup.h"
#include "base/err.h"
#include "base/quote.h"
#include "base/str.h"
#include "kernel/events/added-event.h"
#include "kernel/events/dynamic-events.h"
#include "record/file/stored-enums.h"
#include "record/plan.h"
#include "record/probes/probe-events.h"
#include "record/probes/probe-make.h"
#include "record/session/session-env.h"
#include "record/session/session-list.h"
#include "render/kit/json-document.h"
#include "render/kit/table.h"

/* The group of events that outlive the command; sessions use "fathom_ID". */
#define GROUP "fathom"

/* The kernel may still use an event that was just disabled. */
#define REMOVE_WAIT_MS 1000

/* The state of 'add'. */
struct adder {
	const struct action *action;
	const struct probe_args *args;
	struct session_env env;
	struct probe_base base;
	struct arena arena;
	const struct probe *probe; /* the one being added */
	struct strbuf names; /* of this run, one per line, for --dry-run */
	struct strbuf enums; /* of the events added; see record/file/enum-names.h */
	struct out *out;
	struct fathom_err *err;
};

static void adder_done(struct adder *adder)
{
	strbuf_done(&adder->names);
	strbuf_done(&adder->enums);
	arena_done(&adder->arena);
	probe_base_done(&adder->base);
	session_env_done(&adder->env);
}

/* Checks only names of this run; the kernel checks its own when the event is added. */
static bool probe_run_is_used(void *data, const char *name)
{
	const struct adder *adder = data;

	return str_has_word(strbuf_str(&adder->names), "\n", name);
}

static int probe_run_make_event(void *data, const char *name, const char *line,
				struct fathom_err *err)
{
	struct adder *adder = data;
	int r = 0;

	if (adder->args->dry_run)
		out_printf(adder->out, OUT_PLAIN, "%s\n", line);
	else
		r = added_event_make(adder->env.tracefs.fd, line);
	if (r == -ENOMEM)
		return err_nomem(err);
	if (r < 0 && r != -EEXIST)
		probe_refused(adder->env.tracefs.fd, "", adder->probe, line, r, err);
	if (r < 0)
		return r;
	quote_addf(&adder->names, "%s\n", name);
	if (!adder->args->dry_run)
		out_printf(adder->out, OUT_PLAIN, GROUP ":%s\n", name);
	return adder->names.err ? err_nomem(err) : 0;
}

static int probe_run_extend_event(void *data, const char *line)
{
	struct adder *adder = data;

	if (!adder->args->dry_run)
		return added_event_extend(adder->env.tracefs.fd, line);
	out_printf(adder->out, OUT_PLAIN, "%s\n", line);
	return 0;
}

/* Adds all events of adder->probe. */
static int probe_run_make(struct adder *adder)
{
	const struct probe_sink sink = { adder, probe_run_is_used, probe_run_make_event,
					 probe_run_extend_event, &adder->enums };
	_cleanup_strbuf_ struct strbuf notes = { 0 };
	char *rest;
	int r = probe_events_make(
		&(struct probe_request){ { "", adder->args->vmlinux,
					   adder->args->vmlinux && adder->args->dry_run,
					   adder->args->dry_run },
					 adder->probe,
					 &adder->base.machine,
					 GROUP },
		&sink, &notes, adder->err);
	if (r == -EEXIST)
		probe_refused(adder->env.tracefs.fd, "", adder->probe, "", r, adder->err);
	rest = notes.s;
	for (char *line; r == 0 && (line = str_next_line(&rest));)
		quote_printf(adder->action->messages, "note: %s\n", line);
	return r;
}

/* Adds a probe on many functions, after finding them and estimating the overhead. */
static int probe_run_add_set(struct adder *adder, const char *text)
{
	const struct probe_args *args = adder->args;
	_cleanup_plan_ struct plan plan = { 0 };
	const struct plan_buffer *buffer;
	struct probe_progress progress;
	int r = plan_init(&plan) < 0 ? err_nomem(adder->err) : 0;

	if (r < 0)
		return r;
	plan.yes = args->plan.plan.yes;
	plan.budget = args->plan.plan.budget;
	r = args->dry_run ? probe_set_list(&plan, text, adder->base.machine.types, adder->err) :
			    probe_set_try(&plan, text, adder->action, adder->err);
	if (r < 0)
		return r;
	plan_run_notes(adder->action, &plan);
	buffer = plan_last(&plan);
	probe_progress_init(&progress, adder->action->messages);
	for (size_t i = 0; i < buffer->n_events && r == 0; i++) {
		if (!buffer->events[i].set || buffer->events[i].off)
			continue;
		adder->probe = buffer->events[i].expression;
		/* On a terminal, the names that are printed show it. */
		if (!adder->out->terminal)
			probe_progress_take(&progress, "creating probes", i, buffer->n_events);
		r = probe_run_make(adder);
	}
	probe_progress_done(&progress);
	return r;
}

static int add_one(struct adder *adder, const char *text)
{
	int r = probe_parse(text, &adder->arena, &adder->probe, adder->err);

	if (r == 0 && !adder->args->dry_run)
		r = probe_check(adder->env.tracefs.fd, adder->probe, adder->err);
	if (r < 0)
		return r;
	return probe_is_glob(adder->probe) ? probe_run_add_set(adder, text) : probe_run_make(adder);
}

/* Also if a probe was rejected: those before it have been added. */
static int keep_enums(struct adder *adder, struct fathom_err *err)
{
	if (adder->enums.err)
		return err_nomem(err);
	if (adder->enums.len && session_env_make_journals(&adder->env, err) < 0)
		return -EIO;
	return stored_enums_add(&adder->env, strbuf_str(&adder->enums), err);
}

static int probe_run_add(const struct action *action, int argc, char **argv, struct fathom_err *err)
{
	const struct probe_args *args = action->args;
	_cleanup_(adder_done) struct adder adder = { .action = action,
						     .args = args,
						     .env = SESSION_ENV_NONE,
						     .base = PROBE_BASE_NONE,
						     .out = action->out,
						     .err = err };
	int r = 0;

	if (!args->dry_run) {
		r = session_env_open("", &adder.env, err);
		if (r == 0)
			r = session_env_check(&adder.env, err);
	}
	if (r == 0)
		r = probe_base_open(args->btf ?: PROBE_BTF_DIR, &adder.base, err);
	if (r == 0 && args->btf && !adder.base.machine.types)
		r = err_set(err, -ENOENT, "no file 'vmlinux' in '%s'", args->btf);
	for (int i = 0; i < argc && r == 0; i++)
		r = add_one(&adder, argv[i]);
	if (!args->dry_run && (adder.names.len || r == 0)) {
		int kept = keep_enums(&adder, r < 0 ? NULL : err);

		r = r < 0 ? r : kept;
	}
	return r;
}

/* The session that a group belongs to, or NULL. */
static const struct session_info *find_session(const struct session_list *sessions,
					       const char *group)
{
	const char *id = str_after(group, PLAN_PROBE_GROUP);

	for (size_t i = 0; id && i < sessions->n; i++) {
		const char *p = id, *q = sessions->list[i].id;

		/* Characters that a group name cannot contain are replaced with '_'. */
		while (*p && *q && (*p == *q || *p == '_')) {
			p++;
			q++;
		}
		if (!*p && !*q)
			return &sessions->list[i];
	}
	return NULL;
}

static void describe_maker(const struct session_list *sessions, const char *group, char *text,
			   size_t size)
{
	const struct session_info *session = find_session(sessions, group);

	if (str_eq(group, GROUP))
		snprintf(text, size, "fathom probe add");
	else if (session)
		snprintf(text, size, "session %s (pid %ld): %s", session->id, session->pid,
			 session->command);
	else if (str_after(group, PLAN_PROBE_GROUP))
		snprintf(text, size, "unknown session");
	else
		snprintf(text, size, "-");
}

static const struct table_column columns[] = {
	{ "event", "EVENT", TABLE_TEXT },
	{ "kind", "KIND", TABLE_TEXT },
	{ "enabled", NULL, TABLE_BOOL },
	{ "by", "MADE BY", TABLE_TEXT },
	{ "definition", "DEFINITION", TABLE_TEXT },
};

static void probe_run_fill_table(struct table *table, const struct dynamic_events *events,
				 const struct session_list *sessions)
{
	for (size_t i = 0; i < events->n; i++) {
		const struct dynamic_event *e = &events->list[i];
		char text[256];

		snprintf(text, sizeof(text), "%.120s:%.120s", e->system, e->name);
		table_text(table, text);
		table_text(table, e->kind);
		table_number(table, e->enabled);
		describe_maker(sessions, e->system, text, sizeof(text));
		table_text(table, text);
		table_text(table, e->definition);
	}
}

static int probe_run_print_table(const struct table *table, const struct probe_args *args,
				 struct out *out, struct fathom_err *err)
{
	_cleanup_strbuf_ struct strbuf buf = { 0 };
	struct json json;

	if (args->csv)
		return table_print_csv(table, 0, out) < 0 ? err_nomem(err) : 0;
	if (!args->json) {
		if (!table_rows(table))
			out_printf(out, OUT_PLAIN, "no probes\n");
		else if (table_print(table, 0, out) < 0)
			return err_nomem(err);
		return 0;
	}
	json_document_begin(&json, &buf, true);
	table_json(table, &json, "probes", 0);
	json_document_end(&json, NULL);
	return out_write(out, &buf) < 0 ? err_nomem(err) : 0;
}

static int probe_run_list(const struct action *action, struct fathom_err *err)
{
	const struct probe_args *args = action->args;
	_cleanup_session_env_ struct session_env env = SESSION_ENV_NONE;
	_cleanup_session_list_ struct session_list sessions = { 0 };
	_cleanup_(dynamic_events_done) struct dynamic_events events = { 0 };
	_cleanup_(table_done) struct table table = { .columns = columns,
						     .n_columns = ARRAY_SIZE(columns) };
	int r = session_env_open("", &env, err);

	if (r == 0 && !tracefs_readable(&env.tracefs))
		r = err_set(err, -EACCES, "%s; %s", tracefs_obstacle(&env.tracefs),
			    tracefs_advice(&env.tracefs));
	if (r == 0)
		r = session_list_read(&env, &sessions, err);
	if (r == 0)
		r = dynamic_events_read(env.tracefs.fd, &events, err);
	if (r < 0)
		return r;
	probe_run_fill_table(&table, &events, &sessions);
	return table.nomem ? err_nomem(err) : probe_run_print_table(&table, args, action->out, err);
}

static int remove_event(int tracefs, const char *system, const char *name, struct fathom_err *err)
{
	char full[ADDED_EVENT_NAME_SIZE];
	int r;

	if ((size_t)snprintf(full, sizeof(full), "%s/%s", system, name) >= sizeof(full))
		return err_set(err, -ENOENT, "no event '%.100s'", name);
	r = added_event_remove(tracefs, full, REMOVE_WAIT_MS);
	if (r == -EBUSY)
		return err_set(err, r,
			       "'%s:%s' is in use: disable it first ('fathom ps' lists users of "
			       "tracing)",
			       system, name);
	return r < 0 ? err_set_errno(err, r, "cannot remove '%s:%s'", system, name), r : 0;
}

/* @word is NAME, of the group of this command, or SYSTEM:NAME. */
static int remove_named(int tracefs, const struct dynamic_events *events, const char *word,
			struct fathom_err *err)
{
	const char *split = strpbrk(word, ":/"), *name = split ? split + 1 : word;
	struct nearest nearest = { .wanted = name };

	for (size_t i = 0; i < events->n; i++) {
		const struct dynamic_event *e = &events->list[i];
		bool of_system = split ? strlen(e->system) == (size_t)(split - word) &&
						 strncmp(e->system, word, strlen(e->system)) == 0 :
					 str_eq(e->system, GROUP);

		if (of_system && str_eq(e->name, name))
			return remove_event(tracefs, e->system, e->name, err);
		if (of_system)
			nearest_offer(&nearest, e->name);
	}
	if (nearest_pick(&nearest))
		return err_set(err, -ENOENT, "no probe '%.100s'; did you mean '%.100s'?", word,
			       nearest_pick(&nearest));
	return err_set(err, -ENOENT, "no probe '%.100s'; 'fathom probe list' lists them", word);
}

static int del(const struct probe_args *args, int argc, char **argv, struct fathom_err *err)
{
	_cleanup_session_env_ struct session_env env = SESSION_ENV_NONE;
	_cleanup_(dynamic_events_done) struct dynamic_events events = { 0 };
	int r = session_env_open("", &env, err);

	if (r == 0)
		r = session_env_check(&env, err);
	if (r == 0)
		r = dynamic_events_read(env.tracefs.fd, &events, err);
	for (size_t i = 0; args->all && i < events.n && r == 0; i++)
		if (str_eq(events.list[i].system, GROUP))
			r = remove_event(env.tracefs.fd, GROUP, events.list[i].name, err);
	for (int i = 0; i < argc && r == 0; i++)
		r = remove_named(env.tracefs.fd, &events, argv[i], err);
	return r < 0 ? r : stored_enums_add(&env, "", err);
}

enum verb {
	VERB_NONE,
	VERB_ADD,
	VERB_LIST,
	VERB_DEL,
};

/* The first operand; with --dry-run, 'add' is implied. */
static enum verb verb_of(const struct action *action, int *skip)
{
	const struct probe_args *args = action->args;
	const char *word = action->argc ? action->argv[0] : "";

	*skip = 1;
	if (str_eq(word, "add"))
		return VERB_ADD;
	if (str_eq(word, "list"))
		return VERB_LIST;
	if (str_eq(word, "del"))
		return VERB_DEL;
	*skip = 0;
	return args->dry_run && action->argc ? VERB_ADD : VERB_NONE;
}

static int probe_run_check(const struct action *action, enum verb verb, int n,
			   struct fathom_err *err)
{
	const struct probe_args *args = action->args;

	if (verb == VERB_NONE && action->argc && probe_is_one(action->argv[0]))
		return err_set(err, -EINVAL,
			       "no command given: use 'fathom probe add' to add a "
			       "probe");
	if (verb == VERB_NONE)
		return err_set(err, -EINVAL, "no command given: expected add, list or del");
	if (verb == VERB_ADD && !n)
		return err_set(err, -EINVAL,
			       "no probe given: for example 'k:vfs_read(count)', see 'fathom "
			       "help probes'");
	if (verb == VERB_LIST && n)
		return err_set(err, -EINVAL, "unexpected argument '%s'", action->argv[1]);
	if (verb == VERB_DEL && !n == !args->all)
		return err_set(err, -EINVAL, "no probes given: use names of events, or --all");
	if (verb != VERB_ADD && (args->dry_run || args->btf || args->vmlinux || args->plan.plan.n))
		return err_set(err, -EINVAL,
			       "--dry-run, --btf, --vmlinux, --budget and --yes require 'add'");
	return action_one_format(args->json, args->csv, err);
}

int probe_run(const struct action *action)
{
	struct fathom_err err = { 0 };
	int skip, argc, r;
	enum verb verb = verb_of(action, &skip);
	char **argv = action->argv + skip;

	argc = action->argc - skip;
	if (probe_run_check(action, verb, argc, &err) < 0)
		return action_usage_error(action, &err);
	if (verb == VERB_LIST)
		r = probe_run_list(action, &err);
	else if (verb == VERB_DEL)
		r = del(action->args, argc, argv, &err);
	else
		r = probe_run_add(action, argc, argv, &err);
	return r < 0 ? action_failed(action, &err) : EXIT_OK;
}
