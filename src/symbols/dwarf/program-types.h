/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The types available to a program's probes: those built into C, the common names of fixed-size
 * integers, with the sizes of this machine, and those in the program's debug information.
 */
#ifndef FATHOM_SYMBOLS_DWARF_PROGRAM_TYPES_H
#define FATHOM_SYMBOLS_DWARF_PROGRAM_TYPES_H

#include "symbols/dwarf/program-dwarf.h"
#include "symbols/btf/types.h"

/*
 * @wanted may be NULL: no debug information. Returns as program_dwarf_add(). The caller frees
 * *@ret_types with types_free().
 */
int program_types_new(const struct program_wanted *wanted, struct types **ret_types);

#endif
