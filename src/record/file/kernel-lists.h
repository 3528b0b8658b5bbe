/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The two lists that the kernel takes long to print: the functions that it can trace, and its symbols. Each is kept,
 * compressed, in a file beside the journals, and holds until a module is loaded or removed; the symbols also until BPF
 * programs are. Without such a directory, or where it cannot be known whether a list still holds, the kernel is asked.
 */
#ifndef FATHOM_RECORD_FILE_KERNEL_LISTS_H
#define FATHOM_RECORD_FILE_KERNEL_LISTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/strbuf.h"
#include "kernel/events/functions.h"
#include "record/session/session-env.h"

/* As functions_read() without addresses. @keep: a list that had to be asked for may be kept. */
int kernel_lists_functions(const struct session_env *env, bool keep,
			   struct functions *ret_functions, struct fathom_err *err);
/* Appends the text of /proc/kallsyms. 0 or a negative errno. */
int kernel_lists_symbols(const struct session_env *env, bool keep, struct strbuf *text);

/*
 * A number for the modules that are loaded: another one when any of them was loaded since, even at the same address. 0 or a
 * negative errno: -EACCES when the kernel hides their addresses, -EBUSY while one is being loaded or removed.
 */
int kernel_lists_modules(const char *root, uint64_t *ret_hash);

#endif
