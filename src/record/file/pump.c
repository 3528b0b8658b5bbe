/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "record/file/pump.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/negative-errno.h"

#define PIPE_SIZE   ((size_t)1 << 20)
#define STACK_SIZE  ((size_t)128 << 10)
#define WAKE_SIGNAL SIGUSR1 /* its only effect is to interrupt splice() */
#define NUDGE_NS    2000000
#define ABSENT_US   100000 /* how often to look for a CPU that is offline */

enum pump_phase {
	PUMP_WAITS,
	PUMP_RUNS,
	PUMP_DRAINS,
	PUMP_ENDS, /* discards remaining data */
};

struct pump_stream {
	struct pump *pump;
	struct trace_out_stream *to;
	int raw; /* trace_pipe_raw */
	int pipe[2];
	size_t pipe_size;
	char *page; /* a buffer of the page size, for the last, partial page */
	pthread_t thread;
	bool has_thread;
	bool absent; /* the CPU has not been online yet, and has no ring */
	_Atomic bool seen; /* has noticed the end of PUMP_RUNS */
	int error; /* why it ended; valid after it has ended or failed */
	_Atomic bool failed;
};

struct pump {
	struct pump_stream *streams;
	size_t n;
	pid_t *tids;
	struct pump_options options;
	int event;
	pthread_mutex_t lock;
	pthread_cond_t change;
	size_t n_ready;
	_Atomic enum pump_phase phase;
	struct sigaction old_action;
	bool has_action;
};

static void pump_wake(int sig)
{
	(void)sig;
}

static bool pump_runs(const struct pump *pump)
{
	return atomic_load_explicit(&pump->phase, memory_order_relaxed) == PUMP_RUNS;
}

/* Moves @n bytes from the pipe to the file. Returns 0 or a negative errno. */
static int pipe_to_file(struct pump_stream *s, size_t n)
{
	uint64_t size = atomic_load_explicit(&s->to->size, memory_order_relaxed);
	uint64_t whole = size;
	int r = 0;

	while (n) {
		off64_t offset = (off64_t)(s->to->start + size);
		ssize_t m = -1;

		if (size + n > s->to->limit)
			errno = EFBIG;
		else
			m = splice(s->pipe[0], NULL, s->to->fd, &offset, n, SPLICE_F_MOVE);
		if (m < 0 && errno == EINTR)
			continue;
		if (m <= 0) {
			r = m < 0 ? negative_errno() : -EIO;
			break;
		}
		size += (uint64_t)m;
		n -= (size_t)m;
	}
	/* A page truncated by a full disk does not count. */
	whole += (size - whole) / s->to->page_size * s->to->page_size;
	atomic_store_explicit(&s->to->size, whole, memory_order_release);
	return r;
}

/*
 * Moves available data, at most the size of the pipe. Returns the number of bytes, 0 if there is
 * nothing, or a negative errno.
 */
static ssize_t move_pages(struct pump_stream *s, unsigned flags)
{
	ssize_t n = splice(s->raw, NULL, s->pipe[1], NULL, s->pipe_size, flags | SPLICE_F_MOVE);
	int r;

	s->absent = n < 0 && errno == ENODEV;
	if (n < 0)
		return errno == EINTR || errno == EAGAIN || s->absent ? 0 : negative_errno();
	r = pipe_to_file(s, (size_t)n);
	if (r == 0)
		r = trace_out_trim(s->to);
	return r < 0 ? r : n;
}

static int pump_take_all(struct pump_stream *s)
{
	ssize_t n;

	do
		n = move_pages(s, SPLICE_F_NONBLOCK);
	while (n > 0);
	return (int)n;
}

/* splice() only returns whole pages; the current one has to be read. */
static int take_rest(struct pump_stream *s)
{
	uint32_t page_size = s->to->page_size;

	for (;;) {
		ssize_t n = read(s->raw, s->page, page_size);
		int r;

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 && errno != EAGAIN ? negative_errno() : 0;
		memset(s->page + n, 0, page_size - (size_t)n);
		r = trace_out_append(s->to, s->page);
		if (r < 0)
			return r;
	}
}

static void pause_us(unsigned us)
{
	struct timespec t = { .tv_sec = us / 1000000, .tv_nsec = (long)(us % 1000000) * 1000 };

	nanosleep(&t, NULL);
}

