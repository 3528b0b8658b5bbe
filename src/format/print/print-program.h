/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The program that a print expression is compiled to: a flat list of operations on a small stack of
 * 64-bit values. Jumps only go forward, so every run terminates. Programs are immutable; all state
 * of a run is in struct print_run, on the stack of the caller.
 *
 * Numbers on the stack are extended to 64 bits according to their type. A pointer into the record
 * is never an address: the low 32 bits are the offset, the high 32 bits the number of bytes there.
 * The output of a conversion is replaced by "?" if the value of any operation since the previous
 * conversion is unknown.
 */
#ifndef FATHOM_FORMAT_PRINT_PRINT_PROGRAM_H
#define FATHOM_FORMAT_PRINT_PRINT_PROGRAM_H

#include "format/event/event-format.h"
#include "format/print/print-spec.h"
#include "format/print.h"

#define PRINT_STACK_MAX 24
#define PRINT_OPS_MAX	65536
/* Steps to compile one expression, because a local can represent a large expression many times. */
#define PRINT_WORK_MAX 500000

enum print_code {
	/* A whole conversion, or literal text */
	PRINT_TEXT, /* ptr, a: length */
	PRINT_FIELD_NUMBER, /* a: offset, size, sign; conv, b: size of the conversion */
	PRINT_FIELD_STRING, /* a: offset, b: size, 0 for the rest of the record */
	PRINT_DYNAMIC_STRING, /* a: offset, size, flag: enum event_field_place */
	PRINT_FIELD, /* ptr: struct event_field, printed by its type alone */

	PRINT_BEGIN, /* a conversion of a string */
	PRINT_WIDTH, /* pop the width */
	PRINT_PRECISION, /* pop the precision */

	/* Values */
	PRINT_CONST, /* imm */
	PRINT_LOAD, /* a: offset, size, sign */
	PRINT_MEMORY, /* a: offset, b: bytes, 0 for the rest of the record */
	PRINT_DYNAMIC, /* a: offset, size, flag: enum event_field_place */
	PRINT_DYNAMIC_LEN,
	PRINT_INDEX, /* memory, i -> number; size, sign */
	PRINT_ADVANCE, /* memory, i -> memory; size */
	PRINT_SWAP, /* byte order; size */
	PRINT_JIFFIES, /* jiffies -> 1/imm seconds */
	PRINT_UNKNOWN_VALUE, /* pushes an arbitrary value and marks it as unknown */
	PRINT_POP,
	PRINT_NARROW, /* a: depth in the stack; size, sign */

	/* Operators; sign and size determine comparison, division and shift */
	PRINT_ADD,
	PRINT_SUB,
	PRINT_MUL,
	PRINT_DIV,
	PRINT_MOD,
	PRINT_SHL,
	PRINT_SHR,
	PRINT_AND,
	PRINT_OR,
	PRINT_XOR,
	PRINT_EQ,
	PRINT_NE,
	PRINT_LT,
	PRINT_LE,
	PRINT_NEG,
	PRINT_INVERT,
	PRINT_NOT,

	PRINT_JUMP, /* a: target */
	PRINT_JUMP_IF_ZERO, /* pops */
	PRINT_NOP,

	/*
	 * Output; all pop what they print. These four are a conversion of their own, without BEGIN
	 * and END:
	 */
	PRINT_OUT_NUMBER, /* ptr: struct print_spec */
	PRINT_OUT_SYMBOL, /* flag: with offset; sign: with the address; ptr: spec */
	PRINT_OUT_POINTER, /* ptr: spec */
	PRINT_OUT_MEMORY, /* %pM and the like; ptr: spec */
	/* and these are used between BEGIN and END: */
	PRINT_OUT_TEXT, /* as TEXT, inside a conversion */
	PRINT_OUT_STRING, /* memory */
	PRINT_OUT_PRINTK, /* the address of a string */
	PRINT_OUT_FLAGS, /* ptr: struct print_table; size: of the value */
	PRINT_OUT_SYMBOLIC, /* ptr: struct print_table; size: of the value */
	PRINT_OUT_HEX, /* memory, count; flag: separator or 0 */
	PRINT_OUT_ARRAY, /* memory, count, size of an element */
	PRINT_OUT_HEX_DUMP, /* prefix type, row, group, memory, length, ascii; ptr: prefix */
	PRINT_OUT_BITMASK, /* memory */
	PRINT_OUT_CPULIST, /* memory */
	PRINT_OUT_STACK, /* memory */
	PRINT_OUT_DEVICE, /* a dev_t as major,minor */
	PRINT_OUT_NAMED, /* the name of a number in a built-in list; ptr: struct print_list */
	PRINT_OUT_SCSI, /* memory, length of a SCSI command */
	PRINT_END, /* ptr: spec, or NULL for a plain one */
};

