/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Round trips of recordings are in tests/cli/convert, those of random files in tests/write. */
#include "write/trace-dat.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <fathom/fathom.h>

#include "base/cleanup.h"
#include "base/files/file.h"
#include "base/mem.h"
#include "format/file/trace-encode.h"
#include "format/file/trace-file.h"
#include "read/trace.h"
#include "test.h"
#include "trace-writer.h"

static char in[] = "/tmp/fathom-dat-in-XXXXXX", out[] = "/tmp/fathom-dat-out-XXXXXX";

static const struct trace_dat_options kinds[] = {
	{ .version = 6 },
	{ .version = 7, .compression = COMPRESSION_NONE },
	{ .version = 7, .compression = COMPRESSION_ZLIB, .level = 1 },
	{ .version = 7, .compression = COMPRESSION_ZSTD, .threads = 1 },
};

/* To a new file: only replacing an existing file calls fsync(). */
static int convert_anew(const struct trace_dat_options *options, struct fathom_err *err)
{
	unlink(out);
	return trace_dat_convert(in, out, options, err);
}

static int make(const struct trace_config *config)
{
	struct trace_writer *w = trace_writer_new(config);
	int r = w ? 0 : -ENOMEM;

	if (w) {
		trace_writer_buffer(w, "other");
		trace_writer_option(w, TRACE_ID_UNAME, "Linux test 6.1", 15);
		trace_writer_option(w, 999, "strange", 8);
	}
	for (unsigned i = 0; i < 400 && r == 0; i++) {
		struct page_writer *p = trace_writer_cpu(w, i % 3 == 0, i % 2 * 3);

		r = p ? 0 : -ENOMEM;
		if (p && i % 100 == 0)
			page_writer_lost(p, i + 1);
		if (p)
			page_writer_event(p, 1000 + i, 1, (int32_t)i, 16);
	}
	if (r == 0)
		r = trace_writer_save(w, in);
	trace_writer_free(w);
	return r;
}

/* Computes a hash of the events of @path. Returns 0 or a negative errno. */
static int sum_events(const char *path, uint64_t *ret_sum)
{
	struct fathom_cursor *cursor = NULL;
	struct fathom_trace *trace;
	struct fathom_event event;
	uint64_t sum = 1;
	int r = fathom_trace_open(path, 0, &trace, NULL);

	if (r < 0)
		return r;
	r = fathom_cursor_new(trace, NULL, &cursor, NULL);
	while (r == 0 && (r = fathom_cursor_next(cursor, &event)) == 1) {
		const uint64_t parts[] = { event.time,	 event.missed, event.cpu,
					   event.buffer, event.size,   (uint64_t)event.pid };

		for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
			sum = sum * 1099511628211u + parts[i];
		r = 0;
	}
	if (r == 0)
		assert_true(fathom_trace_damage_count(trace) == 0);
	fathom_cursor_free(cursor);
	fathom_trace_free(trace);
	*ret_sum = sum;
	return r;
}

/* Option @id of @path has these bytes. */
static void has_option(const char *path, unsigned id, const void *data, size_t size)
{
	struct fathom_trace_option option;
	struct fathom_trace *trace;

	if (fathom_trace_open(path, 0, &trace, NULL) < 0)
		return;
	for (size_t i = 0;; i++) {
		if (fathom_trace_option(trace, i, &option) < 0)
			fail_msg("option %u is gone", id);
		if (option.id != id)
			continue;
		assert_int_equal(option.size, size);
		if (option.data)
			assert_memory_equal(option.data, data, size);
		break;
	}
	fathom_trace_free(trace);
}

static void keeps_events_and_options(void **state)
{
	static const struct trace_config configs[] = {
		{ .version = 6, .big_endian = true, .long_size = 4 },
		{ .version = 7, .compression = COMPRESSION_ZSTD, .page_size = 8192 },
	};
	uint64_t want, got;

	for (size_t i = 0; i < ARRAY_SIZE(configs); i++) {
		if (make(&configs[i]) < 0 || sum_events(in, &want) < 0)
			continue;
		for (size_t k = 0; k < ARRAY_SIZE(kinds); k++) {
			int r = convert_anew(&kinds[k], NULL);

			assert_true(r == 0 || r == -ENOMEM);
			if (r < 0 || sum_events(out, &got) < 0)
				continue;
			assert_true(got == want);
			has_option(out, TRACE_ID_UNAME, "Linux test 6.1", 15);
			has_option(out, 999, "strange", 8);
		}
	}
}

