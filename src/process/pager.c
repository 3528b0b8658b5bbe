/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "process/pager.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/files/file.h"
#include "process/caller-enter.h"

/* Longer text goes to the pager even if it fits. */
#define HELD_MAX ((size_t)256 << 10)
#define TAB	 8

void pager_extent_add(struct pager_extent *extent, const char *text, size_t len, unsigned columns)
{
	for (const char *end = text + len; text < end; text++) {
		unsigned char c = (unsigned char)*text;

		if (extent->is_escape) {
			extent->is_escape = c < 'A' || c == '[';
		} else if (c == '\033') {
			extent->is_escape = true;
		} else if (c == '\n') {
			extent->rows++;
			extent->column = 0;
		} else if ((c & 0xc0) != 0x80) {
			extent->column += c == '\t' ? TAB - extent->column % TAB : 1;
			/* The line continues on the next row. */
			if (columns && extent->column > columns) {
				extent->rows++;
				extent->column = 1;
			}
		}
	}
}

static ssize_t pager_read(int fd, char *to, size_t size)
{
	ssize_t n;

	do
		n = read(fd, to, size);
	while (n < 0 && errno == EINTR);
	return n;
}

static _Noreturn void pager_exec(const char *command, int input)
{
	const char *less = getenv("LESS");
	char options[1024];

	if (dup2(input, STDIN_FILENO) < 0)
		_exit(127);
	/* Colors are always passed through; by default, the text stays on the screen. */
	snprintf(options, sizeof(options), less ? "-R %s" : "FRX", less);
	setenv("LESS", options, 1);
	setenv("LV", "-c", 0);
	if (caller_enter() < 0)
		_exit(127);
	execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	_exit(127);
}

/* Writes the @len bytes in @held, then the rest of @input. Returns 0 or a negative errno. */
static int pager_copy(int to, char *held, size_t len, int input)
{
	ssize_t n;
	int r;

	do {
		r = file_write_bytes(to, held, len);
		n = r < 0 ? 0 : pager_read(input, held, HELD_MAX);
		len = (size_t)n;
	} while (n > 0);
	return r;
}

_Noreturn void pager_serve(const char *command, int input)
{
	static char held[HELD_MAX];
	struct pager_extent extent = { 0 };
	struct winsize size = { 0 };
	size_t len = 0;
	ssize_t n;
	int ends[2];
	pid_t pid;

	/* Ctrl-C is for the command; the pager handles it by itself. */
	signal(SIGINT, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	(void)ioctl(STDOUT_FILENO, TIOCGWINSZ, &size);
	do {
		n = pager_read(input, held + len, HELD_MAX - len);
		if (n <= 0)
			break;
		pager_extent_add(&extent, held + len, (size_t)n, size.ws_col);
		len += (size_t)n;
	} while (size.ws_row && extent.rows + (extent.column > 0) <= size.ws_row && len < HELD_MAX);
	if (n <= 0)
		_exit(file_write_bytes(STDOUT_FILENO, held, len) < 0);
	pid = pipe2(ends, O_CLOEXEC) < 0 ? -1 : fork();
	if (pid == 0) {
		signal(SIGINT, SIG_DFL);
		signal(SIGPIPE, SIG_DFL);
		pager_exec(command, ends[0]);
	}
	if (pid < 0)
		_exit(pager_copy(STDOUT_FILENO, held, len, input) < 0);
	close(ends[0]);
	(void)pager_copy(ends[1], held, len, input);
	/* If the user has quit the pager, the command learns that here. */
	close(input);
	close(ends[1]);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	_exit(0);
}
