/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Only locations from which the kernel can fetch are supported: a register, memory relative to a
 * register or at an address, a constant. Any other DWARF expression yields a reason instead.
 */
#ifdef HAVE_LIBDW

#include "symbols/dwarf/dwarf-places.h"

#include <dwarf.h>
#include <stdlib.h>

int dwarf_scopes_at(Dwarf_Die *unit, Dwarf_Addr address, Dwarf_Die **ret_scopes)
{
	Dwarf_Die *innermost = NULL;
	int n = dwarf_getscopes(unit, address, &innermost);

	/*
	 * For an inlined function, this returns the scopes of its definition rather than its
	 * caller.
	 */
	n = n > 0 ? dwarf_getscopes_die(&innermost[0], ret_scopes) : 0;
	free(innermost);
	return n;
}

/*
 * Returns the file of the declaration. In DWARF 5 the first file has index 0, which some versions
 * of libdw treat as none.
 */
static const char *dwarf_places_file_of(Dwarf_Die *unit, Dwarf_Die *die)
{
	const char *file = dwarf_decl_file(die);
	Dwarf_Attribute attribute;
	Dwarf_Files *files;
	Dwarf_Half version;
	Dwarf_Word number;
	size_t n;

	if (file || !dwarf_attr_integrate(die, DW_AT_decl_file, &attribute) ||
	    dwarf_formudata(&attribute, &number) != 0 || number ||
	    dwarf_cu_info(unit->cu, &version, NULL, NULL, NULL, NULL, NULL, NULL) != 0 ||
	    version < 5 || dwarf_getsrcfiles(unit, &files, &n) != 0 || !n)
		return file;
	return dwarf_filesrc(files, 0, NULL, NULL);
}

bool dwarf_declared_at(Dwarf_Die *unit, Dwarf_Addr address, const char **ret_file,
		       uint32_t *ret_line)
{
	Dwarf_Die *scopes = NULL;
	int n = dwarf_scopes_at(unit, address, &scopes), i = 0, line = 0;
	const char *file = NULL;

	while (i < n && dwarf_tag(&scopes[i]) != DW_TAG_subprogram)
		i++;
	if (i < n) {
		file = dwarf_places_file_of(unit, &scopes[i]);
		if (dwarf_decl_line(&scopes[i], &line) != 0 || line < 0)
			line = 0;
	}
	free(scopes);
	if (!file)
		return false;
	*ret_file = file;
	*ret_line = (uint32_t)line;
	return true;
}

bool dwarf_is_function(Dwarf_Die *scope)
{
	int tag = dwarf_tag(scope);

	return tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine;
}

static struct variable_place dwarf_places_nowhere(const char *why)
{
	return (struct variable_place){ .kind = VARIABLE_NOWHERE, .why = why };
}

/* Returns the register of a "register plus offset" operation, or -1. */
static int base_register(const Dwarf_Op *op, int64_t *ret_offset)
{
	if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31) {
		*ret_offset = (int64_t)op->number;
		return op->atom - DW_OP_breg0;
	}
	if (op->atom != DW_OP_bregx || op->number > INT16_MAX)
		return -1;
	*ret_offset = (int64_t)op->number2;
	return (int)op->number;
}

static int plain_register(const Dwarf_Op *op)
{
	if (op->atom >= DW_OP_reg0 && op->atom <= DW_OP_reg31)
		return op->atom - DW_OP_reg0;
	return op->atom == DW_OP_regx && op->number <= INT16_MAX ? (int)op->number : -1;
}

/* Finds the CFA in one table. */
static bool dwarf_places_find_frame(Dwarf_CFI *table, Dwarf_Addr address,
				    struct variable_place *place)
{
	Dwarf_Frame *frame = NULL;
	Dwarf_Op *ops;
	size_t n;
	int reg = -1;

	if (!table || dwarf_cfi_addrframe(table, address, &frame) != 0)
		return false;
	if (dwarf_frame_cfa(frame, &ops, &n) == 0 && n == 1)
		reg = base_register(&ops[0], &place->number);
	free(frame);
	place->reg = (unsigned)reg;
	return reg >= 0;
}

/* Finds the base of DW_OP_fbreg. */
static bool find_frame_base(Dwarf_Die *function, const struct dwarf_frames *frames,
			    Dwarf_Addr address, struct variable_place *place)
{
	Dwarf_Attribute attribute;
	Dwarf_Op *ops;
	size_t n;
	int reg;

	place->number = 0;
	if (!function || !dwarf_attr_integrate(function, DW_AT_frame_base, &attribute) ||
	    dwarf_getlocation_addr(&attribute, address, &ops, &n, 1) != 1 || n != 1)
		return false;
	if (ops[0].atom == DW_OP_call_frame_cfa)
		return dwarf_places_find_frame(frames->of_program, address, place) ||
		       dwarf_places_find_frame(frames->of_debug, address, place);
	reg = plain_register(&ops[0]);
	if (reg < 0)
		reg = base_register(&ops[0], &place->number);
	place->reg = (unsigned)reg;
	return reg >= 0;
}

