/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "read/context/notes.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "format/file/trace-file.h"

/* Moves to the next option with notes. */
static bool notes_next_option(const struct fathom_trace *trace, struct note_place *place)
{
	struct fathom_trace_option option;

	while (fathom_trace_option(trace, place->option, &option) == 0) {
		place->option++;
		if (option.id == TRACE_ID_FATHOM_INFO && option.data) {
			place->line = option.data;
			return true;
		}
	}
	return false;
}

bool notes_next(const struct fathom_trace *trace, struct note_place *place, struct note *ret_note)
{
	while (place->line || notes_next_option(trace, place)) {
		const char *line = place->line, *end = strchrnul(line, '\n');
		const char *colon = memchr(line, ':', (size_t)(end - line));

		place->line = *end ? end + 1 : NULL;
		if (colon && colon > line && colon[1] == ' ') {
			*ret_note = (struct note){ line, (size_t)(colon - line), colon + 2,
						   (size_t)(end - colon - 2) };
			return true;
		}
	}
	return false;
}

bool notes_next_of(const struct fathom_trace *trace, struct note_place *place, const char *key,
		   struct note *ret_note)
{
	struct note note;

	while (notes_next(trace, place, &note))
		if (note_is(&note, key)) {
			*ret_note = note;
			return true;
		}
	return false;
}

bool note_is(const struct note *note, const char *key)
{
	return strlen(key) == note->key_len && memcmp(key, note->key, note->key_len) == 0;
}

bool note_take_number(const char **text, const char *word, double max, double *ret_number)
{
	const char *p = str_after(*text, word);
	double number;
	char *end;

	if (!p || *p < '0' || *p > '9')
		return false;
	number = strtod(p, &end);
	*text = end;
	if (!(number <= max))
		return false;
	*ret_number = number;
	return true;
}
