/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The types that a program's probes are written in: those that C has in itself, the common names of
 * integers of each size, as this machine has them, and those of its debug information.
 */
#ifndef FATHOM_SYMBOLS_DWARF_PROGRAM_TYPES_H
#define FATHOM_SYMBOLS_DWARF_PROGRAM_TYPES_H

#include "symbols/dwarf/program-dwarf.h"
#include "symbols/btf/types.h"

/* @wanted may be NULL: then there is no debug information. As program_dwarf_add(). */
int program_types_new(const struct program_wanted *wanted, struct types **ret_types);

#endif
