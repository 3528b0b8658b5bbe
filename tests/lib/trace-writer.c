/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trace-writer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <zlib.h>
#include <zstd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "format/bytes.h"
#include "format/file/trace-file.h"

#define BUFFERS_MAX 2048

struct writer_cpu {
	struct page_writer pages;
	unsigned cpu;
	uint64_t offset, size; /* in the file, set by the layout */
	struct strbuf packed;
};

struct writer_buffer {
	char *name;
	struct writer_cpu *cpus;
	size_t n, cap;
	uint64_t offset;
};

struct trace_writer {
	struct trace_config config;
	struct writer_buffer buffers[BUFFERS_MAX];
	unsigned n_buffers;
	struct strbuf options;
	bool failed;
};

static const char format_text[] =
	"name: function\nID: 1\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
	"print fmt: \"\"\n";

static const struct trace_format default_formats[] = { { "ftrace", format_text },
						       { "sched", format_text },
						       { NULL, NULL } };

struct trace_writer *trace_writer_new(const struct trace_config *config)
{
	struct trace_writer *w = mem_zalloc(1, sizeof(*w));

	if (!w)
		return NULL;
	w->config = *config;
	w->config.version = config->version ?: 6;
	w->config.long_size = config->long_size ?: 8;
	w->config.page_size = config->page_size ?: 4096;
	w->config.chunk_pages = config->chunk_pages ?: 10;
	w->config.clock = config->clock ?: "local";
	w->config.formats = config->formats ?: default_formats;
	w->config.kallsyms = config->kallsyms ?: "some text";
	w->config.cmdlines = config->cmdlines ?: "42 test\n";
	trace_writer_buffer(w, "");
	return w;
}

void trace_writer_free(struct trace_writer *w)
{
	if (!w)
		return;
	for (unsigned i = 0; i < w->n_buffers; i++) {
		for (size_t k = 0; k < w->buffers[i].n; k++) {
			page_writer_done(&w->buffers[i].cpus[k].pages);
			strbuf_done(&w->buffers[i].cpus[k].packed);
		}
		free(w->buffers[i].cpus);
		free(w->buffers[i].name);
	}
	strbuf_done(&w->options);
	free(w);
}

unsigned trace_writer_buffer(struct trace_writer *w, const char *name)
{
	w->buffers[w->n_buffers].name = mem_strdup(name);
	w->failed |= !w->buffers[w->n_buffers].name;
	return w->n_buffers++;
}

struct page_writer *trace_writer_cpu(struct trace_writer *w, unsigned buffer, unsigned cpu)
{
	struct writer_buffer *b = &w->buffers[buffer];
	size_t at = 0;

	while (at < b->n && b->cpus[at].cpu < cpu)
		at++;
	if (at < b->n && b->cpus[at].cpu == cpu)
		return &b->cpus[at].pages;
	if (mem_reserve(&b->cpus, &b->cap, b->n + 1, sizeof(*b->cpus)) < 0) {
		w->failed = true;
		return NULL;
	}
	memmove(b->cpus + at + 1, b->cpus + at, (b->n - at) * sizeof(*b->cpus));
	memset(&b->cpus[at], 0, sizeof(b->cpus[at]));
	b->cpus[at].cpu = cpu;
	b->n++;
	page_writer_init(&b->cpus[at].pages, w->config.page_size, w->config.long_size,
			 w->config.big_endian);
	return &b->cpus[at].pages;
}

static void put_u16(const struct trace_writer *w, struct strbuf *out, uint16_t v)
{
	store_u16(&v, v, w->config.big_endian);
	strbuf_add(out, &v, sizeof(v));
}

static void put_u32(const struct trace_writer *w, struct strbuf *out, uint32_t v)
{
	store_u32(&v, v, w->config.big_endian);
	strbuf_add(out, &v, sizeof(v));
}

static void put_u64(const struct trace_writer *w, struct strbuf *out, uint64_t v)
{
	store_u64(&v, v, w->config.big_endian);
	strbuf_add(out, &v, sizeof(v));
}

static void put_string(struct strbuf *out, const char *s)
{
	strbuf_add(out, s, strlen(s) + 1);
}

static void put_text(const struct trace_writer *w, struct strbuf *out, const char *text)
{
	put_u64(w, out, strlen(text));
	strbuf_adds(out, text);
}

