/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "actions/probe/watch-run.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "actions/plan/plan-run.h"
#include "actions/probe/watch-setup.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/files/plain-file.h"
#include "base/mem.h"
#include "base/quote.h"
#include "record/command/child.h"
#include "render/machine/watch.h"
#include "symbols/user/demangle.h"

#define ROUND_MS 100

struct watching {
	const struct action *action;
	const struct watch_args *args;
	struct watch_target target;
	struct watch_setup setup;
	char **argv;
	struct child child;
	struct user_symbols user;
	struct watch_text text;
	struct strbuf out;
	struct plan_signals signals;
	int pidfd;
	uint64_t shown; /* hits */
	uint64_t end; /* time; 0: none */
	bool stop, out_failed;
};

static void watching_done(struct watching *w)
{
	watch_setup_done(&w->setup, w->child.pid);
	child_done(&w->child);
	watch_text_done(&w->text);
	user_symbols_done(&w->user);
	strbuf_done(&w->out);
	plan_signals_done(&w->signals);
	if (w->pidfd >= 0)
		close(w->pidfd);
	free(w->argv);
}

static int watch_run_check(const struct action *action, const struct watch_args *args,
			   struct fathom_err *err)
{
	if (!action->argc)
		return err_set(err, -EINVAL,
			       "no variable given: use 'fathom watch counter ./program'");
	if (args->pid && args->kernel)
		return err_set(err, -EINVAL, "--kernel and -p are mutually exclusive");
	if (args->pid && action->argc > 1)
		return err_set(err, -EINVAL, "a command cannot be combined with -p");
	if (args->pid > INT32_MAX)
		return err_set(err, -EINVAL, "invalid PID '%" PRIu64 "': expected 1 to %d",
			       args->pid, INT32_MAX);
	if (!args->pid && !args->kernel && action->argc == 1)
		return err_set(err, -EINVAL, "no program given: use a command, -p PID or --kernel");
	return 0;
}

/* Leaves the command stopped before its first instruction. */
static int start_command(struct watching *w, struct fathom_err *err)
{
	int r;

	w->argv = mem_zalloc((size_t)w->action->argc, sizeof(*w->argv));
	if (!w->argv)
		return err_nomem(err);
	for (int i = 1; i < w->action->argc; i++)
		w->argv[i - 1] = w->action->argv[i];
	r = child_start(&w->child, w->argv, w->args->user, err);
	if (r == 0)
		r = hold_at_exec(&w->setup.hold, w->child.pid, err);
	if (r < 0)
		return r;
	r = child_go(&w->child, NULL, 0, err);
	if (r < 0) {
		w->setup.hold.n = 0;
		err_prefix(err, "'%s'", w->argv[0]);
		return r;
	}
	return hold_wait_exec(&w->setup.hold, err);
}

static const struct kallsyms *watch_run_kernel_names(void *data)
{
	return watch_setup_kallsyms(data);
}

static int watch_run_take_signals(struct watching *w, struct fathom_err *err)
{
	int r;

	/* If the reader of the output is gone, writing fails instead. */
	signal(SIGPIPE, SIG_IGN);
	r = plan_signals_take(&w->signals, err);
	if (r < 0)
		return r;
	if (w->args->pid)
		w->pidfd = (int)syscall(SYS_pidfd_open, w->setup.pid, 0);
	return 0;
}

static int watch_run_open_file(void *data, const char *path)
{
	return plain_file_open(path, NULL);
}

