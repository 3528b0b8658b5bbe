/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Type information of a small kernel, and of a module "mod", as C in types-sample.c. */
#ifndef FATHOM_TESTS_TYPES_SAMPLE_H
#define FATHOM_TESTS_TYPES_SAMPLE_H

/* Writes the files "vmlinux" and "mod" to the directory. Returns 0 or -1. */
int types_sample_write(int dir);

#endif