void trace_writer_option(struct trace_writer *w, uint16_t id, const void *data, uint32_t size)
{
	put_u16(w, &w->options, id);
	put_u32(w, &w->options, size);
	strbuf_add(&w->options, data, size);
}

static unsigned cpu_count(const struct trace_writer *w)
{
	unsigned n = 1;

	for (unsigned i = 0; i < w->n_buffers; i++)
		if (w->buffers[i].n && w->buffers[i].cpus[w->buffers[i].n - 1].cpu >= n)
			n = w->buffers[i].cpus[w->buffers[i].n - 1].cpu + 1;
	return n;
}

static void put_start(const struct trace_writer *w, struct strbuf *out)
{
	strbuf_adds(out, "\x17\x08\x44tracing");
	put_string(out, w->config.version == 6 ? "6" : "7");
	strbuf_addc(out, w->config.big_endian ? 1 : 0);
	strbuf_addc(out, (char)w->config.long_size);
	put_u32(w, out, w->config.page_size);
}

/* The formats of one system, preceded by their number. */
static void put_system(const struct trace_writer *w, struct strbuf *out, const char *system)
{
	uint32_t n = 0;

	for (const struct trace_format *f = w->config.formats; f->system; f++)
		n += strcmp(f->system, system) == 0;
	put_u32(w, out, n);
	for (const struct trace_format *f = w->config.formats; f->system; f++)
		if (strcmp(f->system, system) == 0)
			put_text(w, out, f->text);
}

static bool begins_system(const struct trace_writer *w, const struct trace_format *f)
{
	return strcmp(f->system, "ftrace") != 0 &&
	       (f == w->config.formats || strcmp(f[-1].system, f->system) != 0);
}

static void put_systems(const struct trace_writer *w, struct strbuf *out)
{
	uint32_t n = 0;

	for (const struct trace_format *f = w->config.formats; f->system; f++)
		n += begins_system(w, f);
	put_u32(w, out, n);
	for (const struct trace_format *f = w->config.formats; f->system; f++) {
		if (begins_system(w, f)) {
			put_string(out, f->system);
			put_system(w, out, f->system);
		}
	}
}

/* The bodies are the same in both versions. */
static void put_body(const struct trace_writer *w, struct strbuf *out, unsigned id)
{
	uint32_t data = 8 + w->config.long_size;
	char text[512];

	switch (id) {
	case TRACE_ID_HEADER_INFO:
		snprintf(text, sizeof(text),
			 "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
			 "\tfield: local_t commit;\toffset:8;\tsize:%u;\tsigned:1;\n"
			 "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
			 "\tfield: char data;\toffset:%u;\tsize:%u;\tsigned:1;\n",
			 w->config.long_size, data, w->config.page_size - data);
		put_string(out, "header_page");
		put_text(w, out, text);
		put_string(out, "header_event");
		put_text(w, out, "# compressed entry header\n");
		break;
	case TRACE_ID_FTRACE_EVENTS:
		put_system(w, out, "ftrace");
		break;
	case TRACE_ID_EVENT_FORMATS:
		put_systems(w, out);
		break;
	case TRACE_ID_KALLSYMS:
		put_u32(w, out, (uint32_t)strlen(w->config.kallsyms));
		strbuf_adds(out, w->config.kallsyms);
		break;
	case TRACE_ID_PRINTK:
		put_u32(w, out, 9);
		strbuf_adds(out, "some text");
		break;
	case TRACE_ID_CMDLINES:
		put_text(w, out, w->config.cmdlines);
		break;
	}
}

static void pad_to(struct strbuf *out, uint64_t offset)
{
	if (out->len < offset)
		strbuf_pad(out, 0, offset - out->len);
}

static uint64_t align(const struct trace_writer *w, uint64_t offset)
{
	return (offset + w->config.page_size - 1) / w->config.page_size * w->config.page_size;
}

