/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/states-input.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"

static int add_pids(struct states_input *input, const char *text, struct fathom_err *err)
{
	_cleanup_free_ char *list = mem_strdup(text);
	char *rest = list;

	if (!list)
		return err_nomem(err);
	for (char *word; (word = str_next_word(&rest, ", "));) {
		char *end;
		unsigned long pid = strtoul(word, &end, 10);

		if (*end || *word == '-' || pid > INT32_MAX)
			return err_set(err, -EINVAL, "'%s' is not a pid", word);
		if (mem_reserve(&input->pids, &input->cap_pids, input->n_pids + 1,
				sizeof(*input->pids)) < 0)
			return err_nomem(err);
		input->pids[input->n_pids++] = (int32_t)pid;
	}
	return 0;
}

/* Takes out of @args what chooses tasks and CPUs, which would choose events there. */
static int take_choice(struct states_input *input, struct report_args *args, struct fathom_err *err)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < args->pids.n; i++)
		r = add_pids(input, args->pids.items[i], err);
	input->comms = args->comms;
	input->cpus = args->cpus;
	input->n_cpus = args->n_cpus;
	args->pids.n = args->comms.n = args->n_cpus = 0;
	return r;
}

static bool has_cpu(const struct states_input *input, uint32_t cpu)
{
	size_t i = 0;

	while (i < input->n_cpus && input->cpus[i] != cpu)
		i++;
	return !input->n_cpus || i < input->n_cpus;
}

static bool has_task(const struct states_input *input, const struct task_states_task *task)
{
	for (size_t i = 0; i < input->n_pids; i++)
		if (input->pids[i] == task->pid)
			return true;
	for (size_t i = 0; i < input->comms.n; i++)
		if (str_has_word(input->comms.items[i], ",", task->name))
			return true;
	return !input->n_pids && !input->comms.n;
}

static void take_span(void *data, const struct task_states *states, const struct task_span *span)
{
	const struct states_input *input = data;
	struct task_span chosen = *span;

	if (!has_cpu(input, span->cpu) ||
	    (span->task != TASK_NONE && !has_task(input, states->tasks[span->task])))
		chosen.unwanted = true;
	input->take(input->data, states, &chosen);
}

static void take(void *data, const struct happening *happening)
{
	task_states_feed(data, happening);
}

int states_input_read(struct states_input *input, struct report_args *args, int fd,
		      const char *path, struct fathom_err *err)
{
	struct feed *feed = &input->input.feed;
	int r = take_choice(input, args, err);

	if (r < 0) {
		close(fd);
		return r;
	}
	r = analysis_input_open(&input->input, args, fd, path, err);
	if (r < 0)
		return r;
	input->states.take = take_span;
	input->states.data = input;
	input->states.known = report_tasks(input->input.setup.inputs[0].report);
	feed->filtered = TASK_STATES_FILTERED;
	feed->with_unwanted = true;
	r = feed_run(feed, take, &input->states, err);
	if (r < 0)
		return r;
	if (task_states_finish(&input->states) < 0)
		return err_nomem(err);
	if (!input->states.buffers[HAPPENING_SWITCH])
		return err_set(err, -ENODATA,
			       "there are no switches of tasks in '%s'; record some with 'fathom "
			       "record -e sched_switch -e sched_waking'",
			       path);
	return 0;
}

void states_input_done(struct states_input *input)
{
	task_states_done(&input->states);
	analysis_input_done(&input->input);
	free(input->pids);
}
