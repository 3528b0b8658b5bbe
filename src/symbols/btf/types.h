/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How the kernel's data lies in memory, and how its functions get their parameters, out of
 * BTF. A struct type is a small value that names a type; it is good until the struct types
 * that it came from is freed. The BTF may be wrong in any way: the answers are then, too,
 * and no more.
 */
#ifndef FATHOM_SYMBOLS_BTF_TYPES_H
#define FATHOM_SYMBOLS_BTF_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/str.h"
#include "base/strbuf.h"

struct btf;
struct types;

struct type {
	const struct btf *btf; /* NULL: nothing is known */
	uint32_t id; /* 0: void */
};

enum type_kind {
	TYPE_UNKNOWN,
	TYPE_VOID,
	TYPE_INT,
	TYPE_ENUM,
	TYPE_POINTER,
	TYPE_ARRAY,
	TYPE_STRUCT, /* or a union */
	TYPE_FUNCTION,
	TYPE_OTHER, /* floating point, and what BTF may have one day */
};

/* A type without its typedefs and qualifiers. */
struct type_info {
	enum type_kind kind;
	uint32_t size; /* bytes; 0: not known */
	bool is_signed, is_char;
	bool is_union, is_partial; /* of a struct: it has no members here */
	bool is_user; /* of a pointer: BTF says that it points to a program's memory */
	uint32_t n; /* of an array: how many */
	struct type self; /* behind the typedefs */
	struct type target; /* of a pointer, an array: of what */
};

struct type_member {
	struct type type;
	uint64_t bit; /* where it begins in the outermost struct */
	uint32_t width; /* bits of a bitfield; 0: it is none */
};

struct type_function {
	struct type type;
	struct type result;
	uint32_t n; /* parameters */
};

/* How functions are called: where their first parameters are. */
enum type_abi {
	TYPE_ABI_OTHER, /* one we know no registers of */
	TYPE_ABI_X86_64,
	TYPE_ABI_ARM64,
};

struct type_parameter {
	const char *name; /* "" when it has none */
	struct type type;
	unsigned place; /* the how-manieth register for parameters; only valid without @why */
	const char *why; /* NULL, or why it is in no register as a value of its own */
};

/* As prototypes_new(): from the file "vmlinux" in @dir, and those of modules beside it. */
int types_new(int dir, struct types **ret_types, struct fathom_err *err);
/* Of BTF that was made here and is owned from now on, also after a failure. 0 or -ENOMEM. */
int types_adopt(struct btf *btf, struct types **ret_types);
void types_free(struct types *types);
DEFINE_CLEANUP(struct types, types_free);

/*
 * The function @name of @module (NULL: the kernel itself). -ENOENT: it is not known,
 * -ENOTUNIQ: there are several whose parameters differ, -ENOMEM.
 */
int types_find_function(struct types *types, const char *module, const char *name,
			struct type_function *ret_function);
/* The function that a typedef of a pointer to one describes. */
int types_find_callback(struct types *types, const char *module, const char *name,
			struct type_function *ret_function);
/* Offers the names of the functions of @module. */
void types_offer_functions(struct types *types, const char *module, struct nearest *nearest);
/* @i is below function->n. */
void type_function_parameter(const struct type_function *function, uint32_t i, enum type_abi abi,
			     struct type_parameter *ret_parameter);

/*
 * A type by its name in C: "struct file", "union u", "enum e", "unsigned int", or a
 * typedef. Of @module (NULL: the kernel itself). -ENOENT when there is none, -ENOMEM.
 */
int types_find(struct types *types, const char *module, const char *name, struct type *ret_type);
/* Offers the names, without "struct", of all of one kind. */
void types_offer(struct types *types, const char *module, const char *keyword,
		 struct nearest *nearest);

struct type_info type_look(struct type type);
/* Can a result of this type be an errno: an int, or a long or a pointer? */
bool type_can_hold_errno(struct type_info info);
/* Those of anonymous structs inside are its own. 0 or -ENOENT. */
int type_find_member(struct type type, const char *name, struct type_member *ret_member);
void type_offer_members(struct type type, struct nearest *nearest);
/*
 * The @i-th name of an enum and its number; false when there are less. The name is what the types say, which may be
 * anything.
 */
bool type_enumerator(struct type type, uint32_t i, const char **ret_name, int64_t *ret_number);
/* Adds it as C writes it, "struct file *". */
void type_print(struct type type, struct strbuf *text);

/* The kernel's name for a register, "di"; NULL when there is none. */
const char *type_abi_register(enum type_abi abi, unsigned place);
/* The same of a register of 64 bits as DWARF counts them. */
const char *type_abi_dwarf_register(enum type_abi abi, unsigned number);
/* Of the machine that we are on. */
enum type_abi type_abi_native(void);

#endif
