/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A small trace for tests of exports, with events of all kinds that outputs distinguish. */
#ifndef FATHOM_TESTS_EXPORT_SAMPLE_H
#define FATHOM_TESTS_EXPORT_SAMPLE_H

#include <fathom/fathom.h>

#include "base/strbuf.h"
#include "render/export.h"

enum export_sample_kind {
	EXPORT_END,
	EXPORT_ENTRY, /* a: function, b: depth */
	EXPORT_EXIT, /* likewise, and c: its duration; 0: since its entry, if there is one */
	EXPORT_SWITCH, /* a: previous pid, b: next pid, c: state, s: next name */
	EXPORT_WAKING, /* a: pid, b: target CPU, c: common_flags, s: name */
	EXPORT_PRINT, /* s: the text */
	EXPORT_SYS_ENTER, /* a: number, b: first argument */
	EXPORT_SYS_EXIT, /* a: number, b: result */
	EXPORT_ENTER_READ, /* syscalls:sys_enter_read; a: number, b: fd */
	EXPORT_EXIT_READ, /* a: number, b: result */
	EXPORT_KINDS, /* fields of several kinds; a: signed, b: large, s: a string */
	EXPORT_USER_ENTER, /* entry of a user function; a: its number, b: stack pointer */
	EXPORT_USER_LEAVE, /* a: its number */
	EXPORT_UNKNOWN, /* without a format */
	EXPORT_LOST, /* a: how many, before the next event of the CPU */
	EXPORT_NOTE, /* an option of the recorder; s: "pids: 42\n" */
};

struct export_sample_event {
	enum export_sample_kind kind;
	unsigned cpu;
	uint64_t time;
	int32_t pid;
	uint64_t a, b, c;
	const char *s;
};

/* Functions of the sample: "first" and "second". */
#define EXPORT_FIRST  UINT64_C(0xffffffff81000000)
#define EXPORT_SECOND UINT64_C(0xffffffff81000020)

/* User functions, in traces that have such events. */
#define EXPORT_USERS "main", "work", "leaf"

#define EXPORT_SAMPLE_FILES 8

struct export_sample {
	struct fathom_trace *trace;
	const struct export_output *output;
	uint64_t from, to; /* set by the caller after opening: the window, if @to is not 0 */
	struct strbuf bytes; /* of an output that is a file */
	struct strbuf files[EXPORT_SAMPLE_FILES]; /* of one that is a directory */
	uint64_t events, shortened, unknown, left_out;
};

/* Writes a file of @events, up to EXPORT_END. Returns 0 or a negative errno. */
int export_sample_save(const struct export_sample_event *events, const char *path);
/* Creates a trace of @events, up to EXPORT_END. Returns 0 or a negative errno. */
int export_sample_open(struct export_sample *sample, const struct export_output *output,
		       const struct export_sample_event *events);
/*
 * Exports it; @sample is a struct export_sample, also for oom_check(). Returns 0 or a negative
 * errno.
 */
int export_sample_write(void *sample);
void export_sample_done(struct export_sample *sample);

/*
 * Fills @events up to EXPORT_END with random entries and exits of functions, including user
 * functions, and of system calls, for two tasks on two CPUs, with losses.
 */
void export_sample_scramble(struct export_sample_event *events, size_t n, uint64_t seed);

#endif
