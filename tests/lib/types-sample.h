/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A small kernel's type information, and that of a module "mod", as C in types-sample.c. */
#ifndef FATHOM_TESTS_TYPES_SAMPLE_H
#define FATHOM_TESTS_TYPES_SAMPLE_H

/* Writes the files "vmlinux" and "mod" into the directory. 0 or -1. */
int types_sample_write(int dir);

#endif
