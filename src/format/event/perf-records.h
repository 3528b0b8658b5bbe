/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The records of perf events, as perf_event_open(2) describes them. They may come from anybody:
 * what is handed out lies within the bytes given, and strings in it end there.
 */
#ifndef FATHOM_FORMAT_EVENT_PERF_RECORDS_H
#define FATHOM_FORMAT_EVENT_PERF_RECORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What an event was opened with: it says how its records look. */
struct perf_layout {
	uint64_t sample_type;
	bool id_all; /* other records than samples end with who and when, too */
	uint8_t n_regs; /* of those of the program, when sample_type has them */
	bool big; /* byte order */
};

enum perf_record_kind {
	PERF_OTHER, /* nothing but the header is known of it */
	PERF_SAMPLE,
	PERF_LOST,
	PERF_FORK,
	PERF_EXIT,
	PERF_COMM,
	PERF_MAPPING,
	PERF_THROTTLE, /* and the end of it */
};

struct perf_record {
	enum perf_record_kind kind;
	uint16_t misc;
	/* Of all, where the layout says so; else 0. */
	int32_t pid, tid;
	uint64_t time;
	uint32_t cpu;
	/* Of samples. */
	uint64_t ip, address, period;
	const uint8_t *chain; /* of numbers of 8 bytes, not aligned; see perf_record_frame() */
	uint32_t n_chain;
	const uint8_t *raw;
	uint32_t raw_size;
	/* The program's registers, as numbers like those of @chain, and the bytes from its stack pointer on. */
	uint64_t regs_abi; /* PERF_SAMPLE_REGS_ABI_...; 0: there are none, it is no program */
	const uint8_t *regs;
	const uint8_t *stack;
	uint32_t stack_size;
	/* Of losses: how many records. */
	uint64_t lost;
	/* Of forks: the parent. */
	int32_t parent_pid, parent_tid;
	/* Of names: does it run another program from now on? */
	bool is_exec;
	/* Of mappings. */
	uint64_t start, length, offset;
	bool executable;
	/* Of names and mappings; ends with NUL. */
	const char *name;
};

/* The sample types that are known here; records of layouts with others cannot be read. */
bool perf_layout_is_known(const struct perf_layout *layout);

/*
 * Reads the record at the start of @len bytes. Its size, or 0 when the bytes do not hold a whole
 * one, or -EINVAL when it is none.
 */
int perf_record_parse(const struct perf_layout *layout, const uint8_t *bytes, size_t len,
		      struct perf_record *ret_record);

/* Number @i of the chain: an address, or a mark such as PERF_CONTEXT_USER. */
uint64_t perf_record_frame(const struct perf_layout *layout, const struct perf_record *record,
			   uint32_t i);
/* Register @i of those that were asked for, the lowest first; only when the record has some. */
uint64_t perf_record_reg(const struct perf_layout *layout, const struct perf_record *record,
			 uint32_t i);

#endif
