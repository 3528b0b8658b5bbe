/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The memory layout of kernel data, and how kernel functions receive their parameters, according to
 * BTF. A struct type is a small value that refers to a type. It is valid until the struct types it
 * came from is freed, as are all strings. BTF is untrusted: invalid BTF yields invalid results, but
 * has no other effect. Modules are read on first use, so a struct types is not thread-safe.
 *
 * Functions that return int return 0 or a negative errno.
 */
#ifndef FATHOM_SYMBOLS_BTF_TYPES_H
#define FATHOM_SYMBOLS_BTF_TYPES_H

#include <stdbool.h>
#include <stdint.h>

#include <fathom/err.h>

#include "base/cleanup.h"
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
	TYPE_OTHER, /* floating point, and future kinds */
};

/* A type with typedefs and qualifiers resolved. */
struct type_info {
	enum type_kind kind;
	uint32_t size; /* in bytes; 0: unknown */
	bool is_signed, is_char;
	bool is_union, is_partial; /* of a struct: declared only */
	bool is_user; /* of a pointer: BTF marks it as a user space pointer */
	uint32_t n; /* of an array: number of elements */
	struct type self; /* with typedefs resolved */
	struct type target; /* of a pointer or an array */
};

struct type_member {
	struct type type;
	uint64_t bit; /* offset in the outermost struct, in bits */
	uint32_t width; /* of a bitfield, in bits; 0: not a bitfield */
};

struct type_function {
	struct type type;
	struct type result;
	uint32_t n; /* number of parameters */
	uint32_t id; /* of the function itself in its BTF; 0: several functions have the name */
};

/* Calling conventions: the registers of the first parameters. */
enum type_abi {
	TYPE_ABI_OTHER, /* unknown registers */
	TYPE_ABI_X86_64,
	TYPE_ABI_ARM64,
};

struct type_parameter {
	const char *name; /* "" if it has none */
	struct type type;
	unsigned place; /* index of the register for parameters; only valid if @why is NULL */
	const char *why; /* why it is not a register's entire value; NULL: it is */
};

/* Like prototypes_new(): reads the file "vmlinux" in @dir and, on demand, those of modules. */
int types_new(int dir, struct types **ret_types, struct fathom_err *err);
/* Takes ownership of @btf, even on failure. Returns 0 or -ENOMEM. */
int types_adopt(struct btf *btf, struct types **ret_types);
void types_free(struct types *types);
DEFINE_CLEANUP(struct types, types_free);

/*
 * Finds the function @name of @module (NULL: the kernel). Returns -ENOENT if it is unknown,
 * -ENOTUNIQ if there are several with different parameters, or -ENOMEM.
 */
int types_find_function(struct types *types, const char *module, const char *name,
			struct type_function *ret_function);
/* Finds the function described by a typedef of a function pointer. */
int types_find_callback(struct types *types, const char *module, const char *name,
			struct type_function *ret_function);
/* Offers the names of the functions of @module to @nearest. */
void types_offer_functions(struct types *types, const char *module, struct nearest *nearest);
/* @i must be below function->n. */
void type_function_parameter(const struct type_function *function, uint32_t i, enum type_abi abi,
			     struct type_parameter *ret_parameter);

/*
 * Finds a type by its name in C: "struct file", "union u", "enum e", "unsigned int", or a typedef.
 * @module may be NULL: the kernel. Returns -ENOENT if there is none, or -ENOMEM.
 */
int types_find(struct types *types, const char *module, const char *name, struct type *ret_type);
/* Offers the names, without "struct", of all types of one kind to @nearest. */
void types_offer(struct types *types, const char *module, const char *keyword,
		 struct nearest *nearest);

struct type_info type_look(struct type type);
/* Returns whether a return value of this type can be an errno: an int, a long or a pointer. */
bool type_can_hold_errno(struct type_info info);
/* Finds a member, including those of anonymous structs. Returns 0 or -ENOENT. */
int type_find_member(struct type type, const char *name, struct type_member *ret_member);
void type_offer_members(struct type type, struct nearest *nearest);
/*
 * Returns the @i-th name of an enum and its value; returns false if there are fewer. The name is
 * untrusted.
 */
bool type_enumerator(struct type type, uint32_t i, const char **ret_name, int64_t *ret_number);
/* Appends the type in C syntax: "struct file *". */
void type_print(struct type type, struct strbuf *text);

/* Returns the kernel's name of a register, such as "di", or NULL if there is none. */
const char *type_abi_register(enum type_abi abi, unsigned place);
/* The same for a 64-bit register, by its DWARF number. */
const char *type_abi_dwarf_register(enum type_abi abi, unsigned number);
/* Returns the convention of this machine. */
enum type_abi type_abi_native(void);

#endif
