/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fathom show: what the kernel prints of a kept session's buffer, or of the top level. */
#include "cli/commands.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/file.h"
#include "base/str.h"
#include "cli/session-args.h"
#include "render/sink.h"

#define PATH_SIZE 256
#define PAUSE	  "options/pause-on-trace"

struct show_args {
	struct session_args session; /* first */
	bool pipe, snapshot, path, top, live;
	const char *cpu;
	/* Show these instead */
	bool tracing_on, current_tracer, buffer_size, buffer_total_size, ftrace_filter,
		ftrace_notrace, ftrace_pid, graph_function, graph_notrace, cpumask;
};

#define FILE_FLAG(name, text) OPT_FLAG(0, #name, struct show_args, name, text)

static const struct option_def options[] = {
	SESSION_OPTION,
	OPT_CALL('B', NULL, "BUFFER", session_arg_buffer,
		 "this buffer of the session, or without a session, this instance"),
	OPT_FLAG(0, "top", struct show_args, top, "the top level of tracing, not a session"),
	OPT_FLAG('p', NULL, struct show_args, pipe,
		 "read on as events come (trace_pipe); what is read is gone from the buffer"),
	OPT_FLAG('s', NULL, struct show_args, snapshot, "show the snapshot"),
	OPT_FLAG(0, "live", struct show_args, live, "do not pause tracing while it is read"),
	OPT_STRING('c', NULL, "CPU", struct show_args, cpu, "of this CPU only"),
	OPT_FLAG('f', NULL, struct show_args, path, "print the name of the file first"),
	FILE_FLAG(tracing_on, "show whether tracing is on"),
	FILE_FLAG(current_tracer, "show the tracer"),
	FILE_FLAG(buffer_size, "show the size of each CPU's buffer, in KB"),
	FILE_FLAG(buffer_total_size, "show the size of all CPUs' buffers, in KB"),
	FILE_FLAG(ftrace_filter, "show the functions that are traced"),
	FILE_FLAG(ftrace_notrace, "show the functions that are left out"),
	FILE_FLAG(ftrace_pid, "show the processes whose functions are traced"),
	FILE_FLAG(graph_function, "show the functions whose calls are traced"),
	FILE_FLAG(graph_notrace, "show the functions whose calls are left out"),
	FILE_FLAG(cpumask, "show the CPUs that are traced"),
	OPT_END,
};

/* The directory that is meant, and its path below tracefs. */
struct place {
	struct session_env env;
	struct kept kept;
	const struct kept_buffer *buffer; /* of the session; NULL: it is nobody's that we know */
	int fd;
	char path[PATH_SIZE];
};

static void place_done(struct place *place)
{
	if (place->fd >= 0)
		close(place->fd);
	kept_done(&place->kept);
	session_env_done(&place->env);
}

/* A buffer of the session; NULL when the session has none of that name. */
static const struct kept_buffer *choose(const struct show_args *args, const struct place *place)
{
	const struct session_args *session = &args->session;

	if (session->buffers.n)
		return kept_buffer(&place->kept, session->buffers.list[session->buffers.n - 1]);
	return kept_buffer(&place->kept, "") ?: place->kept.buffers;
}

/* Any instance, or the top level with "". */
static int open_instance(struct place *place, const char *name, struct fathom_err *err)
{
	const struct kept_buffer buffer = { name, name };

	snprintf(place->path, sizeof(place->path), "%s%s", *name ? "instances/" : "", name);
	place->fd = kept_open(&place->env, &buffer, err);
	if (place->fd == -ENOENT)
		return err_set(err, -ENOENT,
			       "there is no buffer '%s'; 'fathom stat' shows those that there are",
			       name);
	return place->fd < 0 ? place->fd : 0;
}

static int open_place(const struct show_args *args, struct place *place, struct fathom_err *err)
{
	const struct plan_words *names = &args->session.buffers;
	const char *name = names->n ? names->list[names->n - 1] : "";
	int r = session_env_open("", &place->env, err);

	if (r == 0 && !tracefs_readable(&place->env.tracefs))
		r = session_env_check(&place->env, err);
	if (r < 0)
		return r;
	if (args->top)
		return open_instance(place, name, err);
	r = kept_find(&place->env, args->session.session, &place->kept, err);
	if (r == -ENOENT && !args->session.session) {
		fathom_err_reset(err);
		return open_instance(place, name, err);
	}
	if (r < 0)
		return r;
	place->buffer = choose(args, place);
	return open_instance(place, place->buffer ? place->buffer->instance : name, err);
}

static volatile sig_atomic_t interrupted;

static void interrupt(int sig)
{
	(void)sig;
	interrupted = 1;
}

/* Waiting for the next event must end with Ctrl-C, so reading is not taken up again then. */
static void take_signals(void)
{
	struct sigaction action = { .sa_handler = interrupt };

	sigemptyset(&action.sa_mask);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
}

static int copy(int fd, struct out *out, struct fathom_err *err)
{
	_cleanup_(sink_done) struct sink sink = { 0 };
	static char bytes[1 << 16];

	if (sink_init(&sink, out->fd) < 0)
		return err_nomem(err);
	if (out->terminal)
		sink.printable = &out->printable;
	while (!interrupted && !sink.err) {
		ssize_t n = read(fd, bytes, sizeof(bytes));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_set_errno(err, -errno, "cannot read on");
		if (n == 0)
			break;
		text_bytes(&sink.text, bytes, (size_t)n);
		sink_flush(&sink);
	}
	/* Nobody reads us any more: no failure. */
	if (sink.err && sink.err != -EPIPE)
		return err_set_errno(err, sink.err, "cannot write the output");
	return 0;
}

