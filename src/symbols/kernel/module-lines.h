/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Where functions of a module of the kernel are declared, by the debug information in its file: that is not linked yet, so
 * all that it tells of places has to be moved first, which libdwfl does.
 */
#ifndef FATHOM_SYMBOLS_KERNEL_MODULE_LINES_H
#define FATHOM_SYMBOLS_KERNEL_MODULE_LINES_H

#include <stdint.h>

#include "base/arena.h"

/*
 * Of the function @name in the module's file @path: the file, in @arena, and the line. 0; -ENOENT: it is not there; -ENODATA:
 * there is no debug information; -ENOTSUP: this was built without libdw; -ENOMEM.
 */
int module_lines_find(const char *path, const char *name, struct arena *arena,
		      const char **ret_file, uint32_t *ret_line);

#endif
