/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The syntax tree of a filter, for code that translates it: the compiler here, and the writer of
 * the kernel's filter syntax. It represents the text of the filter and, unless marked, nothing
 * about a trace. Nodes and strings live in the arena given to filter_parse().
 */
#ifndef FATHOM_READ_FILTER_FILTER_AST_H
#define FATHOM_READ_FILTER_FILTER_AST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "read/filter.h"

enum filter_kind {
	/* Conditions */
	FILTER_AND, /* of all its children */
	FILTER_OR,
	FILTER_NOT, /* of its child */
	FILTER_COMPARE, /* two values, compared by @op */
	FILTER_IN, /* the first child equals one of the others */
	FILTER_TRUTH, /* a value other than 0 */
	FILTER_EVENTS, /* one of the patterns in @events */
	/* Values */
	FILTER_NAME, /* a field, a fact about the record, or a word */
	FILTER_NUMBER,
	FILTER_STRING, /* in double quotes */
	FILTER_CHAR, /* in single quotes */
	FILTER_ARITH, /* two values, combined by @op */
	FILTER_MINUS, /* a negated value */
};

enum filter_op {
	FILTER_EQ,
	FILTER_NE,
	FILTER_LT,
	FILTER_LE,
	FILTER_GT,
	FILTER_GE,
	FILTER_GLOB, /* ~ */
	FILTER_REGEX, /* =~ */
	FILTER_NOT_REGEX, /* !~ */
	FILTER_ADD,
	FILTER_SUB,
	FILTER_MUL,
	FILTER_DIV,
	FILTER_MOD,
	FILTER_BITAND,
	FILTER_BITOR,
	FILTER_XOR,
	FILTER_SHL,
	FILTER_SHR,
};

enum filter_unit {
	FILTER_UNIT_NONE,
	FILTER_UNIT_DECIMAL, /* no unit, but a decimal point: only seconds are possible */
	FILTER_UNIT_TIME, /* @number is in nanoseconds */
	FILTER_UNIT_SIZE, /* @number is in bytes */
};

/* All places of functions with one name, sorted. */
struct filter_functions {
	size_t n;
	struct filter_range ranges[];
};

/* "SYSTEM:EVENT", "SYSTEM/EVENT" or a single word. */
struct filter_pattern {
	struct filter_pattern *next;
	const char *system; /* NULL: not given */
	const char *name;
	uint32_t offset; /* in the filter's text, in bytes */
	uint32_t len;
	bool regex; /* a regular expression, as in trace-cmd; otherwise a glob */
	/* Set by filter_bind(): */
	bool found;
	const struct pattern *system_pattern;
	const struct pattern *name_pattern;
	struct filter_functions *functions;
	struct filter_name_cache *cache;
};

struct filter_node {
	uint8_t kind; /* enum filter_kind */
	uint8_t op; /* enum filter_op */
	uint8_t unit; /* enum filter_unit */
	uint8_t depth; /* of the subtree */
	uint32_t offset; /* in the filter's text, in bytes */
	uint32_t len;
	struct filter_node *first; /* children */
	struct filter_node *last;
	struct filter_node *next; /* next sibling */
	struct filter_node *prev;
	const char *text; /* a name, a string, or a number as written */
	uint64_t number;
	/* the number in seconds, converted to nanoseconds; UINT64_MAX on overflow */
	uint64_t as_seconds;
	struct filter_pattern *events;
	/* Set by filter_bind(): */
	bool found; /* some event has this name, or supports this comparison */
	bool only_field; /* a name that can only be a field */
	const char *misfit; /* why this comparison is impossible */
	const struct pattern *pattern; /* of a text; for ~, =~ and !~ set by filter_parse() */
	struct filter_functions *functions; /* with this name */
	struct filter_name_cache *cache;
	const uint64_t *numbers; /* of FILTER_IN, sorted */
	size_t n_numbers;
};

struct filter {
	struct arena *arena;
	const char *text;
	bool prefixed; /* trace-cmd's "EVENTS: CONDITION" */
	struct filter_pattern *events; /* those before the colon */
	struct filter_node *root; /* NULL: no condition */
	unsigned n_nodes;
	unsigned n_tests;
	/* Set by filter_bind(): */
	struct filter_env env;
	struct filter_slot *slots; /* hash table from format to program */
	size_t n_slots; /* power of two */
	const struct filter_program *fallback; /* for formats that were not bound */
	const char *note;
	uint32_t note_offset;
};

static inline bool filter_node_is_value(const struct filter_node *node)
{
	return node->kind >= FILTER_NAME;
}

#endif
