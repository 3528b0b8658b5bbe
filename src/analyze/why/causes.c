/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/why/causes.h"

#include <signal.h>

#include "analyze/tasks/signals.h"
#include "analyze/why/failures.h"
#include "analyze/why/meanings.h"
#include "base/str.h"

static const char *causes_find_place(const struct meanings *causes, const char *a, const char *b,
				     const char *c, int error)
{
	char place[MEANINGS_PLACE_MAX];

	return meanings_place(place, a, b, c) ? meanings_text(causes, place, error) : NULL;
}

const char *causes_of_failure(const struct meanings *causes, const struct failures *failures,
			      const struct failure *failure)
{
	const char *text = NULL, *object = failure->evidence.object;
	const char *call = failure->kind == FAILURE_URING && failure->name ?
				   str_after(failure->name, "io_uring:") :
				   NULL;

	for (size_t i = failure->n_steps; i-- && !text;) {
		const char *name = failures_func_name(failures, failure->steps[i].func);

		if (name)
			text = causes_find_place(causes, name, "()", "", failure->steps[i].error);
	}
	if (!text && failure->name && object)
		text = causes_find_place(causes, failure->name, ":", object, failure->error);
	if (!text && failure->name)
		text = causes_find_place(causes, failure->name, "", "", failure->error);
	if (!text && call && object)
		text = causes_find_place(causes, call, ":", object, failure->error);
	if (!text && call)
		text = causes_find_place(causes, call, "", "", failure->error);
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
