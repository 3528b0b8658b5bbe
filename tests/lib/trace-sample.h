/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A small trace for tests of outputs: calls, wakeups, a message and losses, on two CPUs. The events
 * are given as a list; sample_show() prints them with any writer.
 */
#ifndef FATHOM_TESTS_TRACE_SAMPLE_H
#define FATHOM_TESTS_TRACE_SAMPLE_H

#include <fathom/fathom.h>

#include "render/report/report-run.h"

enum sample_kind {
	SAMPLE_END,
	SAMPLE_ENTRY, /* a: function, b: depth */
	SAMPLE_EXIT, /* a: function, b: depth, c: duration */
	SAMPLE_SWITCH, /* a: next pid, b: its priority */
	SAMPLE_WAKEUP, /* a: pid, b: its priority */
	SAMPLE_MESSAGE,
	SAMPLE_PROBE, /* a: address */
	SAMPLE_STRING, /* a probe with a string; a: address, b: its length, 0: none */
	SAMPLE_STACK, /* a, b: addresses, c: common_flags and, from bit 8, common_preempt_count */
	/* From probes of the recording itself; a trace has their formats if it has one of them: */
	SAMPLE_RESULT, /* a: function, b: result */
	SAMPLE_USER_ENTER, /* a: 0 for main(), 1 for work() of "app", b: stack pointer */
	SAMPLE_USER_LEAVE, /* a: the same */
	SAMPLE_UNKNOWN, /* an event without a format */
	SAMPLE_LOST, /* a: how many, before the next event of the CPU */
};

struct sample_event {
	enum sample_kind kind;
	unsigned cpu;
	uint64_t time;
	int32_t pid;
	uint64_t a, b, c;
};

/* Functions of the sample: "first" (0x20 bytes long), "second [module]", "third". */
#define SAMPLE_FIRST  UINT64_C(0xffffffff81000000)
#define SAMPLE_SECOND UINT64_C(0xffffffff81000020)
#define SAMPLE_THIRD  UINT64_C(0xffffffff81000040)

/* Writes a file of @events, up to SAMPLE_END. Returns 0 or a negative errno. */
int sample_save(const struct sample_event *events, const char *path);
/* Writes a file of @events, up to SAMPLE_END, and opens it. Returns 0 or a negative errno. */
int sample_open(const struct sample_event *events, struct fathom_trace **ret_trace);

/* A way to print a trace. */
struct sample_view {
	struct report_options options;
	report_writer *writer;
	/* Initializes and releases the zeroed data of the writer; NULL if it has none. */
	size_t data_size;
	void (*done)(void *data);
	/* Called after all events: writes the rest. Returns 0 or a negative errno. */
	int (*end)(void *data, struct report_input *input, struct text *text);
};

/* Returns the text of @events, valid until the next call. */
const char *sample_show(const struct sample_view *view, const struct sample_event *events);
/* Prints them with each allocation failing in turn. */
void sample_survives(const struct sample_view *view, const struct sample_event *events);

#endif
