/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "actions/machine/candidates.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/errno-name.h"
#include "base/files/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/strbuf.h"
#include "count/recipes.h"
#include "kernel/events/events.h"
#include "kernel/events/functions.h"
#include "kernel/tracefs/tracefs.h"
#include "record/file/kernel-lists.h"
#include "record/session/session-list.h"
#include "symbols/btf/btf.h"

#define SYSCALL_EVENT "sys_enter_"
/* Above all error numbers that calls return. */
#define ERRNO_MAX 200

struct search {
	const char *root;
	const char *prefix;
	void (*put)(void *data, const char *name, const char *note);
	void *data;
};

static void search_offer(const struct search *search, const char *name, const char *note)
{
	if (*name && str_after(name, search->prefix))
		search->put(search->data, name, note);
}

/* The words of a file of tracefs, or the first word of each line. */
static void search_words(const struct search *search, const char *path, bool only_first)
{
	_cleanup_tracefs_ struct tracefs tracefs = TRACEFS_NONE;
	_cleanup_strbuf_ struct strbuf text = { 0 };
	struct fathom_err err = { 0 };
	char *rest;

	if (tracefs_find(search->root, &tracefs, &err) < 0 || tracefs.fd < 0 ||
	    file_read(tracefs.fd, path, &text) < 0)
		return;
	rest = text.s;
	for (char *line; rest && (line = str_next_line(&rest));)
		for (char *word; (word = str_next_word(&line, " \t"));) {
			/* [local] is the current clock. */
			if (word[0] == '[' && word[strlen(word) - 1] == ']') {
				word[strlen(word) - 1] = '\0';
				word++;
			}
			search_offer(search, word, "");
			if (only_first)
				break;
		}
}

static void search_events(const struct search *search, bool syscalls)
{
	_cleanup_tracefs_ struct tracefs tracefs = TRACEFS_NONE;
	struct events events = { 0 };
	struct fathom_err err = { 0 };
	const char *system = "";

	if (tracefs_find(search->root, &tracefs, &err) < 0 || tracefs.fd < 0 ||
	    events_read(tracefs.fd, &events, &err) < 0)
		return;
	for (size_t i = 0; i < events.n; i++) {
		const struct event *event = &events.list[i];
		const char *call = str_after(event->name, SYSCALL_EVENT);
		_cleanup_free_ char *full = NULL;

		if (syscalls) {
			if (call && str_eq(event->system, "syscalls"))
				search_offer(search, call, "");
			continue;
		}
		full = mem_printf("%s:%s", event->system, event->name);
		if (!full)
			break;
		/* Without a prefix, there would be thousands. */
		if (strchr(search->prefix, ':')) {
			search_offer(search, full, "");
		} else {
			if (!str_eq(system, event->system)) {
				_cleanup_free_ char *group = mem_printf("%s:", event->system);

				search_offer(search, group ?: "", "");
			}
			if (*search->prefix)
				search_offer(search, event->name, event->system);
		}
		system = event->system;
	}
	events_done(&events);
}

static void search_offer_function(void *data, const char *name)
{
	search_offer(data, name, "");
}

/*
 * The functions that the kernel can trace, or else those in its type information, which is
 * world-readable.
 */
