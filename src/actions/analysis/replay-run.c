/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "actions/analysis/replay-run.h"

#include <errno.h>
#include <stdlib.h>

#include "actions/analysis/analysis-input.h"
#include "actions/analysis/phases-input.h"
#include "actions/analysis/task-choice.h"
#include "actions/input/reading.h"
#include "analyze/calls/breakdown.h"
#include "analyze/replay/replay.h"
#include "analyze/syscalls/syscalls.h"
#include "base/cleanup.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/pattern/match.h"
#include "base/quote.h"
#include "render/time/call-texts.h"
#include "render/time/replay.h"

#define DEPTH_USUAL  5
#define DEPTH_ALL    4096
#define COUNT_USUAL  3
#define WITHIN_USUAL 1000000
/* Calls that started up to this long before the result are shown with their start. */
#define LEAD 1000000000

struct run {
	const struct replay_args *args;
	struct analysis_input input;
	struct task_choice choice;
	struct match match;
	struct phases *phases;
	struct replay_options options;
	struct replay_view view;
	bool full;
};

/* "openat" is the system call, and also its function on any kernel. */
static bool replay_run_fits(const struct match *match, const char *name, bool is_syscall)
{
	const char *syscall = is_syscall ? NULL : breakdown_syscall_name(name);

	return match_test(match, name) || (syscall && match_test(match, syscall));
}

static bool replay_run_begins(const void *data, const char *name, bool is_syscall)
{
	return replay_run_fits(data, name, is_syscall);
}

static bool replay_run_has_task(const void *data, int32_t pid, const char *name)
{
	return task_choice_has(data, pid, name);
}

/* The selection to show, and the texts of its system calls. */
struct showing {
	struct replay *replay;
	struct call_texts texts;
};

static void replay_run_take(void *data, const struct decoded_event *decoded)
{
	struct showing *showing = data;
	struct decoded_event whole = *decoded;

	/* Events outside the window are part of calls that extend into it. */
	whole.early = whole.late = false;
	decoded = &whole;
	call_texts_feed(&showing->texts, decoded);
	replay_feed(showing->replay, decoded);
	call_texts_clear(&showing->texts, decoded);
}

static void replay_run_put_call(void *data, int32_t pid, struct strbuf *buf)
{
	const struct call_texts *texts = data;

	quote_adds(buf, call_texts_get(texts, pid));
}

/* The texts of the slowest calls are known from the first pass, which knew the open files. */
static void put_found(void *data, int32_t pid, struct strbuf *buf)
{
	quote_adds(buf, data);
}

static void showing_done(struct showing *showing)
{
	replay_free(showing->replay);
	call_texts_done(&showing->texts);
}

/* Shows the events in the window according to the options. */
static int replay_run_show(struct run *run, const struct fathom_window *window,
			   struct fathom_err *err)
{
	_cleanup_(showing_done) struct showing showing = { 0 };
	struct feed feed = run->input.feed;
	int r;

	if (!run->options.put_call_data) {
		run->options.put_call = replay_run_put_call;
		run->options.put_call_data = &showing.texts;
	}
	r = replay_new(&run->options, &showing.replay);
	run->options.put_call_data = NULL;
	if (r < 0)
		return err_nomem(err);
	feed.window = window;
	r = feed_run(&feed, replay_run_take, &showing, err);
	if (r < 0)
		return r;
	run->full |= replay_tree(showing.replay)->full;
	run->input.feed.lost = feed.lost;
	run->input.feed.lost_unknown = feed.lost_unknown;
	run->input.feed.n_events = feed.n_events;
	if (call_texts_finish(&showing.texts) < 0 || replay_finish(showing.replay) < 0)
		return err_nomem(err);
	return 0;
}

/* The slowest calls so far, slowest first. */
struct search {
	const struct match *match;
	const struct task_choice *choice;
	const struct tasks *tasks;
	struct calls *calls;
	struct syscalls syscalls;
	struct call_texts texts;
	int32_t old_pid; /* task that entered the system call that now returns; 0: the same */
	bool has_syscalls; /* system calls of that name exist: their functions do not count */
	struct found {
		struct instance instance;
		char *text; /* of a system call; NULL: unknown */
	} * list;
	size_t n, max;
	bool nomem;
};

static bool is_faster(const struct instance *a, const struct instance *b)
{
	return a->duration != b->duration ? a->duration < b->duration : a->start > b->start;
}