static void put_v6_table(const struct trace_writer *w, struct strbuf *out, unsigned buffer)
{
	const struct writer_buffer *b = &w->buffers[buffer];
	char clock[64];

	strbuf_add(out, "flyrecord", 10);
	for (unsigned cpu = 0; cpu < cpu_count(w); cpu++) {
		const struct writer_cpu *c = NULL;

		for (size_t k = 0; k < b->n; k++)
			if (b->cpus[k].cpu == cpu)
				c = &b->cpus[k];
		put_u64(w, out, c ? c->offset : 0);
		put_u64(w, out, c ? c->size : 0);
	}
	snprintf(clock, sizeof(clock), "[%s]", w->config.clock);
	put_text(w, out, clock);
}

/* Everything before the data. Laid out twice: first to determine its length. */
static void put_v6_head(struct trace_writer *w, struct strbuf *out)
{
	static const unsigned parts[] = { TRACE_ID_HEADER_INFO,	  TRACE_ID_FTRACE_EVENTS,
					  TRACE_ID_EVENT_FORMATS, TRACE_ID_KALLSYMS,
					  TRACE_ID_PRINTK,	  TRACE_ID_CMDLINES };
	char clock[64];

	put_start(w, out);
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		put_body(w, out, parts[i]);
	put_u32(w, out, cpu_count(w));
	strbuf_add(out, "options  ", 10);
	snprintf(clock, sizeof(clock), "[%s] global", w->config.clock);
	put_u16(w, out, TRACE_ID_TRACECLOCK);
	put_u32(w, out, (uint32_t)strlen(clock) + 1);
	put_string(out, clock);
	for (unsigned i = 1; i < w->n_buffers; i++) {
		put_u16(w, out, TRACE_ID_BUFFER);
		put_u32(w, out, (uint32_t)strlen(w->buffers[i].name) + 9);
		put_u64(w, out, w->buffers[i].offset);
		put_string(out, w->buffers[i].name);
	}
	strbuf_add(out, w->options.s ?: "", w->options.len);
	put_u16(w, out, 0);
	for (unsigned i = 0; i < w->n_buffers; i++) {
		w->buffers[i].offset = out->len;
		put_v6_table(w, out, i);
	}
}

static void put_v6(struct trace_writer *w, struct strbuf *out)
{
	uint64_t offset;

	put_v6_head(w, out);
	offset = align(w, out->len);
	for (unsigned i = 0; i < w->n_buffers; i++) {
		for (size_t k = 0; k < w->buffers[i].n; k++) {
			struct writer_cpu *c = &w->buffers[i].cpus[k];

			c->offset = offset;
			c->size = c->pages.pages.len;
			offset += c->size;
		}
	}
	strbuf_clear(out);
	put_v6_head(w, out);
	for (unsigned i = 0; i < w->n_buffers; i++) {
		for (size_t k = 0; k < w->buffers[i].n; k++) {
			pad_to(out, w->buffers[i].cpus[k].offset);
			strbuf_add(out, w->buffers[i].cpus[k].pages.pages.s ?: "",
				   w->buffers[i].cpus[k].pages.pages.len);
		}
	}
}

/* Appends u32 packed size, u32 size, packed bytes. */
static void put_packed(struct trace_writer *w, struct strbuf *out, const void *bytes, size_t size)
{
	size_t bound = w->config.compression == COMPRESSION_ZSTD ? ZSTD_compressBound(size) :
								   compressBound(size);
	_cleanup_free_ uint8_t *packed = mem_alloc(bound);
	uLongf zlib_len = bound;
	size_t len;

	if (!packed) {
		w->failed = true;
		return;
	}
	if (w->config.compression == COMPRESSION_ZSTD) {
		len = ZSTD_compress(packed, bound, bytes, size, 1);
		w->failed |= ZSTD_isError(len);
	} else {
		w->failed |= compress2(packed, &zlib_len, bytes, size, 6) != Z_OK;
		len = zlib_len;
	}
	put_u32(w, out, (uint32_t)len);
	put_u32(w, out, (uint32_t)size);
	if (!w->failed)
		strbuf_add(out, packed, len);
}

static uint64_t put_section(struct trace_writer *w, struct strbuf *out, unsigned id,
			    const struct strbuf *body, bool packed)
{
	_cleanup_strbuf_ struct strbuf bytes = { 0 };
	uint64_t offset = out->len;

	if (packed)
		put_packed(w, &bytes, body->s ?: "", body->len);
	else
		strbuf_add(&bytes, body->s ?: "", body->len);
	put_u16(w, out, (uint16_t)id);
	put_u16(w, out, packed ? TRACE_SECTION_COMPRESSED : 0);
	put_u32(w, out, 0);
	put_u64(w, out, bytes.len);
	strbuf_add(out, bytes.s ?: "", bytes.len);
	w->failed |= bytes.err != 0;
	return offset;
}

