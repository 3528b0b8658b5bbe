/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/devices/io.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/stream/clip.h"

/* Maximum number of pending requests. Kernels that merge requests do not always report it. */
#define UNDER_WAY_MAX 65536

/* Returns the part of an interval that is in the window. */
static uint64_t part_inside(const struct io *io, uint64_t start, uint64_t end)
{
	return clip_length(&(struct clip){ io->from, io->to }, start, end);
}

static bool io_is_inside(const struct io *io, uint64_t start, uint64_t end)
{
	return start >= io->from && (!io->to || end <= io->to);
}

/* Returns whether the event is in the window. */
static bool io_counts(const struct decoded_event *decoded)
{
	return !decoded->early && !decoded->late;
}

static uint32_t io_find_row(struct io *io, const struct io_key *key)
{
	uint64_t number = (uint64_t)key->device << 8 | (unsigned char)key->operation;
	struct io_row *row = u64_map_element(&io->places, number, &io->list, &io->n, &io->cap,
					     sizeof(*io->list));

	if (!row) {
		io->nomem = true;
		return UINT32_MAX;
	}
	row->device = key->device;
	row->operation = key->operation;
	return (uint32_t)(row - io->list);
}

static uint32_t *find_in_flight(struct io *io, uint32_t device)
{
	uint32_t *in_flight = u64_map_element(&io->devices, device, &io->in_flight, &io->n_devices,
					      &io->cap_devices, sizeof(*io->in_flight));

	if (!in_flight)
		io->nomem = true;
	return in_flight;
}

/* Other operations have no sectors in some events, and arbitrary ones in others. */
static bool has_sectors(char operation)
{
	return operation == 'R' || operation == 'W' || operation == 'D';
}

struct io_key io_key_of(const struct decoded_event *decoded)
{
	struct io_key key = { .device = decoded->block.device,
			      .operation = decoded->block.operation };

	if (has_sectors(key.operation)) {
		key.sector = decoded->block.sector == UINT64_MAX ? 0 : decoded->block.sector;
		key.is_empty = !decoded->block.sectors;
	}
	return key;
}

static void leave_device(struct io *io, uint32_t device)
{
	uint32_t *in_flight = find_in_flight(io, device);

	if (in_flight && *in_flight)
		--*in_flight;
}

static void remove_idle(struct io *io, struct io_request *request)
{
	if (!request->is_queued && !request->issued)
		io_table_remove(&io->table, request);
}

/* Counts a queued request as cut; no issue event was recorded. */
static void cut_queued(struct io *io, const struct io_request *request)
{
	uint32_t row = request->is_queued && request->is_queued_wanted ?
			       io_find_row(io, &request->key) :
			       UINT32_MAX;

	if (row != UINT32_MAX)
		io->list[row].cut++;
}

static void cut_all(struct io *io, bool counted)
{
	for (size_t i = 0; io->table.slots && i < (size_t)1 << io->table.bits; i++) {
		const struct io_request *request = &io->table.slots[i];

		if (counted && request->used && request->issued && !request->is_unwanted &&
		    (!io->to || request->issued_at <= io->to))
			io->list[request->row].cut += request->issued;
		else if (counted && request->used && !request->issued && io->is_part)
			cut_queued(io, request);
	}
	io_table_clear(&io->table);
	for (size_t i = 0; i < io->n_devices; i++)
		io->in_flight[i] = 0;
}

static struct io_request *make_request(struct io *io, const struct io_key *key, bool counted)
{
	struct io_request *request;

	/* A file may start any number of requests without completing them. */
	if (io->table.n >= UNDER_WAY_MAX)
		cut_all(io, counted);
	request = io_table_make(&io->table, key);
	if (!request)
		io->nomem = true;
	return request;
}

static void io_feed_insert(struct io *io, const struct decoded_event *decoded)
{
	const struct io_key key = io_key_of(decoded);
	struct io_request *request = make_request(io, &key, io_counts(decoded));

	if (!request)
		return;
	if (io->is_part && !request->is_requeued) {
		cut_queued(io, request);
		request->is_queued = request->is_queued_wanted = false;
	}
	request->is_queued_wanted |= !decoded->unwanted;
	/* A requeued request has been waiting since it was requeued. */
	if (request->is_requeued) {
		request->is_requeued = false;
		return;
	}
	request->is_queued_twice = request->is_queued;
	request->is_queued = true;
	request->queued_since = decoded->event->time;
}

