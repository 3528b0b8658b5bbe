/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "actions/analysis/critical-run.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "actions/analysis/analysis-input.h"
#include "base/cleanup.h"
#include "base/err.h"
#include "base/pattern/match.h"
#include "base/quote.h"
#include "render/waits/critical.h"
#include "actions/input/recording-operand.h"

#define OTHERS_MAX 5 /* other matching tasks that are listed */

#define LINES 40 /* lines of the list, if --min is not given */

/* The task that the user selected. */
struct choice {
	const char *text;
	bool is_pid;
	int32_t pid;
	struct match match;
	uint32_t task;
	size_t n; /* that match */
	int32_t others[OTHERS_MAX];
};

static void critical_run_choice_done(struct choice *choice)
{
	match_done(&choice->match);
}

static int choice_init(struct choice *choice, const char *text, struct fathom_err *err)
{
	char *end;
	long pid;

	errno = 0;
	pid = strtol(text, &end, 10);
	choice->text = text;
	choice->task = TASK_NONE;
	if (end == text || *end)
		return match_init(&choice->match, text, MATCH_WHOLE, err);
	if (errno || pid <= 0 || pid > INT32_MAX)
		return err_set(err, -EINVAL, "invalid PID '%s': expected a number", text);
	choice->is_pid = true;
	choice->pid = (int32_t)pid;
	return 0;
}

/* Picks the matching task with the longest lifetime. */
static void critical_run_choose(struct choice *choice, const struct critical *critical)
{
	uint64_t longest = 0;

	for (uint32_t i = 0; i < critical->n_lives && i < critical->states.n_tasks; i++) {
		const struct task_states_task *task = critical->states.tasks[i];
		const struct critical_life *life = &critical->lives[i];
		uint64_t time = life->last > life->first ? life->last - life->first : 0;
		int32_t passed = task->pid;

		if (choice->is_pid ? task->pid != choice->pid :
				     !match_test(&choice->match, task->name))
			continue;
		if (choice->task == TASK_NONE || time > longest) {
			if (choice->task != TASK_NONE)
				passed = critical->states.tasks[choice->task]->pid;
			choice->task = i;
			longest = time;
		}
		if (choice->n && choice->n <= OTHERS_MAX)
			choice->others[choice->n - 1] = passed;
		choice->n++;
	}
}

static void print_choice(const struct action *action, const struct choice *choice,
			 const struct critical *critical)
{
	const struct critical_args *args = action->args;
	const struct task_states_task *task = critical->states.tasks[choice->task];

	if (args->report.quiet)
		return;
	if (!critical->states.has_wakes)
		fputs("fathom critical: wakers are unknown, because no wakeups were recorded; use "
		      "'fathom record -e sched_waking'\n",
		      action->messages);
	if (choice->n < 2)
		return;
	quote_printf(action->messages,
		     "fathom critical: %zu tasks match '%s': showing %s-%" PRId32
		     ", which has the longest lifetime, not",
		     choice->n, choice->text, task->name, task->pid);
	for (size_t i = 0; i + 1 < choice->n && i < OTHERS_MAX; i++)
		quote_printf(action->messages, "%s %" PRId32, i ? "," : "", choice->others[i]);
	quote_print_lines(action->messages, choice->n > OTHERS_MAX + 1 ? " ...\n" : "\n");
}

static void critical_run_take(void *data, const struct decoded_event *decoded)
{
	critical_feed(data, decoded);
}

static int read_trace(struct critical *critical, const struct analysis_input *input,
		      struct feed *feed, struct fathom_err *err)
{
	struct report *report = input->setup.inputs[0].report;
	int r;

	critical->clip = feed->window->from;
	feed->max_early = FEED_EARLY_USUAL;
	critical->states.known = report_tasks(report);
	critical->funcs.kallsyms = report_kallsyms(report);
	r = feed_run(feed, critical_run_take, critical, err);
	if (r < 0)
		return r;
	return critical_finish_at(critical, feed->to) < 0 ? err_nomem(err) : 0;
}

/* Resolves the task and the tasks to follow for it. */
static int critical_run_find(const struct critical_args *args, const struct analysis_input *input,
			     struct choice *choice, struct critical *ret_critical,
			     uint32_t **ret_followed, struct fathom_err *err)
{
	_cleanup_(critical_done) struct critical critical = {
		.states.followed = ret_critical->states.followed
	};
	struct feed feed = input->feed;
	size_t n;
	int r = read_trace(&critical, input, &feed, err);

	if (r < 0)
		return r;
	if (!critical.states.buffers[DECODED_SWITCH])
		return analysis_nothing(input, "context switches",
					"'fathom record -e sched_switch -e sched_waking'", err);
	critical_run_choose(choice, &critical);
	if (choice->task == TASK_NONE)
		return err_set(err, -ENOENT, "no task '%s' in '%s'%s; 'fathom sched' lists tasks",
			       choice->text, input->path,
			       input->feed.window->to == UINT64_MAX ?
				       "" :
				       " before the end of the time range");
	if (critical_lineage(&critical, choice->task, ret_followed, &n) < 0)
		return err_nomem(err);
	/* Without a time range, the path starts with the task. */
	ret_critical->followed = args->report.from ? *ret_followed : *ret_followed + n - 1;
	ret_critical->n_followed = args->report.from ? n : 1;
	ret_critical->from_birth = critical.lives[ret_critical->followed[0]].is_born;
	return 0;
}

static int critical_run_print(const struct action *action, struct critical *critical)
{
	const struct critical_args *args = action->args;
	struct critical_path *path = &critical->path;
	bool is_text = !args->report.json && !args->report.csv;
	uint64_t min = (critical->to - critical->from) / 1000 + 1;

	if (args->has_min)
		critical_path_fold(path, args->min);
	for (; is_text && !args->has_min && path->n > LINES; min += min / 4 + 1)
		critical_path_fold(path, min);
	return REPORT_PRINT(&args->report, critical, critical, action->out);
}

static int critical_run_work(const struct action *action, const char *path, struct fathom_err *err)
{
	struct critical_args *args = action->args;
	_cleanup_(critical_run_choice_done) struct choice choice = { 0 };
	_cleanup_free_ uint32_t *followed = NULL;
	_cleanup_(analysis_input_done) struct analysis_input input = { 0 };
	_cleanup_(critical_done) struct critical critical = { .states.followed = &input.followed };
	int r = analysis_input_begin(&input, &args->report, path, err);

	if (r < 0)
		return r;
	r = choice_init(&choice, args->task, err);
	if (r < 0)
		return r;
	r = critical_run_find(args, &input, &choice, &critical, &followed, err);
	if (r < 0)
		return r;
	r = read_trace(&critical, &input, &input.feed, err);
	if (r < 0)
		return r;
	analysis_input_complete(&input, action->out);
	print_choice(action, &choice, &critical);
	if (critical_run_print(action, &critical) < 0)
		return err_nomem(err);
	return analysis_input_report(&input, action);
}

int critical_run(const struct action *action)
{
	struct critical_args *args = action->args;
	struct action rest = *action;
	struct fathom_err err = { 0 };

	if (!rest.argc) {
		err_set(&err, -EINVAL, "no task given: expected a PID or a name");
		return action_usage_error(action, &err);
	}
	args->task = *rest.argv++;
	rest.argc--;
	if (!rest.argc && recording_operand_is(args->task)) {
		err_set(&err, -EINVAL,
			"no task given before recording '%s': use 'fathom critical TASK %s'",
			args->task, args->task);
		return action_usage_error(action, &err);
	}
	return analysis_run(&rest, critical_run_work);
}
