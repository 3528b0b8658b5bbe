/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/watch-run.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "analyze/watch-hits.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "cli/plan-run.h"
#include "kernel/hold.h"
#include "record/child.h"
#include "record/probe-make.h"
#include "record/watch-place.h"
#include "record/watch.h"
#include "render/watch.h"
#include "symbols/demangle.h"

#define ROUND_MS  100
#define BUFFER_KB 2048
/* Debug registers of all processors that we know of are fewer. */
#define PARTS_MAX 4

struct watching {
	const struct invocation *invocation;
	const struct watch_args *args;
	struct arena arena;
	struct watch_spec spec;
	struct watch_place place;
	struct breakpoint list[PARTS_MAX];
	unsigned n;
	char **argv;
	struct child child;
	struct hold hold;
	pid_t pid; /* whose memory it is; 0: the kernel's */
	struct watch *watch;
	struct watch_hits hits;
	struct user_symbols user;
	struct kallsyms kallsyms;
	bool has_kallsyms, asked_kallsyms;
	struct watch_text text;
	struct strbuf out;
	struct pollfd *fds;
	size_t n_fds;
	int signals, pidfd;
	uint64_t shown; /* hits */
	uint64_t end; /* time; 0: none */
	bool stop, out_failed;
};

static void watching_done(struct watching *w)
{
	/* What was begun for us alone does not go on without us. */
	if (w->hold.n && w->child.pid)
		kill(w->child.pid, SIGKILL);
	hold_release(&w->hold);
	watch_free(w->watch);
	child_done(&w->child);
	watch_text_done(&w->text);
	watch_hits_done(&w->hits);
	user_symbols_done(&w->user);
	if (w->has_kallsyms)
		kallsyms_done(&w->kallsyms);
	strbuf_done(&w->out);
	if (w->signals >= 0)
		close(w->signals);
	if (w->pidfd >= 0)
		close(w->pidfd);
	free(w->fds);
	free(w->argv);
	arena_done(&w->arena);
}

static int check(const struct invocation *invocation, const struct watch_args *args,
		 struct fathom_err *err)
{
	if (!invocation->argc)
		return err_set(err, -EINVAL,
			       "say what to watch, as in 'fathom watch counter ./program'");
	if (args->pid && args->kernel)
		return err_set(err, -EINVAL, "--kernel is not about a process: leave out -p");
	if (args->pid && invocation->argc > 1)
		return err_set(err, -EINVAL, "give a command or -p, not both");
	if (args->pid > INT32_MAX)
		return err_set(err, -EINVAL, "%" PRIu64 " is no process", args->pid);
	if (!args->pid && !args->kernel && invocation->argc == 1)
		return err_set(err, -EINVAL,
			       "say whose memory: a command to run, -p PID, or --kernel");
	return 0;
}

/* The command stands before its first instruction then. */
static int start_command(struct watching *w, struct fathom_err *err)
{
	int r;

	w->argv = mem_zalloc((size_t)w->invocation->argc, sizeof(*w->argv));
	if (!w->argv)
		return err_nomem(err);
	for (int i = 1; i < w->invocation->argc; i++)
		w->argv[i - 1] = w->invocation->argv[i];
	r = child_start(&w->child, w->argv, w->args->user, err);
	if (r == 0)
		r = hold_at_exec(&w->hold, w->child.pid, err);
	if (r < 0)
		return r;
	r = child_go(&w->child, NULL, 0, err);
	if (r < 0) {
		w->hold.n = 0;
		err_prefix(err, "'%s'", w->argv[0]);
		return r;
	}
	return hold_wait_exec(&w->hold, err);
}

static int find_process(struct watching *w, struct fathom_err *err)
{
	w->pid = task_process((pid_t)w->args->pid);
	if (w->pid < 0)
		return err_set(err, w->pid, "there is no process %" PRIu64, w->args->pid);
	return hold_process(&w->hold, w->pid, err);
}

static const struct kallsyms *kernel_names(void *data)
{
	struct watching *w = data;

	if (!w->asked_kallsyms)
		w->has_kallsyms = watch_kallsyms(&w->kallsyms, NULL) == 0;
	w->asked_kallsyms = true;
	return w->has_kallsyms ? &w->kallsyms : NULL;
}

