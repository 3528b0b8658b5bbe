/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Assigns parameters to registers: the System V ABI of x86-64 and the AAPCS64 of arm64, except for
 * floating point and vectors, which kernel functions don't pass.
 */
#include "symbols/btf/types.h"

#include <bpf/btf.h>

static const char *const x86_64_registers[] = { "di", "si", "dx", "cx", "r8", "r9" };
static const char *const arm64_registers[] = { "x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7" };

#define WORD 8 /* bytes per register */

static unsigned register_count(enum type_abi abi)
{
	return abi == TYPE_ABI_ARM64 ? ARRAY_SIZE(arm64_registers) : ARRAY_SIZE(x86_64_registers);
}

const char *type_abi_register(enum type_abi abi, unsigned place)
{
	if (abi == TYPE_ABI_X86_64 && place < ARRAY_SIZE(x86_64_registers))
		return x86_64_registers[place];
	if (abi == TYPE_ABI_ARM64 && place < ARRAY_SIZE(arm64_registers))
		return arm64_registers[place];
	return NULL;
}

const char *type_abi_dwarf_register(enum type_abi abi, unsigned number)
{
	static const char *const x86_64[] = { "ax", "dx", "cx",	 "bx",	"si",  "di",  "bp",  "sp",
					      "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15" };
	static const char *const arm64[] = {
		"x0",  "x1",  "x2",  "x3",  "x4",  "x5",  "x6",	 "x7",	"x8",  "x9",  "x10",
		"x11", "x12", "x13", "x14", "x15", "x16", "x17", "x18", "x19", "x20", "x21",
		"x22", "x23", "x24", "x25", "x26", "x27", "x28", "x29", "x30", "sp"
	};

	if (abi == TYPE_ABI_X86_64 && number < ARRAY_SIZE(x86_64))
		return x86_64[number];
	return abi == TYPE_ABI_ARM64 && number < ARRAY_SIZE(arm64) ? arm64[number] : NULL;
}

enum type_abi type_abi_native(void)
{
#if defined(__x86_64__) && defined(__LP64__)
	return TYPE_ABI_X86_64;
#elif defined(__aarch64__) && defined(__LP64__)
	return TYPE_ABI_ARM64;
#else
	return TYPE_ABI_OTHER;
#endif
}

/* Returns the number of registers that a parameter occupies; 0: it is in memory. */
static unsigned words_of(const struct type_info *info, enum type_abi abi)
{
	if (info->size <= WORD)
		return 1;
	if (info->size <= 2 * WORD)
		return 2;
	/* arm64 passes the address of a copy. */
	return abi == TYPE_ABI_ARM64 ? 1 : 0;
}

static bool type_abi_is_plain(const struct type_info *info)
{
	return (info->kind == TYPE_INT || info->kind == TYPE_ENUM || info->kind == TYPE_POINTER) &&
	       info->size <= WORD;
}

/* Advances *@next past a parameter. Returns its first register, or -1. */
static int type_abi_take(const struct type_info *info, enum type_abi abi, unsigned *next)
{
	unsigned n = words_of(info, abi), all = register_count(abi), at = *next;

	/* Floating point uses other registers and the stack. */
	if (info->kind == TYPE_OTHER)
		return -1;
	/* arm64: 16-byte aligned values begin at an even register. */
	if (abi == TYPE_ABI_ARM64 && info->kind == TYPE_INT && n == 2)
		at += at & 1;
	if (n && at + n <= all) {
		*next = at + n;
		return (int)at;
	}
	/* x86-64 still uses the remaining registers for later parameters. */
	if (abi == TYPE_ABI_ARM64)
		*next = all;
	return -1;
}

void type_function_parameter(const struct type_function *function, uint32_t i, enum type_abi abi,
			     struct type_parameter *ret_parameter)
{
	const struct btf *btf = function->type.btf;
	const struct btf_param *params = btf_params(btf__type_by_id(btf, function->type.id));
	const char *name = btf__name_by_offset(btf, params[i].name_off);
	struct type_parameter p = { .name = name ? name : "", .type = { btf, params[i].type } };
	struct type_info info = { 0 };
	unsigned next = 0;
	int at = -1;

	for (uint32_t k = 0; k <= i; k++) {
		info = type_look((struct type){ btf, params[k].type });
		at = type_abi_take(&info, abi, &next);
	}
	if (!type_abi_is_plain(&info))
		p.why = info.kind == TYPE_VOID ? "it is not a parameter but '...'" :
						 "it is passed as a whole, not as one value";
	else if (at < 0)
		p.why = "it is passed on the stack: the registers are used up before it";
	else
		p.place = (unsigned)at;
	*ret_parameter = p;
}
