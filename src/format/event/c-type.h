/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The C types that event formats name: how large, signed or not, how often a
 * pointer. A name that is not known here has size 0; nothing is guessed.
 */
#ifndef FATHOM_FORMAT_EVENT_C_TYPE_H
#define FATHOM_FORMAT_EVENT_C_TYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct c_type {
	uint8_t size; /* of one value, of what is pointed at for a pointer; 0: not known */
	uint8_t pointers; /* how many '*' */
	bool is_signed;
	bool is_char; /* a character, so an array of it is text */
	bool is_bool;
	bool is_void;
	bool is_record; /* struct or union */
};

/* Reads a type such as "const unsigned long *" from the @len bytes at @s. */
struct c_type c_type_read(const char *s, size_t len, unsigned long_size);
/* Is this one word the beginning of a type, whatever comes behind it? */
bool c_type_is_word(const char *s, size_t len);
/* The type of an expression of type @t: anything smaller than int becomes int. */
struct c_type c_type_promote(struct c_type t);
/* The type in which an operation on both is done. */
struct c_type c_type_common(struct c_type a, struct c_type b);

static inline struct c_type c_type_int(unsigned size, bool is_signed)
{
	return (struct c_type){ .size = (uint8_t)size, .is_signed = is_signed };
}

/* @value as the type @size/@is_signed holds it, widened to 64 bits. */
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
