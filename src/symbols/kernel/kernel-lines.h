/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where in the source functions of the kernel begin, by a file with its debug information. */
#ifndef FATHOM_SYMBOLS_KERNEL_KERNEL_LINES_H
#define FATHOM_SYMBOLS_KERNEL_KERNEL_LINES_H

#include <stdbool.h>
#include <stdint.h>

#include "symbols/user/user-symbols.h"

/* Zero-initialised knows nothing. */
struct kernel_lines {
	struct user_symbols *symbols; /* who opens and reads files */
	const char *path; /* NULL: there is no such file */
};

/*
 * Takes the file @vmlinux, a path as @symbols can open it, or with NULL looks where that of a kernel of this @release may be. -ENOENT: there is
 * none with debug information. 0 or a negative errno.
 */
int kernel_lines_open(struct kernel_lines *lines, struct user_symbols *symbols, const char *vmlinux,
		      const char *release);
/* The source file of @function, as in the kernel's tree, and its line. False: not known, or there are several of that name. */
bool kernel_lines_find(struct kernel_lines *lines, const char *function, const char **ret_file,
		       uint32_t *ret_line);

#endif
