/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Converts in two steps. First, all required types are numbered, breadth first, which terminates
 * despite loops; then each is converted, in that order, to exactly one BTF type. The numbers of
 * later types are therefore known.
 */
#include "symbols/dwarf/program-dwarf.h"

#include <errno.h>
#include <string.h>

#ifdef HAVE_LIBDW

#include <dwarf.h>
#include <elfutils/libdw.h>

#include <bpf/btf.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/u64-map.h"
#include "symbols/dwarf/dwarf-places.h"

/* Far more than one probe in a real program needs, and within the limits of BTF. */
#define TYPES_MAX  200000
#define FIELDS_MAX 65535
#define BITS_MAX   0xffffff /* of a field's offset in a struct with bitfields */
/* Maximum number of variables visible at one place. */
#define VARIABLES_MAX 1000

struct function {
	Dwarf_Die die;
	const char *name;
};

/* The variables visible at a place. */
struct visible {
	Dwarf_Die *list;
	size_t n, cap;
	bool is_known;
	Dwarf_Die function; /* the real function that contains the place */
	bool has_function;
};

struct converter {
	const struct program_wanted *wanted;
	struct btf *btf;
	int integer;
	uint32_t first; /* ID of the first type added */
	struct u64_map numbers; /* by the offset of a type's description */
	Dwarf_Die *types;
	size_t n, cap;
	struct function *functions;
	size_t n_functions;
	struct visible *places;
	struct dwarf_frames frames;
	bool nomem;
};

static void converter_done(struct converter *c)
{
	u64_map_done(&c->numbers);
	free(c->types);
	free(c->functions);
	for (size_t i = 0; c->places && i < c->wanted->n_places; i++)
		free(c->places[i].list);
	free(c->places);
}

/*
 * Returns the type of @die, a parameter, member, pointer and so on. Returns false if it has none,
 * that is, void.
 */
static bool program_dwarf_type_of(Dwarf_Die *die, Dwarf_Die *ret)
{
	Dwarf_Attribute attribute;

	return dwarf_attr_integrate(die, DW_AT_type, &attribute) &&
	       dwarf_formref_die(&attribute, ret);
}

/* Assigns an ID to a type. */
static void program_dwarf_want(struct converter *c, Dwarf_Die *type)
{
	Dwarf_Die *slot;

	if (u64_map_get(&c->numbers, (uintptr_t)type->addr) != U64_MAP_NONE || c->n >= TYPES_MAX)
		return;
	slot = u64_map_element(&c->numbers, (uintptr_t)type->addr, &c->types, &c->n, &c->cap,
			       sizeof(*c->types));
	if (slot)
		*slot = *type;
	else
		c->nomem = true;
}

static void want_type_of(struct converter *c, Dwarf_Die *die)
{
	Dwarf_Die type;

	if (program_dwarf_type_of(die, &type))
		program_dwarf_want(c, &type);
}

/* Returns the ID of the type of @die; 0, void, if it has none. */
static int program_dwarf_number_of(const struct converter *c, Dwarf_Die *die)
{
	Dwarf_Die type;
	uint32_t i = program_dwarf_type_of(die, &type) ?
			     u64_map_get(&c->numbers, (uintptr_t)type.addr) :
			     U64_MAP_NONE;

	return i == U64_MAP_NONE ? 0 : (int)(c->first + i);
}

static bool program_dwarf_has(Dwarf_Die *die, unsigned attribute)
{
	return dwarf_hasattr(die, attribute);
}

/* Returns whether a child of a struct occupies space: a member, or a base class. */
static bool program_dwarf_is_field(Dwarf_Die *die)
{
	int tag = dwarf_tag(die);

	return (tag == DW_TAG_member || tag == DW_TAG_inheritance) &&
	       !program_dwarf_has(die, DW_AT_external) &&
	       !program_dwarf_has(die, DW_AT_declaration);
}

static bool is_struct(Dwarf_Die *die)
{
	int tag = dwarf_tag(die);

	return tag == DW_TAG_structure_type || tag == DW_TAG_union_type || tag == DW_TAG_class_type;
}

/* Starts a loop over all children: returns the first one, or false. */
static bool first_child(Dwarf_Die *die, Dwarf_Die *ret)
{
	return dwarf_child(die, ret) == 0;
}