static bool dwarf_places_is_number(const Dwarf_Op *op, int64_t *ret)
{
	*ret = (int64_t)op->number;
	if (op->atom >= DW_OP_lit0 && op->atom <= DW_OP_lit31) {
		*ret = op->atom - DW_OP_lit0;
		return true;
	}
	return op->atom >= DW_OP_const1u && op->atom <= DW_OP_consts;
}

/* Handles an address in the expression, or in a separate table. */
static bool is_address(Dwarf_Attribute *attribute, const Dwarf_Op *op, int64_t *ret)
{
	Dwarf_Attribute indexed;
	Dwarf_Addr address = op->number;

	if (op->atom != DW_OP_addr &&
	    ((op->atom != DW_OP_addrx && op->atom != DW_OP_GNU_addr_index) ||
	     dwarf_getlocation_attr(attribute, op, &indexed) != 0 ||
	     dwarf_formaddr(&indexed, &address) != 0))
		return false;
	*ret = (int64_t)address;
	return true;
}

/* Converts a whole expression. */
static struct variable_place dwarf_place_of(Dwarf_Attribute *attribute, const Dwarf_Op *ops,
					    size_t n, Dwarf_Die *function,
					    const struct dwarf_frames *frames, Dwarf_Addr address)
{
	struct variable_place place = { .kind = VARIABLE_MEMORY };
	int reg;

	if (n == 2 && ops[1].atom == DW_OP_stack_value &&
	    dwarf_places_is_number(&ops[0], &place.number)) {
		place.kind = VARIABLE_NUMBER;
		return place;
	}
	for (size_t i = 0; i < n; i++) {
		if (ops[i].atom == DW_OP_form_tls_address ||
		    ops[i].atom == DW_OP_GNU_push_tls_address)
			return dwarf_places_nowhere("each thread has its own");
		if (ops[i].atom == DW_OP_entry_value || ops[i].atom == DW_OP_GNU_entry_value)
			return dwarf_places_nowhere(
				"the compiler keeps it no longer here; probe an earlier "
				"line, or the function's entry");
	}
	if (n != 1)
		return dwarf_places_nowhere("it has to be computed here, which the kernel cannot");
	reg = plain_register(&ops[0]);
	if (reg >= 0) {
		place.kind = VARIABLE_REGISTER;
		place.reg = (unsigned)reg;
		return place;
	}
	reg = base_register(&ops[0], &place.number);
	if (reg >= 0) {
		place.reg = (unsigned)reg;
		return place;
	}
	if (is_address(attribute, &ops[0], &place.number)) {
		place.kind = VARIABLE_FIXED;
		return place;
	}
	if (ops[0].atom != DW_OP_fbreg || !find_frame_base(function, frames, address, &place) ||
	    __builtin_add_overflow(place.number, (int64_t)ops[0].number, &place.number))
		return dwarf_places_nowhere("no location in the debug information");
	return place;
}

struct variable_place dwarf_variable_place(Dwarf_Die *variable, Dwarf_Die *function,
					   const struct dwarf_frames *frames, Dwarf_Addr address)
{
	struct variable_place place = { .kind = VARIABLE_NUMBER };
	Dwarf_Attribute attribute;
	Dwarf_Sword number;
	Dwarf_Op *ops;
	size_t n;

	if (dwarf_attr_integrate(variable, DW_AT_const_value, &attribute)) {
		if (dwarf_formsdata(&attribute, &number) != 0)
			return dwarf_places_nowhere("it is a constant other than a number");
		place.number = number;
		return place;
	}
	if (!dwarf_attr_integrate(variable, DW_AT_location, &attribute))
		return dwarf_places_nowhere("the compiler has removed it");
	if (dwarf_getlocation_addr(&attribute, address, &ops, &n, 1) != 1 || !n)
		return dwarf_places_nowhere(
			"the compiler keeps it nowhere at this place; probe another line, "
			"or build with less optimisation");
	place = dwarf_place_of(&attribute, ops, n, function, frames, address);
	/* The kernel's limit for offsets. */
	if (place.kind == VARIABLE_MEMORY && (place.number > INT32_MAX || place.number < INT32_MIN))
		return dwarf_places_nowhere("it is too far away");
	return place;
}

#endif
