/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "symbols/dwarf/program-types.h"

#include <errno.h>

#include <bpf/btf.h>

#define TYPE(type, name)                               \
	{                                              \
		name, sizeof(type), (type)-1 < (type)1 \
	}

/* Compilers' names; types_find() knows the common spellings. */
static const struct {
	const char *name;
	size_t size;
	bool is_signed;
} integers[] = {
	TYPE(char, "char"),
	TYPE(signed char, "signed char"),
	TYPE(unsigned char, "unsigned char"),
	TYPE(short, "short int"),
	TYPE(unsigned short, "short unsigned int"),
	TYPE(int, "int"),
	TYPE(unsigned, "unsigned int"),
	TYPE(long, "long int"),
	TYPE(unsigned long, "long unsigned int"),
	TYPE(long long, "long long int"),
	TYPE(unsigned long long, "long long unsigned int"),
};

static const struct {
	const char *name, *of;
} names[] = {
	{ "s8", "signed char" },
	{ "u8", "unsigned char" },
	{ "s16", "short int" },
	{ "u16", "short unsigned int" },
	{ "s32", "int" },
	{ "u32", "unsigned int" },
	{ "s64", "long long int" },
	{ "u64", "long long unsigned int" },
	{ "int8_t", "signed char" },
	{ "uint8_t", "unsigned char" },
	{ "int16_t", "short int" },
	{ "uint16_t", "short unsigned int" },
	{ "int32_t", "int" },
	{ "uint32_t", "unsigned int" },
	{ "int64_t", "long long int" },
	{ "uint64_t", "long long unsigned int" },
	{ "size_t", "long unsigned int" },
	{ "ssize_t", "long int" },
	{ "intptr_t", "long int" },
	{ "uintptr_t", "long unsigned int" },
};

static int program_types_add_all(struct btf *btf)
{
	int r = 1;

	for (size_t i = 0; i < ARRAY_SIZE(integers) && r > 0; i++)
		r = btf__add_int(btf, integers[i].name, integers[i].size,
				 integers[i].is_signed ? BTF_INT_SIGNED : 0);
	if (r > 0)
		r = btf__add_int(btf, "_Bool", 1, BTF_INT_BOOL);
	for (size_t i = 0; i < ARRAY_SIZE(names) && r > 0; i++)
		r = btf__add_typedef(btf, names[i].name,
				     btf__find_by_name_kind(btf, names[i].of, BTF_KIND_INT));
	return r > 0 ? 0 : -ENOMEM;
}

int program_types_new(const struct program_wanted *wanted, struct types **ret_types)
{
	struct btf *btf = btf__new_empty();
	int r;

	if (!btf)
		return -ENOMEM;
	btf__set_pointer_size(btf, sizeof(void *));
	r = program_types_add_all(btf);
	if (r == 0 && wanted)
		r = program_dwarf_add(wanted, btf__find_by_name_kind(btf, "int", BTF_KIND_INT),
				      btf);
	if (r < 0) {
		btf__free(btf);
		return -ENOMEM;
	}
	return types_adopt(btf, ret_types) < 0 ? -ENOMEM : r;
}