static bool next_child(Dwarf_Die *child)
{
	return dwarf_siblingof(child, child) == 0;
}

/* The list grows during the loop. */
static void want_all(struct converter *c)
{
	for (size_t i = 0; i < c->n && !c->nomem; i++) {
		Dwarf_Die die = c->types[i], child;

		want_type_of(c, &die);
		if (!is_struct(&die))
			continue;
		for (bool more = first_child(&die, &child); more; more = next_child(&child))
			if (program_dwarf_is_field(&child))
				want_type_of(c, &child);
	}
}

static uint64_t program_dwarf_number_at(Dwarf_Die *die, unsigned name, uint64_t otherwise)
{
	Dwarf_Attribute attribute;
	Dwarf_Word value;

	return dwarf_attr_integrate(die, name, &attribute) &&
			       dwarf_formudata(&attribute, &value) == 0 ?
		       value :
		       otherwise;
}

static const char *program_dwarf_name_of(Dwarf_Die *die)
{
	const char *name = dwarf_diename(die);

	return name ? name : "";
}

/* A type that BTF cannot express becomes a struct without members. */
static int add_unknown(struct converter *c)
{
	return btf__add_fwd(c->btf, "unknown", BTF_FWD_STRUCT);
}

static int add_base(struct converter *c, Dwarf_Die *die)
{
	uint64_t size = program_dwarf_number_at(die, DW_AT_byte_size, 0), encoding;
	const char *name = *program_dwarf_name_of(die) ? program_dwarf_name_of(die) : "unnamed";

	encoding = program_dwarf_number_at(die, DW_AT_encoding, 0);
	if (encoding == DW_ATE_float)
		return size == 2 || size == 4 || size == 8 || size == 12 || size == 16 ?
			       btf__add_float(c->btf, name, size) :
			       add_unknown(c);
	if (size != 1 && size != 2 && size != 4 && size != 8 && size != 16)
		return add_unknown(c);
	if (encoding == DW_ATE_boolean)
		return btf__add_int(c->btf, name, size, BTF_INT_BOOL);
	return btf__add_int(
		c->btf, name, size,
		encoding == DW_ATE_signed || encoding == DW_ATE_signed_char ? BTF_INT_SIGNED : 0);
}

static int program_dwarf_add_enum(struct converter *c, Dwarf_Die *die)
{
	uint64_t size = program_dwarf_number_at(die, DW_AT_byte_size, 0), encoding = 0;
	Dwarf_Die child;
	int id = size == 1 || size == 2 || size == 4 || size == 8 ?
			 btf__add_enum(c->btf, dwarf_diename(die), (uint32_t)size) :
			 add_unknown(c);
	Dwarf_Die type;

	if (program_dwarf_type_of(die, &type))
		encoding = program_dwarf_number_at(&type, DW_AT_encoding, 0);
	if (id <= 0 || size > 8)
		return id;
	for (bool more = first_child(die, &child); more; more = next_child(&child)) {
		Dwarf_Attribute attribute;
		Dwarf_Sword value;

		/* Values without a name, or with more than 32 bits, remain numbers. */
		if (dwarf_tag(&child) == DW_TAG_enumerator && *program_dwarf_name_of(&child) &&
		    dwarf_attr(&child, DW_AT_const_value, &attribute) &&
		    dwarf_formsdata(&attribute, &value) == 0 &&
		    btf__add_enum_value(c->btf, program_dwarf_name_of(&child), value) == -ENOMEM)
			return -ENOMEM;
	}
	/* A negative value makes the enum signed. */
	if ((encoding == DW_ATE_signed || encoding == DW_ATE_signed_char) &&
	    btf__add_enum_value(c->btf, "-1", -1) < 0)
		return -ENOMEM;
	return id;
}

/* Arrays with several dimensions are unsupported. */
static int add_array(struct converter *c, Dwarf_Die *die)
{
	uint64_t n = 0;
	unsigned dimensions = 0;
	Dwarf_Die child;

	for (bool more = first_child(die, &child); more; more = next_child(&child)) {
		if (dwarf_tag(&child) != DW_TAG_subrange_type)
			continue;
		dimensions++;
		n = program_dwarf_number_at(&child, DW_AT_count, UINT64_MAX);
		if (n == UINT64_MAX)
			n = program_dwarf_number_at(&child, DW_AT_upper_bound, UINT64_MAX) + 1;
	}
	if (dimensions != 1 || n > INT32_MAX)
		return add_unknown(c);
	return btf__add_array(c->btf, c->integer, program_dwarf_number_of(c, die), (uint32_t)n);
}

