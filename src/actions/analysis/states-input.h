/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Task states in a trace file, for the commands that show them. All events that determine states
 * are read, regardless of the selection: a task that leaves the selected CPUs is still followed.
 * The selection (tasks by PID and name, CPUs, the events that end a span) decides which spans are
 * passed on as wanted.
 */
#ifndef FATHOM_ACTIONS_ANALYSIS_STATES_INPUT_H
#define FATHOM_ACTIONS_ANALYSIS_STATES_INPUT_H

#include "actions/analysis/analysis-input.h"
#include "actions/analysis/task-choice.h"
#include "analyze/tasks/task-states.h"

/* Empty when zero-initialized. */
struct states_input {
	struct analysis_input input;
	struct task_states states;
	struct task_choice choice;
	const uint32_t *cpus;
	size_t n_cpus;
	task_span_taker *take; /* of the command */
	void *data;
};

/*
 * Enters the sandbox, reads the file according to @args, and passes all spans to @take. A file
 * without context switches is an error. Returns 0 or a negative errno.
 */
int states_input_read(struct states_input *input, struct report_args *args, const char *path,
		      struct fathom_err *err);
/*
 * Like analysis_input_complete(), and also states what is missing for the selected tasks and CPUs.
 */
void states_input_complete(const struct states_input *input, struct out *out);
void states_input_done(struct states_input *input);

#endif
