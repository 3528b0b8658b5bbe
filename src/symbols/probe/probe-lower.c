/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Lowers C expressions to the kernel's fetch-args. The kernel can do two things: fetch a value (a
 * register, the return value), and load from an address that is a value plus a number, "+8(%di)",
 * which yields a value again. It cannot add without loading. So an expression is evaluated with a
 * pending offset: members and indexes add to it, "->" and "*" load. An inner load reads a whole
 * register, so only values of that size can be dereferenced.
 */
#include "symbols/probe/probe-parts.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "symbols/dwarf/program-dwarf.h"

struct probe_look probe_look_at(struct probe_shape shape)
{
	struct probe_look look = { 0 };

	if (shape.stars) {
		look.info.kind = TYPE_POINTER;
		look.info.size = PROBE_WORD;
		look.target = (struct probe_shape){ shape.type, shape.stars - 1 };
		return look;
	}
	look.info = type_look(shape.type);
	/* Registers and similar values are untyped; their type depends on their use. */
	if (!shape.type.btf)
		look.info.size = PROBE_WORD;
	look.target = (struct probe_shape){ look.info.target, 0 };
	return look;
}

/* Returns the type in C syntax, "struct file *", for messages. */
const char *probe_shape_text(const struct probe_lowering *l, struct probe_shape shape)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };
	const char *s;

	type_print(shape.type, &text);
	if (shape.stars && text.len && text.s[text.len - 1] != '*')
		strbuf_addc(&text, ' ');
	strbuf_pad(&text, '*', shape.stars);
	s = text.err ? NULL : arena_strndup(l->arena, text.s, text.len > 60 ? 60 : text.len);
	return s ? s : "a type";
}

static int text_value(const struct probe_lowering *l, const struct probe_node *node, char *base,
		      struct probe_value *ret)
{
	*ret = (struct probe_value){ .base = base, .node = node };
	return base ? 0 : err_nomem(l->err);
}

/* Returns a load from the address. */
char *probe_load_text(const struct probe_lowering *l, const struct probe_value *v, int64_t offset)
{
	uint64_t size = offset < 0 ? 0 - (uint64_t)offset : (uint64_t)offset;

	if (v->is_fixed)
		return arena_printf(l->arena, "@_text%c%" PRIu64, offset < 0 ? '-' : '+', size);
	/* In a program, there is only user memory. */
	return arena_printf(l->arena, "%c%s%" PRIu64 "(%s)", offset < 0 ? '-' : '+',
			    v->is_user && !probe_is_user(l->probe) ? "u" : "", size, v->base);
}

/* Loads @v, so that it is a value instead of an address. */
int probe_load(const struct probe_lowering *l, struct probe_value *v)
{
	struct probe_look look = probe_look_at(v->shape);

	if (!v->in_memory)
		return 0;
	if (v->width || look.info.size != PROBE_WORD)
		return complain(l, v->node->at, "too small for an address: the type is '%s'",
				probe_shape_text(l, v->shape));
	v->base = probe_load_text(l, v, v->offset);
	v->offset = 0;
	v->in_memory = v->is_fixed = false;
	v->doubt = DOUBT_NONE;
	return v->base ? 0 : err_nomem(l->err);
}

/* Moves @v to the target of the pointer, or to the first element of the array. */
static int dereference(const struct probe_lowering *l, struct probe_value *v, size_t at)
{
	struct probe_look look = probe_look_at(v->shape);
	int r;

	if (look.info.kind == TYPE_ARRAY && v->in_memory) {
		v->shape = look.target;
		return 0;
	}
	if (look.info.kind == TYPE_UNKNOWN)
		return complain(l, at, "unknown type: cast it first, as in '((%s *)%s)'",
				probe_is_user(l->probe) ? "int" : "struct file",
				v->node->op == NODE_NAME || v->node->op == NODE_SPECIAL ||
						v->node->op == NODE_ARG ?
					v->node->name :
					"x");
	if (look.info.kind != TYPE_POINTER)
		return complain(l, at, "not a pointer: the type is '%s'",
				probe_shape_text(l, v->shape));
	r = probe_load(l, v);
	if (r < 0)
		return r;
	v->in_memory = true;
	v->is_user |= look.info.is_user;
	v->shape = look.target;
	return 0;
}

