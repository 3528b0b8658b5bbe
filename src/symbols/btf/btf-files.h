/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The type information (BTF) of a kernel and its modules, one file each in a directory, usually
 * /sys/kernel/btf. A module is read on first use and kept until btf_files_done(). Not thread-safe.
 * The contents of BTF are untrusted: only header and section sizes are validated.
 */
#ifndef FATHOM_SYMBOLS_BTF_BTF_FILES_H
#define FATHOM_SYMBOLS_BTF_BTF_FILES_H

#include <stddef.h>
#include <stdint.h>

#include <fathom/err.h>

struct btf;

struct btf_function {
	const char *name;
	uint32_t id;
};

/* The BTF of the kernel or a module. */
struct btf_part {
	char *module; /* NULL: the kernel */
	struct btf *btf; /* NULL: missing or unreadable */
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
 * Reads the file "vmlinux" in the directory @dir, which must stay open. Returns 0 or a negative
 * errno with the reason in @err: -ENOENT if there is no BTF.
 */
int btf_files_init(struct btf_files *files, int dir, struct fathom_err *err);
/* Uses @btf in place of the kernel's, and takes ownership of it. Returns 0 or -ENOMEM. */
int btf_files_adopt(struct btf_files *files, struct btf *btf);
void btf_files_done(struct btf_files *files);

/*
 * Returns the part of @module (NULL: the kernel), which is empty if the module has no BTF. Valid
 * until the next call. Returns 0 or -ENOMEM.
 */
int btf_files_part(struct btf_files *files, const char *module, struct btf_part **ret_part);
/* Returns the index of the first function at or after @name, in alphabetical order. */
size_t btf_part_find(const struct btf_part *part, const char *name);

#endif
