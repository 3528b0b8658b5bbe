/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The kernel's own ELF file, vmlinux, with debug information: where it is, and whether it is of the kernel that runs. */
#ifndef FATHOM_SYMBOLS_KERNEL_KERNEL_FILE_H
#define FATHOM_SYMBOLS_KERNEL_KERNEL_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "symbols/elf/elf-file.h"

/* The place number @i, from 0 on, where that of a kernel @release may be, below @root ("" but in tests). False: there are no more. */
bool kernel_file_place(size_t i, const char *root, const char *release, char *path, size_t size);
/* Does the open ELF file have debug information? */
bool kernel_file_has_debug(int fd);
/* The file of the kernel @release that has debug information. False: there is none. */
bool kernel_file_find(const char *root, const char *release, char *path, size_t size);
/* Is it that of the kernel that runs? Places of another one mean nothing there. */
bool kernel_file_is_running(const char *root, const struct elf_file *elf);
/* The same for the file of the module @module, as it is called in /proc/modules. */
bool kernel_file_find_module(const char *root, const char *release, const char *module, char *path,
			     size_t size);
bool kernel_file_is_loaded(const char *root, const char *module, const struct elf_file *elf);

#endif
