/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "symbols/btf/parameters.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define BTF_MAGIC 0xeb9fU
/* vmlinux has 10 MB; reject anything that is too large for a kernel. */
#define BTF_SIZE_MAX ((size_t)256 << 20)
/* Limits chains of typedefs and modifiers; the longest in the kernel has 9. */
#define CHAIN_MAX 64

/*
 * The longest names in kernels have 511 characters. In a crafted file, all names can be the same
 * long text, which would take too long to compare.
 */
#define NAME_MAX_COMPARED 512

#define TYPE_SIZE  12 /* name, info, size or type */
#define PARAM_SIZE 8 /* name, type */

enum kind {
	KIND_INT = 1,
	KIND_PTR,
	KIND_ARRAY,
	KIND_STRUCT,
	KIND_UNION,
	KIND_ENUM,
	KIND_FWD,
	KIND_TYPEDEF,
	KIND_VOLATILE,
	KIND_CONST,
	KIND_RESTRICT,
	KIND_FUNC,
	KIND_FUNC_PROTO,
	KIND_VAR,
	KIND_DATASEC,
	KIND_FLOAT,
	KIND_DECL_TAG,
	KIND_TYPE_TAG,
	KIND_ENUM64,
	KINDS,
};

/* Sizes of the data after a type's twelve bytes: fixed, and for each of its members. */
static const struct {
	const char *name;
	uint8_t once, each;
} kinds[KINDS] = {
	[0] = { "UNKNOWN", 0, 0 },
	[KIND_INT] = { "INT", 4, 0 },
	[KIND_PTR] = { "PTR", 0, 0 },
	[KIND_ARRAY] = { "ARRAY", 12, 0 },
	[KIND_STRUCT] = { "STRUCT", 0, 12 },
	[KIND_UNION] = { "UNION", 0, 12 },
	[KIND_ENUM] = { "ENUM", 0, 8 },
	[KIND_FWD] = { "FWD", 0, 0 },
	[KIND_TYPEDEF] = { "TYPEDEF", 0, 0 },
	[KIND_VOLATILE] = { "VOLATILE", 0, 0 },
	[KIND_CONST] = { "CONST", 0, 0 },
	[KIND_RESTRICT] = { "RESTRICT", 0, 0 },
	[KIND_FUNC] = { "FUNC", 0, 0 },
	[KIND_FUNC_PROTO] = { "FUNC_PROTO", 0, PARAM_SIZE },
	[KIND_VAR] = { "VAR", 4, 0 },
	[KIND_DATASEC] = { "DATASEC", 0, 12 },
	[KIND_FLOAT] = { "FLOAT", 0, 0 },
	[KIND_DECL_TAG] = { "DECL_TAG", 4, 0 },
	[KIND_TYPE_TAG] = { "TYPE_TAG", 0, 0 },
	[KIND_ENUM64] = { "ENUM64", 0, 12 },
};

/* The caller has checked @offset. */
static uint32_t u32_at(const struct parameters *parameters, uint32_t offset)
{
	uint32_t n;

	memcpy(&n, parameters->bytes + offset, sizeof(n));
	return parameters->big == (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__) ? n :
									     __builtin_bswap32(n);
}

static const char *parameters_name_at(const struct parameters *parameters, uint32_t offset)
{
	return offset < parameters->strings_len ?
		       (char *)parameters->bytes + parameters->strings + offset :
		       "";
}

static unsigned parameters_type_kind(const struct parameters *parameters, uint32_t offset)
{
	return u32_at(parameters, offset + 4) >> 24 & 0x1f;
}

static uint32_t type_members(const struct parameters *parameters, uint32_t offset)
{
	return u32_at(parameters, offset + 4) & 0xffff;
}

/* Returns the offset of type @id, or 0 if there is none (offset 0 is the header). */
static uint32_t type_at(const struct parameters *parameters, uint32_t id)
{
	return id && id <= parameters->n_types ? parameters->types[id - 1] : 0;
}

struct range {
	uint32_t start, len;
};

static bool in_bytes(const struct parameters *parameters, uint64_t start, uint64_t len)
{
	return start <= parameters->size && len <= parameters->size - start;
}

static bool read_header(struct parameters *parameters, struct range *ret_types)
{
	uint32_t head;
	uint64_t types, strings;

	if (parameters->size < 24)
		return false;
	if (parameters->bytes[0] == (BTF_MAGIC & 0xff) && parameters->bytes[1] == BTF_MAGIC >> 8)
		parameters->big = false;
	else if (parameters->bytes[1] == (BTF_MAGIC & 0xff) &&
		 parameters->bytes[0] == BTF_MAGIC >> 8)
		parameters->big = true;
	else
		return false;
	head = u32_at(parameters, 4);
	types = (uint64_t)head + u32_at(parameters, 8);
	ret_types->len = u32_at(parameters, 12);
	strings = (uint64_t)head + u32_at(parameters, 16);
	parameters->strings_len = u32_at(parameters, 20);
	if (head < 24 || !in_bytes(parameters, types, ret_types->len) ||
	    !in_bytes(parameters, strings, parameters->strings_len))
		return false;
	ret_types->start = (uint32_t)types;
	parameters->strings = (uint32_t)strings;
	/* Names must end within the strings. */
	while (parameters->strings_len &&
	       parameters->bytes[parameters->strings + parameters->strings_len - 1])
		parameters->strings_len--;
	return true;
}