/* Returns the offset in the struct, in bits. */
static uint64_t program_dwarf_place_of(Dwarf_Die *field, uint64_t width)
{
	uint64_t at = program_dwarf_number_at(field, DW_AT_data_member_location, 0) * 8;
	uint64_t bits = program_dwarf_number_at(field, DW_AT_data_bit_offset, 0);
	uint64_t old = program_dwarf_number_at(field, DW_AT_bit_offset, UINT64_MAX);

	/* Before DWARF 4, bits were counted from the other end of the storage unit. */
	if (width && old != UINT64_MAX)
		bits = program_dwarf_number_at(field, DW_AT_byte_size, 4) * 8 - old - width;
	return at + bits;
}

static int add_struct(struct converter *c, Dwarf_Die *die)
{
	bool is_union = dwarf_tag(die) == DW_TAG_union_type;
	uint64_t size = program_dwarf_number_at(die, DW_AT_byte_size, 0);
	const char *name = dwarf_diename(die);
	Dwarf_Die child;
	unsigned n = 0;
	int id;

	if (program_dwarf_has(die, DW_AT_declaration) || size > INT32_MAX)
		return name ? btf__add_fwd(c->btf, name,
					   is_union ? BTF_FWD_UNION : BTF_FWD_STRUCT) :
			      add_unknown(c);
	id = is_union ? btf__add_union(c->btf, name, (uint32_t)size) :
			btf__add_struct(c->btf, name, (uint32_t)size);
	for (bool more = id > 0 && first_child(die, &child); more; more = next_child(&child)) {
		uint64_t width, place;

		if (!program_dwarf_is_field(&child) || ++n > FIELDS_MAX)
			continue;
		width = program_dwarf_number_at(&child, DW_AT_bit_size, 0);
		place = program_dwarf_place_of(&child, width);
		/* Inherited members are members of the derived class. */
		if (width <= 64 && place <= BITS_MAX &&
		    btf__add_field(c->btf, dwarf_diename(&child),
				   program_dwarf_number_of(c, &child), (uint32_t)place,
				   (uint32_t)width) < 0)
			return -ENOMEM;
	}
	return id;
}

static int add_type(struct converter *c, Dwarf_Die *die)
{
	switch (dwarf_tag(die)) {
	case DW_TAG_base_type:
		return add_base(c, die);
	case DW_TAG_enumeration_type:
		return program_dwarf_add_enum(c, die);
	case DW_TAG_pointer_type:
	case DW_TAG_reference_type:
	case DW_TAG_rvalue_reference_type:
		return btf__add_ptr(c->btf, program_dwarf_number_of(c, die));
	case DW_TAG_array_type:
		return add_array(c, die);
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
		return add_struct(c, die);
	case DW_TAG_typedef:
		return *program_dwarf_name_of(die) ?
			       btf__add_typedef(c->btf, program_dwarf_name_of(die),
						program_dwarf_number_of(c, die)) :
			       add_unknown(c);
	case DW_TAG_const_type:
		return btf__add_const(c->btf, program_dwarf_number_of(c, die));
	case DW_TAG_volatile_type:
		return btf__add_volatile(c->btf, program_dwarf_number_of(c, die));
	case DW_TAG_restrict_type:
	case DW_TAG_atomic_type:
		return btf__add_restrict(c->btf, program_dwarf_number_of(c, die));
	case DW_TAG_subroutine_type:
		return btf__add_func_proto(c->btf, 0);
	default:
		return add_unknown(c);
	}
}

/*
 * Returns the declaration of the parameters; for out-of-line copies of inlined functions, that is
 * in the abstract instance.
 */
static Dwarf_Die declaration_of(Dwarf_Die *function)
{
	Dwarf_Attribute attribute;
	Dwarf_Die origin;

	if (dwarf_attr(function, DW_AT_abstract_origin, &attribute) &&
	    dwarf_formref_die(&attribute, &origin))
		return origin;
	return *function;
}

