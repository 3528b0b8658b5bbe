/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Shared by the files that compile a filter. A compiler exists while a filter is compiled for one
 * format; its functions set @error and return something harmless on failure, unless they return an
 * int: 0 or a negative errno.
 */
#ifndef FATHOM_READ_FILTER_FILTER_COMPILE_H
#define FATHOM_READ_FILTER_FILTER_COMPILE_H

#include "read/filter/filter-program.h"

/* One side of a comparison, for one format. */
enum filter_operand_kind {
	OPERAND_ABSENT, /* this event does not have it */
	OPERAND_MISFIT, /* it exists but cannot be compared; @misfit says why */
	OPERAND_NUMBER, /* in @value */
	OPERAND_TEXT, /* in @text and @field */
	OPERAND_WORD, /* a text that is the same for all events of the format */
};

/* The meaning of a number without a unit. */
enum filter_operand_unit {
	OPERAND_PLAIN,
	OPERAND_SECONDS, /* "time > 12.5" */
	OPERAND_NEEDS_UNIT, /* "dur > 10" is ambiguous */
};

struct filter_operand {
	uint8_t kind; /* enum filter_operand_kind */
	uint8_t unit; /* enum filter_operand_unit */
	uint8_t text; /* enum filter_text_source */
	bool address; /* a number that can be shown as a function */
	struct filter_value value;
	const struct event_field *field; /* of a text in the record */
	const char *word;
	const char *misfit;
};

struct filter_compiler {
	struct filter *filter;
	const struct event_format *format; /* NULL: an event without fields */
	struct fathom_err *err;
	int error; /* 0, or the error that ends compilation */
	struct filter_test *tests;
	size_t n;
	size_t cap;
};

/* filter-name.c */
struct filter_operand filter_name_resolve(struct filter_compiler *compiler,
					  struct filter_node *node);
/* Returns whether this is the name of a fact, which all events have. */
bool filter_name_is_fact(const char *name);
/* Offers the names of all facts to @nearest. */
struct nearest;
void filter_name_offer_facts(struct nearest *nearest);
/*
 * Returns the address of the function recorded by a function tracer's event. False: there is none.
 */
bool filter_name_function(const struct event_format *format, struct filter_value *ret);

/* filter-operand.c */
struct filter_operand filter_operand_read(struct filter_compiler *compiler,
					  struct filter_node *node);
/* Finds the places of the functions called @name, once per name. Returns 0 or -ENOMEM. */
int filter_function_find(struct filter *filter, struct filter_functions **functions,
			 const char *name);
int filter_cache_new(struct filter *filter, const struct pattern *pattern,
		     struct filter_name_cache **cache);

/* filter-compile.c: returns the first test to run, FILTER_ACCEPT or FILTER_REJECT. */
uint16_t filter_compile(struct filter_compiler *compiler);

/* filter-event.c */
/* Compiles the patterns of all event names. Returns 0 or a negative errno. */
int filter_patterns_init(struct filter *filter, struct filter_pattern *patterns,
			 struct fathom_err *err);
bool filter_pattern_fits(struct filter_pattern *pattern, const struct event_format *format);
/*
 * Tries patterns before the colon that match no event again, as globs. Returns -ENOENT if they
 * still match none.
 */
int filter_prefix_check(struct filter *filter, const struct event_format *const *formats,
			size_t n_formats, struct fathom_err *err);

#endif
