/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fuzzes a whole trace file: opens it, accesses all its parts, and reads its events in both
 * directions. The file is in memory; every second input is read instead of mapped.
 */
#include <stdlib.h>

#include <fathom/fathom.h>

#include "input.h"

/* A few kilobytes can claim to decompress to gigabytes; reading further reveals nothing new. */
#define EVENTS_MAX 20000

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Keeps the compiler from optimizing the reads away. */
static volatile unsigned looked __attribute__((used));

/* Reads every byte, so that sanitizers check it. */
static unsigned look(const void *bytes, size_t size)
{
	const unsigned char *p = bytes;
	unsigned sum = 0;

	for (size_t i = 0; i < size; i++)
		sum += p[i];
	return sum;
}

static unsigned walk(struct fathom_trace *trace)
{
	struct fathom_cursor *cursor;
	struct fathom_event event;
	uint64_t last = 0;
	unsigned sum = 0;

	if (fathom_cursor_new(trace, NULL, &cursor, NULL) < 0)
		abort();
	for (int i = 0; i < EVENTS_MAX && fathom_cursor_next(cursor, &event) == 1; i++) {
		sum += look(event.data, event.size);
		last = event.time;
	}
	for (int i = 0; i < 300 && fathom_cursor_prev(cursor, &event) == 1; i++)
		sum += look(event.data, event.size);
	fathom_cursor_seek(cursor, last / 2);
	if (fathom_cursor_next(cursor, &event) == 1)
		sum += look(event.data, event.size);
	fathom_cursor_last(cursor, 300, NULL);
	for (int i = 0; i < 300 && fathom_cursor_next(cursor, &event) == 1; i++)
		sum += look(event.data, event.size);
	fathom_cursor_free(cursor);
	return sum;
}

static unsigned look_around(struct fathom_trace *trace)
{
	const struct fathom_format_text *formats;
	struct fathom_trace_option option;
	struct fathom_trace_damage damage;
	const char *bytes;
	unsigned sum = 0;
	size_t size, n;

	for (int i = 0; i <= FATHOM_SECTION_MODULES; i++)
		if (fathom_trace_section(trace, (enum fathom_section)i, &bytes, &size, NULL) == 0)
			sum += look(bytes, size);
	if (fathom_trace_formats(trace, &formats, &n, NULL) == 0)
		for (size_t i = 0; i < n; i++)
			sum += look(formats[i].text, formats[i].size);
	for (size_t i = 0; fathom_trace_option(trace, i, &option) == 0; i++)
		if (option.data)
			sum += look(option.data, option.size);
	for (size_t i = 0; i < fathom_trace_info(trace)->buffers && i < 100; i++)
		if (fathom_trace_text(trace, i, &bytes, &size, NULL) == 0)
			sum += look(bytes, size);
	for (size_t i = 0; fathom_trace_damage(trace, i, &damage) == 0; i++)
		sum += look(damage.text, sizeof(damage.text));
	return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fathom_trace *trace;
	int fd = fuzz_file(data, size);

	if (fathom_trace_open_fd(fd, size & 1 ? FATHOM_OPEN_NO_MAP : 0, &trace, NULL) < 0)
		return 0;
	looked = walk(trace);
	looked = look_around(trace);
	fathom_trace_free(trace);
	return 0;
}