static void feed_merge(struct io *io, const struct decoded_event *decoded)
{
	const struct io_key key = io_key_of(decoded);
	struct io_request *request = io_table_find(&io->table, &key);
	uint32_t row = io_find_row(io, &key);

	if (row != UINT32_MAX)
		io->list[row].merged += io_counts(decoded);
	if (!request)
		return;
	request->is_queued = false;
	remove_idle(io, request);
}

/* Adds it to @latency if it is completely in the window, otherwise its part to @partial. */
static void io_add(struct io *io, const struct instance *instance, struct latency *latency,
		   uint64_t *partial)
{
	uint64_t end = instance->start + instance->duration;

	if (!io_is_inside(io, instance->start, end))
		*partial += part_inside(io, instance->start, end);
	else if (latency_add(latency, instance) < 0)
		io->nomem = true;
}

/* The request is issued. */
static void end_queued(struct io *io, struct io_request *request, const struct fathom_event *event)
{
	const struct instance instance = { .start = request->queued_since,
					   .duration = event->time - request->queued_since,
					   .pid = event->pid,
					   .cpu = event->cpu };

	if (request->is_queued && !request->is_queued_twice && !request->is_unwanted &&
	    event->time >= request->queued_since)
		io_add(io, &instance, &io->list[request->row].queued,
		       &io->list[request->row].queued_partial);
	request->is_queued = false;
	request->is_queued_twice = false;
	request->is_requeued = false;
	request->is_queued_wanted = false;
}

static void feed_issue(struct io *io, const struct decoded_event *decoded)
{
	const struct fathom_event *event = decoded->event;
	const struct io_key key = io_key_of(decoded);
	struct io_request *request = make_request(io, &key, io_counts(decoded));
	uint32_t *in_flight = find_in_flight(io, key.device);
	uint32_t row = io_find_row(io, &key);

	if (!request || !in_flight || row == UINT32_MAX)
		return;
	if (request->issued++) {
		request->is_ambiguous = true;
	} else {
		request->is_ambiguous = false;
		request->has_failed = false;
		request->issued_at = event->time;
		request->sectors = decoded->block.sectors;
		request->bytes = decoded->block.bytes;
		request->pid = event->pid;
		request->by_interrupt = decoded->block.context != CONTEXT_TASK;
	}
	request->row = row;
	request->is_unwanted = decoded->unwanted &&
			       !(request->is_queued && request->is_queued_wanted);
	end_queued(io, request, event);
	++*in_flight;
	if (!request->is_unwanted && io_counts(decoded) && *in_flight > io->list[row].depth)
		io->list[row].depth = *in_flight;
}

/* The device completed a part: the rest continues at another sector. */
static void io_shorten(struct io *io, struct io_request *request, uint32_t sectors,
		       const struct decoded_event *decoded)
{
	struct io_request rest = *request, *to;

	rest.key.sector += sectors;
	rest.sectors -= sectors;
	rest.has_failed |= decoded->block.error != 0;
	request->issued = 0;
	remove_idle(io, request);
	to = make_request(io, &rest.key, io_counts(decoded));
	if (!to)
		return;
	if (to->issued) {
		to->issued += rest.issued;
		to->is_ambiguous = true;
		return;
	}
	rest.is_queued = to->is_queued;
	rest.is_queued_twice = to->is_queued_twice;
	rest.is_queued_wanted = to->is_queued_wanted;
	rest.is_requeued = to->is_requeued;
	rest.queued_since = to->queued_since;
	*to = rest;
}

static void io_count(struct io *io, const struct io_request *request,
		     const struct decoded_event *decoded)
{
	const struct fathom_event *event = decoded->event;
	struct io_row *row = &io->list[request->row];
	const struct instance instance = {
		.start = request->issued_at,
		.duration = event->time > request->issued_at ? event->time - request->issued_at : 0,
		.pid = request->pid,
		.cpu = event->cpu,
	};

	io_add(io, &instance, &row->took, &row->took_partial);
	if (!io_is_inside(io, instance.start, event->time)) {
		row->cut += event->time >= io->from && (!io->to || instance.start <= io->to);
		return;
	}
	row->count++;
	row->bytes += request->bytes;
	row->errors += request->has_failed || decoded->block.error;
	heat_add(&io->heat, event->time, instance.duration);
}

