/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "read/context/lost-events.h"

#include <stdlib.h>

#include "read/context/notes.h"

bool lost_events_noted(const struct fathom_trace *trace, uint64_t *ret_lost)
{
	struct note_place place = { 0 };
	struct note note;

	while (notes_next_of(trace, &place, "lost", &note))
		if (*note.value >= '0' && *note.value <= '9') {
			*ret_lost = strtoull(note.value, NULL, 10);
			return true;
		}
	return false;
}

void lost_events_settle(const struct fathom_trace *trace, const struct fathom_window *window,
			uint64_t *lost, bool *more)
{
	uint64_t noted;

	if (window->from || window->to != UINT64_MAX || window->cpus || window->buffers ||
	    window->pids)
		return;
	/* Ignore a note of fewer events. */
	if (!lost_events_noted(trace, &noted) || noted < *lost)
		return;
	/* An unknown number is lost in addition, which the note does not include. */
	if (*more && noted == *lost)
		return;
	*lost = noted;
	*more = false;
}
