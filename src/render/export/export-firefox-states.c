/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Task states as markers of the Firefox Profiler. To determine states, all scheduler events are
 * read, regardless of filters, as well as those around the window: states that extend beyond it are
 * clipped. Filters determine which states are shown. If events are not filtered by kind or CPU,
 * tasks without events in the window are also shown, because a task may sleep all the time.
 */
#include "analyze/stream/feed.h"
#include "base/err.h"
#include "render/export/export-firefox.h"
#include "render/waits/waker.h"

struct fox_states {
	const struct report_input *input;
	struct fox *fox;
	struct task_states states;
	struct followed followed; /* tasks that the recording is limited to */
};

static bool export_firefox_states_has_cpu(const struct fathom_window *window, uint32_t cpu)
{
	size_t i = 0;

	while (i < window->n_cpus && window->cpus[i] != cpu)
		i++;
	return !window->cpus || i < window->n_cpus;
}

static bool export_firefox_states_has_pid(const struct fathom_window *window, int32_t pid)
{
	size_t i = 0;

	while (i < window->n_pids && window->pids[i] != pid)
		i++;
	return !window->pids || i < window->n_pids;
}

/* Returns whether the state is certain, and selected by the filters. */
static bool export_firefox_states_is_shown(const struct fox_states *of,
					   const struct task_span *span)
{
	const struct fathom_window *window = &of->input->window;
	int32_t pid = span->task == TASK_NONE ? 0 : of->states.tasks[span->task]->pid;

	return pid > 0 && task_span_has_time(span) && !span->unwanted &&
	       export_firefox_states_has_cpu(window, span->cpu) &&
	       export_firefox_states_has_pid(window, pid);
}

/*
 * Returns the task with this pid, as of @time if it has no event, or NULL if it is not shown or
 * memory is exhausted.
 */
static struct fox_task *export_firefox_states_find_task(const struct fox_states *of, int32_t pid,
							uint64_t time)
{
	bool is_new = !of->input->wanted && !of->input->window.cpus;
	struct nest_task *task = nest_task_of(&of->fox->nest, pid, is_new ? &time : NULL);

	of->fox->nomem |= is_new && !task;
	return task ? fox_get_task(of->fox, task) : NULL;
}

static void put_why(struct strbuf *buf, const struct task_states *states,
		    const struct task_span *span)
{
	strbuf_clear(buf);
	if (task_state_waits(span->state)) {
		wait_put(buf, states, span->state, span->syscall);
		if (!span->at_end) {
			strbuf_adds(buf, ", ");
			waker_put(buf, states, span->waker);
		}
	} else if (span->state == TASK_STATE_RUNNABLE) {
		strbuf_adds(buf, span->was_preempted ? "preempted" : "runnable");
	} else {
		strbuf_addf(buf, "on CPU %u", span->cpu);
	}
}

static void export_firefox_states_take_span(void *data, const struct task_states *states,
					    const struct task_span *span)
{
	struct fox_states *of = data;
	struct fox *fox = of->fox;
	uint64_t offset = (uint64_t)of->input->time_offset;
	struct fox_marker marker = { .start = span->start + offset,
				     .end = span->end + offset,
				     .kind = FOX_MARKER_STATE,
				     .name = span->state,
				     .cpu = span->cpu };
	struct fox_task *task;

	if (!export_firefox_states_is_shown(of, span))
		return;
	task = export_firefox_states_find_task(of, states->tasks[span->task]->pid, marker.start);
	/*
	 * Filters cannot match the end of the trace: a state that lasts until then is shown if the
	 * states before it are.
	 */
	if (!task || (span->at_end && of->input->wanted && !task->has_states))
		return;
	task->has_states = true;
	put_why(&fox->buf, states, span);
	fox->nomem |= fox->buf.err != 0;
	/* Names of system calls come from the file and may have any length. */
	marker.len = (uint32_t)(fox->buf.len < FOX_TEXT_MAX ? fox->buf.len : FOX_TEXT_MAX);
	if (marker.start < fox->first_state)
		fox->first_state = marker.start;
	fox_add_marker(fox, task, marker, strbuf_str(&fox->buf));
}

static bool export_firefox_states_is_wanted(void *data, const struct fathom_event *event)
{
	const struct report_input *input = ((const struct fox_states *)data)->input;

	return input->wanted(input->wanted_data, event, true);
}

static void export_firefox_states_take_decoded(void *data, const struct decoded_event *decoded)
{
	struct fox_states *of = data;

	task_states_feed(&of->states, decoded);
}

/* Limits the window from the first to the last of the selected events. */
static void export_firefox_states_narrow(struct fathom_window *window, const struct fox *fox,
					 uint64_t offset)
{
	window->to = fox->nest.last - offset;
	window->from = window->to;
	for (size_t i = 0; i < fox->nest.n_tasks; i++)
		if (fox->nest.tasks[i]->first - offset < window->from)
			window->from = fox->nest.tasks[i]->first - offset;
}

int fox_take_states(struct fox *fox, const struct export *export, struct fathom_err *err)
{
	const struct report_input *input = export->input;
	/* Events on other CPUs are needed to know the states on this one. */
	struct fathom_window window = { .from = input->window.from,
					.to = input->window.to,
					.buffers = input->window.buffers,
					.n_buffers = input->window.n_buffers };
	struct fox_states of = { .input = input, .fox = fox };
	struct feed feed = { .trace = input->trace,
			     .window = &window,
			     .events = report_events(input->report),
			     .wanted = input->wanted ? export_firefox_states_is_wanted : NULL,
			     .wanted_data = &of,
			     .filtered = TASK_STATES_FILTERED,
			     .with_unwanted = true };
	int r = followed_read(input->trace, &of.followed);

	if (export->run->select != REPORT_ALL)
		export_firefox_states_narrow(&window, fox, (uint64_t)input->time_offset);
	of.states = (struct task_states){ .take = export_firefox_states_take_span,
					  .data = &of,
					  .known = report_tasks(input->report),
					  .from = window.from,
					  .followed = &of.followed };
	feed_look_around(&feed);
	if (r < 0)
		(void)err_nomem(err);
	else
		r = feed_run(&feed, export_firefox_states_take_decoded, &of, err);
	if (r == 0 && task_states_finish_at(&of.states, feed.to) < 0)
		r = err_nomem(err);
	task_states_done(&of.states);
	followed_done(&of.followed);
	return r;
}
