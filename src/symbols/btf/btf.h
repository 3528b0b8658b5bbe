/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Function prototypes from the type information (BTF) of a kernel and its modules. Modules are read
 * on first use. Not thread-safe.
 */
#ifndef FATHOM_SYMBOLS_BTF_BTF_H
#define FATHOM_SYMBOLS_BTF_BTF_H

#include <fathom/err.h>

#include "base/cleanup.h"
#include "base/strbuf.h"

struct prototypes;

/*
 * Reads the file "vmlinux" in the directory @dir, usually /sys/kernel/btf, which must stay open.
 * Returns 0 or a negative errno with the reason in @err: -ENOENT if there is no BTF.
 */
int prototypes_new(int dir, struct prototypes **ret_prototypes, struct fathom_err *err);
void prototypes_free(struct prototypes *prototypes);
DEFINE_CLEANUP(struct prototypes, prototypes_free);

/*
 * Appends the prototypes of the function @name in @module (NULL: the kernel) to @text, separated by
 * newlines. Returns the number of different ones: if there is more than one, functions of this name
 * differ and BTF does not tell them apart; 0 means that none is known. Returns -ENOMEM if memory is
 * exhausted.
 */
int prototypes_print(struct prototypes *prototypes, const char *module, const char *name,
		     struct strbuf *text);
/*
 * Calls @put for the name of each function of the kernel that starts with @prefix, in alphabetical
 * order; a name can occur several times.
 */
void prototypes_each(const struct prototypes *prototypes, const char *prefix,
		     void (*put)(void *data, const char *name), void *data);

#endif
