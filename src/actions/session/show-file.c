/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "actions/session/show-file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/files/file.h"
#include "base/negative-errno.h"
#include "render/kit/sink.h"

#define PAUSE "options/pause-on-trace"

void show_place_done(struct show_place *place)
{
	if (place->fd >= 0)
		close(place->fd);
	detached_done(&place->detached);
	session_env_done(&place->env);
}

/* Returns a buffer of the session; NULL if it has none of that name. */
static const struct detached_buffer *show_file_choose(const struct session_args *args,
						      const struct show_place *place)
{
	if (args->buffers.n)
		return detached_buffer(&place->detached, args->buffers.list[args->buffers.n - 1]);
	return detached_buffer(&place->detached, "") ?: place->detached.buffers;
}

/* Any instance, or the top level for "". */
static int open_instance(struct show_place *place, const char *name, struct fathom_err *err)
{
	const struct detached_buffer buffer = { name, name };

	snprintf(place->path, sizeof(place->path), "%s%s", *name ? "instances/" : "", name);
	place->fd = detached_open(&place->env, &buffer, err);
	if (place->fd == -ENOENT)
		return err_set(err, -ENOENT, "no buffer '%s'; see 'fathom stat'", name);
	return place->fd < 0 ? place->fd : 0;
}

static int open_place(const struct session_args *args, bool top, struct show_place *place,
		      struct fathom_err *err)
{
	const struct plan_words *names = &args->buffers;
	const char *name = names->n ? names->list[names->n - 1] : "";
	int r = session_env_open("", &place->env, err);

	if (r == 0 && !tracefs_readable(&place->env.tracefs))
		r = session_env_check(&place->env, err);
	if (r < 0)
		return r;
	if (top)
		return open_instance(place, name, err);
	r = detached_find(&place->env, args->session, &place->detached, err);
	if (r == -ENOENT && !args->session) {
		fathom_err_reset(err);
		return open_instance(place, name, err);
	}
	if (r < 0)
		return r;
	place->buffer = show_file_choose(args, place);
	return open_instance(place, place->buffer ? place->buffer->instance : name, err);
}

int show_place_open(const struct session_args *args, bool top, struct show_place *ret_place,
		    struct fathom_err *err)
{
	_cleanup_(show_place_done) struct show_place place = { .env = SESSION_ENV_NONE, .fd = -1 };
	int r = open_place(args, top, &place, err);

	if (r < 0)
		return r;
	*ret_place = place;
	place = (struct show_place){ .env = SESSION_ENV_NONE, .fd = -1 };
	return 0;
}

int show_cpu_check(const char *cpu, struct fathom_err *err)
{
	if (cpu && (!*cpu || cpu[strspn(cpu, "0123456789")]))
		return err_set(err, -EINVAL, "invalid CPU number '%s'", cpu);
	return 0;
}

static volatile sig_atomic_t interrupted;

static void show_file_interrupt(int sig)
{
	(void)sig;
	interrupted = 1;
}

/* Ctrl-C must interrupt a blocking read, so without SA_RESTART. */
static void show_file_take_signals(void)
{
	struct sigaction action = { .sa_handler = show_file_interrupt };

	sigemptyset(&action.sa_mask);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
}

static int show_file_copy(int fd, struct out *out, struct fathom_err *err)
{
	_cleanup_(sink_done) struct sink sink = { 0 };
	static char bytes[1 << 16];

	if (sink_init(&sink, out->fd) < 0)
		return err_nomem(err);
	sink.printable = &out->printable;
	while (!interrupted && !sink.err) {
		ssize_t n = read(fd, bytes, sizeof(bytes));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_set_errno(err, negative_errno(), "cannot read further events");
		if (n == 0)
			break;
		text_bytes(&sink.text, bytes, (size_t)n);
		sink_flush(&sink);
	}
	/* The reader of the output is gone: not an error. */
	if (sink.err && sink.err != -EPIPE)
		return err_set_errno(err, sink.err, "cannot write the output");
	return 0;
}

static int show_file_open(const struct show_place *place, const char *file)
{
	int fd = openat(place->fd, file, O_RDONLY | O_CLOEXEC);

	return fd < 0 ? negative_errno() : fd;
}

/*
 * Opens the buffer's text with tracing paused until it is closed. Otherwise reading might never end:
 * it is traced itself and causes more events than it prints. If the session is active, or there is
 * none, the file is opened without pausing.
 */
static int open_paused(const struct show_place *place, const char *file)
{
	_cleanup_session_ struct session *session = NULL;
	struct session_place *to;
	char line[8];
	int fd;

	if (!place->buffer || session_adopt("", place->detached.id, &session, NULL) < 0 ||
	    detached_place(session, place->buffer, &to, NULL) < 0 ||
	    file_read_line(to->fd, PAUSE, line, sizeof(line)) <= 0 || line[0] == '1' ||
	    session_set(session, to, PAUSE, "1", NULL) < 0)
		return show_file_open(place, file);
	fd = show_file_open(place, file);
	session_set(session, to, PAUSE, "0", NULL);
	return fd;
}

int show_place_print(const struct show_place *place, const char *file, const struct show_how *how,
		     struct out *out, struct fathom_err *err)
{
	char path[SHOW_PATH_SIZE];
	_cleanup_close_ int fd = -1;

	if (how->cpu)
		snprintf(path, sizeof(path), "per_cpu/cpu%.20s/%s", how->cpu, file);
	else
		snprintf(path, sizeof(path), "%s", file);
	fd = how->pause ? open_paused(place, path) : show_file_open(place, path);
	if (fd == -ENOENT && how->cpu)
		return err_set(err, fd, "no CPU '%s', or no '%s' in this kernel", how->cpu, path);
	if (fd < 0)
		return err_set_errno(err, fd, "cannot open '%s'", path);
	if (how->path)
		out_printf(out, OUT_PLAIN, "%s/%s%s%s\n", place->env.tracefs.path, place->path,
			   *place->path ? "/" : "", path);
	fflush(out->stream);
	show_file_take_signals();
	return show_file_copy(fd, out, err);
}