/*
 * The same for an untyped value: in programs without debug information, it is treated as an array
 * of words, which is right for pointers, and for the first element of anything.
 */
static int dereference_words(const struct probe_lowering *l, struct probe_value *v, size_t at)
{
	struct probe_look look = probe_look_at(v->shape);
	int r;

	if (look.info.kind != TYPE_UNKNOWN || v->is_number || v->is_text ||
	    !probe_is_user(l->probe))
		return dereference(l, v, at);
	r = probe_load(l, v);
	v->in_memory = true;
	v->doubt = DOUBT_WIDTH;
	return r;
}

static int unknown_parameter(const struct probe_lowering *l, const struct probe_node *node)
{
	struct nearest nearest = { .wanted = node->name };
	const struct type_function *f = l->function;
	const char *what = l->variables ? "variable" : "parameter";

	for (uint32_t i = l->hidden; i < f->n; i++) {
		struct type_parameter p;

		type_function_parameter(f, i, l->machine->abi, &p);
		if (*p.name)
			nearest_offer(&nearest, p.name);
	}
	if (nearest_pick(&nearest))
		return complain(l, node->at, "'%.60s' has no %s '%.60s'; did you mean '%.60s'?",
				l->probe->function, what, node->name, nearest_pick(&nearest));
	if (l->variables)
		return complain(l, node->at, "no variable '%.60s' at '%.60s'", node->name,
				l->probe->function);
	return complain(l, node->at, "'%.60s' has no parameter '%.60s'%s", l->probe->function,
			node->name,
			f->n == l->hidden ? ": it takes none" : ": use $arg1, $arg2, ...");
}

/* Returns the value of parameter register @place. */
static int place_value(const struct probe_lowering *l, const struct probe_node *node,
		       unsigned place, struct probe_value *ret)
{
	const char *name = type_abi_register(l->machine->abi, place);

	if (probe_is_user(l->probe) && !l->machine->site->is_64)
		return complain(l, node->at,
				"32-bit programs pass parameters on the stack: use $stack1, "
				"$stack2, ...");
	if (probe_is_user(l->probe) && !name)
		return complain(l, node->at,
				"parameters are not supported on this architecture: use registers");
	if (!probe_is_user(l->probe) && (l->probe->kind != PROBE_ENTRY || !name))
		return text_value(l, node, arena_printf(l->arena, "$arg%u", place + 1 - l->hidden),
				  ret);
	return text_value(l, node, arena_printf(l->arena, "%%%s", name), ret);
}

static int parameter_value(const struct probe_lowering *l, const struct probe_node *node,
			   uint32_t i, struct probe_value *ret)
{
	struct type_parameter p;
	int r;

	type_function_parameter(l->function, i, l->machine->abi, &p);
	if (p.why)
		return complain(l, node->at, "parameter not available: %s", p.why);
	r = place_value(l, node, p.place, ret);
	ret->shape.type = p.type;
	return r;
}

/* Returns the memory at a register, or its value. */
static int register_value(const struct probe_lowering *l, const struct probe_node *node,
			  const struct variable_place *place, struct probe_value *ret)
{
	const char *name = type_abi_dwarf_register(l->machine->abi, place->reg);
	int r;

	if (!name)
		return complain(l, node->at, "'%.60s' is in a register that the kernel cannot read",
				node->name);
	r = text_value(l, node, arena_printf(l->arena, "%%%s", name), ret);
	ret->in_memory = place->kind == VARIABLE_MEMORY;
	ret->offset = ret->in_memory ? place->number : 0;
	return r;
}