static int find_in_kernel(struct watching *w, struct fathom_err *err)
{
	_cleanup_probe_base_ struct probe_base base = PROBE_BASE_NONE;
	int r = 0;

	if (w->spec.type) {
		r = probe_base_open(PROBE_BTF_DIR, &base, err);
		if (r == 0)
			r = watch_spec_member(&w->spec, base.machine.types, err);
	}
	if (r < 0)
		return r;
	if (!kernel_names(w))
		return err_set(err, -ENOENT, "cannot read '/proc/kallsyms'");
	return watch_place_kernel(&w->spec, &w->kallsyms, &w->place, err);
}

/* Of addresses of 64 bits the upper half is the kernel's. */
static int check_half(const struct watching *w, struct fathom_err *err)
{
	bool is_kernel = w->place.address >> (8 * sizeof(long) - 1);

	if (is_kernel == w->args->kernel)
		return 0;
	return err_set(err, -EINVAL, "%#" PRIx64 " is no address of %s%s", w->place.address,
		       w->args->kernel ? "the kernel" : "a program",
		       w->args->kernel ? "" : "; for one of the kernel say --kernel");
}

static int find_place(struct watching *w, struct fathom_err *err)
{
	int r;

	if (w->args->kernel)
		return find_in_kernel(w, err);
	r = watch_member_program(&w->spec, w->pid, err);
	return r < 0 ? r : watch_place_program(&w->spec, w->pid, &w->place, err);
}

static int cut_in_parts(struct watching *w, struct fathom_err *err)
{
	struct watch_part parts[PARTS_MAX];

	w->n = watch_parts(w->place.address, w->place.length, parts, PARTS_MAX);
	if (!w->n)
		return err_set(
			err, -EINVAL,
			"'%s' has %" PRIu64 " bytes, more than hardware can watch at once; say "
			"which of them: '%s+OFFSET/LENGTH', with at most 8 bytes for each of "
			"%d registers",
			w->spec.text, w->place.length, w->spec.symbol ?: "ADDRESS", PARTS_MAX);
	for (unsigned i = 0; i < w->n; i++) {
		w->list[i] = (struct breakpoint){ .access = w->spec.access & WATCH_READ ?
								    BREAKPOINT_READ_WRITE :
								    BREAKPOINT_WRITE,
						  .address = parts[i].address,
						  .length = parts[i].length };
		w->text.shown[i] = (struct watch_shown){ parts[i].address, parts[i].length,
							 parts[i].address - w->place.address };
	}
	return 0;
}

static int plan_breakpoints(struct watching *w, struct fathom_err *err)
{
	int r = 0;

	if (!w->spec.access)
		w->spec.access = w->place.is_function ? WATCH_EXECUTE : WATCH_WRITE;
	if (w->spec.access == WATCH_EXECUTE) {
		w->n = 1;
		w->list[0] = (struct breakpoint){ .access = BREAKPOINT_EXECUTE,
						  .address = w->place.address };
		w->text.shown[0] = (struct watch_shown){ w->place.address, 1, 0 };
		w->text.access = WATCH_SHOW_EXECUTE;
	} else {
		r = cut_in_parts(w, err);
		w->text.access = w->spec.access & WATCH_READ ? WATCH_SHOW_BOTH : WATCH_SHOW_WRITE;
	}
	for (unsigned i = 0; i < w->n; i++)
		w->list[i].is_kernel = w->args->kernel;
	return r;
}

static int set_breakpoints(struct watching *w, struct fathom_err *err)
{
	struct watch_options options = { .list = w->list,
					 .n = w->n,
					 .stacks = w->args->stacks,
					 .ring_bytes = (size_t)(w->args->buffer_kb ?: BUFFER_KB)
						       << 10 };
	int r;

	if (w->args->buffer_kb > 1 << 20)
		return err_set(err, -EINVAL, "a buffer of more than 1 GB is too large");
	r = watch_new(&options, &w->watch, err);
	if (r == 0 && w->args->kernel)
		r = watch_add_cpus(w->watch, err);
	for (size_t i = 0; r == 0 && !w->args->kernel && i < w->hold.n; i++) {
		r = watch_add_task(w->watch, w->hold.tids[i], err);
		/* Even what stands still can be killed. */
		if (r == -ESRCH)
			r = 0;
	}
	return r;
}

