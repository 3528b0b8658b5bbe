/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Parses records of perf events, as described in perf_event_open(2). The bytes are untrusted. A
 * parsed record points into the bytes it was parsed from: every range is within them, and names are
 * NUL-terminated within them. Numbers are not necessarily aligned. No function keeps state.
 */
#ifndef FATHOM_FORMAT_EVENT_PERF_RECORDS_H
#define FATHOM_FORMAT_EVENT_PERF_RECORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How an event was opened, which determines the format of its records. */
struct perf_layout {
	uint64_t sample_type;
	bool id_all; /* records other than samples also end with task and time */
	uint8_t n_regs; /* registers per sample, if sample_type has PERF_SAMPLE_REGS_USER */
	bool big; /* the records are big-endian */
};

enum perf_record_kind {
	PERF_OTHER, /* only the header is known */
	PERF_SAMPLE,
	PERF_LOST,
	PERF_FORK,
	PERF_EXIT,
	PERF_COMM,
	PERF_MAPPING,
	PERF_THROTTLE, /* and the end of throttling */
};

struct perf_record {
	enum perf_record_kind kind;
	uint16_t misc;
	/*
	 * Any record, if the layout has it; else 0. @time is in nanoseconds of the event's clock.
	 */
	int32_t pid, tid;
	uint64_t time;
	uint32_t cpu;
	/* Samples only. */
	uint64_t ip, address, period;
	/* @n_chain numbers of 8 bytes, not aligned; see perf_record_frame() */
	const uint8_t *chain;
	uint32_t n_chain;
	const uint8_t *raw;
	uint32_t raw_size;
	/*
	 * User registers, numbers as in @chain, and the bytes of the user stack from the stack
	 * pointer on.
	 */
	uint64_t regs_abi; /* PERF_SAMPLE_REGS_ABI_...; 0: none, a kernel thread */
	const uint8_t *regs;
	const uint8_t *stack;
	uint32_t stack_size;
	/* PERF_LOST: the number of lost records. */
	uint64_t lost;
	/* PERF_FORK: the parent. */
	int32_t parent_pid, parent_tid;
	/* PERF_COMM: the name changes because of execve(). */
	bool is_exec;
	/* PERF_MAPPING: addresses and file offset, in bytes. */
	uint64_t start, length, offset;
	bool executable;
	/* PERF_COMM and PERF_MAPPING; NUL-terminated. */
	const char *name;
};

/*
 * Returns whether all sample types of the layout are known; otherwise its records cannot be parsed.
 */
bool perf_layout_is_known(const struct perf_layout *layout);

/*
 * Parses the record at the start of @len bytes. Returns its size, 0 if the bytes end before the
 * record does, or -EINVAL if the record is invalid.
 */
int perf_record_parse(const struct perf_layout *layout, const uint8_t *bytes, size_t len,
		      struct perf_record *ret_record);

/* Returns entry @i, below @n_chain: an address, or a marker such as PERF_CONTEXT_USER. */
uint64_t perf_record_frame(const struct perf_layout *layout, const struct perf_record *record,
			   uint32_t i);
/* Returns requested register @i, below @n_regs, lowest first. The record must have registers. */
uint64_t perf_record_reg(const struct perf_layout *layout, const struct perf_record *record,
			 uint32_t i);

#endif
