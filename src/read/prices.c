/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "read/prices.h"

#include <stdlib.h>

#include "base/str.h"
#include "read/notes.h"

#define NS_MAX 1e9

/* The number behind @word at *@text, which moves behind it; false: there is none that can be. */
static bool take_number(const char **text, const char *word, double *ret_number)
{
	const char *p = str_after(*text, word);
	char *end;

	if (!p || *p < '0' || *p > '9')
		return false;
	*ret_number = strtod(p, &end);
	*text = end;
	return *ret_number <= NS_MAX;
}

bool prices_read(const struct fathom_trace *trace, struct prices *ret_prices)
{
	struct note_place place = { 0 };
	struct prices prices;
	struct note note;

	if (!notes_next_of(trace, &place, PRICES_KEY, &note) ||
	    !take_number(&note.value, "event ", &prices.event_ns) ||
	    !take_number(&note.value, " ns, function call ", &prices.call_ns))
		return false;
	*ret_prices = prices;
	return true;
}
