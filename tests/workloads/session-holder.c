/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Opens a session and executes its arguments in order. Prints "ready ID PID GUARDIAN"
 * for 'ready'. Arguments:
 *	private, top, force-top, instance=NAME, for=TRACER	the place of the settings that follow
 *	FILE=VALUE, FILE+=VALUE					sets, or adds to a list
 *	sysctl:NAME=VALUE, event:DEFINITION
 *	exclude		excludes itself and the guardian from the trace
 *	run=COMMAND	runs it in a shell, as a child
 *	sleep=MS, ready, wait (forever)
 *	close, keep, die (exits without closing)
 *	adopt=ID	first only: adopts a detached session
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/str.h"
#include "record/session/session.h"

static struct session *session;
static struct session_place *place;
static struct fathom_err err;

static int set(char *word)
{
	char *equals = strchr(word, '=');
	struct session_setting setting = { .place = place, .file = word, .mode = KNOB_SET };

	if (!equals || !place) {
		fprintf(stderr, "cannot do '%s'\n", word);
		exit(2);
	}
	*equals = '\0';
	setting.value = equals + 1;
	if (equals > word && equals[-1] == '+') {
		equals[-1] = '\0';
		setting.mode = KNOB_ADD;
	}
	return session_apply(session, &setting, 1, &err);
}

static int set_sysctl(const char *text)
{
	char name[128];
	const char *equals = strchr(text, '=');

	if (!equals)
		return -EINVAL;
	snprintf(name, sizeof(name), "%.*s", (int)(equals - text), text);
	return session_set_sysctl(session, name, equals + 1, &err);
}

static int run_command(const char *command)
{
	pid_t pid = fork();
	int status = 0;

	if (pid == 0) {
		execl("/bin/sh", "sh", "-c", command, (char *)NULL);
		_exit(127);
	}
	waitpid(pid, &status, 0);
	return status ? -ECHILD : 0;
}

static int choose_for(const char *tracer)
{
	const char *note;
	int r = session_place_for(session, tracer, false, &place, &note, &err);

	if (r == 0 && note)
		printf("note: %s\n", note);
	return r;
}

static int exclude(void)
{
	pid_t pids[] = { getpid(), session_guardian(session) };

	int r = session_exclude_pids(session, place, pids, 2, SESSION_EXCLUDE_ALL, &err);

	return r < 0 ? r : 0;
}

static int end(bool keep)
{
	struct restore_result result;
	int r = keep ? session_keep(session, &err) : session_close(session, &result, &err);

	if (!keep)
		printf("closed: %u changed, %u failed\n", result.changed, result.failed);
	if (r < 0)
		fprintf(stderr, "session-holder: %s\n", fathom_err_text(&err));
	exit(r < 0);
}

static int do_word(char *word)
{
	const char *rest;

	if (str_eq(word, "private"))
		return session_place_private(session, &place, &err);
	if (str_eq(word, "top") || str_eq(word, "force-top"))
		return session_place_top(session, word[0] == 'f', &place, &err);
	if ((rest = str_after(word, "instance=")))
		return session_place_instance(session, rest, &place, &err);
	if ((rest = str_after(word, "for=")))
		return choose_for(rest);
	if ((rest = str_after(word, "sysctl:")))
		return set_sysctl(rest);
	if ((rest = str_after(word, "event:")))
		return session_add_event(session, rest, &err);
	if ((rest = str_after(word, "run=")))
		return run_command(rest);
	if ((rest = str_after(word, "sleep=")))
		return usleep((unsigned)strtoul(rest, NULL, 10) * 1000);
	if (str_eq(word, "exclude"))
		return exclude();
	if (str_eq(word, "close") || str_eq(word, "keep"))
		return end(word[0] == 'k');
	if (str_eq(word, "die"))
		_exit(3);
	if (str_eq(word, "ready"))
		return printf("ready %s %d %d\n", session_id(session), (int)getpid(),
			      (int)session_guardian(session)) < 0 ||
		       fflush(stdout);
	while (str_eq(word, "wait"))
		pause();
	return set(word);
}

int main(int argc, char **argv)
{
	const char *id = argc > 1 ? str_after(argv[1], "adopt=") : NULL;
	int r;

	/* A shell ignores these in background commands. */
	signal(SIGINT, SIG_DFL);
	signal(SIGQUIT, SIG_DFL);
	r = id ? session_adopt("", id, &session, &err) :
		 session_open("", "session-holder", &session, &err);

	for (int i = id ? 2 : 1; r >= 0 && i < argc; i++)
		r = do_word(argv[i]);
	if (r < 0)
		fprintf(stderr, "session-holder: %s\n", fathom_err_text(&err));
	/* Without 'close', it ends like a killed one. */
	return r < 0;
}
