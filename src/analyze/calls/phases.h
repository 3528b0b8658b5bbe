/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What functions of the kernel are about, by rules in plain text; see fathom-phases(5) and
 * data/phases. Functions that no rule fits are grouped by the first word of their names.
 */
#ifndef FATHOM_ANALYZE_CALLS_PHASES_H
#define FATHOM_ANALYZE_CALLS_PHASES_H

#include <stdbool.h>
#include <stddef.h>

#include <fathom/err.h>

#define PHASE_NONE (-1)

struct phase {
	const char *name; /* "path lookup" */
	const char *text; /* what it does, in a sentence; may be "" */
	bool noise; /* explains nothing about a program */
};

struct phases;

/* The rules that come with the program. */
extern const char phases_default[];
extern const size_t phases_default_len;

/* Reads rules, which are copied. 0 or a negative errno; @err says in which line. */
int phases_parse(const char *text, size_t len, struct phases **ret_phases, struct fathom_err *err);
void phases_free(struct phases *phases);

/* The phase of a function, a number below phases_count(); PHASE_NONE when no rule fits. */
int phases_find(const struct phases *phases, const char *function);
int phases_count(const struct phases *phases);
const struct phase *phases_get(const struct phases *phases, int number);
/* How much of the name says where a function belongs: "ext4" of "__ext4_find_entry". */
const char *phases_prefix(const char *function, size_t *ret_len);

#endif
