/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "actions/count/count-live-run.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "actions/plan/plan-run.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/files/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "count/live.h"
#include "kernel/tracefs/tracefs.h"
#include "record/command/child.h"
#include "render/count/count-view.h"
#include "symbols/kernel/kallsyms.h"

#define SECOND	     UINT64_C(1000000000)
#define ROWS_DEFAULT 20
/* Lines of the screen that are not rows: title, heading, rest, losses, cursor. */
#define SCREEN_OTHER 6
/* The longest time until the exit of the command is noticed, if SIGCHLD was missed. */
#define ROUND_MS 500

struct counting {
	const struct action *action;
	const struct count_args *args;
	struct count_request *request;
	struct count_plan plan;
	struct tracefs tracefs;
	struct count_live *live;
	struct count_table table, before;
	struct kallsyms kallsyms;
	bool has_kallsyms;
	char **argv;
	struct child child;
	struct plan_signals signals;
	int pidfd; /* of the process that is counted */
	uint64_t start, shown, end; /* times; @end: 0 while counting goes on */
	bool stop;
};

static void counting_done(struct counting *counting)
{
	count_live_free(counting->live);
	count_table_done(&counting->table);
	count_table_done(&counting->before);
	if (counting->has_kallsyms)
		kallsyms_done(&counting->kallsyms);
	tracefs_done(&counting->tracefs);
	child_done(&counting->child);
	plan_signals_done(&counting->signals);
	if (counting->pidfd >= 0)
		close(counting->pidfd);
	free(counting->argv);
}

static const struct kallsyms_symbol *counting_symbol(struct counting *counting, uint64_t address)
{
	return counting->has_kallsyms ? kallsyms_function(&counting->kallsyms, NULL, address) :
					NULL;
}

static const char *counting_function(void *data, uint64_t address, uint64_t *ret_start)
{
	struct counting *counting = data;
	const struct kallsyms_symbol *symbol = counting_symbol(counting, address);

	if (!symbol)
		return NULL;
	*ret_start = symbol->address;
	return kallsyms_name(&counting->kallsyms, symbol);
}

static size_t counting_stack(void *data, int64_t id, uint64_t *addresses, size_t max)
{
	const struct counting *counting = data;

	return count_live_stack(counting->live, id, addresses, max);
}

/* Without the offset: the calls are of interest, not the instructions. */
static const char *counting_frame(void *data, int64_t id, size_t i, uint64_t address)
{
	uint64_t start;

	return counting_function(data, address, &start);
}

/* Returns whether a key of the plan can be an address: a stack, a function or a field. */
static bool counting_needs_names(const struct count_plan *plan)
{
	static const char others[] = "comm pid tgid cpu event";

	for (size_t i = 0; i < plan->n_keys; i++)
		if (!str_has_word(others, " ", plan->keys[i]))
			return true;
	return false;
}

/*
 * Before counting begins, because this would be counted as well. Names are an addition: without
 * them, addresses are shown.
 */
static void counting_read_names(struct counting *counting)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };

	if (counting->has_kallsyms || !counting_needs_names(&counting->plan))
		return;
	counting->has_kallsyms = file_read(AT_FDCWD, "/proc/kallsyms", &text) == 0 &&
				 kallsyms_init(&counting->kallsyms, strbuf_str(&text), text.len) ==
					 0;
}

static int counting_start_command(struct counting *counting, struct fathom_err *err)
{
	const struct action *action = counting->action;
	int first = counting->request->command;

	if (first == action->argc)
		return 0;
	counting->argv = mem_zalloc((size_t)(action->argc - first) + 1, sizeof(*counting->argv));
	if (!counting->argv)
		return err_nomem(err);
	for (int i = first; i < action->argc; i++)
		counting->argv[i - first] = action->argv[i];
	return child_start(&counting->child, counting->argv, NULL, err);
}

static int counting_open_tracefs(struct counting *counting, struct fathom_err *err)
{
	int r = tracefs_find("", &counting->tracefs, err);

	if (r == 0 && !tracefs_readable(&counting->tracefs))
		r = err_set(err, -EACCES, "%s: %s", tracefs_obstacle(&counting->tracefs),
			    tracefs_advice(&counting->tracefs));
	return r;
}

