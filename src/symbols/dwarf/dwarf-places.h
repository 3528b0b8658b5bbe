/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Scopes, declarations and locations of variables according to libdw; shared by the files that read
 * debug information with it. DWARF is untrusted and libdw is not robust: for confined processes
 * only.
 */
#ifndef FATHOM_SYMBOLS_DWARF_DWARF_PLACES_H
#define FATHOM_SYMBOLS_DWARF_DWARF_PLACES_H

#include <elfutils/libdw.h>

#include "symbols/dwarf/program-dwarf.h"

/* Where to look for frame information: in the program or its debug file; may be NULL. */
struct dwarf_frames {
	Dwarf_CFI *of_program, *of_debug;
};

/*
 * Returns the scopes that enclose the code at @address, innermost first, including those into which
 * an inlined function was inlined. The caller frees *@ret_scopes. Returns their number; 0 or less:
 * unknown.
 */
int dwarf_scopes_at(Dwarf_Die *unit, Dwarf_Addr address, Dwarf_Die **ret_scopes);
/* Returns where the function that contains @address is declared, or false if unknown. */
bool dwarf_declared_at(Dwarf_Die *unit, Dwarf_Addr address, const char **ret_file,
		       uint32_t *ret_line);
/*
 * Returns whether the scope is a function, inlined or not, and thus the limit of what is visible in
 * C.
 */
bool dwarf_is_function(Dwarf_Die *scope);
/*
 * Returns the location of @variable at @address, in the real function @function, which may be NULL.
 */
struct variable_place dwarf_variable_place(Dwarf_Die *variable, Dwarf_Die *function,
					   const struct dwarf_frames *frames, Dwarf_Addr address);

#endif