static int read_types(struct parameters *parameters, struct range range)
{
	uint32_t end = range.start + range.len;
	size_t cap = 0, cap_functions = 0;
	int r;

	for (uint32_t at = range.start; end - at >= TYPE_SIZE;) {
		unsigned kind = parameters_type_kind(parameters, at);
		uint64_t size;

		if (kind == 0 || kind >= KINDS)
			return 0;
		size = TYPE_SIZE + kinds[kind].once +
		       (uint64_t)kinds[kind].each * type_members(parameters, at);
		if (size > end - at)
			return 0;
		r = mem_reserve(&parameters->types, &cap, parameters->n_types + (size_t)1,
				sizeof(*parameters->types));
		if (r < 0)
			return r;
		parameters->types[parameters->n_types++] = at;
		if (kind == KIND_FUNC) {
			r = mem_reserve(&parameters->functions, &cap_functions,
					parameters->n_functions + (size_t)1,
					sizeof(*parameters->functions));
			if (r < 0)
				return r;
			parameters->functions[parameters->n_functions++] = at;
		}
		at += (uint32_t)size;
	}
	return 0;
}

static int parameters_compare_names(const void *a, const void *b, void *data)
{
	const struct parameters *parameters = data;

	return strncmp(parameters_name_at(parameters, u32_at(parameters, *(const uint32_t *)a)),
		       parameters_name_at(parameters, u32_at(parameters, *(const uint32_t *)b)),
		       NAME_MAX_COMPARED);
}

int parameters_init(struct parameters *parameters, const void *bytes, size_t size)
{
	struct range types;
	int r;

	memset(parameters, 0, sizeof(*parameters));
	if (!size || size > BTF_SIZE_MAX)
		return -EINVAL;
	parameters->bytes = mem_dup(bytes, size);
	if (!parameters->bytes)
		return -ENOMEM;
	parameters->size = size;
	r = read_header(parameters, &types) ? read_types(parameters, types) : -EINVAL;
	if (r < 0)
		parameters_done(parameters);
	else if (parameters->n_functions)
		qsort_r(parameters->functions, parameters->n_functions,
			sizeof(*parameters->functions), parameters_compare_names, parameters);
	return r;
}

void parameters_done(struct parameters *parameters)
{
	free(parameters->bytes);
	free(parameters->types);
	free(parameters->functions);
	memset(parameters, 0, sizeof(*parameters));
}

static int parameters_compare_with(const char *name, size_t len, const char *other)
{
	int c = strncmp(name, other, len);

	return c ? c : other[len] ? -1 : 0;
}

uint32_t parameters_find(const struct parameters *parameters, const char *name, size_t len)
{
	uint32_t low = 0, high = len < NAME_MAX_COMPARED ? parameters->n_functions : 0;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		uint32_t at = parameters->functions[middle];
		int c = parameters_compare_with(
			name, len, parameters_name_at(parameters, u32_at(parameters, at)));

		if (c < 0)
			high = middle;
		else if (c > 0)
			low = middle + 1;
		else
			return at;
	}
	return 0;
}

/* Returns the offset of the function's prototype, or 0 if it has none. */
static uint32_t parameters_prototype(const struct parameters *parameters, uint32_t function)
{
	uint32_t at = type_at(parameters, u32_at(parameters, function + 8));

	return at && parameters_type_kind(parameters, at) == KIND_FUNC_PROTO ? at : 0;
}

uint32_t parameters_count(const struct parameters *parameters, uint32_t function)
{
	uint32_t at = parameters_prototype(parameters, function);

	return at ? type_members(parameters, at) : 0;
}

static uint32_t skip_modifiers(const struct parameters *parameters, uint32_t id)
{
	uint32_t at = type_at(parameters, id);

	for (unsigned i = 0; at && i < CHAIN_MAX; i++) {
		switch (parameters_type_kind(parameters, at)) {
		case KIND_TYPEDEF:
		case KIND_VOLATILE:
		case KIND_CONST:
		case KIND_RESTRICT:
		case KIND_TYPE_TAG:
			at = type_at(parameters, u32_at(parameters, at + 8));
			break;
		default:
			return at;
		}
	}
	return 0;
}

struct parameter parameters_get(const struct parameters *parameters, uint32_t function, uint32_t i)
{
	uint32_t param = parameters_prototype(parameters, function) + TYPE_SIZE + i * PARAM_SIZE;
	uint32_t id = u32_at(parameters, param + 4);
	uint32_t at = skip_modifiers(parameters, id);
	struct parameter p = { .name = parameters_name_at(parameters, u32_at(parameters, param)) };
	unsigned kind = at ? parameters_type_kind(parameters, at) : 0;
	uint32_t encoding;

	if (!id) {
		p.kind = PARAMETER_NONE;
	} else if (kind == KIND_PTR) {
		p.kind = PARAMETER_POINTER;
	} else if (kind == KIND_INT) {
		encoding = u32_at(parameters, at + TYPE_SIZE);
		p.kind = PARAMETER_INT;
		p.bits = (uint8_t)encoding;
		p.shift = encoding >> 16 & 0x3f;
		p.is_signed = encoding >> 24 & 1;
	} else if (kind == KIND_ENUM) {
		p.kind = PARAMETER_ENUM;
	} else if (kind) {
		p.kind = PARAMETER_OTHER;
		p.kind_name = kinds[kind].name;
		p.size = u32_at(parameters, at + 8);
	}
	return p;
}