/* Attaches the first plan that this kernel can carry out. */
static int counting_attach(struct counting *counting, struct fathom_err *err)
{
	const struct count_limits limits = { .max_keys = (uint32_t)counting->args->max_keys,
					     .max_memory = counting->args->max_memory };
	size_t n = count_request_plans(counting->request);
	int r = -ENOENT;

	for (size_t i = 0; i < n && r == -ENOENT; i++) {
		fathom_err_reset(err);
		r = count_request_plan(counting->request, i, counting->args, &counting->plan, err);
		if (r < 0)
			break;
		counting_read_names(counting);
		r = count_live_new(&counting->plan, counting->tracefs.fd, &limits, &counting->live,
				   err);
	}
	return r;
}

static int counting_begin(struct counting *counting, struct fathom_err *err)
{
	int r = counting_start_command(counting, err);

	if (r == 0)
		r = counting_open_tracefs(counting, err);
	if (r == 0)
		r = counting_attach(counting, err);
	if (r == 0)
		r = plan_signals_take(&counting->signals, err);
	if (r < 0)
		return r;
	if (counting->args->pid)
		counting->pidfd = (int)syscall(SYS_pidfd_open, (pid_t)counting->args->pid, 0);
	counting->table.columns = counting->before.columns = count_live_columns(counting->live);
	counting->start = counting->shown = clock_ns(CLOCK_MONOTONIC);
	if (!counting->argv)
		return 0;
	r = child_go(&counting->child, NULL, 0, err);
	return r < 0 ? err_prefix(err, "'%s'", counting->argv[0]), r : 0;
}

/* Reads the current state; the previous one becomes @before. */
static int counting_read(struct counting *counting, struct fathom_err *err)
{
	struct count_losses losses = { 0 };
	int r;

	count_table_done(&counting->before);
	counting->before = counting->table;
	counting->table = (struct count_table){ .columns = counting->before.columns };
	r = count_live_read(counting->live, count_table_take, &counting->table, &losses);
	if (r == -ENOMEM)
		return err_nomem(err);
	if (r < 0)
		return err_set_errno(err, r, "cannot read the counts");
	counting->table.losses = losses;
	count_table_sort(&counting->table, counting->plan.what,
			 (enum count_order)counting->args->order);
	return 0;
}

static size_t counting_rows(const struct counting *counting, bool is_last)
{
	const struct count_args *args = counting->args;
	size_t rows = args->has_rows			    ? args->rows :
		      args->report.json || args->report.csv ? 0 :
							      ROWS_DEFAULT;
	struct winsize size = { 0 };

	if (is_last || !counting->action->out->terminal || args->report.json ||
	    ioctl(counting->action->out->fd, TIOCGWINSZ, &size) < 0 || size.ws_row < SCREEN_OTHER)
		return rows;
	return rows && rows + SCREEN_OTHER <= size.ws_row ?
		       rows :
		       (size_t)(size.ws_row - SCREEN_OTHER + 1);
}

static const char *counting_reading(const struct counting *counting)
{
	const struct recipe *recipe = counting->request->recipe;

	return recipe && !counting->args->report.quiet ? recipe->reading : NULL;
}

/* Starts at the top of the screen again. The filter of the stream does not let sequences pass. */
static void counting_clear_screen(const struct out *out)
{
	static const char clear[] = "\033[H\033[J";

	fflush(out->stream);
	(void)!write(out->fd, clear, sizeof(clear) - 1);
}

static int counting_show(struct counting *counting, bool is_last, struct fathom_err *err)
{
	const struct count_names names = { .data = counting,
					   .function = counting_function,
					   .stack = counting_stack,
					   .frame = counting_frame };
	struct out *out = counting->action->out;
	const struct count_args *args = counting->args;
	const bool is_data = args->report.json || args->report.csv;
	struct count_view view = { .plan = &counting->plan,
				   .columns = counting->table.columns,
				   .table = &counting->table,
				   .names = &names,
				   .what = counting->request->words.what,
				   .reading = counting_reading(counting),
				   .rows = counting_rows(counting, is_last),
				   .is_live = true,
				   .is_total = is_last };
	uint64_t now;
	int r = counting_read(counting, err);

	if (r < 0)
		return r;
	now = counting->end ?: clock_ns(CLOCK_MONOTONIC);
	view.sites = count_live_sites(counting->live, &view.n_sites);
	view.before = is_last ? NULL : &counting->before;
	view.span = now - counting->start;
	view.interval = now - counting->shown;
	counting->shown = now;
	if (out->terminal && !is_data && (!is_last || counting->before.n))
		counting_clear_screen(out);
	if (args->report.json)
		r = count_print_json(&view, !args->every, out);
	else
		r = args->report.csv ? count_print_csv(&view, out) : count_print(&view, out);
	if (!out->terminal && !is_data && !is_last)
		out_printf(out, OUT_PLAIN, "\n");
	if (fflush(out->stream) != 0)
		counting->stop = true;
	return r < 0 ? err_nomem(err) : 0;
}

