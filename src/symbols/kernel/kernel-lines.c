/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "symbols/kernel/kernel-lines.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "symbols/kernel/kernel-file.h"

static bool is_good(const struct user_symbols *symbols, const char *path)
{
	_cleanup_close_ int fd =
		symbols->opener.open ? symbols->opener.open(symbols->opener.data, path) : -1;

	return fd >= 0 && kernel_file_has_debug(fd);
}

int kernel_lines_open(struct kernel_lines *lines, struct user_symbols *symbols, const char *vmlinux,
		      const char *release)
{
	char path[PATH_MAX];
	bool found = vmlinux && is_good(symbols, vmlinux);

	for (size_t i = 0; !vmlinux && *release && !strchr(release, '/') && !found &&
			   kernel_file_place(i, "", release, path, sizeof(path));
	     i++)
		found = is_good(symbols, path);
	if (!found)
		return -ENOENT;
	lines->path = arena_strdup(&symbols->arena, vmlinux ?: path);
	lines->symbols = symbols;
	return lines->path ? 0 : -ENOMEM;
}

/* Removes the build directory: a path in the kernel's tree begins with one of these. */
static const char *in_tree(const char *file)
{
	static const char *const dirs[] = { "/arch/",	  "/block/", "/certs/",	  "/crypto/",
					    "/drivers/",  "/fs/",    "/include/", "/init/",
					    "/io_uring/", "/ipc/",   "/kernel/",  "/lib/",
					    "/mm/",	  "/net/",   "/rust/",	  "/security/",
					    "/sound/",	  "/virt/" };
	const char *first = NULL;

	if (*file != '/')
		return str_after(file, "./") ?: file;
	/* Parent directories of the tree may also have such names, but usually don't. */
	for (size_t i = 0; i < ARRAY_SIZE(dirs); i++) {
		const char *at = strstr(file, dirs[i]);

		if (at && (!first || at < first))
			first = at;
	}
	return first ? first + 1 : file;
}

bool kernel_lines_find(struct kernel_lines *lines, const char *function, const char **ret_file,
		       uint32_t *ret_line)
{
	const struct source_frame *frames;
	struct user_symbol symbol;
	size_t n;

	if (!lines->path || !user_symbols_function(lines->symbols, lines->path, function, &symbol))
		return false;
	n = user_symbols_lines(lines->symbols, &symbol, &frames);
	if (!n || !frames[n - 1].file || !frames[n - 1].line)
		return false;
	*ret_file = in_tree(frames[n - 1].file);
	*ret_line = frames[n - 1].line;
	return true;
}
