/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "read/lost-events.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "format/trace-file.h"

#define NOTE "lost: "

bool lost_events_noted(const struct fathom_trace *trace, uint64_t *ret_lost)
{
	struct fathom_trace_option option;

	for (size_t i = 0; fathom_trace_option(trace, i, &option) == 0; i++) {
		const char *line = option.id == TRACE_ID_FATHOM_INFO ? option.data : NULL;

		for (; line && *line; line = *line ? strchrnul(line, '\n') : line) {
			const char *number;

			line += *line == '\n';
			number = str_after(line, NOTE);
			if (!number || *number < '0' || *number > '9')
				continue;
			*ret_lost = strtoull(number, NULL, 10);
			return true;
		}
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
	/* A note of less is not believed. */
	if (!lost_events_noted(trace, &noted) || noted < *lost)
		return;
	/* Where more were lost than is known, and nothing else is noted, the note is of no use. */
	if (*more && noted == *lost)
		return;
	*lost = noted;
	*more = false;
}