/*
 * Returns memory at a constant distance from the probe, or from the start of the kernel. A user
 * probe is always at its instruction, which serves as the reference; "@+NUMBER", which is meant for
 * this, does not work in all kernels.
 */
static int probe_lower_fixed_value(const struct probe_lowering *l, const struct probe_node *node,
				   int64_t distance, struct probe_value *ret)
{
	bool is_user = probe_is_user(l->probe);
	const char *here = l->machine->abi == TYPE_ABI_ARM64 ? "%pc" : "%ip";

	if (!is_user && distance < 0)
		return complain(l, node->at, "'%.60s' is not available: it is a per-CPU variable",
				node->name);
	if (distance > INT32_MAX || distance < INT32_MIN)
		return complain(l, node->at, "'%.60s' is out of range", node->name);
	*ret = (struct probe_value){ .base = is_user ? here : NULL,
				     .offset = distance,
				     .in_memory = true,
				     .is_fixed = !is_user };
	return 0;
}

/* Returns variable @i of those visible at the place. */
static int variable_value(const struct probe_lowering *l, const struct probe_node *node, uint32_t i,
			  struct probe_value *ret)
{
	const struct variable_place *place = &l->variables[i];
	struct type_parameter p;
	int r = 0;

	type_function_parameter(l->function, i, l->machine->abi, &p);
	switch (place->kind) {
	case VARIABLE_NOWHERE:
		return complain(l, node->at, "'%.60s' is not available here: %s", node->name,
				place->why);
	case VARIABLE_REGISTER:
	case VARIABLE_MEMORY:
		r = register_value(l, node, place, ret);
		break;
	case VARIABLE_NUMBER:
		r = text_value(l, node, arena_printf(l->arena, "\\%" PRId64, place->number), ret);
		break;
	case VARIABLE_FIXED:
		r = probe_lower_fixed_value(l, node, place->number, ret);
		break;
	}
	ret->shape.type = p.type;
	return r;
}

/* Checks that parameters are still in the registers in which they were passed. */
static int check_entry(const struct probe_lowering *l, const struct probe_node *node)
{
	if (l->probe->kind == PROBE_USER_RETURN)
		return complain(l, node->at,
				"parameters are not available at the return of a user function: "
				"use 'ret'");
	if (l->is_clone)
		return complain(l, node->at,
				"parameters may differ: the compiler derived this function from "
				"another one");
	if (l->probe->offset || l->probe->source)
		return complain(l, node->at,
				"parameters are available only at function entry: use registers, "
				"such as %%%s",
				type_abi_register(l->machine->abi, 0) ?: "x0");
	return 0;
}

/* $argN; without types it is a number. */
static int arg_value(const struct probe_lowering *l, const struct probe_node *node, int64_t n,
		     struct probe_value *ret)
{
	int64_t count = l->function ? (int64_t)l->function->n - l->hidden : INT32_MAX;
	int r;

	if (l->probe->kind == PROBE_MARKER)
		return probe_marker_value(l, node, n, ret);
	r = check_entry(l, node);
	if (r < 0)
		return r;
	if (n > count)
		return complain(l, node->at, "'%.60s' has %d parameter%s", l->probe->function,
				(int)count, count == 1 ? "" : "s");
	if (l->function)
		return parameter_value(l, node, (uint32_t)n - 1 + l->hidden, ret);
	if (n > 64 || (l->machine->abi != TYPE_ABI_OTHER &&
		       !type_abi_register(l->machine->abi, (unsigned)n - 1)))
		return complain(l, node->at, "parameter %" PRId64 " is not in a register", n);
	return place_value(l, node, (unsigned)n - 1 + l->hidden, ret);
}

static int probe_lower_ret_value(const struct probe_lowering *l, const struct probe_node *node,
				 struct probe_value *ret)
{
	struct type_info info;
	int r;

