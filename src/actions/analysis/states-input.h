/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The states of tasks in a trace file, for the commands that show them. All events that show
 * them are read whatever is chosen: a task that leaves the chosen CPU is not lost. What was
 * chosen (tasks by pid and name, CPUs, the events that end a span) decides which spans count;
 * the others are handed out as unwanted.
 */
#ifndef FATHOM_ACTIONS_ANALYSIS_STATES_INPUT_H
#define FATHOM_ACTIONS_ANALYSIS_STATES_INPUT_H

#include "actions/analysis/analysis-input.h"
#include "actions/analysis/task-choice.h"
#include "analyze/tasks/task-states.h"

/* Zero-initialised is empty. */
struct states_input {
	struct analysis_input input;
	struct task_states states;
	struct followed followed; /* tasks that the recording is limited to */
	struct task_choice choice;
	const uint32_t *cpus;
	size_t n_cpus;
	task_span_taker *take; /* the command's */
	void *data;
};

/*
 * Enters the sandbox, reads the file as @args say, and hands all spans to @take. Without switches
 * of tasks in it that is an error. 0 or a negative errno.
 */
int states_input_read(struct states_input *input, struct report_args *args, const char *path,
		      struct fathom_err *err);
/* As analysis_input_complete(), and what the tasks and CPUs lack that were chosen. */
int states_input_complete(const struct states_input *input, struct out *out,
			  struct fathom_err *err);
void states_input_done(struct states_input *input);

#endif
