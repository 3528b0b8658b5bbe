/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Classifies kernel functions by rules in plain text; see fathom-phases(5) and data/phases.
 * Functions that match no rule are grouped by the first word of their names.
 *
 * Immutable after phases_parse(). Strings and phases are valid until phases_free(), which accepts
 * NULL.
 */
#ifndef FATHOM_ANALYZE_CALLS_PHASES_H
#define FATHOM_ANALYZE_CALLS_PHASES_H

#include <stdbool.h>
#include <stddef.h>

#include <fathom/err.h>

#define PHASE_NONE (-1)

struct phase {
	const char *name; /* "path lookup" */
	const char *text; /* description, in one sentence, or "" */
	bool noise; /* unrelated to the program */
};

struct phases;

/* The built-in rules. */
extern const char phases_default[];
extern const size_t phases_default_len;

/* Parses rules, which are copied. Returns 0 or a negative errno; the message names the line. */
int phases_parse(const char *text, size_t len, struct phases **ret_phases, struct fathom_err *err);
void phases_free(struct phases *phases);

/*
 * Returns the phase of a function, a number below phases_count(), or PHASE_NONE if no rule matches.
 */
int phases_find(const struct phases *phases, const char *function);
int phases_count(const struct phases *phases);
const struct phase *phases_get(const struct phases *phases, int number);
/*
 * Returns the word by which a function is grouped, "ext4" of "__ext4_find_entry": a pointer into
 * @function, and the length.
 */
const char *phases_prefix(const char *function, size_t *ret_len);

#endif