static int convert(void *arg)
{
	return convert_anew(arg, NULL);
}

static void survives_failing_allocations(void **state)
{
	struct trace_dat_options threads = { .compression = COMPRESSION_ZSTD, .threads = 2 };

	require(make(&(struct trace_config){ .version = 7, .compression = COMPRESSION_ZSTD }) >= 0);
	for (size_t k = 0; k < ARRAY_SIZE(kinds); k++) {
		struct trace_dat_options options = kinds[k];

		oom_check(convert, &options);
	}
	oom_check(convert, &threads);
}

static void put_file(const struct trace_encoder *e)
{
	int fd = open(in, O_WRONLY | O_TRUNC | O_CLOEXEC);

	assert_int_equal(write(fd, e->out.s, e->out.len), e->out.len);
	close(fd);
}

/* Strings, an unknown section, an option that refers to it, and a buffer without events. */
static bool make_strange(bool big_endian, uint32_t page_size)
{
	_cleanup_trace_encoder_ struct trace_encoder e = { .big_endian = big_endian };
	struct trace_head head = { .version = 7,
				   .long_size = 8,
				   .page_size = 4096,
				   .compression = "none",
				   .compression_version = "" };
	uint64_t options_at = trace_encode_head(&e, &head), strange, at, option;

	strange = trace_encode_section(&e, 77, 0, 5);
	trace_encode_string(&e, "contents");
	trace_encode_section_end(&e, strange);
	at = trace_encode_section(&e, TRACE_ID_STRINGS, 0, 0);
	trace_encode_bytes(&e, "none\0strange", 13);
	trace_encode_section_end(&e, at);
	trace_encode_patch_u64(&e, options_at, trace_encode_pos(&e));
	at = trace_encode_section(&e, TRACE_ID_DONE, 0, 0);
	option = trace_encode_option_begin(&e, 77);
	trace_encode_u64(&e, strange);
	trace_encode_string(&e, "and more");
	trace_encode_option_end(&e, option);
	for (unsigned i = 0; i < 2; i++) {
		option = trace_encode_option_begin(&e, TRACE_ID_BUFFER);
		trace_encode_u64(&e, strange);
		trace_encode_string(&e, i ? "second" : "");
		trace_encode_string(&e, "mono");
		trace_encode_u32(&e, i ? page_size : 4096);
		trace_encode_u32(&e, 0);
		trace_encode_option_end(&e, option);
	}
	trace_encode_options_done(&e, 0);
	trace_encode_section_end(&e, at);
	if (!e.out.err)
		put_file(&e);
	return !e.out.err;
}

static void copies_unknown_sections(void **state)
{
	for (size_t k = 1; k < 2 * ARRAY_SIZE(kinds); k++) {
		const struct trace_dat_options *options = &kinds[k % ARRAY_SIZE(kinds)];
		struct fathom_trace_section section;
		struct fathom_trace_option option;
		struct fathom_trace *trace;
		bool big = k >= ARRAY_SIZE(kinds);
		size_t n = 0, size;
		char body[16] = "";

		if (options->version == 6 || !make_strange(big, 4096) ||
		    convert_anew(options, NULL) < 0 || fathom_trace_open(out, 0, &trace, NULL) < 0)
			continue;
		while (fathom_trace_section_at(trace, n, &section) == 0 && section.id != 77)
			n++;
		assert_int_equal(section.id, 77);
		assert_string_equal(section.description, "strange");
		if (succeeds(trace_section_length(&trace->file, &trace->file.sections[n], &size,
						  NULL) == 0 &&
			     trace_section_read(&trace->file, &trace->file.sections[n], body, 9,
						NULL) == 0))
			assert_string_equal(body, "contents");
		for (n = 0; fathom_trace_option(trace, n, &option) == 0 && option.id != 77;)
			n++;
		assert_int_equal(option.id, 77);
		assert_int_equal(option.size, 17);
		assert_true(load_u64(option.data, big) == section.offset);
		assert_string_equal((const char *)option.data + 8, "and more");
		fathom_trace_free(trace);
	}
}