static int pump_stream(struct pump_stream *s)
{
	unsigned interval = s->pump->options.interval_us;
	int r = 0;

	while (r >= 0 && pump_runs(s->pump)) {
		if (interval) {
			r = pump_take_all(s);
			pause_us(interval);
			continue;
		}
		r = (int)move_pages(s, 0);
		/* Interrupted, or the tracer was disabled. */
		if (r == 0 && pump_runs(s->pump)) {
			r = pump_take_all(s);
			if (r == 0)
				pause_us(s->absent ? ABSENT_US : 1000);
		}
	}
	atomic_store(&s->seen, true);
	if (r >= 0 && atomic_load(&s->pump->phase) == PUMP_DRAINS) {
		r = pump_take_all(s);
		if (r >= 0 && !s->absent)
			r = take_rest(s);
	}
	return r < 0 ? r : 0;
}

static void pump_fail(struct pump_stream *s, int r)
{
	uint64_t one = 1;

	s->error = r;
	atomic_store(&s->failed, true);
	(void)!write(s->pump->event, &one, sizeof(one));
}

static void set_priority(int priority)
{
	struct sched_param param = { .sched_priority = priority };

	if (priority)
		sched_setscheduler(0, SCHED_FIFO, &param);
}

static void *thread_main(void *arg)
{
	struct pump_stream *s = arg;
	struct pump *pump = s->pump;
	char name[16];
	int r;

	snprintf(name, sizeof(name), "fathom-cpu%u", s->to->cpu);
	pthread_setname_np(pthread_self(), name);
	set_priority(pump->options.priority);
	pthread_mutex_lock(&pump->lock);
	pump->tids[s - pump->streams] = (pid_t)syscall(SYS_gettid);
	pump->n_ready++;
	pthread_cond_broadcast(&pump->change);
	while (atomic_load(&pump->phase) == PUMP_WAITS)
		pthread_cond_wait(&pump->change, &pump->lock);
	pthread_mutex_unlock(&pump->lock);
	r = pump_stream(s);
	atomic_store(&s->seen, true);
	if (r < 0)
		pump_fail(s, r);
	return NULL;
}

static int open_stream(struct pump_stream *s, const struct pump_source *source)
{
	char path[64];
	int size;

	snprintf(path, sizeof(path), "per_cpu/cpu%u/%s", source->to->cpu,
		 s->pump->options.snapshot ? "snapshot_raw" : "trace_pipe_raw");
	s->to = source->to;
	s->page = mem_alloc(source->to->page_size);
	if (!s->page)
		return -ENOMEM;
	s->raw = openat(source->place, path, O_RDONLY | O_CLOEXEC);
	if (s->raw < 0 || pipe2(s->pipe, O_CLOEXEC) < 0)
		return negative_errno();
	/* A small pipe also works. */
	fcntl(s->pipe[1], F_SETPIPE_SZ, (int)PIPE_SIZE);
	size = fcntl(s->pipe[1], F_GETPIPE_SZ);
	s->pipe_size = size > 0 ? (size_t)size : 65536;
	return 0;
}

static int start_thread(struct pump_stream *s)
{
	sigset_t all, old;
	pthread_attr_t attr;
	int r;

	/* Block all signals in the threads, except for the one that wakes them. */
	sigfillset(&all);
	sigdelset(&all, WAKE_SIGNAL);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_SIZE);
	r = -pthread_create(&s->thread, &attr, thread_main, s);
	pthread_attr_destroy(&attr);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	s->has_thread = r == 0;
	return r;
}

static int start_threads(struct pump *pump)
{
	struct sigaction action = { .sa_handler = pump_wake };
	int r = 0;

	sigemptyset(&action.sa_mask);
	if (sigaction(WAKE_SIGNAL, &action, &pump->old_action) < 0)
		return negative_errno();
	pump->has_action = true;
	for (size_t i = 0; i < pump->n && r == 0; i++)
		r = start_thread(&pump->streams[i]);
	if (r < 0)
		return r;
	pthread_mutex_lock(&pump->lock);
	while (pump->n_ready < pump->n)
		pthread_cond_wait(&pump->change, &pump->lock);
	pthread_mutex_unlock(&pump->lock);
	return 0;
}

int pump_new(const struct pump_source *sources, size_t n, const struct pump_options *options,
	     struct pump **ret_pump, struct fathom_err *err)
{
	_cleanup_pump_ struct pump *pump = mem_zalloc(1, sizeof(*pump));
	int r = 0;

