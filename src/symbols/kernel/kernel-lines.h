/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The source location of kernel functions, from the debug information of vmlinux. Results belong to
 * the struct user_symbols, which must outlive this. Not thread-safe.
 */
#ifndef FATHOM_SYMBOLS_KERNEL_KERNEL_LINES_H
#define FATHOM_SYMBOLS_KERNEL_KERNEL_LINES_H

#include <stdbool.h>
#include <stdint.h>

#include "symbols/user/user-symbols.h"

/* Zero-initialized: nothing is known. */
struct kernel_lines {
	struct user_symbols *symbols; /* opens and reads the file */
	const char *path; /* NULL: there is no such file */
};

/*
 * Uses the file @vmlinux, a path that @symbols can open; if it is NULL, searches for the one of
 * kernel @release. Returns 0 or a negative errno: -ENOENT if none has debug information.
 */
int kernel_lines_open(struct kernel_lines *lines, struct user_symbols *symbols, const char *vmlinux,
		      const char *release);
/*
 * Returns the source file of @function, relative to the kernel's tree, and its line. Returns false
 * if it is unknown, or if the name is ambiguous.
 */
bool kernel_lines_find(struct kernel_lines *lines, const char *function, const char **ret_file,
		       uint32_t *ret_line);

#endif
