/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "format/bytes.h"
#include "format/file/trace-encode.h"
#include "format/file/trace-file.h"
#include "page-writer.h"
#include "record/file/recover.h"
#include "record/file/trace-out-parts.h"

#define PAGE 4096

static long read_fd(void *ctx, uint64_t offset, void *buf, size_t size)
{
	return pread(*(int *)ctx, buf, size, (off_t)offset);
}

/* Reads the current state of the file; to be released with trace_file_done(). */
static int look(int *fd, struct trace_file *file)
{
	struct stat st;
	struct view view;

	assert_int_equal(fstat(*fd, &st), 0);
	view = (struct view){ .size = (uint64_t)st.st_size, .read = read_fd, .ctx = fd };
	return trace_file_init(file, &view, 0, NULL);
}

/* Writes page @n of stream @s; the PID of its first event is 100 * s + n. */
static void put_pages(struct trace_out_stream *stream, unsigned s, unsigned from, unsigned n)
{
	struct page_writer w;

	page_writer_init(&w, PAGE, 8, BYTES_HOST_BIG);
	for (unsigned i = from; i < from + n; i++) {
		page_writer_event(&w, 1000 + i, 1, (int32_t)(100 * s + i), 16);
		page_writer_close_page(&w);
	}
	if (succeeds(!w.pages.err))
		assert_int_equal(trace_out_pwrite(stream->fd, w.pages.s, w.pages.len,
						  stream->start + stream->size),
				 0);
	stream->size += w.pages.len;
	page_writer_done(&w);
}

static int32_t pid_of(int fd, uint64_t page)
{
	uint8_t bytes[32];

	assert_int_equal(pread(fd, bytes, sizeof(bytes), (off_t)page), sizeof(bytes));
	return (int32_t)load_u32(bytes + 16 + 4 + 4, BYTES_HOST_BIG);
}

/* Each CPU of the file has the number of pages in @pages, each its own. */
static void check(int fd, enum trace_stage stage, const unsigned *pages)
{
	struct trace_file file;
	unsigned seen[3] = { 0 };

	if (look(&fd, &file) < 0)
		return;
	assert_int_equal(file.state.stage, stage);
	assert_int_equal(file.damage.total, 0);
	assert_int_equal(file.n_buffers, 2);
	assert_string_equal(file.buffers[1].name, "other");
	for (size_t b = 0; b < 2; b++)
		for (uint32_t i = 0; i < file.buffers[b].n_cpus; i++) {
			const struct trace_cpu *cpu = &file.buffers[b].cpus[i];
			unsigned s = b ? 2 : cpu->cpu;

			assert_int_equal(cpu->offset % PAGE, 0);
			seen[s] = (unsigned)(cpu->size / PAGE);
			for (unsigned p = 0; p < seen[s]; p++)
				assert_int_equal(pid_of(fd, cpu->offset + p * PAGE), 100 * s + p);
		}
	for (unsigned s = 0; s < 3; s++)
		assert_int_equal(seen[s], pages[s]);
	trace_file_done(&file);
}

static const char header_page[] = "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
				  "\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
				  "\tfield: char data;\toffset:16;\tsize:4080;\tsigned:1;\n";

static int make(int fd, struct trace_out **ret_out)
{
	static const uint32_t cpus[] = { 0, 1 };
	_cleanup_trace_encoder_ struct trace_encoder head = { .big_endian = BYTES_HOST_BIG };
	const struct trace_out_buffer buffers[] = { { "", "local", PAGE, cpus, 2 },
						    { "other", "mono", PAGE, cpus, 1 } };
	struct trace_out_section sections[2] = { { TRACE_ID_HEADER_INFO, NULL, 0 },
						 { TRACE_ID_CMDLINES, "\0\0\0\0\0\0\0", 8 } };
	const struct trace_out_option option = { TRACE_ID_UNAME, "Linux box", 10 };
	struct trace_out_spec spec = { PAGE, sections, 2, &option, 1, buffers, 2 };

	trace_encode_string(&head, "header_page");
	trace_encode_text64(&head, header_page, sizeof(header_page) - 1);
	trace_encode_string(&head, "header_event");
	trace_encode_text64(&head, "", 0);
	if (head.out.err)
		return head.out.err;
	sections[0].body = head.out.s;
	sections[0].size = head.out.len;
	return trace_out_new(fd, &spec, ret_out, NULL);
}

static int temporary(void)
{
	char path[] = "/var/tmp/fathom-test-XXXXXX";
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	unlink(path);
	return fd;
}

/* A file in memory, where ranges cannot be collapsed, so data are copied. */
static int in_memory(void)
{
	int fd = memfd_create("test", MFD_CLOEXEC);

	assert_true(fd >= 0);
	return fd;
}