	if (!probe_is_return(l->probe))
		return complain(l, node->at, "the return value is available only in %s",
				probe_is_user(l->probe) ? "'ur:'" : "'kr:' and 'fr:'");
	r = text_value(l, node, arena_strdup(l->arena, "$retval"), ret);
	if (r < 0 || !l->function)
		return r;
	info = type_look(l->function->result);
	if (info.kind == TYPE_VOID)
		return complain(l, node->at, "'%.60s' returns no value", l->probe->function);
	if (info.size > PROBE_WORD)
		return complain(l, node->at, "'%.60s' returns a value larger than a register",
				l->probe->function);
	ret->shape.type = l->function->result;
	return 0;
}

/* "arg1" is $arg1 if no parameter has this name. */
static int64_t arg_number(const char *name)
{
	const char *digits = str_after(name, "arg");
	int64_t n = 0;

	if (!digits || !*digits || strlen(digits) > 3)
		return 0;
	for (; *digits; digits++) {
		if (!isdigit((unsigned char)*digits))
			return 0;
		n = n * 10 + (*digits - '0');
	}
	return n;
}

static int name_value(const struct probe_lowering *l, const struct probe_node *node,
		      struct probe_value *ret)
{
	int r;

	if (probe_is_return(l->probe) && str_eq(node->name, "ret"))
		return probe_lower_ret_value(l, node, ret);
	for (uint32_t i = l->hidden; l->function && i < l->function->n; i++) {
		struct type_parameter p;

		type_function_parameter(l->function, i, l->machine->abi, &p);
		if (!str_eq(p.name, node->name))
			continue;
		if (l->variables)
			return variable_value(l, node, i, ret);
		r = check_entry(l, node);
		return r < 0 ? r : parameter_value(l, node, i, ret);
	}
	if (arg_number(node->name))
		return arg_value(l, node, arg_number(node->name), ret);
	if (l->probe->kind == PROBE_MARKER)
		return complain(l, node->at, "marker arguments have no names: use arg1, arg2, ...");
	if (str_eq(node->name, "ret"))
		return probe_lower_ret_value(l, node, ret);
	r = l->variables ? 0 : check_entry(l, node);
	if (r < 0)
		return r;
	if (!l->function)
		return complain(l, node->at, "%s; use $arg1, $arg2, ...", l->why);
	return unknown_parameter(l, node);
}

static int special_value(const struct probe_lowering *l, const struct probe_node *node,
			 struct probe_value *ret)
{
	int r;

	if (node->op == NODE_REGISTER && l->probe->kind != PROBE_ENTRY &&
	    l->probe->kind != PROBE_RETURN && !probe_is_user(l->probe))
		return complain(l, node->at, "registers are available only in 'k:' and 'kr:'");
	r = text_value(l, node,
		       node->op == NODE_SPECIAL ? arena_printf(l->arena, "$%s", node->name) :
						  arena_printf(l->arena, "%%%s", node->name),
		       ret);
	ret->is_text = node->op == NODE_SPECIAL && str_eq(node->name, "comm");
	return r;
}

static int probe_lower_number_value(const struct probe_lowering *l, const struct probe_node *node,
				    struct probe_value *ret)
{
	char *base = node->is_hex ? arena_printf(l->arena, "\\0x%" PRIx64, (uint64_t)node->number) :
				    arena_printf(l->arena, "\\%" PRId64, node->number);
	int r = text_value(l, node, base, ret);

	ret->is_number = true;
	ret->is_hex = node->is_hex;
	return r;
}

static int unknown_member(const struct probe_lowering *l, const struct probe_node *node,
			  struct probe_shape shape)
{
	struct nearest nearest = { .wanted = node->name };

	if (type_look(shape.type).is_partial)
		return complain(l, node->at, "no type information for the members of '%s'",
				probe_shape_text(l, shape));
	type_offer_members(shape.type, &nearest);
	if (nearest_pick(&nearest))
		return complain(l, node->at, "'%s' has no member '%.60s'; did you mean '%.60s'?",
				probe_shape_text(l, shape), node->name, nearest_pick(&nearest));
	return complain(l, node->at, "'%s' has no member '%.60s'", probe_shape_text(l, shape),
			node->name);
}

