/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Finds the ELF file of the kernel (vmlinux) or a module that has debug information, and checks
 * whether it belongs to the running kernel. @root is a prefix of all paths, "" except in tests.
 */
#ifndef FATHOM_SYMBOLS_KERNEL_KERNEL_FILE_H
#define FATHOM_SYMBOLS_KERNEL_KERNEL_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "symbols/elf/elf-file.h"

/*
 * Returns the @i-th possible path of the file of kernel @release, counted from 0, or false if there
 * are no more.
 */
bool kernel_file_place(size_t i, const char *root, const char *release, char *path, size_t size);
/* Returns whether the open ELF file has debug information. */
bool kernel_file_has_debug(int fd);
/*
 * Returns the path of the file of kernel @release that has debug information. Returns false if
 * there is none.
 */
bool kernel_file_find(const char *root, const char *release, char *path, size_t size);
/*
 * Returns whether it belongs to the running kernel; otherwise its addresses are meaningless there.
 */
bool kernel_file_is_running(const char *root, const struct elf_file *elf);
/* The same as kernel_file_find() for a module, named as in /proc/modules. */
bool kernel_file_find_module(const char *root, const char *release, const char *module, char *path,
			     size_t size);
bool kernel_file_is_loaded(const char *root, const char *module, const struct elf_file *elf);

#endif
