/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "actions/analysis/states-input.h"

#include <errno.h>

#include "base/err.h"

#define EVENTS_LOOKED_AT (1U << 17)

/* Moves the selection of tasks and CPUs out of @args, where it would select events. */
static int take_choice(struct states_input *input, struct report_args *args, struct fathom_err *err)
{
	int r = task_choice_take(&input->choice, args, err);

	input->cpus = args->cpus;
	input->n_cpus = args->n_cpus;
	args->n_cpus = 0;
	return r;
}

static bool states_input_has_cpu(const struct states_input *input, uint32_t cpu)
{
	size_t i = 0;

	while (i < input->n_cpus && input->cpus[i] != cpu)
		i++;
	return !input->n_cpus || i < input->n_cpus;
}

static void states_input_take_span(void *data, const struct task_states *states,
				   const struct task_span *span)
{
	const struct states_input *input = data;
	struct task_span chosen = *span;

	/* Tasks that no event ends are not subject to event filters. */
	if (!states_input_has_cpu(input, span->cpu) || (span->at_end && input->input.feed.wanted) ||
	    (span->task != TASK_NONE &&
	     !task_choice_has(&input->choice, states->tasks[span->task]->pid,
			      states->tasks[span->task]->name)))
		chosen.unwanted = true;
	input->take(input->data, states, &chosen);
}

static void states_input_take(void *data, const struct decoded_event *decoded)
{
	struct states_input *input = data;
	const struct task_states *states = &input->states;

	task_states_feed(&input->states, decoded);
	input->input.feed.stop = states->is_late && !states->n_undecided;
}

/* Detects the tasks that a recording is limited to. */
struct look {
	struct feed feed;
	struct task_states states;
	uint64_t n;
};

static void take_nothing(void *data, const struct task_states *states, const struct task_span *span)
{
}

/* Missing switches show up soon. */
static void states_input_look_at(void *data, const struct decoded_event *decoded)
{
	struct look *look = data;

	task_states_feed(&look->states, decoded);
	look->feed.stop = ++look->n >= EVENTS_LOOKED_AT && !look->states.missing;
}

/*
 * If the file does not say which tasks it is limited to, its context switches may. All of them are
 * read, so that different time ranges give the same answer.
 */
static int states_input_find_followed(struct states_input *input, struct fathom_err *err)
{
	struct look look = { .feed = { .trace = input->input.feed.trace,
				       .events = input->input.feed.events,
				       .followed = &input->input.followed },
			     .states = { .take = take_nothing } };
	struct followed *followed = &input->input.followed;
	int r;

	if (followed_is_limited(followed) || followed->n_untraced || followed->some_cpus)
		return 0;
	r = feed_run(&look.feed, states_input_look_at, &look, err);
	if (r == 0 && (look.states.nomem || task_states_find_followed(&look.states, followed) < 0))
		r = err_nomem(err);
	task_states_done(&look.states);
	return r;
}

int states_input_read(struct states_input *input, struct report_args *args, const char *path,
		      struct fathom_err *err)
{
	struct feed *feed = &input->input.feed;
	int r = take_choice(input, args, err);

	if (r == 0)
		r = analysis_input_begin(&input->input, args, path, err);
	if (r < 0)
		return r;
	r = states_input_find_followed(input, err);
	if (r < 0)
		return r;
	input->states.followed = &input->input.followed;
	input->states.take = states_input_take_span;
	input->states.data = input;
	input->states.known = report_tasks(input->input.setup.inputs[0].report);
	feed->filtered = TASK_STATES_FILTERED;
	feed->with_unwanted = true;
	feed_look_around(feed);
	input->states.from = feed->window->from;
	r = feed_run(feed, states_input_take, input, err);
	if (r < 0)
		return r;
	if (task_states_finish_at(&input->states, feed->to) < 0)
		return err_nomem(err);
	if (!input->states.buffers[DECODED_SWITCH] && feed->window->to != UINT64_MAX)
		return err_set(err, -ENODATA,
			       "no context switches in '%s' before the end of the time range",
			       path);
	if (!input->states.buffers[DECODED_SWITCH])
		return analysis_nothing(&input->input, "context switches",
					"'fathom record -e sched_switch -e sched_waking'", err);
	return 0;
}

void states_input_complete(const struct states_input *input, struct out *out)
{
	analysis_input_complete(&input->input, out);
	out->completeness.filtered |= input->n_cpus || input->choice.n_pids ||
				      input->choice.comms.n;
	/* Not stated in the file, but switches are missing. */
	out->completeness.some_tasks |= followed_is_limited(&input->input.followed) ||
					input->states.missing;
}

void states_input_done(struct states_input *input)
{
	task_states_done(&input->states);
	analysis_input_done(&input->input);
	task_choice_done(&input->choice);
}
