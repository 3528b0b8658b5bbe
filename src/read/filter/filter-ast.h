/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The tree of a parsed filter, for those who turn it into something else: the compiler
 * here, and whoever writes it down in the kernel's own filter syntax. It says what was
 * written and nothing about a trace.
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
	FILTER_COMPARE, /* two values, with op */
	FILTER_IN, /* the first child is one of the others */
	FILTER_TRUTH, /* a value that is not 0 */
	FILTER_EVENTS, /* one of the event patterns in events */
	/* Values */
	FILTER_NAME, /* a field, a fact about the record, or a word */
	FILTER_NUMBER,
	FILTER_STRING, /* in double quotes */
	FILTER_CHAR, /* in single quotes */
	FILTER_ARITH, /* two values, with op */
	FILTER_MINUS, /* a value, negated */
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
	FILTER_UNIT_DECIMAL, /* none, but with a decimal point: only seconds can be meant */
	FILTER_UNIT_TIME, /* number is in ns */
	FILTER_UNIT_SIZE, /* number is in bytes */
};

/* The places of all functions of one name, sorted. */
struct filter_functions {
	size_t n;
	struct filter_range ranges[];
};

/* "SYSTEM:EVENT", "SYSTEM/EVENT" or a word alone. */
struct filter_pattern {
	struct filter_pattern *next;
	const char *system; /* NULL: not given */
	const char *name;
	uint32_t offset; /* in the filter's text */
	uint32_t len;
	bool regex; /* trace-cmd's way, otherwise a glob */
	/* What binding found out: */
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
	uint8_t depth; /* of the tree below */
	uint32_t offset; /* in the filter's text */
	uint32_t len;
	struct filter_node *first; /* children */
	struct filter_node *last;
	struct filter_node *next; /* brothers */
	struct filter_node *prev;
	const char *text; /* a name, a string, or a number as it was written */
	uint64_t number;
	uint64_t as_seconds; /* the number taken as seconds, in ns; UINT64_MAX when too large */
	struct filter_pattern *events;
	/* What binding found out: */
	bool found; /* some event has this name, or takes this comparison */
	bool only_field; /* a name that means nothing but a field */
	const char *misfit; /* why it cannot be compared like this */
	const struct pattern *pattern; /* of a text; for ~, =~ and !~ compiled when parsed */
	struct filter_functions *functions; /* that have this name */
	struct filter_name_cache *cache;
	const uint64_t *numbers; /* of FILTER_IN, sorted */
	size_t n_numbers;
};

struct filter {
	struct arena *arena;
	const char *text;
	bool prefixed; /* trace-cmd's "EVENTS: CONDITION" */
	struct filter_pattern *events; /* of the prefix */
	struct filter_node *root; /* NULL: no further condition */
	unsigned n_nodes;
	unsigned n_tests;
	/* What binding found out: */
	struct filter_env env;
	struct filter_slot *slots; /* hash from format to program */
	size_t n_slots; /* a power of two */
	const struct filter_program *fallback; /* for a format that was not bound */
	const char *note;
	uint32_t note_offset;
};

static inline bool filter_node_is_value(const struct filter_node *node)
{
	return node->kind >= FILTER_NAME;
}

#endif
