/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A whole trace file in all forms that are exported. Whatever is in it, Perfetto's packets have
 * the lengths that they say, no byte of JSON is below a blank, and CTF's packets are whole.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "format/bytes.h"
#include "render/export-ctf.h"
#include "render/export.h"

/* A few kilobytes can claim to decompress to gigabytes; reading on shows nothing new. */
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

/* The fields of a message; and those of the messages in it, down to @depth. */
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

static void check_json(const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if ((unsigned char)s[i] < ' ' && s[i] != '\n')
			abort();
	if (len < 4 || memcmp(s + len - 4, "\n]}\n", 4) != 0)
		abort();
}

/* What an output of several files hands over. */
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
		check_json(bytes, (size_t)size);
	munmap(bytes, (size_t)size);
}

static void write_as(const struct export_output *output, struct fathom_trace *trace)
{
	static const struct report_options options;
	struct report_input input = { .trace = trace, .window = FATHOM_WINDOW_ALL };
	struct report_run run = {
		.inputs = &input,
		.n_inputs = 1,
		.select = output->copy ? REPORT_ALL : REPORT_FIRST,
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
	int fd = memfd_create("trace", MFD_CLOEXEC);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	if (fathom_trace_open_fd(fd, 0, &trace, NULL) < 0)
		return 0;
	/* What copies is fuzzed as "convert". */
	for (size_t i = 0; export_outputs[i]; i++)
		if (!export_outputs[i]->copy)
			write_as(export_outputs[i], trace);
	fathom_trace_free(trace);
	return 0;
}