/* Many CPUs that share their data. */
static void rejects_duplicate_sections(void **state)
{
	struct trace_writer *w = trace_writer_new(&(struct trace_config){ .version = 6 });
	_cleanup_strbuf_ struct strbuf bytes = { 0 };
	struct page_writer *p = w ? trace_writer_cpu(w, 0, 39) : NULL;
	struct fathom_err err = { 0 };
	int r = p ? 0 : -ENOMEM;

	for (unsigned i = 0; i < 2000 && r == 0; i++)
		page_writer_event(p, i, 1, 1, 100);
	if (r == 0)
		r = trace_writer_bytes(w, &bytes);
	trace_writer_free(w);
	if (succeeds(r == 0)) {
		char *table = memmem(bytes.s, bytes.len, "flyrecord", 10);
		int fd = open(in, O_WRONLY | O_TRUNC | O_CLOEXEC);

		assert_non_null(table);
		for (unsigned cpu = 0; cpu < 39; cpu++)
			memcpy(table + 10 + (size_t)cpu * 16, table + 10 + (size_t)39 * 16, 16);
		assert_int_equal(write(fd, bytes.s, bytes.len), bytes.len);
		close(fd);
		r = convert_anew(&kinds[1], &err);
		assert_true(r == -EBADMSG || r == -ENOMEM);
	}
}

static void reports_limits_of_version_6(void **state)
{
	struct fathom_err err = { 0 };
	int r;

	require(make_strange(false, 65536));
	r = convert_anew(&kinds[0], &err);
	assert_true(r == -ENOTSUP || r == -ENOMEM);
	if (r == -ENOTSUP)
		assert_non_null(
			strstr(fathom_err_text(&err), "page sizes (buffer 'second': 65536 bytes"));
	r = trace_dat_convert(
		in, out,
		&(struct trace_dat_options){ .version = 6, .compression = COMPRESSION_ZSTD }, &err);
	assert_true(r == -EINVAL || r == -ENOMEM);
	r = trace_dat_convert(in, out, &(struct trace_dat_options){ .version = 8 }, &err);
	assert_true(r == -EINVAL || r == -ENOMEM);
	r = trace_dat_convert(in, out, &(struct trace_dat_options){ .compression = 99 }, &err);
	assert_true(r == -ENOTSUP || r == -ENOMEM);
}

/* Options that are too long to be kept in memory, and the ones after them. */
static void copies_long_options(void **state)
{
	size_t size = TRACE_OPTION_COPY_MAX + 12345;
	_cleanup_free_ char *data = mem_alloc(size);
	struct trace_writer *w = trace_writer_new(&(struct trace_config){ .version = 6 });
	int r = w && data ? 0 : -ENOMEM;

	if (r == 0) {
		for (size_t i = 0; i < size; i++)
			data[i] = (char)(i % 251);
		trace_writer_option(w, 500, data, (uint32_t)size);
		trace_writer_option(w, 501, "behind", 7);
		r = trace_writer_save(w, in);
	}
	trace_writer_free(w);
	for (size_t k = 0; k < ARRAY_SIZE(kinds) && r == 0; k++) {
		_cleanup_strbuf_ struct strbuf bytes = { 0 };

		if (convert_anew(&kinds[k], NULL) < 0 || file_read(AT_FDCWD, out, &bytes) < 0)
			continue;
		has_option(out, 500, NULL, size);
		has_option(out, 501, "behind", 7);
		assert_non_null(memmem(bytes.s, bytes.len, data, size));
	}
}

static int read_text(void *path)
{
	struct fathom_trace *trace;
	const char *text;
	size_t size;
	int r = fathom_trace_open(path, 0, &trace, NULL);

	if (r < 0)
		return r;
	r = fathom_trace_text(trace, 0, &text, &size, NULL);
	fathom_trace_free(trace);
	return r;
}

