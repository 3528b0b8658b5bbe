/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "format/event/perf-records.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>

#include "format/bytes.h"

#define HEADER	     8
#define PROT_EXECUTE 4

#define KNOWN                                                                                   \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |         \
	 PERF_SAMPLE_ADDR | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU |          \
	 PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW | PERF_SAMPLE_REGS_USER | \
	 PERF_SAMPLE_STACK_USER)

/* The unparsed part of a record. */
struct rest {
	const uint8_t *p, *end;
	bool big;
	bool is_short; /* a read exceeded it */
};

static size_t rest_size(const struct rest *rest)
{
	return (size_t)(rest->end - rest->p);
}

static const uint8_t *perf_records_take(struct rest *rest, size_t size)
{
	const uint8_t *p = rest->p;

	if (size > rest_size(rest)) {
		rest->is_short = true;
		return NULL;
	}
	rest->p += size;
	return p;
}

static uint64_t take_u64(struct rest *rest)
{
	const uint8_t *p = perf_records_take(rest, 8);

	return p ? load_u64(p, rest->big) : 0;
}

static uint32_t take_u32(struct rest *rest)
{
	const uint8_t *p = perf_records_take(rest, 4);

	return p ? load_u32(p, rest->big) : 0;
}

static void take_task(struct rest *rest, int32_t *pid, int32_t *tid)
{
	*pid = (int32_t)take_u32(rest);
	*tid = (int32_t)take_u32(rest);
}

/* Takes a NUL-terminated string. One without NUL is an error. */
static void perf_records_take_name(struct rest *rest, struct perf_record *record)
{
	const uint8_t *end = memchr(rest->p, 0, rest_size(rest));

	if (end)
		record->name = (const char *)rest->p;
	else
		rest->is_short = true;
}

/* Only a part of the copy may be valid, up to the end of the stack or of readable memory. */
static void perf_records_take_stack(struct rest *rest, struct perf_record *record)
{
	uint64_t room = take_u64(rest), filled;
	const uint8_t *bytes = room <= UINT32_MAX ? perf_records_take(rest, (size_t)room) : NULL;

	if (!bytes) {
		rest->is_short = true;
		return;
	}
	if (!room)
		return;
	filled = take_u64(rest);
	record->stack = bytes;
	record->stack_size = (uint32_t)(filled < room ? filled : room);
}

static void parse_sample(const struct perf_layout *layout, struct rest *rest,
			 struct perf_record *record)
{
	uint64_t type = layout->sample_type;

	if (type & PERF_SAMPLE_IDENTIFIER)
		perf_records_take(rest, 8);
	if (type & PERF_SAMPLE_IP)
		record->ip = take_u64(rest);
	if (type & PERF_SAMPLE_TID)
		take_task(rest, &record->pid, &record->tid);
	if (type & PERF_SAMPLE_TIME)
		record->time = take_u64(rest);
	if (type & PERF_SAMPLE_ADDR)
		record->address = take_u64(rest);
	if (type & PERF_SAMPLE_ID)
		perf_records_take(rest, 8);
	if (type & PERF_SAMPLE_STREAM_ID)
		perf_records_take(rest, 8);
	if (type & PERF_SAMPLE_CPU) {
		record->cpu = take_u32(rest);
		perf_records_take(rest, 4);
	}
	if (type & PERF_SAMPLE_PERIOD)
		record->period = take_u64(rest);
	if (type & PERF_SAMPLE_CALLCHAIN) {
		uint64_t n = take_u64(rest);

		if (n > rest_size(rest) / 8) {
			rest->is_short = true;
			return;
		}
		record->n_chain = (uint32_t)n;
		record->chain = perf_records_take(rest, (size_t)n * 8);
	}
	if (type & PERF_SAMPLE_RAW) {
		record->raw_size = take_u32(rest);
		record->raw = perf_records_take(rest, record->raw_size);
	}
	if (type & PERF_SAMPLE_REGS_USER) {
		record->regs_abi = take_u64(rest);
		if (record->regs_abi)
			record->regs = perf_records_take(rest, (size_t)layout->n_regs * 8);
	}
	if (type & PERF_SAMPLE_STACK_USER)
		perf_records_take_stack(rest, record);
}

/* Removes the trailer of a record that is not a sample: task and time. */
static void cut_trailer(const struct perf_layout *layout, struct rest *rest,
			struct perf_record *record)
{
	static const uint64_t words[] = { PERF_SAMPLE_TID, PERF_SAMPLE_TIME,
					  PERF_SAMPLE_ID,  PERF_SAMPLE_STREAM_ID,
					  PERF_SAMPLE_CPU, PERF_SAMPLE_IDENTIFIER };
	struct rest trailer = *rest;
	size_t size = 0;