static void record_and_finish(int fd, struct trace_out_result *ret_result)
{
	_cleanup_trace_out_ struct trace_out *out = NULL;
	struct trace_out_stream *streams;
	size_t n;
	const struct trace_out_section names = { TRACE_ID_CMDLINES, "\6\0\0\0\0\0\0\0007 name",
						 14 };
	const struct trace_out_option version = { TRACE_ID_VERSION, "new", 4 };
	struct trace_file file;

	if (make(fd, &out) < 0)
		return;
	streams = trace_out_streams(out, &n);
	assert_int_equal(n, 3);
	check(fd, TRACE_RECORDING, (unsigned[]){ 0, 0, 0 });
	put_pages(&streams[0], 0, 0, 5);
	put_pages(&streams[1], 1, 0, 3);
	/* Not in the file's table yet, but found nevertheless. */
	check(fd, TRACE_RECORDING, (unsigned[]){ 5, 3, 0 });
	assert_int_equal(trace_out_checkpoint(out), 0);
	put_pages(&streams[1], 1, 3, 20);
	put_pages(&streams[2], 2, 0, 1);
	check(fd, TRACE_RECORDING, (unsigned[]){ 5, 23, 1 });
	if (trace_out_finish(out, &names, 1, &version, 1, ret_result, NULL) < 0)
		return;
	check(fd, TRACE_FINISHED, (unsigned[]){ 5, 23, 1 });
	assert_int_equal(ret_result->holes, 0);
	assert_int_equal(ret_result->data, 29 * PAGE);
	assert_true(ret_result->size < (128 << 10) + 29 * PAGE);
	if (look(&fd, &file) < 0)
		return;
	assert_int_equal(file.view.size, ret_result->size);
	assert_string_equal(file.tracer_version, "new");
	assert_string_equal(file.uname, "Linux box");
	assert_int_equal(trace_file_section(&file, TRACE_ID_CMDLINES)->size, 14);
	trace_file_done(&file);
}

static void finishes_by_collapsing(void **state)
{
	_cleanup_close_ int fd = temporary();
	struct trace_out_result result = { 0 };

	record_and_finish(fd, &result);
	if (result.reason == -EOPNOTSUPP)
		skip_because("the file system cannot collapse ranges of a file");
	assert_int_equal(result.copied, 0);
}

static void finishes_by_copying(void **state)
{
	_cleanup_close_ int fd = in_memory();
	struct trace_out_result result = { 0 };

	record_and_finish(fd, &result);
	if (succeeds(result.size))
		assert_int_equal(result.copied, 24 * PAGE);
}

/* A hole that was removed, with a table that does not reflect it yet. */
static void survives_being_killed_while_compressing(void **state)
{
	_cleanup_close_ int fd = in_memory();
	_cleanup_trace_out_ struct trace_out *out = NULL;
	struct trace_out_stream *streams;
	uint64_t end, gap;
	size_t n;

	require(make(fd, &out) >= 0);
	streams = trace_out_streams(out, &n);
	put_pages(&streams[0], 0, 0, 2);
	put_pages(&streams[2], 2, 0, 2);
	out->state.stage = TRACE_PACKING;
	end = streams[0].start + streams[0].size;
	gap = streams[2].start - end;
	out->state.hole = end;
	out->state.hole_size = gap;
	out->state.size_before = streams[2].start + streams[2].size;
	assert_int_equal(trace_out_put_options(out), 0);
	check(fd, TRACE_PACKING, (unsigned[]){ 2, 0, 2 });
	/* What collapsing the range does. */
	streams[2].start = end;
	streams[2].size = 0;
	put_pages(&streams[2], 2, 0, 2);
	assert_int_equal(ftruncate(fd, (off_t)(end + 2 * PAGE)), 0);
	check(fd, TRACE_PACKING, (unsigned[]){ 2, 0, 2 });
}

static char left_path[] = "/var/tmp/fathom-test-XXXXXX";

static int remove_left(void **state)
{
	return unlink(left_path);
}

/* The recorder dies; another process finishes its file. */
static void recovers(void **state)
{
	_cleanup_close_ int fd = mkstemp(left_path), left = -1;
	_cleanup_trace_out_ struct trace_out *out = NULL;
	struct trace_out_stream *streams;
	struct trace_out_result result;
	size_t n;

	assert_true(fd >= 0);
	require(make(fd, &out) >= 0);
	streams = trace_out_streams(out, &n);
	put_pages(&streams[1], 1, 0, 7);
	put_pages(&streams[2], 2, 0, 300);
	left = recording_open_left(left_path, NULL);
	assert_true(left >= 0);
	if (succeeds(recording_recover(left, left_path, &result, NULL) == 0)) {
		check(fd, TRACE_FINISHED, (unsigned[]){ 0, 7, 300 });
		assert_int_equal(recording_recover(left, left_path, &result, NULL), -EALREADY);
	}
}

static int make_and_finish(void *arg)
{
	_cleanup_close_ int fd = in_memory();
	_cleanup_trace_out_ struct trace_out *out = NULL;
	struct trace_out_result result;
	int r = make(fd, &out);

	return r < 0 ? r : trace_out_finish(out, NULL, 0, NULL, 0, &result, NULL);
}

static void survives_failing_allocations(void **state)
{
	oom_check(make_and_finish, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finishes_by_collapsing),
		cmocka_unit_test(finishes_by_copying),
		cmocka_unit_test(survives_being_killed_while_compressing),
		cmocka_unit_test_teardown(recovers, remove_left),
		cmocka_unit_test(survives_failing_allocations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