/* Returns whether it is a struct, or anything else that does not fit in one integer register. */
static bool program_dwarf_is_plain(Dwarf_Die *die)
{
	Dwarf_Die type;
	int tag;

	if (!program_dwarf_type_of(die, &type))
		return true;
	if (dwarf_peel_type(&type, &type) != 0)
		return false;
	tag = dwarf_tag(&type);
	if (tag == DW_TAG_base_type)
		return program_dwarf_number_at(&type, DW_AT_encoding, 0) != DW_ATE_complex_float &&
		       program_dwarf_number_at(&type, DW_AT_byte_size, 0) <= 8;
	return tag == DW_TAG_pointer_type || tag == DW_TAG_reference_type ||
	       tag == DW_TAG_rvalue_reference_type || tag == DW_TAG_enumeration_type ||
	       tag == DW_TAG_subroutine_type;
}

/*
 * Returns whether parameters are passed according to the ABI; compilers may deviate for static
 * functions.
 */
static bool is_regular(Dwarf_Die *function)
{
	Dwarf_Die declaration = declaration_of(function), child;

	if (program_dwarf_number_at(function, DW_AT_calling_convention, DW_CC_normal) ==
		    DW_CC_nocall ||
	    !program_dwarf_is_plain(&declaration))
		return false;
	for (bool more = first_child(&declaration, &child); more; more = next_child(&child))
		if (dwarf_tag(&child) == DW_TAG_formal_parameter && !program_dwarf_is_plain(&child))
			return false;
	return true;
}

/*
 * Returns whether there is type information: with only line numbers (-g1, -gline-tables-only),
 * functions have names but no types.
 */
static bool has_prototype_types(Dwarf_Die *function)
{
	Dwarf_Die declaration = declaration_of(function), child;

	if (dwarf_hasattr(&declaration, DW_AT_prototyped) ||
	    dwarf_hasattr(&declaration, DW_AT_type))
		return true;
	for (bool more = first_child(&declaration, &child); more; more = next_child(&child))
		if (dwarf_tag(&child) == DW_TAG_formal_parameter)
			return true;
	return false;
}

static void want_function(struct converter *c, Dwarf_Die *function)
{
	Dwarf_Die declaration = declaration_of(function), child;

	want_type_of(c, &declaration);
	for (bool more = first_child(&declaration, &child); more; more = next_child(&child))
		if (dwarf_tag(&child) == DW_TAG_formal_parameter)
			want_type_of(c, &child);
}

static int program_dwarf_add_function(struct converter *c, struct function *function)
{
	Dwarf_Die declaration = declaration_of(&function->die), child;
	int proto = btf__add_func_proto(c->btf, program_dwarf_number_of(c, &declaration));

	for (bool more = proto > 0 && first_child(&declaration, &child); more;
	     more = next_child(&child))
		if (dwarf_tag(&child) == DW_TAG_formal_parameter &&
		    btf__add_func_param(c->btf, dwarf_diename(&child),
					program_dwarf_number_of(c, &child)) < 0)
			return -ENOMEM;
	return proto > 0 ? btf__add_func(c->btf, function->name, BTF_FUNC_GLOBAL, proto) : proto;
}

static int look_at_function(Dwarf_Die *die, void *data)
{
	struct converter *c = data;
	Dwarf_Addr address;

	if (dwarf_entrypc(die, &address) != 0 || c->n_functions >= c->wanted->n_functions)
		return DWARF_CB_OK;
	for (size_t i = 0; i < c->wanted->n_functions; i++) {
		if (c->wanted->functions[i].address != address || !is_regular(die) ||
		    !has_prototype_types(die) || c->n_functions >= c->wanted->n_functions)
			continue;
		c->functions[c->n_functions++] =
			(struct function){ *die, c->wanted->functions[i].name };
		want_function(c, die);
	}
	return DWARF_CB_OK;
}

