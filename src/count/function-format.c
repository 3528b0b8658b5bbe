/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "count/function-format.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "base/strbuf.h"
#include "symbols/btf/types.h"

/* Offsets in struct pt_regs: parameters by register, and the result. */
#if defined(__x86_64__)
static const uint32_t parameter_places[] = { 112, 104, 96, 88, 72, 64 };
#define RESULT_PLACE 80
#define IP_PLACE     128
#elif defined(__aarch64__)
static const uint32_t parameter_places[] = { 0, 8, 16, 24, 32, 40, 48, 56 };
#define RESULT_PLACE 0
#define IP_PLACE     256
#else
static const uint32_t parameter_places[] = { 0 };
#define RESULT_PLACE 0
#define IP_PLACE     0
#endif

/* Parameters of a function that every kernel can trace. */
#define TRACED_MAX 5

int16_t function_format_ip(void)
{
	return IP_PLACE;
}

/* Describes a value in a register. Returns false if it is not one number. */
static bool function_format_describe(struct type type, struct event_field *field)
{
	const struct type_info info = type_look(type);

	switch (info.kind) {
	case TYPE_INT:
	case TYPE_ENUM:
		field->kind = EVENT_FIELD_INT;
		break;
	case TYPE_POINTER:
		field->kind = EVENT_FIELD_POINTER;
		break;
	default:
		return false;
	}
	if (info.size != 1 && info.size != 2 && info.size != 4 && info.size != 8)
		return false;
	field->size = info.size;
	field->elem_size = (uint8_t)info.size;
	field->is_signed = info.is_signed;
	return true;
}

static int function_format_add(struct event_format *format, struct arena *arena, const char *name,
			       struct type type, uint32_t offset)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };
	struct event_field field = { .offset = offset };

	if (!name[0] || !function_format_describe(type, &field))
		return 0;
	type_print(type, &text);
	field.name = arena_strdup(arena, name);
	field.type = arena_strdup(arena, text.s ?: "");
	if (!field.name || !field.type)
		return -ENOMEM;
	format->fields[format->n_fields++] = field;
	return 0;
}

/* Whether the arguments of a traced function are in an array with an element for each. */
static bool function_format_is_traceable(const struct type_function *function)
{
	if (function->n > ARRAY_SIZE(parameter_places) || function->n > TRACED_MAX)
		return false;
	for (uint32_t i = 0; i < function->n; i++) {
		struct type_parameter parameter;

		type_function_parameter(function, i, type_abi_native(), &parameter);
		if (parameter.why)
			return false;
	}
	return true;
}

static int function_format_add_parameters(struct event_format *format, struct arena *arena,
					  const struct type_function *function, bool is_traced)
{
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < function->n; i++) {
		struct type_parameter parameter;

		type_function_parameter(function, i, type_abi_native(), &parameter);
		if (!parameter.why && parameter.place < ARRAY_SIZE(parameter_places))
			r = function_format_add(format, arena, parameter.name, parameter.type,
						is_traced ? 8 * i :
							    parameter_places[parameter.place]);
	}
	return r;
}

/* The result of a function of which nothing is known. */
static const struct event_field unknown_result = { .name = "ret",
						   .type = "long",
						   .offset = RESULT_PLACE,
						   .size = 8,
						   .elem_size = 8,
						   .kind = EVENT_FIELD_INT,
						   .is_signed = true };

int function_format_new(struct types *types, const char *module, const char *name,
			enum function_context context, struct arena *arena,
			struct event_format **ret_format, uint32_t *ret_id)
{
	const bool is_traced = context >= FUNCTION_TRACED_ENTRY;
	struct event_format *format = arena_zalloc(arena, 1, sizeof(*format));
	struct type_function function = { 0 };
	int found = types ? types_find_function(types, module, name, &function) : -ENOENT;
	int r = 0;

	if (!format || found == -ENOMEM)
		return -ENOMEM;
	format->system = "kernel";
	format->name = name;
	format->abi.long_size = sizeof(long);
	format->abi.big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
	format->fields = arena_zalloc(arena, function.n + 2, sizeof(*format->fields));
	if (!format->fields)
		return -ENOMEM;
	if (found == 0 && context != FUNCTION_RETURN)
		r = function_format_add_parameters(format, arena, &function, is_traced);
	if (r == 0 && found < 0 && context == FUNCTION_RETURN)
		format->fields[format->n_fields++] = unknown_result;
	else if (r == 0 && (context == FUNCTION_RETURN || context == FUNCTION_TRACED_EXIT))
		r = function_format_add(format, arena, "ret", function.result,
					is_traced ? 8 * function.n : RESULT_PLACE);
	if (r < 0)
		return r;
	*ret_format = format;
	*ret_id = found == 0 && !module && function_format_is_traceable(&function) ? function.id :
										     0;
	return 0;
}