	if (!layout->id_all)
		return;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		size += layout->sample_type & words[i] ? 8 : 0;
	if (size > rest_size(rest)) {
		rest->is_short = true;
		return;
	}
	rest->end -= size;
	trailer.p = rest->end;
	if (layout->sample_type & PERF_SAMPLE_TID)
		take_task(&trailer, &record->pid, &record->tid);
	if (layout->sample_type & PERF_SAMPLE_TIME)
		record->time = take_u64(&trailer);
	if (layout->sample_type & PERF_SAMPLE_ID)
		perf_records_take(&trailer, 8);
	if (layout->sample_type & PERF_SAMPLE_STREAM_ID)
		perf_records_take(&trailer, 8);
	if (layout->sample_type & PERF_SAMPLE_CPU)
		record->cpu = take_u32(&trailer);
}

static void parse_task(struct rest *rest, struct perf_record *record)
{
	uint64_t time;

	record->pid = (int32_t)take_u32(rest);
	record->parent_pid = (int32_t)take_u32(rest);
	record->tid = (int32_t)take_u32(rest);
	record->parent_tid = (int32_t)take_u32(rest);
	time = take_u64(rest);
	/* Prefer the time in the trailer. */
	if (!record->time)
		record->time = time;
}

/* Both kinds begin alike; MMAP2 has more fields before the name. */
static void perf_records_parse_mapping(struct rest *rest, bool is_second,
				       struct perf_record *record)
{
	take_task(rest, &record->pid, &record->tid);
	record->start = take_u64(rest);
	record->length = take_u64(rest);
	record->offset = take_u64(rest);
	record->executable = !(record->misc & PERF_RECORD_MISC_MMAP_DATA);
	if (is_second) {
		/* Device and inode, or the build ID. */
		perf_records_take(rest, 24);
		record->executable = take_u32(rest) & PROT_EXECUTE;
		perf_records_take(rest, 4);
	}
	perf_records_take_name(rest, record);
}

static void parse_other(const struct perf_layout *layout, uint32_t type, struct rest *rest,
			struct perf_record *record)
{
	cut_trailer(layout, rest, record);
	switch (type) {
	case PERF_RECORD_LOST:
		record->kind = PERF_LOST;
		perf_records_take(rest, 8);
		record->lost = take_u64(rest);
		break;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		record->kind = type == PERF_RECORD_FORK ? PERF_FORK : PERF_EXIT;
		parse_task(rest, record);
		break;
	case PERF_RECORD_COMM:
		record->kind = PERF_COMM;
		record->is_exec = record->misc & PERF_RECORD_MISC_COMM_EXEC;
		take_task(rest, &record->pid, &record->tid);
		perf_records_take_name(rest, record);
		break;
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		record->kind = PERF_MAPPING;
		perf_records_parse_mapping(rest, type == PERF_RECORD_MMAP2, record);
		break;
	case PERF_RECORD_THROTTLE:
	case PERF_RECORD_UNTHROTTLE:
		record->kind = PERF_THROTTLE;
		break;
	default:
		break;
	}
}

bool perf_layout_is_known(const struct perf_layout *layout)
{
	return !(layout->sample_type & ~(uint64_t)KNOWN);
}

int perf_record_parse(const struct perf_layout *layout, const uint8_t *bytes, size_t len,
		      struct perf_record *ret_record)
{
	struct perf_record record = { 0 };
	struct rest rest = { .big = layout->big };
	uint32_t type;
	uint16_t size;

	if (len < HEADER)
		return 0;
	type = load_u32(bytes, layout->big);
	record.misc = load_u16(bytes + 4, layout->big);
	size = load_u16(bytes + 6, layout->big);
	if (size < HEADER)
		return -EINVAL;
	if (size > len)
		return 0;
	rest.p = bytes + HEADER;
	rest.end = bytes + size;
	if (type == PERF_RECORD_SAMPLE) {
		record.kind = PERF_SAMPLE;
		parse_sample(layout, &rest, &record);
	} else {
		parse_other(layout, type, &rest, &record);
	}
	if (rest.is_short || !perf_layout_is_known(layout))
		return -EINVAL;
	*ret_record = record;
	return size;
}

uint64_t perf_record_reg(const struct perf_layout *layout, const struct perf_record *record,
			 uint32_t i)
{
	return load_u64(record->regs + (size_t)i * 8, layout->big);
}

uint64_t perf_record_frame(const struct perf_layout *layout, const struct perf_record *record,
			   uint32_t i)
{
	return load_u64(record->chain + (size_t)i * 8, layout->big);
}
