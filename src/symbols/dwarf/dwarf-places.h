/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where things are, as libdw knows it; for the files that read debug information by it. */
#ifndef FATHOM_SYMBOLS_DWARF_DWARF_PLACES_H
#define FATHOM_SYMBOLS_DWARF_DWARF_PLACES_H

#include <elfutils/libdw.h>

#include "symbols/dwarf/program-dwarf.h"

/* Where frames begin: tables of the program, of the debug information, or NULL. */
struct dwarf_frames {
	Dwarf_CFI *of_program, *of_debug;
};

/*
 * What encloses the code at @address, from the innermost; of an inlined function what it was inlined into. An
 * array that is to be freed. How many; 0 or less: nothing is known.
 */
int dwarf_scopes_at(Dwarf_Die *unit, Dwarf_Addr address, Dwarf_Die **ret_scopes);
/* Where the function is declared that the code at @address belongs to. False: nothing is known. */
bool dwarf_declared_at(Dwarf_Die *unit, Dwarf_Addr address, const char **ret_file,
		       uint32_t *ret_line);
/* Is the scope number @i the function itself, or one that was inlined: the end of what C can see? */
bool dwarf_is_function(Dwarf_Die *scope);
/*
 * Where @variable is at @address, inside of @function, a real one, which may be NULL.
 */
struct variable_place dwarf_variable_place(Dwarf_Die *variable, Dwarf_Die *function,
					   const struct dwarf_frames *frames, Dwarf_Addr address);

#endif
