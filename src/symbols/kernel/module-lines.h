/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The locations of functions of a kernel module in its source, from the debug information in its
 * file. Modules are not linked, so relocations must be applied first, which libdwfl does. libdw is
 * not robust: for confined processes only.
 */
#ifndef FATHOM_SYMBOLS_KERNEL_MODULE_LINES_H
#define FATHOM_SYMBOLS_KERNEL_MODULE_LINES_H

#include <stdint.h>

#include "base/arena.h"

/*
 * Finds the function @name in the module's file @path. *@ret_file is in @arena. Returns 0, -ENOENT
 * if it does not exist, -ENODATA if there is no debug information, -ENOTSUP without libdw, or
 * -ENOMEM.
 */
int module_lines_find(const char *path, const char *name, struct arena *arena,
		      const char **ret_file, uint32_t *ret_line);

#endif
