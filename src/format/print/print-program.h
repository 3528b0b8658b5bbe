/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The program that a print expression becomes: a flat list of operations on a
 * small stack of 64-bit values. Jumps go forward only, so a run ends.
 *
 * On the stack a number is widened to 64 bits by the sign of its type. A pointer
 * into the record is its offset in the low and the number of bytes behind it in
 * the high 32 bits; it is never an address. What a conversion prints is replaced
 * by "?" if any operation since the one before could not know its value.
 */
#ifndef FATHOM_FORMAT_PRINT_PRINT_PROGRAM_H
#define FATHOM_FORMAT_PRINT_PRINT_PROGRAM_H

#include "format/event/event-format.h"
#include "format/print/print-spec.h"
#include "format/print.h"

#define PRINT_STACK_MAX 24
#define PRINT_OPS_MAX	65536
/* Steps of compiling one expression; locals can stand for large expressions many times. */
#define PRINT_WORK_MAX 500000

enum print_code {
	/* A whole conversion, or plain text */
	PRINT_TEXT, /* ptr, a: length */
	PRINT_FIELD_NUMBER, /* a: offset, size, sign; conv, b: size of the conversion */
	PRINT_FIELD_STRING, /* a: offset, b: size, 0 for the rest */
	PRINT_DYNAMIC_STRING, /* a: offset, size, flag: enum event_field_place */
	PRINT_FIELD, /* ptr: struct event_field, by its type alone */

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
	PRINT_JIFFIES, /* jiffies -> imm-ths of a second */
	PRINT_UNKNOWN_VALUE, /* pushes something, but it is not known */
	PRINT_POP,
	PRINT_NARROW, /* a: how deep in the stack; size, sign */

	/* Operators; sign and size tell how to compare, divide and shift */
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

	/* Output; all pop what they print. These four are a conversion without BEGIN and END: */
	PRINT_OUT_NUMBER, /* ptr: struct print_spec */
	PRINT_OUT_SYMBOL, /* flag: with offset; sign: with the address; ptr: spec */
	PRINT_OUT_POINTER, /* ptr: spec */
	PRINT_OUT_MEMORY, /* %pM and the like; ptr: spec */
	/* and these stand between: */
	PRINT_OUT_TEXT, /* like TEXT, inside a conversion */
	PRINT_OUT_STRING, /* memory */
	PRINT_OUT_PRINTK, /* an address of a string */
	PRINT_OUT_FLAGS, /* ptr: struct print_table; size: of the value */
	PRINT_OUT_SYMBOLIC, /* ptr: struct print_table; size: of the value */
	PRINT_OUT_HEX, /* memory, count; flag: separator or 0 */
	PRINT_OUT_ARRAY, /* memory, count, size of an element */
	PRINT_OUT_HEX_DUMP, /* prefix type, row, group, memory, length, ascii; ptr: prefix */
	PRINT_OUT_BITMASK, /* memory */
	PRINT_OUT_CPULIST, /* memory */
	PRINT_OUT_STACK, /* memory */
	PRINT_OUT_DEVICE, /* a dev_t as major,minor */
	PRINT_OUT_NAMED, /* the name of a number in a list of ours; ptr: struct print_list */
	PRINT_OUT_SCSI, /* memory, length of a SCSI command */
	PRINT_END, /* ptr: spec or NULL for a plain one */
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
	bool is_known; /* the value is */
};

/* The names of __print_flags() and __print_symbolic(). */
struct print_table {
	const char *delimiter;
	uint32_t delimiter_len;
	uint32_t n;
	const struct print_pair *pairs;
	/* Pair + 1 of the values below n_direct, 0 for none; NULL when values are not small. */
	const uint16_t *direct;
	uint32_t n_direct;
};

/* Names of the numbers from 0 up. */
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
	bool swap; /* the record's byte order is not ours */
	bool is_empty; /* the format has no expression: the fields are printed */
	bool is_bprint; /* the record carries a printk format and its arguments */
	const struct event_field *ip, *fmt, *buf; /* of a bprint */
};

/* What a running program has at hand. */
struct print_run {
	const struct print_program *program;
	const struct print_env *env;
	const unsigned char *record;
	uint32_t len;
	struct text *text;
	size_t start; /* of the conversion in the text */
	bool unknown; /* something in this conversion is not known */
	int width, precision; /* given as arguments; -1: not */
	int limit; /* precision of the string conversion at hand; -1: none */
	size_t escaped; /* bytes that quoting has added in this conversion */
	bool last; /* nothing is printed after this */
};

/* The bytes behind a pointer into the record; NULL and 0 outside of it. */
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

/* print-arithmetic.c: the value of a binary operator; false: it has none (division by zero). */
bool print_arithmetic(const struct print_op *op, uint64_t a, uint64_t b, uint64_t *ret);

/* print-conversion.c */
/* Ends a conversion: "?" if it is not known, else padding as @spec (NULL: none) says. */
void print_finish(struct print_run *run, const struct print_spec *spec);
void print_number(struct print_run *run, const struct print_spec *spec, uint64_t value);
void print_symbol(struct print_run *run, uint64_t addr, bool with_offset);
/* "symbol (0xaddress)" */
void print_symbol_and_address(struct print_run *run, uint64_t addr, bool with_offset);
/* A part of a format of printk, in which what is escaped is as in C. */
void print_escaped(struct print_run *run, const char *s, size_t len);
/*
 * A string out of the record, quoted. The line break that ends a message may end the line, where
 * nothing follows.
 */
void print_name(struct print_run *run, const char *s, size_t len);

/* print-field-value.c */
bool print_field_is_number(const struct event_field *field);
/* The field by its type alone. */
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