/* Returns whether @name, "struct foo" or the name of a typedef, refers to @die. */
static bool program_dwarf_is_named(Dwarf_Die *die, const char *name)
{
	static const struct {
		const char *word;
		int tag, other;
	} words[] = { { "struct ", DW_TAG_structure_type, DW_TAG_class_type },
		      { "union ", DW_TAG_union_type, DW_TAG_union_type },
		      { "enum ", DW_TAG_enumeration_type, DW_TAG_enumeration_type } };
	int tag = dwarf_tag(die);

	if (program_dwarf_has(die, DW_AT_declaration))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		const char *rest = str_after(name, words[i].word);

		if (rest)
			return (tag == words[i].tag || tag == words[i].other) &&
			       str_eq(program_dwarf_name_of(die), rest);
	}
	return tag == DW_TAG_typedef && str_eq(program_dwarf_name_of(die), name);
}

/* The first definition of each type is used. */
static void look_for_types(struct converter *c, Dwarf_Die *unit, bool *found)
{
	Dwarf_Die child;

	for (bool more = first_child(unit, &child); more; more = next_child(&child))
		for (size_t i = 0; i < c->wanted->n_types; i++)
			if (!found[i] && program_dwarf_is_named(&child, c->wanted->types[i])) {
				found[i] = true;
				program_dwarf_want(c, &child);
			}
}

static bool is_listed(const struct visible *place, const char *name)
{
	for (size_t i = 0; i < place->n; i++) {
		Dwarf_Die die = place->list[i];

		if (str_eq(program_dwarf_name_of(&die), name))
			return true;
	}
	return false;
}

/* Variables found first hide others with the same name. */
static void program_dwarf_see(struct converter *c, struct visible *place, Dwarf_Die *die)
{
	int tag = dwarf_tag(die);

	if ((tag != DW_TAG_variable && tag != DW_TAG_formal_parameter) ||
	    !*program_dwarf_name_of(die) || program_dwarf_has(die, DW_AT_declaration) ||
	    place->n >= VARIABLES_MAX || is_listed(place, program_dwarf_name_of(die)))
		return;
	if (mem_reserve(&place->list, &place->cap, place->n + 1, sizeof(*place->list)) < 0) {
		c->nomem = true;
		return;
	}
	place->list[place->n++] = *die;
	want_type_of(c, die);
}

/* Adds requested variables of the unit; of other units, only external ones. */
static void see_globals(struct converter *c, struct visible *place, Dwarf_Die *unit, bool is_other)
{
	Dwarf_Die child;

	for (bool more = first_child(unit, &child); more; more = next_child(&child))
		for (size_t i = 0; i < c->wanted->n_names; i++) {
			Dwarf_Attribute attribute;

			if (dwarf_tag(&child) == DW_TAG_variable &&
			    str_eq(program_dwarf_name_of(&child), c->wanted->names[i]) &&
			    (!is_other || dwarf_attr_integrate(&child, DW_AT_external, &attribute)))
				program_dwarf_see(c, place, &child);
		}
}

static void see_locals(struct converter *c, struct visible *place, Dwarf_Die *unit,
		       uint64_t address)
{
	Dwarf_Die *scopes = NULL;
	int n = dwarf_scopes_at(unit, address, &scopes);
	bool is_outside = false;

	for (int i = 0; i < n && !place->has_function; i++) {
		Dwarf_Die child;

		for (bool more = !is_outside && first_child(&scopes[i], &child); more;
		     more = next_child(&child))
			program_dwarf_see(c, place, &child);
		is_outside |= dwarf_is_function(&scopes[i]);
		if (dwarf_tag(&scopes[i]) == DW_TAG_subprogram) {
			place->function = scopes[i];
			place->has_function = true;
		}
	}
	free(scopes);
}

static void look_at_places(struct converter *c, Dwarf_Die *unit)
{
	for (size_t i = 0; i < c->wanted->n_places; i++) {
		struct visible *place = &c->places[i];
		uint64_t address = c->wanted->places[i].address;

		if (place->is_known || dwarf_haspc(unit, address) <= 0)
			continue;
		place->is_known = true;
		see_locals(c, place, unit, address);
		see_globals(c, place, unit, false);
	}
}