	if (!pump)
		return err_nomem(err);
	pthread_mutex_init(&pump->lock, NULL);
	pthread_cond_init(&pump->change, NULL);
	pump->options = *options;
	pump->event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	pump->streams = mem_zalloc(n, sizeof(*pump->streams));
	pump->tids = mem_zalloc(n, sizeof(*pump->tids));
	if (!pump->streams || !pump->tids)
		return err_nomem(err);
	if (pump->event < 0)
		return err_set_errno(err, negative_errno(), "cannot create an eventfd");
	for (; pump->n < n && r == 0; pump->n++) {
		struct pump_stream *s = &pump->streams[pump->n];

		*s = (struct pump_stream){ .pump = pump, .raw = -1, .pipe = { -1, -1 } };
		r = open_stream(s, &sources[pump->n]);
		if (r < 0)
			err_set_errno(err, r, "cannot read the buffer of CPU %u%s",
				      sources[pump->n].to->cpu,
				      r == -EBUSY ? ": another process reads it" : "");
	}
	if (r < 0)
		return r;
	r = start_threads(pump);
	if (r < 0)
		return err_set_errno(err, r, "cannot start the recording threads");
	*ret_pump = TAKE_PTR(pump);
	return 0;
}

const pid_t *pump_threads(const struct pump *pump, size_t *ret_n)
{
	*ret_n = pump->n;
	return pump->tids;
}

static void pump_enter(struct pump *pump, enum pump_phase phase)
{
	pthread_mutex_lock(&pump->lock);
	atomic_store(&pump->phase, phase);
	pthread_cond_broadcast(&pump->change);
	pthread_mutex_unlock(&pump->lock);
}

void pump_go(struct pump *pump)
{
	pump_enter(pump, PUMP_RUNS);
}

void pump_flush(struct pump *pump)
{
	for (size_t i = 0; i < pump->n; i++)
		if (!atomic_load(&pump->streams[i].failed))
			pthread_kill(pump->streams[i].thread, WAKE_SIGNAL);
}

int pump_fd(const struct pump *pump)
{
	return pump->event;
}

/* A thread that was about to sleep when the phase changed needs another signal. */
static void end_thread(struct pump_stream *s)
{
	struct timespec t = { .tv_nsec = NUDGE_NS };

	while (!atomic_load(&s->seen)) {
		pthread_kill(s->thread, WAKE_SIGNAL);
		nanosleep(&t, NULL);
	}
	pthread_join(s->thread, NULL);
	s->has_thread = false;
}

static void end_threads(struct pump *pump, enum pump_phase phase)
{
	pump_enter(pump, phase);
	for (size_t i = 0; i < pump->n; i++)
		if (pump->streams[i].has_thread)
			pthread_kill(pump->streams[i].thread, WAKE_SIGNAL);
	for (size_t i = 0; i < pump->n; i++)
		if (pump->streams[i].has_thread)
			end_thread(&pump->streams[i]);
}

int pump_stop(struct pump *pump, struct fathom_err *err)
{
	/* The last page is read with read(), which would otherwise wait for another one. */
	for (size_t i = 0; i < pump->n; i++)
		fcntl(pump->streams[i].raw, F_SETFL, O_NONBLOCK);
	end_threads(pump, PUMP_DRAINS);
	for (size_t i = 0; i < pump->n; i++)
		if (pump->streams[i].error)
			return err_set_errno(err, pump->streams[i].error,
					     "recording of CPU %u ended early",
					     pump->streams[i].to->cpu);
	return 0;
}

static void close_stream(struct pump_stream *s)
{
	if (s->raw >= 0)
		close(s->raw);
	if (s->pipe[0] >= 0)
		close(s->pipe[0]);
	if (s->pipe[1] >= 0)
		close(s->pipe[1]);
	free(s->page);
}

void pump_free(struct pump *pump)
{
	if (!pump)
		return;
	end_threads(pump, PUMP_ENDS);
	if (pump->has_action)
		sigaction(WAKE_SIGNAL, &pump->old_action, NULL);
	for (size_t i = 0; i < pump->n; i++)
		close_stream(&pump->streams[i]);
	if (pump->event >= 0)
		close(pump->event);
	pthread_cond_destroy(&pump->change);
	pthread_mutex_destroy(&pump->lock);
	free(pump->streams);
	free(pump->tids);
	free(pump);
}
