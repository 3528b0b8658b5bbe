/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "actions/viewer/viewer-export.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/negative-errno.h"
#include "base/quote.h"
#include "base/str.h"
#include "process/helper-process.h"

#define NAME_LENGTH_MAX 200
#define LIMITS_MAX	40
/* How much of the command's output is read; its first line is shown. */
#define SAID_MAX 4096

struct arguments {
	struct arena arena;
	const char *list[LIMITS_MAX + 12];
	size_t n;
	bool nomem;
};

static void viewer_export_add(struct arguments *arguments, const char *option, const char *text,
			      size_t len)
{
	char *copy = arena_printf(&arguments->arena, "%s%.*s", option, (int)len, text);

	arguments->nomem |= !copy;
	arguments->list[arguments->n++] = copy;
}

/* Adds the option for a line of the request; false if the line is invalid. */
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
		viewer_export_add(arguments, limits[i].option, text, len);
		return true;
	}
	return false;
}

/* Runs the command; its standard error goes to @said. */
static int viewer_export_run(const char *const *list, struct strbuf *said)
{
	char part[512];
	int pipe_fds[2], status, r;
	ssize_t n;
	pid_t pid;

	if (pipe2(pipe_fds, O_CLOEXEC) < 0)
		return negative_errno();
	pid = fork();
	if (pid < 0) {
		r = negative_errno();
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
	r = helper_process_reap(pid, -1, &status);
	if (r < 0)
		return r;
	return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : -ECANCELED;
}

static int make_arguments(struct arguments *arguments, const char *trace, const char *request)
{
	const char *line = strchrnul(request, '\n');

	viewer_export_add(arguments, "fathom", "", 0);
	viewer_export_add(arguments, "export", "", 0);
	viewer_export_add(arguments, "--quiet", "", 0);
	viewer_export_add(arguments, "--output=", request, (size_t)(line - request));
	while (*line) {
		size_t len = strcspn(++line, "\n");

		if (arguments->n >= LIMITS_MAX || !add_limit(arguments, line, len))
			return -EINVAL;
		line += len;
	}
	viewer_export_add(arguments, "--", "", 0);
	viewer_export_add(arguments, trace, "", 0);
	return arguments->nomem ? -ENOMEM : 0;
}

int viewer_export(const char *trace, const char *request, struct strbuf *answer)
{
	_cleanup_strbuf_ struct strbuf said = { 0 };
	struct arguments arguments = { 0 };
	size_t len = strcspn(request, "\n");
	char name[NAME_LENGTH_MAX + 1];
	const char *text;
	int r;

	if (!len || len > NAME_LENGTH_MAX || memchr(request, '/', len) || request[0] == '.' ||
	    request[0] == '-') {
		strbuf_adds(
			answer,
			"expected a file name without a path: files are written to the current directory");
		return -EINVAL;
	}
	memcpy(name, request, len);
	name[len] = '\0';
	if (faccessat(AT_FDCWD, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0) {
		quote_addf(answer, "'%s' already exists", name);
		return -EEXIST;
	}
	r = make_arguments(&arguments, trace, request);
	if (r == 0)
		r = viewer_export_run(arguments.list, &said);
	arena_done(&arguments.arena);
	text = strbuf_str(&said);
	if (r == 0)
		quote_addf(answer, "wrote '%s'", name);
	else
		quote_addf(answer, "%.*s", (int)strcspn(text, "\n"),
			   *text ? text : "cannot write the file");
	return r;
}