/* A second pass, for variables that are only declared where they are used. */
static void look_for_globals(struct converter *c, Dwarf *dwarf)
{
	Dwarf_Off offset = 0, next;
	size_t head;

	while (c->wanted->n_places && c->wanted->n_names &&
	       dwarf_nextcu(dwarf, offset, &next, &head, NULL, NULL, NULL) == 0) {
		Dwarf_Die unit;

		for (size_t i = 0; i < c->wanted->n_places; i++)
			if (c->places[i].is_known && dwarf_offdie(dwarf, offset + head, &unit))
				see_globals(c, &c->places[i], &unit, true);
		if (next <= offset)
			break;
		offset = next;
	}
}

static int program_dwarf_add_place(struct converter *c, size_t i)
{
	struct program_place *place = &c->wanted->places[i];
	struct visible *visible = &c->places[i];
	int proto = btf__add_func_proto(c->btf, 0);

	place->variables =
		arena_zalloc(c->wanted->arena, visible->n + 1, sizeof(*place->variables));
	if (proto < 0 || !place->variables)
		return -ENOMEM;
	for (size_t k = 0; k < visible->n; k++) {
		Dwarf_Die *die = &visible->list[k];

		place->variables[k] =
			dwarf_variable_place(die, visible->has_function ? &visible->function : NULL,
					     &c->frames, place->address);
		if (btf__add_func_param(c->btf, program_dwarf_name_of(die),
					program_dwarf_number_of(c, die)) < 0)
			return -ENOMEM;
	}
	place->n = visible->n;
	return btf__add_func(c->btf, place->name, BTF_FUNC_GLOBAL, proto);
}

static int program_dwarf_collect(struct converter *c, Dwarf *dwarf)
{
	_cleanup_free_ bool *found = mem_zalloc(c->wanted->n_types + 1, sizeof(*found));
	Dwarf_Off offset = 0, next;
	size_t head;

	if (!found)
		return -ENOMEM;
	while (dwarf_nextcu(dwarf, offset, &next, &head, NULL, NULL, NULL) == 0) {
		Dwarf_Die unit;

		if (dwarf_offdie(dwarf, offset + head, &unit)) {
			dwarf_getfuncs(&unit, look_at_function, c, 0);
			look_for_types(c, &unit, found);
			look_at_places(c, &unit);
		}
		if (next <= offset)
			break;
		offset = next;
	}
	look_for_globals(c, dwarf);
	want_all(c);
	return c->nomem ? -ENOMEM : 0;
}

static int program_dwarf_add_all(struct converter *c)
{
	for (size_t i = 0; i < c->n; i++) {
		Dwarf_Die die = c->types[i];

		if (add_type(c, &die) != (int)(c->first + i))
			return -ENOMEM;
	}
	for (size_t i = 0; i < c->n_functions; i++)
		if (program_dwarf_add_function(c, &c->functions[i]) < 0)
			return -ENOMEM;
	for (size_t i = 0; i < c->wanted->n_places; i++)
		if (c->places[i].is_known && program_dwarf_add_place(c, i) < 0)
			return -ENOMEM;
	return 0;
}

int program_dwarf_add(const struct program_wanted *wanted, int integer, struct btf *btf)
{
	_cleanup_(converter_done) struct converter c = {
		.wanted = wanted, .btf = btf, .integer = integer, .first = btf__type_cnt(btf)
	};
	Dwarf *dwarf = dwarf_begin(wanted->fd, DWARF_C_READ);
	Elf *program = NULL;
	int r;

	if (!dwarf)
		return 0;
	if (wanted->n_places) {
		program = elf_begin(wanted->program_fd, ELF_C_READ, NULL);
		c.frames = (struct dwarf_frames){ program ? dwarf_getcfi_elf(program) : NULL,
						  dwarf_getcfi(dwarf) };
	}
	c.functions = mem_zalloc(wanted->n_functions + 1, sizeof(*c.functions));
	c.places = mem_zalloc(wanted->n_places + 1, sizeof(*c.places));
	r = c.functions && c.places ? program_dwarf_collect(&c, dwarf) : -ENOMEM;
	if (r == 0)
		r = program_dwarf_add_all(&c);
	dwarf_cfi_end(c.frames.of_program);
	elf_end(program);
	dwarf_end(dwarf);
	return r < 0 ? r : 1;
}

#else

int program_dwarf_add(const struct program_wanted *wanted, int integer, struct btf *btf)
{
	return 0;
}

#endif
