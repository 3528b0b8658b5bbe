/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Suggestions for a pattern that matches nothing. */
#include "actions/machine/list.h"

struct nearest list_nearest(const struct list *list)
{
	struct nearest nearest = { 0 };

	for (size_t i = 0; i < list->patterns.n; i++) {
		if (list->patterns.used[i])
			continue;
		if (list->patterns.list[i].kind == MATCH_KIND_SUBSTRING &&
		    !strpbrk(list->words[i], "*?["))
			nearest.wanted = list->words[i];
		break;
	}
	return nearest;
}

void list_keep_nearest(struct list *list, const struct nearest *nearest)
{
	const char *meant = nearest->wanted ? nearest_pick(nearest) : NULL;

	if (meant)
		snprintf(list->meant, sizeof(list->meant), "%s", meant);
}
