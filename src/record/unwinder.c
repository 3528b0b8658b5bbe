/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "record/unwinder-parts.h"

#include <errno.h>
#include <linux/sockios.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/fd-message.h"
#include "base/mem.h"
#include "record/unwind-process.h"

/* Of rules that were read, and of all that is known of maps. */
#define MEMORY_MAX ((uint64_t)1 << 30)
/* What may be under way. Samples fill a half of it, so that there is always room for what is mapped. */
#define BUFFER (16 << 20)
/* A process that takes nothing for so long is given up: without its maps it would answer wrong. */
#define STUCK_MS 1000

int unwinder_new(struct unwinder **ret_unwinder, struct fathom_err *err)
{
	static const struct confined_limits limits = { .memory = MEMORY_MAX, .buffer = BUFFER };
	struct unwinder *unwinder;
	socklen_t len = sizeof(unwinder->buffer);
	int r;

	if (!frame_rules_supported())
		return err_set(err, -ENOTSUP,
			       "unwinding needs libdw, which this fathom was built without, and a "
			       "machine that is known: x86-64 or arm64");
	unwinder = mem_zalloc(1, sizeof(*unwinder));
	if (!unwinder)
		return err_nomem(err);
	r = confined_start(&unwinder->process, unwind_process_serve, NULL, &limits, err);
	if (r < 0) {
		free(unwinder);
		return r;
	}
	getsockopt(unwinder->process.fd, SOL_SOCKET, SO_SNDBUF, &unwinder->buffer, &len);
	*ret_unwinder = unwinder;
	return 0;
}

void unwinder_free(struct unwinder *unwinder)
{
	if (!unwinder)
		return;
	confined_kill(&unwinder->process);
	free(unwinder);
}

pid_t unwinder_pid(const struct unwinder *unwinder)
{
	return unwinder->process.pid;
}

bool unwinder_failed(const struct unwinder *unwinder)
{
	return unwinder->failed;
}

static void give_up(struct unwinder *unwinder)
{
	unwinder->failed = true;
	confined_kill(&unwinder->process);
}

/* What is mapped must be told. */
static void tell(struct unwinder *unwinder, const struct unwind_message *message, int file)
{
	const struct iovec part = { (void *)(uintptr_t)message, sizeof(*message) };
	struct pollfd wait = { .fd = unwinder->process.fd, .events = POLLOUT };
	int r = -EPIPE;

	if (unwinder->failed)
		return;
	do {
		r = fd_message_send(unwinder->process.fd, &part, 1, file, MSG_DONTWAIT);
	} while (r == -EAGAIN && poll(&wait, 1, STUCK_MS) > 0);
	/* A file that cannot be sent, as too many are under way, is one that was not to be had. */
	if (r == -ETOOMANYREFS || r == -EBADF)
		r = fd_message_send(unwinder->process.fd, &part, 1, -1, MSG_DONTWAIT);
	if (r < 0)
		give_up(unwinder);
}

static void tell_file(void *data, uint32_t number, int fd, uint64_t size)
{
	struct unwind_message message = {
		.kind = UNWIND_FILE, .file = { .number = number, .is_data = fd == -2, .size = size }
	};

	tell(data, &message, fd);
}

static void tell_entry(void *data, const struct map_log_entry *entry)
{
	struct unwind_message message = { .kind = UNWIND_ENTRY, .entry = *entry };

	/* Threads have the maps of their process, which samples name. */
	if (entry->kind != 'T' && entry->kind != 'L')
		tell(data, &message, -1);
}

struct map_log_listener unwinder_listener(struct unwinder *unwinder)
{
	return (struct map_log_listener){ tell_file, tell_entry, unwinder };
}

bool unwinder_ask(struct unwinder *unwinder, const struct unwind_question *question,
		  const uint8_t *stack, size_t size)
{
	struct unwind_message message = { .kind = UNWIND_SAMPLE, .sample = *question };
	const struct iovec parts[] = { { &message, sizeof(message) },
				       { (void *)(uintptr_t)stack, size } };
	int waiting = 0, r;

	if (unwinder->failed || size > UNWIND_STACK_MAX ||
	    ioctl(unwinder->process.fd, SIOCOUTQ, &waiting) < 0 || waiting > unwinder->buffer / 2)
		return false;
	r = fd_message_send(unwinder->process.fd, parts, 1 + (size > 0), -1, MSG_DONTWAIT);
	if (r < 0 && r != -EAGAIN && r != -ENOBUFS)
		give_up(unwinder);
	unwinder->open += r == 0;
	return r == 0;
}

bool unwinder_answer(struct unwinder *unwinder, int wait_ms, struct unwind_answer *ret_answer)
{
	struct pollfd wait = { .fd = unwinder->process.fd, .events = POLLIN };
	const size_t head = offsetof(struct unwind_answer, frames);
	size_t len;
	int file;

	if (unwinder->failed || poll(&wait, 1, wait_ms) <= 0)
		return false;
	len = fd_message_receive(unwinder->process.fd, ret_answer, sizeof(*ret_answer),
				 MSG_DONTWAIT, &file);
	if (file >= 0)
		close(file);
	/*
	 * It reads what others have written: what it says is looked at. With answers that nobody asked for it could keep
	 * its caller from all else.
	 */
	if (!unwinder->open || len < head || ret_answer->n > UNWINDER_FRAMES_MAX ||
	    len != head + ret_answer->n * sizeof(ret_answer->frames[0])) {
		give_up(unwinder);
		return false;
	}
	unwinder->open--;
	return true;
}