static int open_file(const struct place *place, const char *file)
{
	int fd = openat(place->fd, file, O_RDONLY | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

/*
 * Opens the buffer's text with tracing paused until it is closed. Else reading it could go on
 * for ever, as it is traced itself and makes more events than it prints. Where that cannot be
 * done, because the session is at work or is not ours, it is opened as it is.
 */
static int open_paused(const struct place *place, const char *file)
{
	_cleanup_session_ struct session *session = NULL;
	struct session_place *to;
	char line[8];
	int fd;

	if (!place->buffer || session_adopt("", place->kept.id, &session, NULL) < 0 ||
	    kept_place(session, place->buffer, &to, NULL) < 0 ||
	    file_read_line(to->fd, PAUSE, line, sizeof(line)) <= 0 || line[0] == '1' ||
	    session_set(session, to, PAUSE, "1", NULL) < 0)
		return open_file(place, file);
	fd = open_file(place, file);
	session_set(session, to, PAUSE, "0", NULL);
	return fd;
}

static int print_file(const struct show_args *args, const struct place *place, const char *file,
		      struct out *out, struct fathom_err *err)
{
	bool pause = !args->pipe && !args->snapshot && !args->live;
	_cleanup_close_ int fd = pause ? open_paused(place, file) : open_file(place, file);

	if (fd == -ENOENT && args->cpu)
		return err_set(err, fd, "there is no CPU '%s', or no '%s' in this kernel",
			       args->cpu, file);
	if (fd < 0)
		return err_set_errno(err, fd, "cannot open '%s'", file);
	if (args->path)
		out_printf(out, OUT_PLAIN, "%s/%s%s%s\n", place->env.tracefs.path, place->path,
			   *place->path ? "/" : "", file);
	fflush(out->stream);
	return copy(fd, out, err);
}

/* The settings that were asked for. Those that an instance lacks are those of the top level. */
static int print_settings(const struct show_args *args, struct place *place, struct out *out,
			  struct fathom_err *err)
{
	const struct {
		bool wanted;
		const char *file;
	} files[] = {
		{ args->tracing_on, "tracing_on" },
		{ args->current_tracer, "current_tracer" },
		{ args->buffer_size, "buffer_size_kb" },
		{ args->buffer_total_size, "buffer_total_size_kb" },
		{ args->ftrace_filter, "set_ftrace_filter" },
		{ args->ftrace_notrace, "set_ftrace_notrace" },
		{ args->ftrace_pid, "set_ftrace_pid" },
		{ args->graph_function, "set_graph_function" },
		{ args->graph_notrace, "set_graph_notrace" },
		{ args->cpumask, "tracing_cpumask" },
	};
	int n = 0, r = 0;

	for (size_t i = 0; i < ARRAY_SIZE(files) && r == 0; i++) {
		if (!files[i].wanted)
			continue;
		n++;
		if (faccessat(place->fd, files[i].file, F_OK, 0) < 0) {
			struct place top = { .env = place->env, .fd = place->env.tracefs.fd };

			r = print_file(args, &top, files[i].file, out, err);
		} else {
			r = print_file(args, place, files[i].file, out, err);
		}
	}
	return r < 0 ? r : n;
}

static int show(const struct show_args *args, struct out *out, struct fathom_err *err)
{
	_cleanup_(place_done) struct place place = { .env = SESSION_ENV_NONE, .fd = -1 };
	const char *file = args->pipe ? "trace_pipe" : args->snapshot ? "snapshot" : "trace";
	char path[PATH_SIZE];
	int r = open_place(args, &place, err);

	if (r == 0)
		r = print_settings(args, &place, out, err);
	if (r != 0)
		return r;
	if (args->cpu)
		snprintf(path, sizeof(path), "per_cpu/cpu%.20s/%s", args->cpu, file);
	else
		snprintf(path, sizeof(path), "%s", file);
	take_signals();
	return print_file(args, &place, path, out, err);
}

static int check(const struct show_args *args, struct fathom_err *err)
{
	if (args->pipe && args->snapshot)
		return err_set(err, -EINVAL, "-p and -s are two files; choose one of them");
	if (args->cpu && (!*args->cpu || args->cpu[strspn(args->cpu, "0123456789")]))
		return err_set(err, -EINVAL, "'%s' is not the number of a CPU", args->cpu);
	if (args->session.buffers.n > 1)
		return err_set(err, -EINVAL, "one buffer at a time can be shown");
	return 0;
}

static int run(const struct invocation *invocation)
{
	const struct show_args *args = invocation->args;
	struct fathom_err err = { 0 };

	if (invocation->argc)
		err_set(&err, -EINVAL, "'%s' is too much: there are no operands",
			invocation->argv[0]);
	if (err.code || check(args, &err) < 0)
		return command_usage_error(invocation->command, &err);
	/* Who reads us may stop at any time: then a write fails, and that is all. */
	signal(SIGPIPE, SIG_IGN);
	if (show(args, invocation->out, &err) < 0)
		return command_failed(invocation->command, &err);
	return EXIT_OK;
}

const struct command command_show = {
	.name = "show",
	.summary = "show what is in the buffers, as the kernel prints it",
	.description = "Shows what is in the buffer of the session that is kept, as the kernel "
		       "itself prints it; without such a session, of the top level of tracing.",
	.operands = "",
	.options = options,
	.args_size = sizeof(struct show_args),
	.run = run,
	.done = session_args_done,
};
