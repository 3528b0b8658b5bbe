/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * make-seeds KIND DIR: writes small inputs for the fuzz targets 'trace-file', 'page' and those that
 * show samples.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "format/event/sample-event.h"
#include "format/file/trace-file.h"
#include "trace-writer.h"

static void fill(struct page_writer *p, unsigned seed)
{
	uint64_t time = 1000000000ULL + seed;

	for (unsigned i = 0; p && i < 60; i++) {
		time += i % 9 ? 1000 : 1ULL << 30;
		if (i % 13 == 5)
			page_writer_lost(p, i % 2 ? 7 : PAGE_WRITER_LOST_UNKNOWN);
		if (i % 17 == 3)
			page_writer_stamp(p, time);
		if (i % 11 == 2)
			page_writer_discard(p, time++, 20);
		if (i == 40)
			page_writer_empty_page(p, time);
		page_writer_event(p, time, 1, (int32_t)(i % 5), i % 19 ? 16 : 300);
	}
}

static int save(const char *path, const void *bytes, size_t size)
{
	FILE *f = fopen(path, "we");
	size_t n = f ? fwrite(bytes, 1, size, f) : 0;

	if (f && fclose(f) == 0 && n == size)
		return 0;
	fprintf(stderr, "make-seeds: cannot write '%s'\n", path);
	return -1;
}

static int make_page(const char *path, unsigned i)
{
	uint8_t how = (uint8_t)((i & 1) | (i & 2));
	struct page_writer w;
	struct strbuf out = { 0 };
	int r;

	page_writer_init(&w, i & 4 ? 4096 : 512, i & 1 ? 4 : 8, i & 2);
	fill(&w, i);
	page_writer_close_page(&w);
	strbuf_addc(&out, (char)how);
	strbuf_add(&out, w.pages.s, w.page_size);
	r = save(path, strbuf_str(&out), out.len);
	strbuf_done(&out);
	page_writer_done(&w);
	return r;
}

static int make_trace(const char *path, unsigned i)
{
	struct trace_config config = {
		.version = i % 4 ? 7 : 6,
		.compression = i % 4 > 1 ? (enum compression)(i % 4 - 1) : COMPRESSION_NONE,
		.big_endian = i & 4,
		.long_size = i & 8 ? 4 : 8,
		.page_size = 512,
		.chunk_pages = 2,
	};
	struct trace_writer *w = trace_writer_new(&config);
	uint8_t shift[16 + 4 + 2 * 32] = { 0 };
	int r;

	if (!w)
		return -1;
	trace_writer_buffer(w, "other");
	trace_writer_option(w, TRACE_ID_UNAME, "Linux", 6);
	trace_writer_option(w, TRACE_ID_OFFSET, "12", 3);
	trace_writer_option(w, TRACE_ID_GUEST, "guest\0\0\0\0\0\0\0\0\0\0\0\0\0", 18);
	store_u32(shift + 8, 1, config.big_endian);
	store_u32(shift + 12, 1, config.big_endian);
	store_u32(shift + 16, 2, config.big_endian);
	store_u64(shift + 28, 1ULL << 40, config.big_endian);
	trace_writer_option(w, TRACE_ID_TIME_SHIFT, shift, sizeof(shift));
	trace_writer_option(w, 999, "unknown", 7);
	for (unsigned k = 0; k < 3; k++)
		fill(trace_writer_cpu(w, k / 2, k), k);
	r = trace_writer_save(w, path);
	trace_writer_free(w);
	return r;
}

/* Samples in a program, in the kernel on its behalf, and without a stack. */
static void fill_samples(struct page_writer *p, bool big)
{
	static const uint64_t frames[] = {
		(uint64_t)PERF_CONTEXT_KERNEL, 0xffffffff81000010, 0xffffffff81000120,
		(uint64_t)PERF_CONTEXT_USER,   0x401000,	   0x402000
	};
	struct perf_layout layout = { .big = big };
	uint8_t chain[sizeof(frames)], event[SAMPLE_SIZE_MAX];
	struct perf_record record = { .kind = PERF_SAMPLE, .pid = 42, .chain = chain };

	for (size_t i = 0; i < sizeof(frames) / sizeof(frames[0]); i++)
		store_u64(chain + i * 8, frames[i], big);
	for (unsigned i = 0; p && i < 14; i++) {
		record.tid = 42 + (int32_t)(i % 2);
		record.misc = i % 3 ? PERF_RECORD_MISC_USER : PERF_RECORD_MISC_KERNEL;
		record.n_chain = i % 7;
		if (i == 9)
			page_writer_lost(p, 5);
		page_writer_record(p, 1000000000ULL + i * 10101010ULL, event,
				   sample_event_write(&layout, &record, 10101010, event));
	}
}

static int make_samples(const char *path, unsigned i)
{
	static const struct trace_format formats[] = { { SAMPLE_SYSTEM, sample_format },
						       { NULL, NULL } };
	struct trace_config config = { .version = i & 2 ? 6 : 7,
				       .big_endian = i & 1,
				       .page_size = 1024,
				       .clock = "mono",
				       .formats = formats,
				       .kallsyms = "ffffffff81000000 T first\n"
						   "ffffffff81000100 T second\n"
						   "ffffffff81000200 T third\n" };
	struct trace_writer *w = trace_writer_new(&config);
	int r;

	if (!w)
		return -1;
	fill_samples(trace_writer_cpu(w, trace_writer_buffer(w, SAMPLE_BUFFER), 0),
		     config.big_endian);
	r = trace_writer_save(w, path);
	trace_writer_free(w);
	return r;
}

static const struct {
	const char *name;
	int (*make)(const char *path, unsigned i);
	unsigned n;
} kinds[] = {
	{ "page", make_page, 16 },
	{ "trace-file", make_trace, 16 },
	{ "samples", make_samples, 4 },
};

int main(int argc, char **argv)
{
	char path[4096];
	int r = 0;

	if (argc != 3 || (mkdir(argv[2], 0755) < 0 && errno != EEXIST)) {
		fprintf(stderr, "usage: make-seeds trace-file|page|samples DIR\n");
		return 2;
	}
	for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++)
		for (unsigned i = 0; i < kinds[k].n && r == 0; i++) {
			snprintf(path, sizeof(path), "%s/seed-%02u", argv[2], i);
			if (strcmp(argv[1], kinds[k].name) == 0)
				r = kinds[k].make(path, i);
		}
	return r < 0;
}
