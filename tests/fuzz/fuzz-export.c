/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fuzzes all exports of a whole trace file. Whatever it contains, the lengths in messages of
 * Perfetto and pprof are correct, JSON contains no control characters, CTF packets are complete,
 * and lines of folded stacks end with a number.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <zlib.h>

#include "format/bytes.h"
#include "render/export/export-ctf.h"
#include "render/export.h"
#include "input.h"

/* A few kilobytes can claim to decompress to gigabytes; reading further reveals nothing new. */
#define EVENTS_MAX 500

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint64_t take_varint(const uint8_t **p, const uint8_t *end)
{
	uint64_t value = 0;

	for (unsigned shift = 0; shift < 64 && *p < end; shift += 7) {
		uint8_t byte = *(*p)++;

		value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return value;
	}
	abort();
}

/* Checks the fields of a message, and of nested messages down to @depth. */
static void check_message(const uint8_t *p, const uint8_t *end, unsigned depth)
{
	while (p < end) {
		uint64_t tag = take_varint(&p, end), value = take_varint(&p, end);

		if (!(tag >> 3) || ((tag & 7) != 0 && (tag & 7) != 2))
			abort();
		if ((tag & 7) == 0)
			continue;
		if (value > (uint64_t)(end - p))
			abort();
		/* Trace, packet, bundle of events, event: all of these are field 1 or 2. */
		if (depth && tag >> 3 <= 2)
			check_message(p, p + value, depth - 1);
		p += value;
	}
}

static void check_json(const char *s, size_t len, const char *end)
{
	for (size_t i = 0; i < len; i++)
		if ((unsigned char)s[i] < ' ' && s[i] != '\n')
			abort();
	if (len < strlen(end) || memcmp(s + len - strlen(end), end, strlen(end)) != 0)
		abort();
}

/* Each line is "path 123". */
static void check_lines(const char *s, size_t len)
{
	const char *end = s + len;

	while (s < end) {
		const char *line = memchr(s, '\n', (size_t)(end - s)), *p = line;

		if (!line)
			abort();
		while (p > s && p[-1] >= '0' && p[-1] <= '9')
			p--;
		if (p == line || p - s < 2 || p[-1] != ' ')
			abort();
		s = line + 1;
	}
}

static void check_gzip(void *bytes, size_t len)
{
	static uint8_t profile[1 << 20];
	z_stream stream = { .next_in = bytes,
			    .avail_in = (uInt)len,
			    .next_out = profile,
			    .avail_out = sizeof(profile) };

	if (inflateInit2(&stream, 15 + 16) != Z_OK)
		abort();
	if (inflate(&stream, Z_FINISH) != Z_STREAM_END && stream.avail_out)
		abort();
	inflateEnd(&stream);
	if (stream.avail_out)
		check_message(profile, profile + sizeof(profile) - stream.avail_out, 1);
}

/* Receives the data of an output with several files. */
static int append(void *data, unsigned number, const void *bytes, size_t len)
{
	const bool *big = data;

	if (number && (len < CTF_PACKET_HEAD || load_u32(bytes, *big) != CTF_MAGIC ||
		       load_u64((const char *)bytes + 8, *big) != (uint64_t)len * 8))
		abort();
	if (!number && memcmp(bytes, "/* CTF 1.8 */", 13) != 0)
		abort();
	return 0;
}

static void check_output(const struct export_output *output, int fd)
{
	off_t size = lseek(fd, 0, SEEK_END);
	void *bytes = size > 0 ? mmap(NULL, (size_t)size, PROT_READ, MAP_SHARED, fd, 0) :
				 MAP_FAILED;

	if (bytes == MAP_FAILED)
		return;
	if (output == &export_perfetto)
		check_message(bytes, (uint8_t *)bytes + size, 3);
	else if (output == &export_chrome)
		check_json(bytes, (size_t)size, "\n]}\n");
	else if (output == &export_firefox || output == &export_speedscope)
		check_json(bytes, (size_t)size, "]}}\n");
	else if (output == &export_folded)
		check_lines(bytes, (size_t)size);
	else if (output == &export_pprof)
		check_gzip(bytes, (size_t)size);
	munmap(bytes, (size_t)size);
}

/* Aggregating formats see all events of the window, which ends at the last useful one. */
static void shorten(struct fathom_trace *trace, struct fathom_window *window)
{
	struct fathom_cursor *cursor;
	struct fathom_event event;

	if (fathom_cursor_new(trace, window, &cursor, NULL) < 0)
		return;
	for (int i = 0; i < EVENTS_MAX && fathom_cursor_next(cursor, &event) == 1; i++)
		window->to = event.time;
	fathom_cursor_free(cursor);
}

static void write_as(const struct export_output *output, struct fathom_trace *trace)
{
	static const struct report_options options;
	struct report_input input = { .trace = trace, .window = FATHOM_WINDOW_ALL };
	struct report_run run = {
		.inputs = &input,
		.n_inputs = 1,
		.select = output->calls ? REPORT_ALL : REPORT_FIRST,
		.count = EVENTS_MAX,
	};
	bool big = fathom_trace_info(trace)->big_endian;
	int fd = memfd_create("export", MFD_CLOEXEC);
	struct sink sink;
	struct export export = { .output = output,
				 .run = &run,
				 .input = &input,
				 .sink = &sink,
				 .append = append,
				 .append_data = &big };

	if (fd < 0)
		abort();
	if (output->calls)
		shorten(trace, &input.window);
	if (report_new(trace, &options, NULL, &input.report, NULL) == 0) {
		if (sink_init(&sink, fd) < 0)
			abort();
		if (export_prepare(&export, NULL) == 0 && export_run(&export, NULL) == 0)
			check_output(output, fd);
		export_done(&export);
		report_run_done(&run);
		report_free(input.report);
		sink_done(&sink);
	}
	close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fathom_trace *trace;
	int fd = fuzz_file(data, size);

	if (fathom_trace_open_fd(fd, 0, &trace, NULL) < 0)
		return 0;
	/* Formats that copy are fuzzed by "convert". */
	for (size_t i = 0; export_outputs[i]; i++)
		if (!export_outputs[i]->copy)
			write_as(export_outputs[i], trace);
	fathom_trace_free(trace);
	return 0;
}
