/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Caches the two lists that the kernel takes long to print: traceable functions and symbols. Each
 * is stored, compressed, next to the journals, and is valid until a module is loaded or removed;
 * that of symbols also until BPF programs are. Without the directory of journals, or if the
 * validity cannot be determined, the lists are read from the kernel.
 */
#ifndef FATHOM_RECORD_FILE_KERNEL_LISTS_H
#define FATHOM_RECORD_FILE_KERNEL_LISTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/strbuf.h"
#include "kernel/events/functions.h"
#include "record/session/session-env.h"

/* As functions_read() without addresses. @keep: store the list if it had to be read. */
int kernel_lists_functions(const struct session_env *env, bool keep,
			   struct functions *ret_functions, struct fathom_err *err);
/* Appends the text of /proc/kallsyms to @text. @keep: as above. Returns 0 or a negative errno. */
int kernel_lists_symbols(const struct session_env *env, bool keep, struct strbuf *text);

/*
 * Computes a hash of the loaded modules, which differs if any of them was reloaded, even at the
 * same address. Returns 0 or a negative errno: -EACCES if the kernel hides their addresses, -EBUSY
 * while one is being loaded or removed.
 */
int kernel_lists_modules(const char *root, uint64_t *ret_hash);

#endif