static void prepare_text(struct watching *w)
{
	const struct watch_spec *spec = &w->target.spec;
	const struct watch_setup *setup = &w->setup;
	struct watch_text *text = &w->text;

	for (unsigned i = 0; i < setup->n; i++) {
		const struct breakpoint *part = &setup->list[i];

		text->shown[i] = (struct watch_shown){ part->address, part->length ?: 1,
						       part->address - w->target.place.address };
	}
	text->access = spec->access == WATCH_EXECUTE ? WATCH_SHOW_EXECUTE :
		       spec->access & WATCH_READ     ? WATCH_SHOW_BOTH :
						       WATCH_SHOW_WRITE;
	text->name = spec->symbol || spec->type ? spec->text : w->action->argv[0];
	text->json = w->args->json;
	text->hex = w->args->hex;
	text->stacks = w->args->stacks;
	text->utf8 = w->action->out->utf8;
	text->user = w->args->kernel ? NULL : &w->user;
	text->kernel = watch_run_kernel_names;
	text->kernel_data = &w->setup;
}

static void announce_start(const struct watching *w)
{
	const char *what = w->text.access == WATCH_SHOW_EXECUTE ? "instruction" :
			   w->text.access == WATCH_SHOW_BOTH	? "reads and writes" :
								  "writes";

	if (w->args->quiet)
		return;
	if (w->text.access == WATCH_SHOW_EXECUTE)
		quote_printf(w->action->messages, "fathom watch: '%s', the %s at %#" PRIx64 "\n",
			     w->target.spec.text, what, w->target.place.address);
	else
		quote_printf(w->action->messages,
			     "fathom watch: '%s', %s of %" PRIu64 " byte%s at %#" PRIx64 "%s\n",
			     w->target.spec.text, what, w->target.place.length,
			     w->target.place.length == 1 ? "" : "s", w->target.place.address,
			     w->target.place.guessed ? " (size unknown; use '/LENGTH' to set it)" :
						       "");
	if (w->target.spec.access == WATCH_READ)
		quote_printf(
			w->action->messages,
			"fathom watch: the hardware cannot watch reads alone: writes are shown as "
			"well\n");
}

static int watch_run_set_up(struct watching *w, struct fathom_err *err)
{
	struct watch_setup_options options = { .targets = &w->target,
					       .n = 1,
					       .stacks = w->args->stacks,
					       .ring_kb = w->args->buffer_kb };
	int r = 0;

	w->user.opener = (struct elf_opener){ watch_run_open_file, NULL };
	demangler_load(&w->user.demangler);
	w->target.is_kernel = w->args->kernel;
	w->setup.memory[WATCH_MEMORY_PROGRAM].maps = &w->user.maps;
	if (w->action->argc > 1)
		r = start_command(w, err);
	else if (w->args->pid)
		r = watch_setup_hold(&w->setup, (pid_t)w->args->pid, err);
	if (r < 0)
		return r;
	if (!w->args->kernel && !w->args->pid)
		w->setup.pid = w->child.pid;
	r = watch_setup_open(&w->setup, &options, err);
	if (r == 0)
		r = watch_run_take_signals(w, err);
	if (r < 0)
		return r;
	prepare_text(w);
	announce_start(w);
	return watch_switch(w->setup.watch, true, err);
}

static void watch_run_show(void *data, const struct perf_layout *layout,
			   const struct perf_record *record)
{
	struct watching *w = data;
	struct watch_hit hit;

	if (!watch_setup_feed(&w->setup, record, &hit))
		return;
	if (w->args->count && w->shown >= w->args->count)
		return;
	w->shown++;
	watch_text_hit(&w->text, layout, &hit, &w->out);
}

static int watch_run_take(struct watching *w, bool last, struct fathom_err *err)
{
	FILE *stream = w->action->out->stream;

	if (watch_take(w->setup.watch, last, watch_run_show, w) < 0 ||
	    watch_setup_nomem(&w->setup) || w->text.nomem || w->user.nomem)
		return err_nomem(err);
	if (w->out.len && out_write(w->action->out, &w->out) < 0)
		return err_nomem(err);
	if (fflush(stream) != 0 || ferror(stream))
		w->stop = w->out_failed = true;
	return 0;
}

static void watch_run_read_signals(struct watching *w)
{
	struct signalfd_siginfo info;

	while (read(w->signals.fd, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo == SIGCHLD)
			continue;
		w->stop = true;
		child_pass_on(&w->child, (int)info.ssi_signo);
	}
}

