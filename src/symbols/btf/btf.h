/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Function prototypes from the type information (BTF) that a kernel carries for itself
 * and, one file each, for its modules. Modules are read when first asked for.
 */
#ifndef FATHOM_SYMBOLS_BTF_BTF_H
#define FATHOM_SYMBOLS_BTF_BTF_H

#include "base/cleanup.h"
#include "base/err.h"
#include "base/strbuf.h"

struct prototypes;

/*
 * Reads the file "vmlinux" in the directory @dir, usually /sys/kernel/btf, which has to
 * stay open. 0 or a negative errno with the reason in @err; -ENOENT: there is no BTF.
 */
int prototypes_new(int dir, struct prototypes **ret_prototypes, struct fathom_err *err);
void prototypes_free(struct prototypes *prototypes);
DEFINE_CLEANUP(struct prototypes, prototypes_free);

/*
 * Adds the prototypes of the function @name in @module (NULL: the kernel itself) to
 * @text, each but the first after a newline. Returns how many different ones there are:
 * more than one means that functions of this name differ and BTF does not say which is
 * which; 0 that it knows none. -ENOMEM when there is no memory.
 */
int prototypes_print(struct prototypes *prototypes, const char *module, const char *name,
		     struct strbuf *text);

#endif
