/* SPDX-License-Identifier: GPL-2.0-or-later */
/* make-seeds KIND DIR: small inputs for the fuzz targets `trace-file` and `page`. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "format/trace-file.h"
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

int main(int argc, char **argv)
{
	char path[4096];
	int r = 0;

	if (argc != 3 || (mkdir(argv[2], 0755) < 0 && errno != EEXIST)) {
		fprintf(stderr, "usage: make-seeds trace-file|page DIR\n");
		return 2;
	}
	for (unsigned i = 0; i < 16 && r == 0; i++) {
		snprintf(path, sizeof(path), "%s/seed-%02u", argv[2], i);
		r = strcmp(argv[1], "page") == 0 ? make_page(path, i) : make_trace(path, i);
	}
	return r < 0;
}
