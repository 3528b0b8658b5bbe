/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "actions/viewer/editor.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files/caller.h"
#include "base/mem.h"
#include "base/negative-errno.h"
#include "base/quote.h"
#include "process/caller-enter.h"
#include "process/helper-process.h"

static const char *editor_command(void)
{
	static const char *const names[] = { "VISUAL", "EDITOR" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		const char *value = getenv(names[i]);

		if (value && *value)
			return value;
	}
	return "vi";
}

/* Some editors would take "--" for a file name. */
static bool knows_end_of_options(const char *command)
{
	static const char *const names[] = { "vi",   "vim",  "nvim",  "gvim",
					     "view", "nano", "emacs", "kak" };
	size_t len = strcspn(command, " \t");
	const char *slash = memrchr(command, '/', len);
	const char *name = slash ? slash + 1 : command;

	len -= (size_t)(name - command);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (strlen(names[i]) == len && memcmp(names[i], name, len) == 0)
			return true;
	return false;
}

/* An absolute name without links cannot be taken for an option. */
static int editor_find_name(const char *file, char *name, size_t size)
{
	_cleanup_close_ int fd = caller_open(file);
	struct stat opened, named;
	char link[64];
	ssize_t n;

	if (fd < 0)
		return fd;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, name, size - 1);
	if (n <= 0)
		return negative_errno();
	name[n] = '\0';
	if (name[0] != '/' || fstat(fd, &opened) < 0 || stat(name, &named) < 0 ||
	    opened.st_dev != named.st_dev || opened.st_ino != named.st_ino)
		return -ESTALE;
	return 0;
}

/* With a shell, as git does: the user's setting may contain options and quotes. */
static _Noreturn void exec_editor(const char *command, const char *script, const char *number,
				  const char *name)
{
	if (caller_enter() < 0)
		_exit(126);
	if (knows_end_of_options(command))
		execl("/bin/sh", "sh", "-c", script, command, number, "--", name, (char *)NULL);
	else
		execl("/bin/sh", "sh", "-c", script, command, number, name, (char *)NULL);
	_exit(127);
}

static int wait_for_editor(pid_t pid, const char *command, struct strbuf *answer)
{
	int status, r = helper_process_reap(pid, -1, &status);

	if (r < 0)
		return r;
	if (!WIFEXITED(status) || WEXITSTATUS(status) == 0)
		return 0;
	quote_addf(answer, "editor '%s' exited with %d: set $EDITOR to another one", command,
		   WEXITSTATUS(status));
	return -ECANCELED;
}

int editor_run(const char *file, unsigned line, struct strbuf *answer)
{
	const char *command = editor_command();
	_cleanup_free_ char *script = mem_printf("%s \"$@\"", command);
	char number[16], name[PATH_MAX];
	int r = script ? editor_find_name(file, name, sizeof(name)) : -ENOMEM;
	pid_t pid;

	if (r < 0) {
		quote_addf(answer, "cannot open '%s': %s", file,
			   r == -EPERM ? "another user can modify it" : strerrordesc_np(-r));
		return r;
	}
	snprintf(number, sizeof(number), "+%u", line);
	pid = fork();
	if (pid < 0)
		return negative_errno();
	if (pid == 0)
		exec_editor(command, script, number, name);
	return wait_for_editor(pid, command, answer);
}
