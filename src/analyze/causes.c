/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/causes.h"

#include <signal.h>
#include <stdio.h>

#include "analyze/signals.h"

#define PLACE_MAX 4224 /* bytes; no rule is about longer ones */

/* "@a@b@c"; @b and @c may be "". */
static const char *find_place(const struct meanings *causes, const char *a, const char *b,
			      const char *c, int error)
{
	char place[PLACE_MAX];

	if (snprintf(place, sizeof(place), "%s%s%s", a, b, c) >= (int)sizeof(place))
		return NULL;
	return meanings_text(causes, place, error);
}

const char *causes_of_failure(const struct meanings *causes, const struct failures *failures,
			      const struct failure *failure)
{
	const char *text = NULL, *object = failure->evidence.object;

	for (size_t i = failure->n_steps; i-- && !text;) {
		uint32_t func = failure->steps[i].func;
		const char *name = func == FUNC_NONE ? NULL : failures->blame.funcs.list[func].name;

		if (name)
			text = find_place(causes, name, "()", "", failure->steps[i].error);
	}
	if (!text && failure->name && object)
		text = find_place(causes, failure->name, ":", object, failure->error);
	if (!text && failure->name)
		text = find_place(causes, failure->name, "", "", failure->error);
	return text;
}

const char *causes_of_signal(const struct meanings *causes, int32_t number,
			     const struct process *process)
{
	char name[SIGNAL_NAME_SIZE];

	if (number == SIGKILL && process && process->out_of_memory)
		return meanings_text(causes, "out-of-memory", 0);
	return meanings_text(causes, signal_name(number, name), 0);
}