static int watch_run_wait_ms(const struct watching *w)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);

	if (!w->end || now + ROUND_MS * 1000000ULL < w->end)
		return ROUND_MS;
	return now < w->end ? (int)((w->end - now) / 1000000) + 1 : 0;
}

static int watch_run_follow(struct watching *w, struct fathom_err *err)
{
	struct pollfd fds[] = { { .fd = watch_fd(w->setup.watch), .events = POLLIN },
				{ .fd = w->signals.fd, .events = POLLIN },
				{ .fd = w->pidfd, .events = POLLIN } };
	bool has_command = w->child.pid != 0;

	while (!w->stop) {
		int r;

		poll(fds, ARRAY_SIZE(fds), watch_run_wait_ms(w));
		watch_run_read_signals(w);
		r = watch_run_take(w, false, err);
		if (r < 0)
			return r;
		if ((has_command && child_ended(&w->child)) || (w->pidfd >= 0 && fds[2].revents) ||
		    (w->args->count && w->shown >= w->args->count) ||
		    (w->end && clock_ns(CLOCK_MONOTONIC) >= w->end))
			w->stop = true;
	}
	return 0;
}

static int watch_run_finish(struct watching *w, struct fathom_err *err)
{
	struct watch_sum sum = { 0 };
	int r = watch_switch(w->setup.watch, false, err);

	if (r == 0)
		r = watch_run_take(w, true, err);
	if (r == 0)
		r = watch_lost(w->setup.watch, &sum.lost, err);
	if (r < 0)
		return r;
	sum.hits = w->shown;
	if (w->args->json || !w->args->quiet)
		watch_text_sum(&w->text, &sum, &w->out);
	if (w->args->json && out_write(w->action->out, &w->out) < 0)
		return err_nomem(err);
	if (w->out.len) {
		fputs("fathom watch: ", w->action->messages);
		quote_print_lines(w->action->messages, strbuf_str(&w->out));
	}
	if (sum.lost)
		quote_printf(w->action->messages,
			     "fathom watch: %" PRIu64
			     " hits lost: buffer overrun; use a larger -b\n",
			     sum.lost);
	return 0;
}

static void watch_run_wait_for_command(struct watching *w)
{
	struct pollfd fd = { .fd = w->signals.fd, .events = POLLIN };

	while (!child_ended(&w->child)) {
		w->stop = false;
		poll(&fd, 1, ROUND_MS);
		watch_run_read_signals(w);
		if (w->stop)
			child_signal(&w->child, SIGTERM);
	}
}

int watch_run(const struct action *action, const struct watch_args *args)
{
	_cleanup_(watching_done) struct watching w = { .action = action,
						       .args = args,
						       .child = CHILD_NONE,
						       .signals = PLAN_SIGNALS_NONE,
						       .pidfd = -1 };
	struct fathom_err err = { 0 };
	int r = watch_run_check(action, args, &err);

	if (r == 0)
		r = watch_spec_parse(action->argv[0], &w.setup.arena, &w.target.spec, &err);
	if (r < 0)
		return action_usage_error(action, &err);
	r = watch_run_set_up(&w, &err);
	if (r < 0) {
		action_failed(action, &err);
		return w.argv && !w.child.pid && w.child.status ? child_exit_code(&w.child) :
								  EXIT_NOT_RUN;
	}
	hold_release(&w.setup.hold);
	w.end = args->span ? clock_ns(CLOCK_MONOTONIC) + args->span : 0;
	r = watch_run_follow(&w, &err);
	if (r == 0)
		r = watch_run_finish(&w, &err);
	if (r < 0)
		action_failed(action, &err);
	watch_free(TAKE_PTR(w.setup.watch));
	watch_run_wait_for_command(&w);
	if (r < 0)
		return EXIT_NOT_RUN;
	return w.argv ? child_exit_code(&w.child) : EXIT_OK;
}