/* What is in memory before the first hit, and where the program's code lies. */
static int note_start(struct watching *w, struct fathom_err *err)
{
	_cleanup_strbuf_ struct strbuf maps = { 0 };
	struct watch_values values = { 0 };
	char path[64];
	int r;

	for (unsigned i = 0; w->pid && i < w->n; i++)
		values.known[i] = w->list[i].length &&
				  watch_read_memory(w->pid, w->list[i].address, &values.list[i],
						    w->list[i].length) == 0;
	r = watch_hits_start(&w->hits, w->pid, &values);
	if (r == 0 && w->pid) {
		snprintf(path, sizeof(path), "/proc/%d/maps", (int)w->pid);
		if (file_read(AT_FDCWD, path, &maps) == 0)
			r = user_maps_add_text(&w->user.maps, w->pid, clock_ns(CLOCK_MONOTONIC),
					       maps.s, maps.len);
	}
	return r < 0 ? err_nomem(err) : 0;
}

static int take_signals(struct watching *w, struct fathom_err *err)
{
	/* Who reads us may stop at any time: then the write fails, and that is all. */
	signal(SIGPIPE, SIG_IGN);
	w->signals = plan_run_signals(err);
	if (w->signals < 0)
		return w->signals;
	if (w->args->pid)
		w->pidfd = (int)syscall(SYS_pidfd_open, w->pid, 0);
	w->fds = mem_zalloc(watch_cpus(w->watch) + 2, sizeof(*w->fds));
	if (!w->fds)
		return err_nomem(err);
	for (size_t i = 0; i < watch_cpus(w->watch); i++)
		w->fds[w->n_fds++] =
			(struct pollfd){ .fd = watch_fd(w->watch, i), .events = POLLIN };
	w->fds[w->n_fds++] = (struct pollfd){ .fd = w->signals, .events = POLLIN };
	w->fds[w->n_fds++] = (struct pollfd){ .fd = w->pidfd, .events = POLLIN };
	return 0;
}

static int open_file(void *data, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	return fd < 0 ? -errno : fd;
}

static void prepare_text(struct watching *w)
{
	struct watch_text *text = &w->text;

	w->user.opener = (struct elf_opener){ open_file, NULL };
	demangler_load(&w->user.demangler);
	text->name = w->spec.symbol || w->spec.type ? w->spec.text : w->invocation->argv[0];
	text->json = w->args->json;
	text->hex = w->args->hex;
	text->stacks = w->args->stacks;
	text->utf8 = w->invocation->out->utf8;
	text->user = w->args->kernel ? NULL : &w->user;
	text->kernel = kernel_names;
	text->kernel_data = w;
	w->hits.is_kernel = w->args->kernel;
	w->hits.maps = &w->user.maps;
}

static void tell_start(const struct watching *w)
{
	const char *what = w->text.access == WATCH_SHOW_EXECUTE ? "instruction" :
			   w->text.access == WATCH_SHOW_BOTH	? "reads and writes" :
								  "writes";

	if (w->args->quiet)
		return;
	if (w->text.access == WATCH_SHOW_EXECUTE)
		fprintf(stderr, "fathom watch: '%s', the %s at %#" PRIx64 "\n", w->spec.text, what,
			w->place.address);
	else
		fprintf(stderr, "fathom watch: '%s', %s of %" PRIu64 " byte%s at %#" PRIx64 "%s\n",
			w->spec.text, what, w->place.length, w->place.length == 1 ? "" : "s",
			w->place.address,
			w->place.guessed ? " (a guess: its size is not known, '/LENGTH' says it)" :
					   "");
	if (w->spec.access == WATCH_READ)
		fprintf(stderr,
			"fathom watch: reads alone cannot be watched; writes are shown, too\n");
}

static int set_up(struct watching *w, struct fathom_err *err)
{
	int r = 0;

	if (w->invocation->argc > 1)
		r = start_command(w, err);
	else if (w->args->pid)
		r = find_process(w, err);
	if (r < 0)
		return r;
	if (!w->args->kernel && !w->args->pid)
		w->pid = w->child.pid;
	r = find_place(w, err);
	if (r == 0)
		r = check_half(w, err);
	if (r == 0)
		r = plan_breakpoints(w, err);
	if (r == 0)
		r = set_breakpoints(w, err);
	if (r == 0)
		r = note_start(w, err);
	if (r == 0)
		r = take_signals(w, err);
	if (r < 0)
		return r;
	prepare_text(w);
	tell_start(w);
	return watch_switch(w->watch, true, err);
}

static void show(void *data, const struct perf_layout *layout, const struct perf_record *record)
{
	struct watching *w = data;
	struct watch_hit hit;

	if (!watch_hits_feed(&w->hits, record, &hit) || hit.which >= w->n)
		return;
	if (w->args->count && w->shown >= w->args->count)
		return;
	w->shown++;
	watch_text_hit(&w->text, layout, &hit, &w->out);
}

