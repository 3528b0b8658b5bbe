/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A filter compiled for one event format: tests, each with the test to go on with when
 * it holds and when it does not. Negation has been moved into the tests, so that
 * "unknown" is the same as "does not hold" everywhere.
 */
#ifndef FATHOM_READ_FILTER_FILTER_PROGRAM_H
#define FATHOM_READ_FILTER_FILTER_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/pattern/pattern.h"
#include "read/filter/filter-ast.h"

/* Instead of the number of a test: the event matches or does not. */
#define FILTER_ACCEPT 0xffff
#define FILTER_REJECT 0xfffe

/* An expression may not need more values at once. */
#define FILTER_STACK_MAX 32

enum filter_source {
	SOURCE_NUMBER, /* a constant */
	SOURCE_FIXED, /* size bytes at offset */
	SOURCE_ELEMENT, /* element number offset of a field */
	SOURCE_CPU,
	SOURCE_PID,
	SOURCE_TGID,
	SOURCE_TIME,
	SOURCE_SPAN, /* the 8 bytes at offset_end minus those at offset */
	SOURCE_DURATION,
	SOURCE_EXPR,
};

struct filter_value {
	uint8_t source; /* enum filter_source */
	uint8_t size;
	bool is_signed; /* widened with its sign */
	bool wide; /* an unsigned number of 64 bits; all others fit a signed one */
	bool swap;
	uint32_t offset;
	uint32_t offset_end;
	union {
		uint64_t number;
		const struct event_field *field;
		const struct filter_expr *expr;
	};
};

/* A value, or an operator (enum filter_op) on the two values before it. */
struct filter_item {
	bool is_op;
	uint8_t op;
	bool wide; /* the operation is on unsigned numbers */
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

/* Which addresses belong to functions with a fitting name; learnt as they come. */
#define FILTER_CACHE_SLOTS 1024
struct filter_name_cache {
	const struct pattern *pattern;
	/* address << 2 | known << 1 | fits; threads may write what the others write too */
	_Atomic uint64_t slots[FILTER_CACHE_SLOTS];
};

enum filter_test_code {
	TEST_RANGE, /* lo <= value <= lo + span */
	TEST_LIST, /* the value is one of n sorted numbers */
	TEST_ADDRESS, /* the value is in one of n sorted ranges */
	TEST_FUNCTION, /* the value is an address of a function whose name fits */
	TEST_TEXT, /* a text fits a pattern */
	TEST_SAME_TEXT, /* two fields have the same text */
	TEST_PAIR, /* two values compare as op says */
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

/* False: unknown. */
bool filter_value_get(const struct filter_env *env, const struct filter_value *value,
		      const struct filter_event *event, uint64_t *ret);

static inline size_t filter_slot_start(const struct filter *filter,
				       const struct event_format *format)
{
	return (size_t)((uintptr_t)format * 0x9e3779b97f4a7c15ULL >> 40) & (filter->n_slots - 1);
}

#endif