static void search_functions(const struct search *search)
{
	_cleanup_session_env_ struct session_env env = SESSION_ENV_NONE;
	_cleanup_(prototypes_free_p) struct prototypes *prototypes = NULL;
	_cleanup_free_ char *path = mem_printf("%s/sys/kernel/btf", search->root);
	_cleanup_close_ int btf = path ? open(path, O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;
	struct functions functions = { 0 };
	struct fathom_err err = { 0 };

	if (session_env_open(search->root, &env, &err) == 0 && env.tracefs.fd >= 0 &&
	    tracefs_readable(&env.tracefs) &&
	    kernel_lists_functions(&env, false, &functions, &err) == 0) {
		for (size_t i = 0; i < functions.n; i++)
			if (functions.list[i].nth <= 1)
				search_offer(search, functions.list[i].name,
					     functions.list[i].module ?: "");
		functions_done(&functions);
		return;
	}
	if (btf >= 0 && prototypes_new(btf, &prototypes, &err) == 0)
		prototypes_each(prototypes, search->prefix, search_offer_function, (void *)search);
}

/* The kernel lists options as they are set: each can be given both ways. */
static void search_offer_option(void *data, const char *name, const char *note)
{
	const struct search *search = data;
	const char *plain = str_after(name, "no") ?: name;
	_cleanup_free_ char *other = mem_printf("no%s", plain);

	search_offer(search, plain, "");
	search_offer(search, other ?: "", "");
}

static void search_directory(const struct search *search, const char *path, bool processes)
{
	_cleanup_free_ char *full = mem_printf("%s%s", search->root, path);
	DIR *dir = full ? opendir(full) : NULL;

	for (struct dirent *entry; dir && (entry = readdir(dir));) {
		_cleanup_strbuf_ struct strbuf comm = { 0 };
		_cleanup_free_ char *file = NULL;

		if (entry->d_name[0] == '.' || !str_after(entry->d_name, search->prefix))
			continue;
		if (!processes) {
			search_offer(search, entry->d_name, "");
			continue;
		}
		if (!isdigit((unsigned char)entry->d_name[0]))
			continue;
		file = mem_printf("%s/%s/comm", full, entry->d_name);
		if (file && file_read(AT_FDCWD, file, &comm) == 0 && comm.s)
			comm.s[strcspn(comm.s, "\n")] = '\0';
		search_offer(search, entry->d_name, strbuf_str(&comm));
	}
	if (dir)
		closedir(dir);
}

static void search_instances(const struct search *search)
{
	_cleanup_tracefs_ struct tracefs tracefs = TRACEFS_NONE;
	struct fathom_err err = { 0 };
	struct search below = *search;

	if (tracefs_find(search->root, &tracefs, &err) < 0 || !tracefs.path)
		return;
	below.root = tracefs.path;
	search_directory(&below, "/instances", false);
}

static void search_sessions(const struct search *search)
{
	_cleanup_session_env_ struct session_env env = SESSION_ENV_NONE;
	_cleanup_session_list_ struct session_list list = { 0 };
	struct fathom_err err = { 0 };

	if (session_env_open(search->root, &env, &err) < 0 ||
	    session_list_read(&env, &list, &err) < 0)
		return;
	for (size_t i = 0; i < list.n; i++)
		search_offer(search, list.list[i].id, session_state_name(list.list[i].state));
}

/* "p:fathom/vfs_open vfs_open ..." */
static void search_offer_probe(void *data, const char *line, const char *note)
{
	const char *name = strchr(line, ':');
	_cleanup_free_ char *event = name ? mem_strdup(name + 1) : NULL;
	char *slash = event ? strchr(event, '/') : NULL;

	if (!slash)
		return;
	*slash = ':';
	search_offer(data, event, "");
}

static void search_modules(const struct search *search)
{
	_cleanup_free_ char *path = mem_printf("%s/proc/modules", search->root);
	_cleanup_strbuf_ struct strbuf text = { 0 };
	char *rest;

	if (!path || file_read(AT_FDCWD, path, &text) < 0)
		return;
	rest = text.s;
	for (char *line; rest && (line = str_next_line(&rest));) {
		line[strcspn(line, " ")] = '\0';
		search_offer(search, line, "");
	}
}

static void search_users(const struct search *search)
{
	setpwent();
	for (struct passwd *user; (user = getpwent());)
		search_offer(search, user->pw_name, user->pw_gecos ?: "");
	endpwent();
}

static void search_recipes(const struct search *search)
{
	_cleanup_recipes_ struct recipes recipes = { 0 };

	if (recipes_add(&recipes, recipes_default, recipes_default_len, NULL) < 0)
		return;
	for (size_t i = 0; i < recipes.n; i++)
		search_offer(search, recipes.list[i].name, recipes.list[i].question);
}

static void search_errors(const struct search *search)
{
	for (int i = 1; i < ERRNO_MAX; i++)
		if (errno_name(i))
			search_offer(search, errno_name(i), strerrordesc_np(i) ?: "");
}

void candidates_list(const char *root, enum candidate_kind kind, const char *prefix,
		     void (*put)(void *data, const char *name, const char *note), void *data)
{
	struct search search = { root, prefix, put, data };
	struct search all = { root, "", search_offer_option, &search };

	switch (kind) {
	case CANDIDATE_EVENT:
	case CANDIDATE_SYSCALL:
		search_events(&search, kind == CANDIDATE_SYSCALL);
		break;
	case CANDIDATE_FUNCTION:
		search_functions(&search);
		break;
	case CANDIDATE_TRACER:
		search_words(&search, "available_tracers", false);
		break;
	case CANDIDATE_CLOCK:
		search_words(&search, "trace_clock", false);
		break;
	case CANDIDATE_OPTION:
		search_words(&all, "trace_options", false);
		break;
	case CANDIDATE_PROBE:
		all.put = search_offer_probe;
		search_words(&all, "dynamic_events", true);
		break;
	case CANDIDATE_INSTANCE:
		search_instances(&search);
		break;
	case CANDIDATE_SESSION:
		search_sessions(&search);
		break;
	case CANDIDATE_MODULE:
		search_modules(&search);
		break;
	case CANDIDATE_RECIPE:
		search_recipes(&search);
		break;
	case CANDIDATE_ERRNO:
		search_errors(&search);
		break;
	case CANDIDATE_USER:
		search_users(&search);
		break;
	case CANDIDATE_PID:
		search_directory(&search, "/proc", true);
		break;
	case CANDIDATE_RECORDED_COMM:
	case CANDIDATE_RECORDED_PID:
	case CANDIDATE_RECORDED_TASK:
	case CANDIDATE_RECORDED_BUFFER:
		break;
	}
}