/* The text of a latency tracer instead of events. */
static void keeps_text(void **state)
{
	_cleanup_trace_encoder_ struct trace_encoder e = { 0 };
	struct trace_head head = { .version = 6, .long_size = 8, .page_size = 4096 };
	const char *text;
	size_t size;

	trace_encode_head(&e, &head);
	trace_encode_string(&e, "header_page");
	trace_encode_text64(&e, "", 0);
	trace_encode_string(&e, "header_event");
	trace_encode_text64(&e, "", 0);
	trace_encode_u32(&e, 0);
	trace_encode_u32(&e, 0);
	trace_encode_text32(&e, "", 0);
	trace_encode_text32(&e, "", 0);
	trace_encode_text64(&e, "", 0);
	trace_encode_u32(&e, 2);
	trace_encode_bytes(&e, "latency  ", 10);
	trace_encode_bytes(&e, "# tracer: wakeup\n", 17);
	require(!e.out.err);
	put_file(&e);
	for (size_t k = 0; k < 2 * ARRAY_SIZE(kinds); k++) {
		struct fathom_trace *trace;
		/* Convert each of them back to version 6. */
		bool back = k >= ARRAY_SIZE(kinds);
		int r = convert_anew(&kinds[k % ARRAY_SIZE(kinds)], NULL);

		if (r >= 0 && back)
			r = trace_dat_convert(out, out, &kinds[0], NULL);
		if (r < 0 || fathom_trace_open(out, 0, &trace, NULL) < 0)
			continue;
		assert_int_equal(fathom_trace_info(trace)->cpus, 2);
		if (succeeds(fathom_trace_text(trace, 0, &text, &size, NULL) == 0)) {
			assert_int_equal(size, 17);
			assert_memory_equal(text, "# tracer: wakeup\n", 17);
		}
		fathom_trace_free(trace);
		oom_check(read_text, out);
	}
}

static void keeps_the_old_file_on_failure(void **state)
{
	struct rlimit before, small = { .rlim_cur = 8192 };
	char line[16] = "";
	int fd;

	require(make(&(struct trace_config){ .version = 6 }) >= 0);
	fd = open(out, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	assert_int_equal(write(fd, "precious", 8), 8);
	close(fd);
	/* A limit on the file size, in place of a full disk. */
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	small.rlim_max = before.rlim_max;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	for (size_t k = 0; k < ARRAY_SIZE(kinds); k++) {
		int r = trace_dat_convert(in, out, &kinds[k], NULL);

		assert_true(r == -EFBIG || r == -ENOMEM);
	}
	setrlimit(RLIMIT_FSIZE, &before);
	file_read_line(AT_FDCWD, out, line, sizeof(line));
	assert_string_equal(line, "precious");
	assert_int_equal(trace_dat_convert("/nowhere", out, &kinds[0], NULL), -ENOENT);
	/* In place. */
	if (succeeds(trace_dat_convert(in, in, &kinds[3], NULL) == 0)) {
		uint64_t sum;

		assert_true(sum_events(in, &sum) == 0 || sum_events(in, &sum) == -ENOMEM);
	}
}

static void done_is_all_at_the_end_of(void *data, uint64_t done, uint64_t total)
{
	uint64_t *last = data;

	assert_true(done >= last[0] && done <= total);
	last[0] = done;
	last[1] = total;
}

static void reports_progress(void **state)
{
	for (size_t k = 0; k < ARRAY_SIZE(kinds); k++) {
		struct trace_dat_options options = kinds[k];
		uint64_t last[2] = { 0 };

		options.progress = done_is_all_at_the_end_of;
		options.progress_data = last;
		if (make(&(struct trace_config){ .version = 7 }) < 0 ||
		    convert_anew(&options, NULL) < 0)
			continue;
		assert_true(last[0] == last[1] && last[1] > 0);
	}
}

static int make_files(void **state)
{
	int a = mkstemp(in), b = mkstemp(out);

	if (a < 0 || b < 0)
		return -1;
	close(a);
	return close(b);
}

static int remove_files(void **state)
{
	unlink(out);
	return unlink(in);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keeps_events_and_options),
		cmocka_unit_test(survives_failing_allocations),
		cmocka_unit_test(copies_unknown_sections),
		cmocka_unit_test(rejects_duplicate_sections),
		cmocka_unit_test(reports_limits_of_version_6),
		cmocka_unit_test(copies_long_options),
		cmocka_unit_test(keeps_text),
		cmocka_unit_test(keeps_the_old_file_on_failure),
		cmocka_unit_test(reports_progress),
	};

	return cmocka_run_group_tests(tests, make_files, remove_files);
}