static void io_feed_complete(struct io *io, const struct decoded_event *decoded)
{
	const struct io_key key = io_key_of(decoded);
	struct io_request *request = io_table_find(&io->table, &key);
	uint32_t sectors = decoded->block.sectors;
	uint32_t row;

	if (io->is_part && request && request->is_queued && !request->issued) {
		cut_queued(io, request);
		request->is_queued = false;
		remove_idle(io, request);
		return;
	}
	if (!request || !request->issued) {
		/*
		 * Issued before the first event. A flush without data completes without being
		 * issued, and requests that lost their issue to a gap were counted there.
		 */
		if (key.is_empty || io->has_gap || !io_counts(decoded))
			return;
		row = io_find_row(io, &key);
		if (row != UINT32_MAX && !decoded->unwanted)
			io->list[row].cut++;
		return;
	}
	if (!request->is_ambiguous && has_sectors(key.operation) && sectors < request->sectors) {
		io_shorten(io, request, sectors, decoded);
		return;
	}
	leave_device(io, key.device);
	if (request->is_ambiguous && !request->is_unwanted)
		io->list[request->row].cut += io_counts(decoded);
	else if (!request->is_unwanted)
		io_count(io, request, decoded);
	request->issued--;
	remove_idle(io, request);
}

static void io_feed_requeue(struct io *io, const struct decoded_event *decoded)
{
	const struct io_key key = io_key_of(decoded);
	struct io_request *request = io_table_find(&io->table, &key);

	if (!request || !request->issued)
		return;
	leave_device(io, key.device);
	if (!request->is_unwanted)
		io->list[request->row].requeued += io_counts(decoded);
	request->issued--;
	request->is_queued_twice = request->is_queued || request->is_ambiguous;
	request->is_queued = true;
	request->is_queued_wanted = !request->is_unwanted;
	request->is_requeued = true;
	request->queued_since = decoded->event->time;
}

const struct io_request *io_find(const struct io *io, const struct decoded_event *decoded)
{
	const struct io_key key = io_key_of(decoded);
	const struct io_request *request = io_table_find(&io->table, &key);

	if (!io->has_buffer || io->buffer != decoded->event->buffer)
		return NULL;
	return request && request->issued && !request->is_ambiguous ? request : NULL;
}

void io_feed(struct io *io, const struct decoded_event *decoded)
{
	enum decoded_kind kind = decoded->kind;
	uint16_t buffer = decoded->event->buffer;

	if (kind >= DECODED_BLOCK_INSERT && kind <= DECODED_BLOCK_COMPLETE && !io->has_buffer) {
		io->has_buffer = true;
		io->buffer = buffer;
	}
	if (!io->has_buffer || buffer != io->buffer)
		return;
	if (decoded->event->missed) {
		cut_all(io, io_counts(decoded));
		io->has_gap = true;
	}
	switch (kind) {
	case DECODED_BLOCK_INSERT:
		io_feed_insert(io, decoded);
		break;
	case DECODED_BLOCK_MERGE:
		feed_merge(io, decoded);
		break;
	case DECODED_BLOCK_ISSUE:
		feed_issue(io, decoded);
		break;
	case DECODED_BLOCK_REQUEUE:
		io_feed_requeue(io, decoded);
		break;
	case DECODED_BLOCK_COMPLETE:
		io_feed_complete(io, decoded);
		break;
	default:
		break;
	}
}

/* Adds the time of a request that is pending at the end. */
static void finish_request(struct io *io, const struct io_request *request, uint64_t to)
{
	uint32_t row = io_find_row(io, &request->key);

	if (row == UINT32_MAX)
		return;
	if (request->issued && !request->is_ambiguous && !request->is_unwanted)
		io->list[row].took_partial += part_inside(io, request->issued_at, to);
	if (request->is_queued && !request->is_queued_twice && request->is_queued_wanted)
		io->list[row].queued_partial += part_inside(io, request->queued_since, to);
}

int io_finish(struct io *io, uint64_t to)
{
	for (size_t i = 0; io->table.slots && i < (size_t)1 << io->table.bits; i++)
		if (io->table.slots[i].used)
			finish_request(io, &io->table.slots[i], to);
	cut_all(io, to >= io->from);
	return io->nomem ? -ENOMEM : 0;
}

bool io_row_is_seen(const struct io_row *row)
{
	return row->count || row->cut || row->merged || row->requeued || row->queued.count ||
	       row->took_partial || row->queued_partial;
}

void io_done(struct io *io)
{
	for (size_t i = 0; i < io->n; i++) {
		latency_done(&io->list[i].took);
		latency_done(&io->list[i].queued);
	}
	u64_map_done(&io->places);
	u64_map_done(&io->devices);
	io_table_done(&io->table);
	free(io->list);
	free(io->in_flight);
	memset(io, 0, sizeof(*io));
}
