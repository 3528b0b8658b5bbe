/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Determines how a value is fetched: by its type, or as the user specified. */
#include "symbols/probe/probe-parts.h"

#include <inttypes.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/err.h"

/* The kernel's limits: for the text after "NAME=", and for elements of an array. */
#define FETCH_MAX 63
#define ARRAY_MAX 64

/* The part after the colon. */
struct format {
	const char *name;
	char letter; /* of the kernel's type: u, s or x; 0: not a number */
	uint32_t size; /* in bytes; 0: according to the type */
};

static const struct format formats[] = {
	{ "x", 'x', 0 },     { "d", 's', 0 },	 { "u", 'u', 0 },   { "u8", 'u', 1 },
	{ "u16", 'u', 2 },   { "u32", 'u', 4 },	 { "u64", 'u', 8 }, { "s8", 's', 1 },
	{ "s16", 's', 2 },   { "s32", 's', 4 },	 { "s64", 's', 8 }, { "x8", 'x', 1 },
	{ "x16", 'x', 2 },   { "x32", 'x', 4 },	 { "x64", 'x', 8 }, { "string", 0, 0 },
	{ "ustring", 0, 0 }, { "symbol", 0, 0 },
};

static int find_format(const struct probe_lowering *l, const struct probe_arg *arg,
		       const struct format **ret)
{
	struct nearest nearest = { .wanted = arg->format };

	for (size_t i = 0; i < ARRAY_SIZE(formats); i++) {
		if (str_eq(formats[i].name, arg->format)) {
			*ret = &formats[i];
			return 0;
		}
		nearest_offer(&nearest, formats[i].name);
	}
	if (nearest_pick(&nearest))
		return complain(l, arg->format_at, "unknown format '%.40s'; did you mean '%s'?",
				arg->format, nearest_pick(&nearest));
	return complain(
		l, arg->format_at,
		"unknown format '%.40s': expected string, ustring, symbol, x, d, u, or u8 to "
		"u64, s8 to s64, x8 to x64",
		arg->format);
}

/* The value without a type: the memory at the address, or the value fetched. */
static int plain_text(const struct probe_lowering *l, const struct probe_value *v, const char **ret)
{
	if (!v->in_memory && v->is_fixed)
		return complain(l, v->node->at,
				"this address cannot be recorded: record the value at it");
	if (!v->in_memory && v->offset)
		return complain(
			l, v->node->at,
			"address arithmetic is not supported: record the pointer and add %" PRId64
			" later",
			v->offset);
	*ret = v->in_memory ? probe_load_text(l, v, v->offset) : v->base;
	return *ret ? 0 : err_nomem(l->err);
}

static int probe_format_finish(const struct probe_lowering *l, const char *text, const char *type,
			       const char **ret)
{
	*ret = type ? arena_printf(l->arena, "%s:%s", text, type) : NULL;
	return *ret ? 0 : err_nomem(l->err);
}

/* The text at an address: the target of a pointer, or the elements of an array. */
static int string_text(const struct probe_lowering *l, const struct probe_arg *arg,
		       struct probe_value *v, bool user, const char **ret)
{
	struct probe_look look = probe_look_at(v->shape);
	const char *text;
	int r = 0;

	if (v->is_text)
		return probe_format_finish(l, v->base, "string", ret);
	if (look.info.kind != TYPE_ARRAY || !v->in_memory) {
		if (v->width || look.info.size != PROBE_WORD || look.info.kind == TYPE_STRUCT ||
		    v->is_number)
			return complain(l, arg->node->at, "not text: expected an address, not %s",
					v->is_number ? "a number" : probe_shape_text(l, v->shape));
		user |= look.info.is_user;
		r = probe_load(l, v);
	}
	user |= v->is_user;
	if (r < 0)
		return r;
	/* The type implies user memory; "+u" would be redundant. */
	v->is_user = false;
	text = probe_load_text(l, v, v->offset);
	user &= !probe_is_user(l->probe);
	return text ? probe_format_finish(l, text, user ? "ustring" : "string", ret) :
		      err_nomem(l->err);
}

static int bits_text(const struct probe_lowering *l, const struct probe_arg *arg,
		     const struct probe_value *v, const struct format *format, const char **ret)
{
	uint32_t size = 8;
	const char *text;
	int r;

	if (format && format->letter == 'x')
		return complain(l, arg->format_at, "a bitfield cannot have a format");
	while (size < v->bit + v->width)
		size *= 2;
	if (size > 64)
		return complain(l, arg->node->at, "unsupported bitfield: it spans too many bytes");
	r = plain_text(l, v, &text);
	return r < 0 ? r :
		       probe_format_finish(
			       l, text, arena_printf(l->arena, "b%u@%u/%u", v->width, v->bit, size),
			       ret);
}

/* Returns the kernel's letter for a number of this type. */
static char letter_of(const struct type_info *info)
{
	if (info->kind == TYPE_POINTER || info->kind == TYPE_UNKNOWN)
		return 'x';
	return info->is_signed ? 's' : 'u';
}

