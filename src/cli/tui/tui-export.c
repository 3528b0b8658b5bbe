/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/tui/tui-export.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/quote.h"
#include "base/str.h"

#define NAME_LENGTH_MAX 200
#define LIMITS_MAX	40
/* Of what the command says; the first line is told. */
#define SAID_MAX 4096

struct arguments {
	struct arena arena;
	const char *list[LIMITS_MAX + 12];
	size_t n;
	bool nomem;
};

static void tui_export_add(struct arguments *arguments, const char *option, const char *text,
			   size_t len)
{
	char *copy = arena_printf(&arguments->arena, "%s%.*s", option, (int)len, text);

	arguments->nomem |= !copy;
	arguments->list[arguments->n++] = copy;
}

/* A line of the request; false: it is none that is known. */
static bool add_limit(struct arguments *arguments, const char *line, size_t len)
{
	static const struct {
		const char *word, *option, *letters;
	} limits[] = {
		{ "from ", "--from=", "0123456789ns" }, { "to ", "--to=", "0123456789ns" },
		{ "cpu ", "--cpu=", "0123456789" },	{ "pid ", "--pid=", "0123456789" },
		{ "filter ", "--filter=", NULL },
	};

	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
		const char *text = str_after(line, limits[i].word);

		if (!text)
			continue;
		len -= (size_t)(text - line);
		if (limits[i].letters && strspn(text, limits[i].letters) != len)
			return false;
		tui_export_add(arguments, limits[i].option, text, len);
		return true;
	}
	return false;
}

/* Runs it; what it says on its error stream goes to @said. */
static int tui_export_run(const char *const *list, struct strbuf *said)
{
	char part[512];
	int pipe_fds[2], status = 0;
	ssize_t n;
	pid_t pid;

	if (pipe2(pipe_fds, O_CLOEXEC) < 0)
		return -errno;
	pid = fork();
	if (pid < 0) {
		int r = -errno;

		close(pipe_fds[0]);
		close(pipe_fds[1]);
		return r;
	}
	if (pid == 0) {
		int null = open("/dev/null", O_RDWR | O_CLOEXEC);

		signal(SIGINT, SIG_DFL);
		signal(SIGHUP, SIG_DFL);
		signal(SIGTERM, SIG_DFL);
		signal(SIGPIPE, SIG_DFL);
		if (null >= 0 && dup2(null, 0) == 0 && dup2(null, 1) == 1 &&
		    dup2(pipe_fds[1], 2) == 2)
			execv("/proc/self/exe", (char *const *)(uintptr_t)list);
		_exit(127);
	}
	close(pipe_fds[1]);
	while ((n = read(pipe_fds[0], part, sizeof(part))) > 0 || (n < 0 && errno == EINTR))
		if (n > 0 && said->len < SAID_MAX)
			strbuf_add(said, part, (size_t)n);
	close(pipe_fds[0]);
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : -ECANCELED;
}

static int make_arguments(struct arguments *arguments, const char *trace, const char *request)
{
	const char *line = strchrnul(request, '\n');

	tui_export_add(arguments, "fathom", "", 0);
	tui_export_add(arguments, "export", "", 0);
	tui_export_add(arguments, "--quiet", "", 0);
	tui_export_add(arguments, "--output=", request, (size_t)(line - request));
	while (*line) {
		size_t len = strcspn(++line, "\n");

		if (arguments->n >= LIMITS_MAX || !add_limit(arguments, line, len))
			return -EINVAL;
		line += len;
	}
	tui_export_add(arguments, "--", "", 0);
	tui_export_add(arguments, trace, "", 0);
	return arguments->nomem ? -ENOMEM : 0;
}

int tui_export(const char *trace, const char *request, struct strbuf *answer)
{
	_cleanup_strbuf_ struct strbuf said = { 0 };
	struct arguments arguments = { 0 };
	size_t len = strcspn(request, "\n");
	char name[NAME_LENGTH_MAX + 1];
	const char *text;
	int r;

	if (!len || len > NAME_LENGTH_MAX || memchr(request, '/', len) || request[0] == '.' ||
	    request[0] == '-') {
		strbuf_adds(answer, "a plain name is wanted: files are written in this directory");
		return -EINVAL;
	}
	memcpy(name, request, len);
	name[len] = '\0';
	if (faccessat(AT_FDCWD, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0) {
		quote_addf(answer, "'%s' exists, and is not replaced", name);
		return -EEXIST;
	}
	r = make_arguments(&arguments, trace, request);
	if (r == 0)
		r = tui_export_run(arguments.list, &said);
	arena_done(&arguments.arena);
	text = strbuf_str(&said);
	if (r == 0)
		quote_addf(answer, "written to '%s'", name);
	else
		quote_addf(answer, "%.*s", (int)strcspn(text, "\n"),
			   *text ? text : "it could not be written");
	return r;
}