static void pack_cpu(struct trace_writer *w, struct writer_cpu *c)
{
	size_t chunk = (size_t)w->config.chunk_pages * w->config.page_size,
	       len = c->pages.pages.len;

	strbuf_clear(&c->packed);
	if (w->config.compression == COMPRESSION_NONE) {
		strbuf_add(&c->packed, c->pages.pages.s ?: "", len);
		return;
	}
	put_u32(w, &c->packed, (uint32_t)((len + chunk - 1) / chunk));
	for (size_t at = 0; at < len; at += chunk)
		put_packed(w, &c->packed, c->pages.pages.s + at,
			   len - at < chunk ? len - at : chunk);
}

static void put_v7_buffer(struct trace_writer *w, struct strbuf *out, unsigned buffer,
			  struct strbuf *options)
{
	struct writer_buffer *b = &w->buffers[buffer];
	_cleanup_strbuf_ struct strbuf body = { 0 }, option = { 0 };
	uint64_t start = out->len + 16, pos = start;

	for (size_t k = 0; k < b->n; k++) {
		struct writer_cpu *c = &b->cpus[k];

		pack_cpu(w, c);
		c->offset = align(w, pos);
		c->size = c->packed.len;
		pad_to(&body, c->offset - start);
		strbuf_add(&body, c->packed.s ?: "", c->packed.len);
		pos = c->offset + c->size;
		w->failed |= c->packed.err != 0;
	}
	put_u16(w, out, TRACE_ID_BUFFER);
	put_u16(w, out, w->config.compression ? TRACE_SECTION_COMPRESSED : 0);
	put_u32(w, out, 0);
	put_u64(w, out, body.len);
	strbuf_add(out, body.s ?: "", body.len);
	put_u64(w, &option, start - 16);
	put_string(&option, b->name ?: "");
	put_string(&option, w->config.clock);
	put_u32(w, &option, w->config.page_size);
	put_u32(w, &option, (uint32_t)b->n);
	for (size_t k = 0; k < b->n; k++) {
		put_u32(w, &option, b->cpus[k].cpu);
		put_u64(w, &option, b->cpus[k].offset);
		put_u64(w, &option, b->cpus[k].size);
	}
	put_u16(w, options, TRACE_ID_BUFFER);
	put_u32(w, options, (uint32_t)option.len);
	strbuf_add(options, option.s ?: "", option.len);
	w->failed |= body.err || option.err;
}

static void put_v7(struct trace_writer *w, struct strbuf *out)
{
	static const char *const names[] = { "none", "zlib", "zstd" };
	static const unsigned parts[] = { TRACE_ID_HEADER_INFO,	  TRACE_ID_FTRACE_EVENTS,
					  TRACE_ID_EVENT_FORMATS, TRACE_ID_KALLSYMS,
					  TRACE_ID_PRINTK,	  TRACE_ID_CMDLINES };
	_cleanup_strbuf_ struct strbuf options = { 0 };
	uint64_t at, patch;
	unsigned cpus = cpu_count(w);

	put_start(w, out);
	put_string(out, names[w->config.compression]);
	put_string(out, w->config.compression ? "1.0" : "");
	patch = out->len;
	put_u64(w, out, 0);
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		_cleanup_strbuf_ struct strbuf body = { 0 };

		put_body(w, &body, parts[i]);
		at = put_section(w, out, parts[i], &body, w->config.compression);
		put_u16(w, &options, (uint16_t)parts[i]);
		put_u32(w, &options, 8);
		put_u64(w, &options, at);
		w->failed |= body.err != 0;
	}
	put_u16(w, &options, TRACE_ID_CPUCOUNT);
	put_u32(w, &options, 4);
	put_u32(w, &options, cpus);
	strbuf_add(&options, w->options.s ?: "", w->options.len);
	for (unsigned i = 0; i < w->n_buffers; i++)
		put_v7_buffer(w, out, i, &options);
	put_u16(w, &options, TRACE_ID_DONE);
	put_u32(w, &options, 8);
	put_u64(w, &options, 0);
	at = put_section(w, out, TRACE_ID_DONE, &options, w->config.packed_options);
	if (!out->err)
		store_u64(out->s + patch, at, w->config.big_endian);
	w->failed |= options.err != 0;
}

