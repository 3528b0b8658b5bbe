/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The recorder's notes in a file: lines "key: value" in options TRACE_ID_FATHOM_INFO. Lines of
 * another form are skipped. Notes point into the trace and are valid as long as it is. A value is
 * followed by a newline or a NUL. Notes are untrusted.
 */
#ifndef FATHOM_READ_CONTEXT_NOTES_H
#define FATHOM_READ_CONTEXT_NOTES_H

#include <stdbool.h>
#include <stddef.h>

#include <fathom/trace.h>

struct note {
	const char *key;
	size_t key_len;
	const char *value;
	size_t value_len;
};

/* Zero-initialized: before the first note. */
struct note_place {
	size_t option; /* index of the next option */
	const char *line; /* in the previous option; NULL: at its end */
};

/* Returns the next note in the file. False: there are no more. */
bool notes_next(const struct fathom_trace *trace, struct note_place *place, struct note *ret_note);
/* Returns the next note with this key. */
bool notes_next_of(const struct fathom_trace *trace, struct note_place *place, const char *key,
		   struct note *ret_note);
bool note_is(const struct note *note, const char *key);
/*
 * Parses the number after @word at *@text, and advances *@text past it. False: there is no number
 * from 0 to @max.
 */
bool note_take_number(const char **text, const char *word, double max, double *ret_number);

#endif
