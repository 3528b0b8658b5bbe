/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The type information (BTF) of a kernel and of its modules, one file each in a directory,
 * usually /sys/kernel/btf. Modules are read when first asked for. What is read stays where
 * it is until everything is freed.
 */
#ifndef FATHOM_SYMBOLS_BTF_BTF_FILES_H
#define FATHOM_SYMBOLS_BTF_BTF_FILES_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct btf;

struct btf_function {
	const char *name;
	uint32_t id;
};

/* The BTF of the kernel or of one module. */
struct btf_part {
	char *module; /* NULL for the kernel */
	struct btf *btf; /* NULL: there is none, or it cannot be read */
	struct btf_function *functions; /* sorted by name */
	size_t n;
};

struct btf_files {
	int dir;
	struct btf_part kernel;
	struct btf_part *modules;
	size_t n_modules, cap_modules;
};

/*
 * Reads the file "vmlinux" in the directory @dir, which has to stay open. 0 or a negative
 * errno with the reason in @err; -ENOENT: there is no BTF.
 */
int btf_files_init(struct btf_files *files, int dir, struct fathom_err *err);
/* The same from BTF that was made here, in place of the kernel's; @btf is owned then. -ENOMEM. */
int btf_files_adopt(struct btf_files *files, struct btf *btf);
void btf_files_done(struct btf_files *files);

/*
 * Of @module (NULL: the kernel itself); one without BTF has an empty part. Good until the next
 * one is asked for. 0 or -ENOMEM.
 */
int btf_files_part(struct btf_files *files, const char *module, struct btf_part **ret_part);
/* The place of the first function that is not before @name. */
size_t btf_part_find(const struct btf_part *part, const char *name);

#endif
