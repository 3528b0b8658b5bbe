/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "read/context/prices.h"

#include "read/context/notes.h"

#define NS_MAX 1e9

bool prices_read(const struct fathom_trace *trace, struct prices *ret_prices)
{
	struct note_place place = { 0 };
	struct prices prices = { 0 };
	struct note note;

	if (!notes_next_of(trace, &place, PRICES_KEY, &note) ||
	    !note_take_number(&note.value, "event ", NS_MAX, &prices.event_ns) ||
	    !note_take_number(&note.value, " ns, function call ", NS_MAX, &prices.call_ns))
		return false;
	if (!note_take_number(&note.value, " ns, in a system call ", NS_MAX, &prices.syscall_ns) ||
	    !note_take_number(&note.value, " ns, path ", NS_MAX, &prices.path_ns) ||
	    !note_take_number(&note.value, " ns and ", NS_MAX, &prices.path_byte_ns))
		prices.syscall_ns = 0;
	*ret_prices = prices;
	return true;
}