/* Keeps the call if it is one of the slowest; copies @text, which may be NULL. */
static void replay_run_keep(struct search *search, const struct instance *instance,
			    const char *text)
{
	struct found found = { .instance = *instance };
	size_t at = search->n;

	if (!task_choice_has(search->choice, instance->pid,
			     tasks_find(search->tasks, instance->pid)->comm))
		return;
	if (at == search->max && !is_faster(&search->list[at - 1].instance, instance))
		return;
	if (text) {
		found.text = mem_strdup(text);
		search->nomem |= !found.text;
	}
	if (at == search->max)
		free(search->list[--at].text);
	else
		search->n++;
	for (; at && is_faster(&search->list[at - 1].instance, instance); at--)
		search->list[at] = search->list[at - 1];
	search->list[at] = found;
}

static void forget_all(struct search *search)
{
	while (search->n)
		free(search->list[--search->n].text);
}

static void replay_run_call_ended(void *data, uint32_t number, const struct instance *instance)
{
	struct search *search = data;
	const struct func *func = &calls_funcs(search->calls)->list[number];

	if (func->name && replay_run_fits(search->match, func->name, false) &&
	    !(search->has_syscalls && breakdown_syscall_name(func->name)))
		replay_run_keep(search, instance, NULL);
}

static void replay_run_syscall_ended(void *data, struct syscall_sums *sums,
				     const struct instance *instance)
{
	struct search *search = data;

	if (!sums->name || !match_test(search->match, sums->name))
		return;
	/* The functions recorded as calls of that name are system calls. */
	if (!search->has_syscalls)
		forget_all(search);
	search->has_syscalls = true;
	replay_run_keep(search, instance,
			call_texts_get(&search->texts, search->old_pid ?: instance->pid));
}

static void take_search(void *data, const struct decoded_event *decoded)
{
	struct search *search = data;

	if (decoded->unwanted)
		return;
	search->old_pid = decoded->kind == DECODED_SYSCALL_EXIT ? decoded->call_number.old_pid : 0;
	call_texts_feed(&search->texts, decoded);
	calls_feed(search->calls, decoded);
	syscalls_feed(&search->syscalls, decoded);
}

static int find_slowest(struct run *run, struct search *search, const char *path,
			struct fathom_err *err)
{
	struct report *report = run->input.setup.inputs[0].report;
	struct calls_options options = { .kallsyms = report_kallsyms(report),
					 .tasks = report_tasks(report),
					 .ended = replay_run_call_ended,
					 .ended_data = search };
	struct feed feed = run->input.feed;
	int r;

	search->match = &run->match;
	search->choice = &run->choice;
	search->tasks = report_tasks(report);
	search->max = run->args->count ?: COUNT_USUAL;
	search->list = mem_zalloc(search->max, sizeof(*search->list));
	if (!search->list || calls_new(&options, &search->calls) < 0)
		return err_nomem(err);
	search->syscalls.ended = replay_run_syscall_ended;
	search->syscalls.ended_data = search;
	r = feed_run(&feed, take_search, search, err);
	if (r < 0)
		return r;
	if (syscalls_finish(&search->syscalls) < 0 || search->nomem || search->texts.nomem)
		return err_nomem(err);
	if (!search->n)
		return err_set(
			err, -ENOENT,
			"no complete call of '%s' in '%s': see 'fathom stats --by function' and "
			"'fathom syscalls'",
			run->args->slowest, path);
	return 0;
}

static void replay_run_search_done(struct search *search)
{
	forget_all(search);
	calls_free(search->calls);
	syscalls_done(&search->syscalls);
	call_texts_done(&search->texts);
	free(search->list);
}

static int show_slowest(struct run *run, const char *path, struct fathom_err *err)
{
	_cleanup_(replay_run_search_done) struct search search = { 0 };
	int r = find_slowest(run, &search, path, err);

	for (size_t i = 0; r == 0 && i < search.n; i++) {
		struct fathom_window window = *run->input.feed.window;
		const struct instance *instance = &search.list[i].instance;

		run->options.only = instance;
		run->options.put_call = put_found;
		run->options.put_call_data = search.list[i].text;
		/* Each call has a heading. */
		run->view.has_task = false;
		analysis_window_of(instance, &window);
		r = replay_run_show(run, &window, err);
	}
	return r;
}

