/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/syscalls/urings.h"

#include <limits.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/mem.h"

#define SET_BITS 11
#define WAYS	 4 /* slots in which a request may be */

struct uring {
	int32_t pid; /* task that created it, or else the first one seen to use it */
	bool is_whole; /* recorded since its creation */
	uint64_t n; /* number of requests */
};

struct uring_last {
	uint64_t tag; /* 0: none */
	uint64_t ring, request, data;
};

#define OP(name) "io_uring:" name

/* Indexed by enum io_uring_op. */
static const char *const operations[] = {
	OP("nop"),
	OP("readv"),
	OP("writev"),
	OP("fsync"),
	OP("read_fixed"),
	OP("write_fixed"),
	OP("poll_add"),
	OP("poll_remove"),
	OP("sync_file_range"),
	OP("sendmsg"),
	OP("recvmsg"),
	OP("timeout"),
	OP("timeout_remove"),
	OP("accept"),
	OP("async_cancel"),
	OP("link_timeout"),
	OP("connect"),
	OP("fallocate"),
	OP("openat"),
	OP("close"),
	OP("files_update"),
	OP("statx"),
	OP("read"),
	OP("write"),
	OP("fadvise"),
	OP("madvise"),
	OP("send"),
	OP("recv"),
	OP("openat2"),
	OP("epoll_ctl"),
	OP("splice"),
	OP("provide_buffers"),
	OP("remove_buffers"),
	OP("tee"),
	OP("shutdown"),
	OP("renameat"),
	OP("unlinkat"),
	OP("mkdirat"),
	OP("symlinkat"),
	OP("linkat"),
	OP("msg_ring"),
	OP("fsetxattr"),
	OP("setxattr"),
	OP("fgetxattr"),
	OP("getxattr"),
	OP("socket"),
	OP("uring_cmd"),
	OP("send_zc"),
	OP("sendmsg_zc"),
	OP("read_multishot"),
	OP("waitid"),
	OP("futex_wait"),
	OP("futex_wake"),
	OP("futex_waitv"),
	OP("fixed_fd_install"),
	OP("ftruncate"),
	OP("bind"),
	OP("listen"),
	OP("recv_zc"),
	OP("epoll_wait"),
	OP("readv_fixed"),
	OP("writev_fixed"),
	OP("pipe"),
};

const char *uring_name(unsigned operation)
{
	return operation < ARRAY_SIZE(operations) ? operations[operation] : "io_uring";
}

static struct uring *ring_of(struct urings *urings, uint64_t context, bool add)
{
	struct uring *ring;

	if (!add) {
		uint32_t at = u64_map_get(&urings->contexts, context);

		return at == U64_MAP_NONE ? NULL : &urings->rings[at];
	}
	ring = u64_map_element(&urings->contexts, context, &urings->rings, &urings->n_rings,
			       &urings->cap_rings, sizeof(*ring));
	urings->nomem |= !ring;
	return ring;
}

static struct uring_request *set_of(const struct urings *urings, uint64_t ring, uint64_t key)
{
	uint64_t hash = (ring * 31 + key) * 0x9e3779b97f4a7c15ULL;

	return &urings->requests[(hash >> (64 - SET_BITS)) * WAYS];
}

/* Returns the latest one, or NULL. */
static struct uring_request *urings_find(const struct urings *urings, uint64_t ring, uint64_t key)
{
	struct uring_request *set = urings->requests ? set_of(urings, ring, key) : NULL;
	struct uring_request *found = NULL;

	for (unsigned i = 0; set && i < WAYS; i++)
		if (set[i].tag && set[i].ring == ring && set[i].key == key &&
		    (!found || set[i].tag > found->tag))
			found = &set[i];
	return found;
}

/* Returns a slot: that of the same request, of a completed one, or the oldest. */
static struct uring_request *slot_for(struct urings *urings, uint64_t ring, uint64_t key)
{
	struct uring_request *slot = urings_find(urings, ring, key), *set;

	if (!urings->requests)
		urings->requests = mem_zalloc((size_t)WAYS << SET_BITS, sizeof(*urings->requests));
	if (!urings->requests) {
		urings->nomem = true;
		return NULL;
	}
	set = set_of(urings, ring, key);
	for (unsigned i = 0; !slot && i < WAYS; i++)
		if (!set[i].tag || set[i].done)
			slot = &set[i];
	if (!slot) {
		slot = set;
		for (unsigned i = 1; i < WAYS; i++)
			if (set[i].tag < slot->tag)
				slot = &set[i];
	}
	return slot;
}

static struct uring_last *urings_last_of(struct urings *urings, int32_t pid)
{
	struct uring_last *last = u64_map_element(&urings->pids, (uint32_t)pid, &urings->last,
						  &urings->n_last, &urings->cap_last,
						  sizeof(*last));