/* In ns; 0: the result is shown at the end alone. */
static uint64_t counting_interval(const struct counting *counting)
{
	const struct count_args *args = counting->args;

	if (args->every || args->report.json || args->report.csv)
		return args->every;
	return counting->action->out->terminal ? SECOND : 0;
}

static int counting_wait_ms(const struct counting *counting, uint64_t due)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);
	uint64_t left = due > now ? due - now : 0;

	return left > ROUND_MS * UINT64_C(1000000) ? ROUND_MS : (int)((left + 999999) / 1000000);
}

static void counting_read_signals(struct counting *counting)
{
	struct signalfd_siginfo info;

	while (read(counting->signals.fd, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo == SIGCHLD)
			continue;
		counting->stop = true;
		child_pass_on(&counting->child, (int)info.ssi_signo);
	}
}

static int counting_follow(struct counting *counting, struct fathom_err *err)
{
	struct pollfd fds[] = { { .fd = counting->signals.fd, .events = POLLIN },
				{ .fd = counting->pidfd, .events = POLLIN } };
	const uint64_t span = counting->args->span, interval = counting_interval(counting);
	const uint64_t end = span ? counting->start + span : UINT64_MAX;
	uint64_t next = interval ? counting->start + interval : UINT64_MAX;

	while (!counting->stop) {
		uint64_t now;
		int r = 0;

		poll(fds, ARRAY_SIZE(fds), counting_wait_ms(counting, next < end ? next : end));
		counting_read_signals(counting);
		now = clock_ns(CLOCK_MONOTONIC);
		if ((counting->argv && child_ended(&counting->child)) ||
		    (counting->pidfd >= 0 && fds[1].revents) || now >= end)
			counting->stop = true;
		if (counting->stop || now < next)
			continue;
		r = counting_show(counting, false, err);
		if (r < 0)
			return r;
		/* After a pause, as by Ctrl-Z, intervals begin again. */
		next = next + interval > now ? next + interval : now + interval;
	}
	return 0;
}

/* A command that goes on keeps the terminal; it ends as with a recorder. */
static void counting_wait_for_command(struct counting *counting)
{
	struct pollfd fd = { .fd = counting->signals.fd, .events = POLLIN };

	while (!child_ended(&counting->child)) {
		counting->stop = false;
		poll(&fd, 1, ROUND_MS);
		counting_read_signals(counting);
		if (counting->stop)
			child_signal(&counting->child, SIGTERM);
	}
}

int count_live_run(const struct action *action, struct count_request *request)
{
	_cleanup_(counting_done) struct counting counting = { .action = action,
							      .args = action->args,
							      .request = request,
							      .tracefs = TRACEFS_NONE,
							      .child = CHILD_NONE,
							      .signals = PLAN_SIGNALS_NONE,
							      .pidfd = -1 };
	struct fathom_err err = { 0 };
	int r = counting_begin(&counting, &err);

	if (r < 0) {
		action_failed(action, &err);
		return counting.argv && !counting.child.pid && counting.child.status ?
			       child_exit_code(&counting.child) :
		       counting.argv ? EXIT_NOT_RUN :
				       EXIT_FAILED;
	}
	r = counting_follow(&counting, &err);
	counting.end = clock_ns(CLOCK_MONOTONIC);
	count_live_stop(counting.live);
	if (r == 0)
		r = counting_show(&counting, true, &err);
	if (r < 0)
		action_failed(action, &err);
	if (counting.argv)
		counting_wait_for_command(&counting);
	if (r < 0)
		return counting.argv ? EXIT_NOT_RUN : EXIT_FAILED;
	return counting.argv ? child_exit_code(&counting.child) : EXIT_OK;
}