/* Moves a bitfield to a unit of memory that a load supports. */
static void place_bits(struct probe_value *v, uint64_t bit, uint32_t width)
{
	v->offset += (int64_t)(bit / 8);
	v->bit = (uint32_t)(bit % 8);
	v->width = width;
}

/* Returns the place of a node's operand; every node with an operator has one. */
static size_t operand_at(const struct probe_node *node)
{
	return node->inner ? node->inner->at : node->at;
}

static int member_value(const struct probe_lowering *l, const struct probe_node *node,
			struct probe_value *v)
{
	struct probe_look look;
	struct type_member m;
	int r = 0;

	look = probe_look_at(v->shape);
	if (node->op == NODE_ARROW) {
		r = dereference(l, v, operand_at(node));
	} else if (look.info.kind == TYPE_POINTER) {
		return complain(l, node->at, "'%s' is a pointer: use '->' before '%.60s'",
				probe_shape_text(l, v->shape), node->name);
	}
	if (r < 0)
		return r;
	look = probe_look_at(v->shape);
	if (look.info.kind != TYPE_STRUCT || !v->in_memory)
		return complain(l, operand_at(node), "no members: the type is '%s'",
				probe_shape_text(l, v->shape));
	if (type_find_member(v->shape.type, node->name, &m) < 0)
		return unknown_member(l, node, v->shape);
	v->shape = (struct probe_shape){ m.type, 0 };
	if (m.width)
		place_bits(v, m.bit, m.width);
	else
		v->offset += (int64_t)(m.bit / 8);
	return 0;
}

static int index_value(const struct probe_lowering *l, const struct probe_node *node,
		       struct probe_value *v)
{
	struct probe_look look = probe_look_at(v->shape);
	int64_t skip;
	int r;

	if (look.info.kind == TYPE_ARRAY && look.info.n &&
	    (node->number < 0 || node->number >= look.info.n))
		return complain(l, node->at, "no element %" PRId64 ": the type is '%s'",
				node->number, probe_shape_text(l, v->shape));
	r = dereference_words(l, v, operand_at(node));
	if (r < 0)
		return r;
	if (v->doubt && node->number)
		v->doubt = DOUBT_PLACE;
	look = probe_look_at(v->shape);
	if (!look.info.size)
		return complain(l, node->at, "unknown size of '%s': cast it first",
				probe_shape_text(l, v->shape));
	if (__builtin_mul_overflow(node->number, (int64_t)look.info.size, &skip) ||
	    __builtin_add_overflow(v->offset, skip, &v->offset) || v->offset > INT32_MAX ||
	    v->offset < INT32_MIN)
		return complain(l, node->at, "offset too large");
	return 0;
}

static int address_value(const struct probe_lowering *l, const struct probe_node *node,
			 struct probe_value *v)
{
	if (!v->in_memory || v->width)
		return complain(l, node->at, "%s has no address",
				v->width ? "a bitfield" : "a value that is not in memory");
	v->in_memory = false;
	v->shape.stars++;
	return 0;
}

static int unknown_type(const struct probe_lowering *l, const struct probe_node *node)
{
	const char *space = strrchr(node->name, ' ');
	const char *word = space ? space + 1 : node->name;
	const char *keyword = node->name;
	struct nearest nearest = { .wanted = word };

	if (space)
		keyword = arena_strndup(l->arena, node->name, (size_t)(space - node->name));
	if (!keyword)
		return err_nomem(l->err);
	types_offer(l->machine->types, l->probe->module, space ? keyword : "", &nearest);
	if (nearest_pick(&nearest))
		return complain(l, node->at, "unknown type '%.80s'; did you mean '%.60s'?",
				node->name, nearest_pick(&nearest));
	return complain(l, node->at, "unknown type '%.80s'", node->name);
}