static bool probe_format_is_number(const struct type_info *info)
{
	bool kind = info->kind == TYPE_INT || info->kind == TYPE_ENUM ||
		    info->kind == TYPE_POINTER || info->kind == TYPE_UNKNOWN;

	return kind && (info->size == 1 || info->size == 2 || info->size == 4 || info->size == 8);
}

static int array_text(const struct probe_lowering *l, const struct probe_arg *arg,
		      const struct probe_value *v, const struct format *format, const char **ret)
{
	struct probe_look look = probe_look_at(v->shape);
	struct type_info element = probe_look_at(look.target).info;
	const char *text;
	char letter;
	int r;

	if (!probe_format_is_number(&element))
		return complain(l, arg->node->at,
				"'%s' cannot be recorded as a whole: select an element, such as "
				"[0]",
				probe_shape_text(l, v->shape));
	if (!look.info.n || look.info.n > ARRAY_MAX)
		return complain(l, arg->node->at,
				"'%s' has more than %d elements: select one, such as [0]",
				probe_shape_text(l, v->shape), ARRAY_MAX);
	if (format && format->size && format->size != element.size)
		return complain(l, arg->format_at,
				"format too wide: the elements have %u byte%s "
				"each",
				element.size, element.size == 1 ? "" : "s");
	r = plain_text(l, v, &text);
	letter = format ? format->letter : letter_of(&element);
	return r < 0 ? r :
		       probe_format_finish(l, text,
					   arena_printf(l->arena, "%c%u[%u]", letter,
							element.size * 8, look.info.n),
					   ret);
}

static int number_text(const struct probe_lowering *l, const struct probe_arg *arg,
		       const struct probe_value *v, const struct format *format, const char **ret)
{
	struct type_info info = probe_look_at(v->shape).info;
	uint32_t size = format && format->size ? format->size : info.size;
	char letter = format ? format->letter : letter_of(&info);
	const char *text;
	int r;

	if (!probe_format_is_number(&info))
		return complain(l, arg->node->at, "'%s' cannot be recorded: select %s",
				probe_shape_text(l, v->shape),
				info.kind == TYPE_STRUCT ? "one of its members" :
							   "a number or a pointer");
	if (v->doubt == DOUBT_WIDTH && !(format && format->size))
		return complain(l, arg->node->at,
				"unknown type: specify a format, such as :s32 or :string");
	if (v->doubt == DOUBT_PLACE && size != PROBE_WORD)
		return complain(l, arg->node->at,
				"unknown element type: cast it first, as in '((int *)arg1)[1]'");
	if (size > info.size)
		return complain(l, arg->format_at, "format too wide: the value has %u byte%s",
				info.size, info.size == 1 ? "" : "s");
	if (v->is_number && !format)
		letter = v->is_hex ? 'x' : 's';
	r = plain_text(l, v, &text);
	return r < 0 ? r :
		       probe_format_finish(l, text,
					   arena_printf(l->arena, "%c%u", letter, size * 8), ret);
}

static int symbol_text(const struct probe_lowering *l, const struct probe_arg *arg,
		       const struct probe_value *v, const char **ret)
{
	const char *text;
	int r;

	if (probe_is_user(l->probe))
		return complain(l, arg->format_at,
				"symbol is not supported in user probes: use :x64");
	if (v->width || probe_look_at(v->shape).info.size != PROBE_WORD)
		return complain(l, arg->node->at, "not an address: the type is '%s'",
				probe_shape_text(l, v->shape));
	r = plain_text(l, v, &text);
	return r < 0 ? r : probe_format_finish(l, text, "symbol", ret);
}

static int format_value(const struct probe_lowering *l, const struct probe_arg *arg,
			struct probe_value *v, const char **ret)
{
	struct probe_look look = probe_look_at(v->shape);
	const struct format *format = NULL;
	int r = arg->format ? find_format(l, arg, &format) : 0;

	if (r < 0)
		return r;
	if (v->is_text && !format)
		return string_text(l, arg, v, false, ret);
	if (format && str_eq(format->name, "symbol"))
		return symbol_text(l, arg, v, ret);
	if (format && !format->letter)
		return string_text(l, arg, v, str_eq(format->name, "ustring"), ret);
	if (v->width)
		return bits_text(l, arg, v, format, ret);
	if (look.info.kind != TYPE_ARRAY)
		return number_text(l, arg, v, format, ret);
	if (!format && probe_look_at(look.target).info.is_char)
		return string_text(l, arg, v, false, ret);
	return array_text(l, arg, v, format, ret);
}

int probe_lower_arg(const struct probe_lowering *lowering, const struct probe_arg *arg,
		    const char **ret_fetch, struct type *ret_enum)
{
	struct probe_value v = { 0 };
	int r = probe_evaluate(lowering, arg->node, &v);

	if (r == 0)
		r = format_value(lowering, arg, &v, ret_fetch);
	*ret_enum = (struct type){ 0 };
	if (r == 0 && !arg->format && probe_look_at(v.shape).info.kind == TYPE_ENUM)
		*ret_enum = v.shape.type;
	if (r == 0 && strlen(*ret_fetch) > FETCH_MAX)
		r = complain(lowering, arg->node->at,
			     "expression too long: the kernel accepts %d characters, '%s' has more",
			     FETCH_MAX, *ret_fetch);
	return r;
}
