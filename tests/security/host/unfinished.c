/* SPDX-License-Identifier: GPL-2.0-or-later */
/* unfinished FILE: writes a recording of two CPUs as a killed recorder leaves it. */
#include <fcntl.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "format/bytes.h"
#include "format/file/trace-encode.h"
#include "page-writer.h"
#include "record/file/trace-out-parts.h"

#define PAGE 4096

static const char header_page[] = "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
				  "\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
				  "\tfield: char data;\toffset:16;\tsize:4080;\tsigned:1;\n";

static int put_page(struct trace_out_stream *stream)
{
	struct page_writer w;
	int r;

	page_writer_init(&w, PAGE, 8, BYTES_HOST_BIG);
	page_writer_event(&w, 1000, 1, 42, 16);
	page_writer_close_page(&w);
	r = w.pages.err ?: trace_out_pwrite(stream->fd, w.pages.s, w.pages.len, stream->start);
	stream->size += w.pages.len;
	page_writer_done(&w);
	return r;
}

static int put_file(int fd)
{
	static const uint32_t cpus[] = { 0, 1 };
	_cleanup_trace_encoder_ struct trace_encoder head = { .big_endian = BYTES_HOST_BIG };
	_cleanup_trace_out_ struct trace_out *out = NULL;
	const struct trace_out_buffer buffer = { "", "local", PAGE, cpus, 2 };
	struct trace_out_section section = { TRACE_ID_HEADER_INFO, NULL, 0 };
	struct trace_out_spec spec = { PAGE, &section, 1, NULL, 0, &buffer, 1 };
	struct trace_out_stream *streams;
	size_t n;

	trace_encode_string(&head, "header_page");
	trace_encode_text64(&head, header_page, sizeof(header_page) - 1);
	trace_encode_string(&head, "header_event");
	trace_encode_text64(&head, "", 0);
	section.body = head.out.s;
	section.size = head.out.len;
	if (head.out.err || trace_out_new(fd, &spec, &out, NULL) < 0)
		return -1;
	streams = trace_out_streams(out, &n);
	return put_page(&streams[0]) < 0 || put_page(&streams[1]) < 0 ? -1 : 0;
}

int main(int argc, char **argv)
{
	int fd = argc == 2 ? open(argv[1], O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600) : -1;

	return fd < 0 || put_file(fd) < 0;
}
