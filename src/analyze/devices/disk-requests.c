/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/devices/disk-requests.h"

#include "analyze/devices/io.h"

/* Requests without issue events stay queued. */
#define QUEUED_MAX 65536

static void disk_requests_count(struct disk_requests *disk, const struct decoded_event *decoded)
{
	if (decoded_is_outside(decoded))
		return;
	disk->count++;
	disk->bytes += decoded->block.bytes;
}

static void disk_requests_feed_insert(struct disk_requests *disk,
				      const struct decoded_event *decoded)
{
	const struct io_key key = io_key_of(decoded);
	struct io_request *request;

	if (disk->queued.n >= QUEUED_MAX)
		io_table_clear(&disk->queued);
	request = io_table_make(&disk->queued, &key);
	if (!request) {
		disk->nomem = true;
		return;
	}
	/* A requeued request has been counted. */
	if (!request->is_requeued)
		disk_requests_count(disk, decoded);
	request->is_requeued = false;
	request->is_queued = true;
	request->is_unwanted = decoded_is_outside(decoded);
}

static void disk_requests_feed_requeue(struct disk_requests *disk,
				       const struct decoded_event *decoded)
{
	const struct io_key key = io_key_of(decoded);
	struct io_request *request = io_table_make(&disk->queued, &key);

	if (request)
		request->is_queued = request->is_requeued = true;
	else
		disk->nomem = true;
}

/* Returns the request that waits to be issued, or NULL. */
static struct io_request *find_queued(const struct disk_requests *disk,
				      const struct decoded_event *decoded)
{
	const struct io_key key = io_key_of(decoded);

	return io_table_find(&disk->queued, &key);
}

void disk_requests_feed(struct disk_requests *disk, const struct decoded_event *decoded)
{
	struct io_request *request;

	switch (decoded->kind) {
	case DECODED_BLOCK_INSERT:
		disk_requests_feed_insert(disk, decoded);
		break;
	case DECODED_BLOCK_REQUEUE:
		disk_requests_feed_requeue(disk, decoded);
		break;
	case DECODED_BLOCK_ISSUE:
		request = find_queued(disk, decoded);
		if (request)
			io_table_remove(&disk->queued, request);
		else
			disk_requests_count(disk, decoded);
		break;
	case DECODED_BLOCK_MERGE:
		request = find_queued(disk, decoded);
		/* Its bytes belong to another request now. */
		if (request) {
			disk->count -= !request->is_unwanted && !decoded_is_outside(decoded);
			io_table_remove(&disk->queued, request);
		}
		break;
	default:
		break;
	}
}

void disk_requests_done(struct disk_requests *disk)
{
	io_table_done(&disk->queued);
}