int trace_writer_bytes(struct trace_writer *w, struct strbuf *out)
{
	for (unsigned i = 0; i < w->n_buffers; i++) {
		for (size_t k = 0; k < w->buffers[i].n; k++) {
			page_writer_close_page(&w->buffers[i].cpus[k].pages);
			w->failed |= w->buffers[i].cpus[k].pages.pages.err != 0;
		}
	}
	if (!w->failed && !w->options.err)
		w->config.version == 6 ? put_v6(w, out) : put_v7(w, out);
	return w->failed || w->options.err || out->err ? -ENOMEM : 0;
}

int trace_writer_save(struct trace_writer *w, const char *path)
{
	_cleanup_strbuf_ struct strbuf out = { 0 };
	_cleanup_close_ int fd = -1;
	int r = trace_writer_bytes(w, &out);

	if (r < 0)
		return r;
	/* A new file: only replacing an existing one is synced to disk. */
	unlink(path);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	for (size_t done = 0; done < out.len;) {
		ssize_t n = write(fd, out.s + done, out.len - done);

		if (n < 0)
			return -errno;
		done += (size_t)n;
	}
	return 0;
}

static int put_sparse_page(int fd, uint64_t offset, uint64_t page, unsigned cpu)
{
	struct page_writer w;
	int r = 0;

	page_writer_init(&w, 4096, 8, false);
	for (unsigned i = 0; i < SPARSE_EVENTS; i++)
		page_writer_event(&w, SPARSE_TIME(page) + i * SPARSE_STEP, 1, (int32_t)cpu, 16);
	page_writer_close_page(&w);
	if (w.pages.err)
		r = -ENOMEM;
	else if (pwrite(fd, w.pages.s, w.pages.len, (off_t)offset) != (ssize_t)w.pages.len)
		r = -EIO;
	page_writer_done(&w);
	return r;
}

static int put_sparse(struct trace_writer *w, int fd, unsigned n_cpus, uint64_t pages,
		      uint64_t dense, uint64_t every)
{
	_cleanup_strbuf_ struct strbuf head = { 0 };
	uint64_t start;
	int r = 0;

	put_v6_head(w, &head);
	start = align(w, head.len);
	for (unsigned cpu = 0; cpu < n_cpus; cpu++) {
		w->buffers[0].cpus[cpu].offset = start + cpu * pages * 4096;
		w->buffers[0].cpus[cpu].size = pages * 4096;
	}
	strbuf_clear(&head);
	put_v6_head(w, &head);
	if (head.err || w->failed)
		return -ENOMEM;
	if (ftruncate(fd, (off_t)(start + n_cpus * pages * 4096)) < 0 ||
	    pwrite(fd, head.s, head.len, 0) != (ssize_t)head.len)
		return -errno;
	for (unsigned cpu = 0; cpu < n_cpus; cpu++)
		for (uint64_t p = 0; p < pages && r == 0;
		     p = p + 1 < dense || p + 1 >= pages - dense ? p + 1 :
			 (p / every + 1) * every < pages - dense ? (p / every + 1) * every :
								   pages - dense)
			r = put_sparse_page(fd, start + (cpu * pages + p) * 4096, p, cpu);
	return r;
}

int trace_writer_sparse(const char *path, unsigned n_cpus, uint64_t pages, uint64_t dense,
			uint64_t every)
{
	struct trace_writer *w = trace_writer_new(&(struct trace_config){ 0 });
	int r = w ? 0 : -ENOMEM;
	int fd;

	unlink(path);
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	for (unsigned cpu = 0; cpu < n_cpus && r == 0; cpu++)
		r = trace_writer_cpu(w, 0, cpu) ? 0 : -ENOMEM;
	if (r == 0)
		r = fd < 0 ? -errno : put_sparse(w, fd, n_cpus, pages, dense, every);
	if (fd >= 0)
		close(fd);
	trace_writer_free(w);
	return r;
}
