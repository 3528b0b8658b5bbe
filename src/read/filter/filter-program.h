/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A filter compiled for one event format: tests, each with the next test if it succeeds and if it
 * fails. Negation is part of the tests, so "unknown" always counts as failure. Programs are
 * immutable except for their caches of function names.
 */
#ifndef FATHOM_READ_FILTER_FILTER_PROGRAM_H
#define FATHOM_READ_FILTER_FILTER_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/pattern/pattern.h"
#include "read/filter/filter-ast.h"

/* In place of the number of a test: the event matches or does not match. */
#define FILTER_ACCEPT 0xffff
#define FILTER_REJECT 0xfffe

/* Limits the values that an expression needs at a time. */
#define FILTER_STACK_MAX 32

enum filter_source {
	SOURCE_NUMBER, /* a constant */
	SOURCE_FIXED, /* @size bytes at @offset */
	SOURCE_ELEMENT, /* element @offset of a field */
	SOURCE_CPU,
	SOURCE_PID,
	SOURCE_TGID,
	SOURCE_TIME,
	SOURCE_SPAN, /* the 8 bytes at @offset_end minus those at @offset */
	SOURCE_DURATION,
	SOURCE_EXPR,
};

struct filter_value {
	uint8_t source; /* enum filter_source */
	uint8_t size;
	bool is_signed; /* sign-extended */
	bool wide; /* an unsigned 64-bit number; all others fit in a signed one */
	bool swap;
	uint32_t offset;
	uint32_t offset_end;
	union {
		uint64_t number;
		const struct event_field *field;
		const struct filter_expr *expr;
	};
};

/* A value, or an operator (enum filter_op) on the previous two values. */
struct filter_item {
	bool is_op;
	uint8_t op;
	bool wide; /* an operation on unsigned numbers */
	struct filter_value value;
};

struct filter_expr {
	size_t n;
	struct filter_item items[];
};

enum filter_text_source {
	TEXT_FIELD,
	TEXT_COMM,
	TEXT_BUFFER,
	TEXT_HEX, /* of a number, as "0x1f" */
};

/* Remembers which addresses belong to functions with a matching name. */
#define FILTER_CACHE_SLOTS 1024
struct filter_name_cache {
	const struct pattern *pattern;
	/* address << 2 | known << 1 | match. Threads race only to store equal values. */
	_Atomic uint64_t slots[FILTER_CACHE_SLOTS];
};

enum filter_test_code {
	TEST_RANGE, /* lo <= value <= lo + span */
	TEST_LIST, /* the value is one of @n sorted numbers */
	TEST_ADDRESS, /* the value is in one of @n sorted ranges */
	TEST_FUNCTION, /* the value is an address in a function with a matching name */
	TEST_TEXT, /* a text matches a pattern */
	TEST_SAME_TEXT, /* two fields have the same text */
	TEST_PAIR, /* two values compared by @op */
};

struct filter_test {
	uint8_t code; /* enum filter_test_code */
	bool negated;
	uint8_t op;
	uint8_t text; /* enum filter_text_source */
	uint16_t on_true;
	uint16_t on_false;
	struct filter_value value;
	union {
		struct {
			uint64_t lo;
			uint64_t span;
		};
		struct {
			const void *list; /* uint64_t or struct filter_range */
			size_t n;
		};
		struct {
			const struct pattern *pattern;
			const struct event_field *field;
		};
		struct filter_name_cache *cache;
		const struct filter_value *other;
	};
};

struct filter_program {
	uint16_t entry;
	uint16_t n;
	const struct filter_test *tests;
};

struct filter_slot {
	const struct event_format *format; /* NULL: free */
	const struct filter_program *program;
};

/* Returns the program of a bound filter for events of @format, which may be NULL. */
const struct filter_program *filter_program_find(const struct filter *filter,
						 const struct event_format *format);
/* Returns false if the value is unknown. */
bool filter_value_get(const struct filter_env *env, const struct filter_value *value,
		      const struct filter_event *event, uint64_t *ret);

static inline size_t filter_slot_start(const struct filter *filter,
				       const struct event_format *format)
{
	return (size_t)((uintptr_t)format * 0x9e3779b97f4a7c15ULL >> 40) & (filter->n_slots - 1);
}

#endif