struct print_op {
	uint8_t code;
	uint8_t size;
	uint8_t sign;
	uint8_t flag;
	uint32_t a;
	union {
		uint64_t imm;
		const void *ptr;
		uint32_t b;
	};
};

struct print_pair {
	uint64_t value;
	const char *name;
	uint32_t len;
	bool is_known; /* the value is known */
};

/* The names in __print_flags() and __print_symbolic(). */
struct print_table {
	const char *delimiter;
	uint32_t delimiter_len;
	uint32_t n;
	const struct print_pair *pairs;
	/*
	 * Indexed by value, if below n_direct: pair + 1, or 0 for none. NULL if values are not
	 * small.
	 */
	const uint16_t *direct;
	uint32_t n_direct;
};

/* Names of the numbers from 0. */
struct print_list {
	uint32_t n;
	const char *const *names;
	const char *before, *after; /* printed around a name */
	const char *none; /* printed for a number without a name */
};

struct print_program {
	const struct event_format *format;
	const struct print_op *ops;
	uint32_t n;
	bool swap; /* the record's byte order differs from ours */
	bool is_empty; /* the format has no expression: the fields are printed */
	bool is_bprint; /* the record contains a printk format and its arguments */
	const struct event_field *ip, *fmt, *buf; /* the fields of a bprint event */
};

/* The state of a run. */
struct print_run {
	const struct print_program *program;
	const struct print_env *env;
	const unsigned char *record;
	uint32_t len;
	struct text *text;
	size_t start; /* of the conversion, in the text */
	bool unknown; /* a value in this conversion is unknown */
	int width, precision; /* given as arguments; -1: not given */
	int limit; /* precision of the current string conversion; -1: none */
	size_t escaped; /* bytes that quoting added in this conversion */
	bool last; /* nothing is printed after this */
};

/* Returns the bytes that a pointer into the record points to; NULL and length 0 outside it. */
static inline const unsigned char *print_memory(const struct print_run *run, uint64_t memory,
						size_t *ret_len)
{
	uint32_t offset = (uint32_t)memory;
	uint32_t bytes = (uint32_t)(memory >> 32);

	if (offset > run->len || bytes > run->len - offset) {
		*ret_len = 0;
		return NULL;
	}
	*ret_len = bytes;
	return run->record + offset;
}

static inline uint64_t print_make_memory(uint32_t offset, uint32_t bytes)
{
	return (uint64_t)bytes << 32 | offset;
}

/* print-arithmetic.c: computes a binary operator. Returns false if undefined (division by zero). */
bool print_arithmetic(const struct print_op *op, uint64_t a, uint64_t b, uint64_t *ret);

/* print-conversion.c */
/*
 * Ends a conversion: replaces it by "?" if a value is unknown, else pads it according to @spec
 * (NULL: no padding).
 */
void print_finish(struct print_run *run, const struct print_spec *spec);
void print_number(struct print_run *run, const struct print_spec *spec, uint64_t value);
void print_symbol(struct print_run *run, uint64_t addr, bool with_offset);
/* "symbol (0xaddress)" */
void print_symbol_and_address(struct print_run *run, uint64_t addr, bool with_offset);
/* A part of a printk format, with C escapes to be resolved. */
void print_escaped(struct print_run *run, const char *s, size_t len);
/* Appends a string from the record, quoted. A trailing newline is kept if nothing follows. */
void print_name(struct print_run *run, const char *s, size_t len);

/* print-field-value.c */
bool print_field_is_number(const struct event_field *field);
/* Appends the value of the field, formatted by its type alone. */
void print_field(const struct event_format *format, const struct event_field *field,
		 const void *record, size_t len, struct text *text);

/* print-pointer.c */
void print_pointer(struct print_run *run, const struct print_spec *spec, uint64_t value);
void print_pointed(struct print_run *run, const struct print_spec *spec, uint64_t memory);

/* print-helper.c, print-scsi.c */
void print_string(struct print_run *run, uint64_t memory);
void print_printk(struct print_run *run, uint64_t addr);
void print_flags(struct print_run *run, const struct print_table *table, uint64_t value,
		 unsigned size);
void print_symbolic(struct print_run *run, const struct print_table *table, uint64_t value,
		    unsigned size);
void print_hex(struct print_run *run, uint64_t memory, uint64_t count, char separator);
void print_array(struct print_run *run, uint64_t memory, uint64_t count, uint64_t size);
void print_bitmask(struct print_run *run, uint64_t memory);
void print_cpulist(struct print_run *run, uint64_t memory);
void print_stack(struct print_run *run, uint64_t memory);
void print_scsi(struct print_run *run, uint64_t memory, uint64_t len);

struct print_dump {
	const char *prefix;
	uint64_t prefix_type, row, group, memory, len, ascii;
};
void print_hex_dump(struct print_run *run, const struct print_dump *dump);

/* print-bprint.c */
void print_bprint(struct print_run *run);

#endif