static int show_around(struct run *run, struct fathom_err *err)
{
	struct fathom_window window = *run->input.feed.window;
	uint64_t around = run->input.setup.run.around, within = run->args->within ?: WITHIN_USUAL;

	run->view.around = around;
	run->view.from = around > within ? around - within : 0;
	run->view.to = around + within;
	if (run->view.from > LEAD && run->view.from - LEAD > window.from)
		window.from = run->view.from - LEAD;
	if (run->view.to + LEAD < window.to)
		window.to = run->view.to + LEAD;
	return replay_run_show(run, &window, err);
}

static bool replay_run_is_part(const struct fathom_window *window)
{
	return window->from || window->to != UINT64_MAX;
}

/* Shows all events, or a window and what continues at its borders. */
static int show_window(struct run *run, struct fathom_err *err)
{
	const struct fathom_window *window = run->input.feed.window;

	if (replay_run_is_part(window)) {
		run->options.clip = clip_of(window);
		feed_look_around(&run->input.feed);
	}
	return replay_run_show(run, window, err);
}

static void replay_run_set_options(struct run *run, const struct action *action)
{
	const struct replay_args *args = run->args;
	struct report *report = run->input.setup.inputs[0].report;

	run->view = (struct replay_view){
		.out = action->out,
		.report = report,
		.form = args->report.json ? REPLAY_JSON :
			args->report.csv  ? REPLAY_CSV :
					    REPLAY_TEXT,
		.raw_times = !report_in_nanoseconds(report, 0),
		.to = UINT64_MAX,
	};
	run->options = (struct replay_options){
		.kallsyms = report_kallsyms(report),
		.tasks = report_tasks(report),
		.trace = run->input.feed.trace,
		.phases = args->noise ? NULL : run->phases,
		.depth = args->depth   ? (unsigned)args->depth :
			 args->slowest ? DEPTH_ALL :
					 DEPTH_USUAL,
		.min = args->min,
		.no_events = args->no_events,
		.idle = args->idle,
		.no_collapse = args->all,
		.begins = args->below ? replay_run_begins : NULL,
		.begins_data = &run->match,
		.has_task = run->choice.n_pids || run->choice.comms.n ? replay_run_has_task : NULL,
		.has_task_data = &run->choice,
		.put_wait = replay_put_wait,
		.take = replay_print_tree,
		.take_data = &run->view,
	};
	run->input.feed.filtered = UINT64_MAX;
	run->input.feed.with_unwanted = true;
}

static void replay_run_done(struct run *run)
{
	match_done(&run->match);
	phases_free(run->phases);
	task_choice_done(&run->choice);
	analysis_input_done(&run->input);
}

/* Reports what is missing from the tree. */
static int replay_run_finish(struct run *run, const struct action *action, const char *path,
			     struct fathom_err *err)
{
	uint64_t shown = run->view.n;

	analysis_input_complete(&run->input, action->out);
	action->out->completeness.filtered |= run->choice.n_pids || run->choice.comms.n;
	if (replay_print_end(&run->view) < 0)
		return err_nomem(err);
	if (!shown && run->args->below)
		return err_set(
			err, -ENOENT,
			"no call of '%s' in '%s': see 'fathom stats --by function' and 'fathom "
			"syscalls'",
			run->args->below, path);
	if (!shown && !run->args->report.quiet)
		quote_printf(action->messages, "fathom replay: no events in '%s' match\n", path);
	if (run->full && !run->args->report.quiet)
		quote_printf(action->messages,
			     "fathom replay: a call is too large to show in full: use --depth or "
			     "--min to show less of it\n");
	return analysis_input_report(&run->input, action);
}

int replay_run(const struct action *action, struct replay_args *args, const char *path,
	       struct fathom_err *err)
{
	_cleanup_(replay_run_done) struct run run = { .args = args };
	const char *name = args->below ?: args->slowest;
	int r = phases_input_read(args->rules, &run.phases, err);

	if (r == 0)
		r = task_choice_take(&run.choice, &args->report, err);
	if (r == 0 && name)
		r = match_init(&run.match, name, MATCH_WHOLE, err);
	if (r < 0)
		return r;
	r = analysis_input_begin(&run.input, &args->report, path, err);
	if (r < 0)
		return r;
	replay_run_set_options(&run, action);
	reading_prints(action->out);
	replay_print_head(&run.view);
	if (args->slowest)
		r = show_slowest(&run, path, err);
	else if (args->report.around)
		r = show_around(&run, err);
	else
		r = show_window(&run, err);
	if (r < 0) {
		replay_print_end(&run.view);
		return r;
	}
	return replay_run_finish(&run, action, path, err);
}