	urings->nomem |= !last;
	return last;
}

static void add_request(struct urings *urings, const struct decoded_event *decoded,
			const struct uring *ring, uint64_t key)
{
	const char *name = uring_name(decoded->uring.operation);
	struct uring_request *slot = slot_for(urings, decoded->uring.ring, key);
	bool same;

	if (!slot)
		return;
	same = slot->tag && !slot->done && slot->ring == decoded->uring.ring && slot->key == key;
	free(slot->path);
	*slot = (struct uring_request){
		.tag = urings->tag,
		.ring = decoded->uring.ring,
		.key = key,
		.pid = decoded->uring.is_polled ? ring->pid : decoded->event->pid,
		.number = ring->is_whole ? ring->n : 0,
		.data = decoded->uring.data,
		.name = same && slot->name != name ? uring_name(UINT_MAX) : name,
		.unclear = same,
	};
}

static void feed_submit(struct urings *urings, const struct decoded_event *decoded)
{
	bool is_polled = decoded->uring.is_polled;
	struct uring *ring = ring_of(urings, decoded->uring.ring, !is_polled);
	struct uring_last *last;

	if (!ring)
		return;
	if (!ring->pid)
		ring->pid = decoded->event->pid;
	ring->n++;
	urings->tag++;
	/*
	 * It is unknown yet whether completions have the request's address or only the user data.
	 */
	add_request(urings, decoded, ring, decoded->uring.request);
	add_request(urings, decoded, ring, decoded->uring.data);
	last = urings_last_of(urings, decoded->event->pid);
	if (last)
		*last = (struct uring_last){ urings->tag, decoded->uring.ring,
					     decoded->uring.request, decoded->uring.data };
}

static void urings_set_path(struct urings *urings, const struct uring_last *last, uint64_t key,
			    const struct decoded_event *decoded)
{
	struct uring_request *request = urings_find(urings, last->ring, key);

	if (!request || request->tag != last->tag || request->path)
		return;
	request->path = mem_strndup(decoded->path.text, decoded->path.len);
	urings->nomem |= !request->path;
}

/* If there are several paths, the first one counts. */
static void urings_feed_path(struct urings *urings, const struct decoded_event *decoded)
{
	uint32_t at = u64_map_get(&urings->pids, (uint32_t)decoded->event->pid);
	const struct uring_last *last = at == U64_MAP_NONE ? NULL : &urings->last[at];

	if (!last || !last->tag || !decoded->path.text)
		return;
	urings_set_path(urings, last, last->request, decoded);
	urings_set_path(urings, last, last->data, decoded);
}

void urings_feed(struct urings *urings, const struct decoded_event *decoded)
{
	struct uring *ring;
	uint32_t at;

	switch (decoded->kind) {
	case DECODED_URING:
		ring = ring_of(urings, decoded->uring.ring, true);
		if (ring)
			*ring = (struct uring){ .pid = decoded->event->pid, .is_whole = true };
		break;
	case DECODED_URING_SUBMIT:
		feed_submit(urings, decoded);
		break;
	case DECODED_PATH:
		urings_feed_path(urings, decoded);
		break;
	case DECODED_SYSCALL_ENTRY:
		at = u64_map_get(&urings->pids, (uint32_t)decoded->event->pid);
		if (at != U64_MAP_NONE)
			urings->last[at].tag = 0;
		break;
	default:
		break;
	}
}

bool urings_complete(struct urings *urings, const struct decoded_event *decoded,
		     struct uring_request *ret)
{
	uint64_t context = decoded->uring.ring, data = decoded->uring.data;
	const struct uring *ring = ring_of(urings, context, false);
	struct uring_request *request, *other;

	if (!ring)
		return false;
	*ret = (struct uring_request){
		.ring = context, .pid = ring->pid, .data = data, .name = uring_name(UINT_MAX)
	};
	request = urings_find(urings, context, decoded->uring.request ?: data);
	if (!request || request->data != data)
		return true;
	*ret = *request;
	if (request->unclear) {
		ret->path = NULL;
		ret->number = ret->tag = 0;
	}
	request->done = true;
	other = urings_find(urings, context, data);
	if (other && other->tag == request->tag)
		other->done = true;
	return true;
}

void urings_done(struct urings *urings)
{
	for (size_t i = 0; urings->requests && i < (size_t)WAYS << SET_BITS; i++)
		free(urings->requests[i].path);
	free(urings->requests);
	free(urings->rings);
	free(urings->last);
	u64_map_done(&urings->contexts);
	u64_map_done(&urings->pids);
}