/* Casts to a number: the kernel can truncate it, or interpret the same bits differently. */
static int cast_to_number(const struct probe_lowering *l, const struct probe_node *node,
			  struct probe_shape shape, struct probe_value *v)
{
	struct probe_look from = probe_look_at(v->shape), to = probe_look_at(shape);
	bool wider = to.info.size > from.info.size;

	if (from.info.kind == TYPE_STRUCT || from.info.kind == TYPE_ARRAY ||
	    from.info.kind == TYPE_OTHER)
		return complain(l, node->at, "'%s' cannot be cast to a number",
				probe_shape_text(l, v->shape));
	if (!v->in_memory && v->offset)
		return complain(
			l, node->at,
			"address arithmetic is not supported: record the pointer and add %" PRId64
			" later",
			v->offset);
	if (wider && from.info.is_signed && !to.info.is_signed)
		return complain(l, node->at,
				"the kernel cannot widen a signed number to an unsigned one");
	if (!wider && !v->width)
		v->shape = shape;
	if (v->doubt == DOUBT_WIDTH)
		v->doubt = DOUBT_NONE;
	return 0;
}

static int cast_value(const struct probe_lowering *l, const struct probe_node *node,
		      struct probe_value *v)
{
	struct probe_shape shape = { .stars = node->stars };
	struct probe_look from = probe_look_at(v->shape), to;
	int r;

	if (!l->machine->types)
		return complain(
			l, node->at,
			"casts need type information: the kernel has none (CONFIG_DEBUG_INFO_BTF)");
	r = types_find(l->machine->types, l->probe->module, node->name, &shape.type);
	if (r == -ENOMEM)
		return err_nomem(l->err);
	if (r < 0)
		return unknown_type(l, node);
	to = probe_look_at(shape);
	if (to.info.kind == TYPE_INT || to.info.kind == TYPE_ENUM)
		return cast_to_number(l, node, shape, v);
	if (to.info.kind != TYPE_POINTER)
		return complain(l, node->at,
				"invalid cast: expected a number or a pointer, such as '%s *'",
				probe_shape_text(l, shape));
	/* An array decays to the address of its first element. */
	if (from.info.kind == TYPE_ARRAY && v->in_memory)
		v->in_memory = false;
	else if (from.info.kind == TYPE_STRUCT ||
		 (!v->in_memory && !v->is_number && from.info.size != PROBE_WORD))
		return complain(l, operand_at(node), "not an address: the type is '%s'",
				probe_shape_text(l, v->shape));
	r = probe_load(l, v);
	v->shape = shape;
	v->is_user |= node->is_user;
	v->is_number = v->is_text = false;
	return r;
}

int probe_evaluate(const struct probe_lowering *l, const struct probe_node *node,
		   struct probe_value *ret)
{
	int r = 0;

	/* The parser limits the depth of this recursion. */
	if (node->inner)
		r = probe_evaluate(l, node->inner, ret);
	if (r < 0)
		return r;
	switch (node->op) {
	case NODE_NAME:
		r = name_value(l, node, ret);
		break;
	case NODE_ARG:
		r = arg_value(l, node, node->number, ret);
		break;
	case NODE_REGISTER:
	case NODE_SPECIAL:
		r = special_value(l, node, ret);
		break;
	case NODE_NUMBER:
		r = probe_lower_number_value(l, node, ret);
		break;
	case NODE_ARROW:
	case NODE_DOT:
		r = member_value(l, node, ret);
		break;
	case NODE_INDEX:
		r = index_value(l, node, ret);
		break;
	case NODE_DEREF:
		r = dereference_words(l, ret, operand_at(node));
		break;
	case NODE_ADDRESS:
		r = address_value(l, node, ret);
		break;
	case NODE_CAST:
		r = cast_value(l, node, ret);
		break;
	}
	ret->node = node;
	return r;
}
