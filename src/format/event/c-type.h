/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The C types in event formats: size, signedness, levels of pointers. An unknown type name has size
 * 0; nothing is guessed. Sizes are in bytes.
 */
#ifndef FATHOM_FORMAT_EVENT_C_TYPE_H
#define FATHOM_FORMAT_EVENT_C_TYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct c_type {
	uint8_t size; /* of one value; for a pointer, of its target; 0: unknown */
	uint8_t pointers; /* number of '*' */
	bool is_signed;
	bool is_char; /* a character; an array of these is text */
	bool is_bool;
	bool is_void;
	bool is_record; /* a struct or union */
};

/* Parses a type such as "const unsigned long *", @len bytes at @s. */
struct c_type c_type_read(const char *s, size_t len, unsigned long_size);
/* Returns whether this word can begin a type, regardless of what follows. */
bool c_type_is_word(const char *s, size_t len);
/* Returns the type of an expression of type @t after integer promotion. */
struct c_type c_type_promote(struct c_type t);
/* Returns the common type of the operands of a binary operator. */
struct c_type c_type_common(struct c_type a, struct c_type b);

static inline struct c_type c_type_int(unsigned size, bool is_signed)
{
	return (struct c_type){ .size = (uint8_t)size, .is_signed = is_signed };
}

/* Returns @value truncated to the type @size/@is_signed and extended to 64 bits. */
static inline uint64_t c_type_narrow(uint64_t value, unsigned size, bool is_signed)
{
	switch (size) {
	case 1:
		return is_signed ? (uint64_t)(int64_t)(int8_t)value : (uint8_t)value;
	case 2:
		return is_signed ? (uint64_t)(int64_t)(int16_t)value : (uint16_t)value;
	case 4:
		return is_signed ? (uint64_t)(int64_t)(int32_t)value : (uint32_t)value;
	default:
		return value;
	}
}

#endif