static int take(struct watching *w, bool last, struct fathom_err *err)
{
	FILE *stream = w->invocation->out->stream;

	if (watch_take(w->watch, last, show, w) < 0 || w->hits.nomem || w->text.nomem ||
	    w->user.nomem)
		return err_nomem(err);
	if (w->out.len && out_write(w->invocation->out, &w->out) < 0)
		return err_nomem(err);
	if (fflush(stream) != 0 || ferror(stream))
		w->stop = w->out_failed = true;
	return 0;
}

static void read_signals(struct watching *w)
{
	struct signalfd_siginfo info;

	while (read(w->signals, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo == SIGCHLD)
			continue;
		w->stop = true;
		/* From the terminal the command has got it as well. */
		if (info.ssi_signo != SIGINT && w->child.pid)
			kill(w->child.pid, (int)info.ssi_signo);
	}
}

static int wait_ms(const struct watching *w)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);

	if (!w->end || now + ROUND_MS * 1000000ULL < w->end)
		return ROUND_MS;
	return now < w->end ? (int)((w->end - now) / 1000000) + 1 : 0;
}

static int follow(struct watching *w, struct fathom_err *err)
{
	bool has_command = w->child.pid != 0;

	while (!w->stop) {
		int r;

		poll(w->fds, w->n_fds, wait_ms(w));
		read_signals(w);
		r = take(w, false, err);
		if (r < 0)
			return r;
		if ((has_command && child_ended(&w->child)) ||
		    (w->pidfd >= 0 && w->fds[w->n_fds - 1].revents) ||
		    (w->args->count && w->shown >= w->args->count) ||
		    (w->end && clock_ns(CLOCK_MONOTONIC) >= w->end))
			w->stop = true;
	}
	return 0;
}

static int finish(struct watching *w, struct fathom_err *err)
{
	struct watch_sum sum = { 0 };
	int r = watch_switch(w->watch, false, err);

	if (r == 0)
		r = take(w, true, err);
	if (r == 0)
		r = watch_lost(w->watch, &sum.lost, err);
	if (r < 0)
		return r;
	sum.hits = w->shown;
	if (w->args->json || !w->args->quiet)
		watch_text_sum(&w->text, &sum, &w->out);
	if (w->args->json && out_write(w->invocation->out, &w->out) < 0)
		return err_nomem(err);
	if (w->out.len)
		fprintf(stderr, "fathom watch: %s", strbuf_str(&w->out));
	if (sum.lost)
		fprintf(stderr,
			"fathom watch: %" PRIu64
			" hits were lost: they came faster than they could be shown; '-b' makes the "
			"buffers larger\n",
			sum.lost);
	return 0;
}

static void wait_for_command(struct watching *w)
{
	struct pollfd fd = { .fd = w->signals, .events = POLLIN };

	while (!child_ended(&w->child)) {
		w->stop = false;
		poll(&fd, 1, ROUND_MS);
		read_signals(w);
		if (w->stop && w->child.pid)
			kill(w->child.pid, SIGTERM);
	}
}

int watch_run(const struct invocation *invocation, const struct watch_args *args)
{
	_cleanup_(watching_done) struct watching w = { .invocation = invocation,
						       .args = args,
						       .child = CHILD_NONE,
						       .signals = -1,
						       .pidfd = -1 };
	struct fathom_err err = { 0 };
	int r = check(invocation, args, &err);

	if (r == 0)
		r = watch_spec_parse(invocation->argv[0], &w.arena, &w.spec, &err);
	if (r < 0)
		return command_usage_error(invocation->command, &err);
	r = set_up(&w, &err);
	if (r < 0) {
		command_failed(invocation->command, &err);
		return w.argv && !w.child.pid && w.child.status ? child_exit_code(&w.child) :
								  EXIT_NOT_RUN;
	}
	hold_release(&w.hold);
	w.end = args->span ? clock_ns(CLOCK_MONOTONIC) + args->span : 0;
	r = follow(&w, &err);
	if (r == 0)
		r = finish(&w, &err);
	if (r < 0)
		command_failed(invocation->command, &err);
	watch_free(TAKE_PTR(w.watch));
	wait_for_command(&w);
	if (r < 0)
		return EXIT_NOT_RUN;
	return w.argv ? child_exit_code(&w.child) : EXIT_OK;
}
