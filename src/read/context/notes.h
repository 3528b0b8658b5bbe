/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What our recorder has noted in a file, as text: lines "key: value" in options TRACE_ID_FATHOM_INFO. A line of
 * another form is left out. Nothing is copied: a note lives as long as the trace, and what follows its value is the
 * end of the line or of the text.
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

/* Zero-initialised: before the first note. */
struct note_place {
	size_t option; /* the next one */
	const char *line; /* in the option before it; NULL: at its end */
};

/* The next note, in the order of the file; false if there are no more. */
bool notes_next(const struct fathom_trace *trace, struct note_place *place, struct note *ret_note);
/* The next note with this key. */
bool notes_next_of(const struct fathom_trace *trace, struct note_place *place, const char *key,
		   struct note *ret_note);
bool note_is(const struct note *note, const char *key);
/* The number behind @word at *@text, which moves behind it; false: there is none from 0 to @max. */
bool note_take_number(const char **text, const char *word, double max, double *ret_number);

#endif
