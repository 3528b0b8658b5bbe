/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "record/unwind/unwinder-parts.h"

#include <errno.h>
#include <linux/sockios.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "process/confined-pool.h"
#include "base/err.h"
#include "process/fd-message.h"
#include "base/mem.h"
#include "record/unwind/unwind-process.h"
#include "symbols/dwarf/stack-unwind.h"

/* For rules that were read, and all maps. */
#define MEMORY_MAX ((uint64_t)1 << 30)
/*
 * Size of the socket buffer. Samples may fill half of it, so that there is always room for
 * mappings.
 */
#define BUFFER (16 << 20)
/* A process that accepts nothing for this long is given up: its maps would be incomplete. */
#define STUCK_MS 1000
/* Limit of CPU time for one stack. */
#define STACK_NS ((uint64_t)5 * 1000000000)

static void unwinder_take_process(struct unwinder *unwinder)
{
	socklen_t len = sizeof(unwinder->buffer);

	getsockopt(unwinder->pool.current.fd, SOL_SOCKET, SO_SNDBUF, &unwinder->buffer, &len);
	unwinder->n_files = unwinder->waiting = 0;
	unwinder->failed = false;
}

int unwinder_new_limited(uint64_t stack_ns, struct unwinder **ret_unwinder, struct fathom_err *err)
{
	static const struct confined_limits limits = { .memory = MEMORY_MAX, .buffer = BUFFER };
	struct unwinder *unwinder;
	void *shared;
	int r;

	if (!frame_rules_supported())
		return err_set(err, -ENOTSUP,
			       "unsupported: unwinding needs a fathom built with libdw, on "
			       "x86-64 or arm64");
	shared = mmap(NULL, sizeof(*unwinder->reading), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		return err_nomem(err);
	unwinder = mem_zalloc(1, sizeof(*unwinder));
	r = unwinder ? confined_pool_start(&unwinder->pool, unwind_process_serve, shared, &limits,
					   err) :
		       err_nomem(err);
	if (r < 0) {
		free(unwinder);
		munmap(shared, sizeof(*unwinder->reading));
		return r;
	}
	unwinder->reading = shared;
	unwinder->stack_ns = stack_ns;
	unwinder_take_process(unwinder);
	*ret_unwinder = unwinder;
	return 0;
}

int unwinder_new(struct unwinder **ret_unwinder, struct fathom_err *err)
{
	return unwinder_new_limited(STACK_NS, ret_unwinder, err);
}

void unwinder_free(struct unwinder *unwinder)
{
	if (!unwinder)
		return;
	confined_pool_kill(&unwinder->pool);
	munmap((void *)unwinder->reading, sizeof(*unwinder->reading));
	free(unwinder);
}

pid_t unwinder_pid(const struct unwinder *unwinder)
{
	return unwinder->pool.current.pid;
}

size_t unwinder_pids(const struct unwinder *unwinder, pid_t pids[CONFINED_FAILURES_MAX])
{
	return confined_pool_pids(&unwinder->pool, pids);
}

uint32_t unwinder_reading(const struct unwinder *unwinder)
{
	return atomic_load(unwinder->reading);
}

bool unwinder_failed(const struct unwinder *unwinder)
{
	return unwinder->failed;
}

size_t unwinder_failures(const struct unwinder *unwinder,
			 const struct unwinder_failure **ret_failures)
{
	*ret_failures = unwinder->failures;
	return unwinder->n_failures;
}

/* Returns the failure because of which a file is skipped, or NULL. */
static struct unwinder_failure *failure_of(struct unwinder *unwinder, uint32_t file)
{
	for (size_t i = 0; file && i < unwinder->n_failures; i++)
		if (unwinder->failures[i].file == file)
			return &unwinder->failures[i];
	return NULL;
}

/* @why: the misbehavior; NULL: it has exited. */
static void unwinder_give_up(struct unwinder *unwinder, const char *why)
{
	struct unwinder_failure failure = { 0 };

	unwinder->failed = true;
	confined_pool_fail(&unwinder->pool, why, failure.how);
	/* Don't trust it: it may have written any number. */
	failure.file = atomic_exchange(unwinder->reading, 0);
	if (failure.file > unwinder->n_files || failure_of(unwinder, failure.file))
		failure.file = 0;
	if (unwinder->n_failures < CONFINED_FAILURES_MAX)
		unwinder->failures[unwinder->n_failures++] = failure;
}

bool unwinder_restart(struct unwinder *unwinder)
{
	if (!unwinder->failed || !confined_pool_replace(&unwinder->pool))
		return false;
	unwinder_take_process(unwinder);
	return true;
}

/* Returns the CPU time of the process in ns; 0: unknown. */
static uint64_t time_used(const struct unwinder *unwinder)
{
	clockid_t clock;

	return clock_getcpuclockid(unwinder->pool.current.pid, &clock) == 0 ? clock_ns(clock) : 0;
}

/* Sends a mapping or file, which must not be omitted. */
static void unwinder_send(struct unwinder *unwinder, const struct unwind_message *message, int file)
{
	const struct iovec part = { (void *)(uintptr_t)message, sizeof(*message) };
	struct pollfd wait = { .fd = unwinder->pool.current.fd, .events = POLLOUT };
	int r = -EPIPE;

	if (unwinder->failed)
		return;
	do {
		r = fd_message_send(unwinder->pool.current.fd, &part, 1, file, MSG_DONTWAIT);
	} while (r == -EAGAIN && poll(&wait, 1, STUCK_MS) > 0);
	/*
	 * If a file cannot be sent, for example because too many are in flight, the process has to
	 * do without.
	 */
	if (r == -ETOOMANYREFS || r == -EBADF)
		r = fd_message_send(unwinder->pool.current.fd, &part, 1, -1, MSG_DONTWAIT);
	if (r < 0)
		unwinder_give_up(unwinder, r == -EAGAIN ? "took no message for 1 s" : NULL);
}

static void send_file(void *data, uint32_t number, int fd, uint64_t size)
{
	struct unwinder *unwinder = data;
	struct unwind_message message = {
		.kind = UNWIND_FILE, .file = { .number = number, .is_data = fd == -2, .size = size }
	};

	unwinder->n_files = number;
	unwinder_send(unwinder, &message, failure_of(unwinder, number) ? -1 : fd);
}

static void send_entry(void *data, const struct map_log_entry *entry)
{
	struct unwind_message message = { .kind = UNWIND_ENTRY, .entry = *entry };

	/* Threads share the maps of their process, and samples have the PID of that. */
	if (entry->kind != 'T' && entry->kind != 'L')
		unwinder_send(data, &message, -1);
}

struct map_log_listener unwinder_listener(struct unwinder *unwinder)
{
	return (struct map_log_listener){ send_file, send_entry, unwinder };
}

bool unwinder_ask(struct unwinder *unwinder, const struct unwind_question *question,
		  const uint8_t *stack, size_t size)
{
	struct unwind_message message = { .kind = UNWIND_SAMPLE, .sample = *question };
	const struct iovec parts[] = { { &message, sizeof(message) },
				       { (void *)(uintptr_t)stack, size } };
	int waiting = 0, r;

	if (unwinder->failed || size > UNWIND_STACK_MAX ||
	    ioctl(unwinder->pool.current.fd, SIOCOUTQ, &waiting) < 0 ||
	    waiting > unwinder->buffer / 2)
		return false;
	r = fd_message_send(unwinder->pool.current.fd, parts, 1 + (size > 0), -1, MSG_DONTWAIT);
	if (r < 0 && r != -EAGAIN && r != -ENOBUFS)
		unwinder_give_up(unwinder, NULL);
	if (r == 0 && !unwinder->waiting++)
		unwinder->used = time_used(unwinder);
	return r == 0;
}

/* The process parses untrusted files: check its answers. */
static bool is_valid(const struct unwind_answer *answer, size_t len)
{
	const size_t head = offsetof(struct unwind_answer, frames);

	return len >= head && answer->n <= UNWINDER_FRAMES_MAX &&
	       len == head + answer->n * sizeof(answer->frames[0]);
}

static void count_answer(struct unwinder *unwinder, const struct unwind_answer *answer)
{
	struct unwinder_failure *failure = failure_of(unwinder, answer->file);

	unwinder->waiting--;
	unwinder->used = time_used(unwinder);
	if (failure && answer->end == UNWIND_NO_FILE)
		failure->stacks++;
}

/* It might compute for the rest of the recording. */
static void unwinder_check_time(struct unwinder *unwinder)
{
	char why[CONFINED_HOW_SIZE];

	if (time_used(unwinder) <= unwinder->used + unwinder->stack_ns)
		return;
	snprintf(why, sizeof(why), "exceeded %.3g s of CPU time for one stack",
		 (double)unwinder->stack_ns / 1e9);
	unwinder_give_up(unwinder, why);
}

bool unwinder_answer(struct unwinder *unwinder, int wait_ms, struct unwind_answer *ret_answer)
{
	struct pollfd wait = { .fd = unwinder->pool.current.fd, .events = POLLIN };
	size_t len;
	int file, r;

	if (unwinder->failed)
		return false;
	r = poll(&wait, 1, wait_ms);
	if (r == 0 && unwinder->waiting)
		unwinder_check_time(unwinder);
	if (r <= 0)
		return false;
	len = fd_message_receive(unwinder->pool.current.fd, ret_answer, sizeof(*ret_answer),
				 MSG_DONTWAIT, &file);
	if (file >= 0)
		close(file);
	/* Unsolicited answers could keep the recorder busy. */
	if (!unwinder->waiting || !is_valid(ret_answer, len)) {
		unwinder_give_up(unwinder, len ? "sent an invalid answer" : NULL);
		return false;
	}
	count_answer(unwinder, ret_answer);
	return true;
}
