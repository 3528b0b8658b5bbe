/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "actions/input/damage.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/quote.h"

#define SHOWN_MAX 5

bool damage_report(const struct action *action, struct fathom_trace *trace, const char *path,
		   bool quiet)
{
	uint64_t n = fathom_trace_damage_count(trace);
	struct fathom_trace_damage damage;
	size_t shown = 0;

	if (!n || quiet)
		return n;
	for (; shown < SHOWN_MAX && fathom_trace_damage(trace, shown, &damage) == 0; shown++)
		quote_printf(action->messages,
			     "fathom %s: '%s' is damaged at byte %" PRIu64 ": %s\n", action->name,
			     path, damage.offset, damage.text);
	if (n > shown)
		quote_printf(action->messages, "fathom %s: '%s' has %" PRIu64 " more errors\n",
			     action->name, path, n - shown);
	return true;
}
