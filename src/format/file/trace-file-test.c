/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include "base/strbuf.h"
#include "format/file/trace-file-parts.h"
#include "trace-writer.h"

/* A file with two buffers and many kinds of options; NULL without memory. */
static struct trace_writer *make_with(const struct trace_config *config)
{
	struct trace_writer *w = trace_writer_new(config);
	const bool big = config->big_endian;
	uint8_t id[8], tsc[16], guest[6 + 8 + 4 + 8] = "guest", shift[16 + 4 + 32];

	if (!w)
		return NULL;
	memset(shift, 0, sizeof(shift));
	trace_writer_buffer(w, "other");
	if (trace_writer_cpu(w, 0, 3))
		page_writer_event(trace_writer_cpu(w, 0, 3), 1000, 1, 2, 16);
	if (trace_writer_cpu(w, 1, 0))
		page_writer_event(trace_writer_cpu(w, 1, 0), 1000, 1, 2, 16);
	store_u64(id, 0x1234567890ULL, big);
	store_u32(tsc, 3, big);
	store_u32(tsc + 4, 2, big);
	store_u64(tsc + 8, 1, big);
	store_u64(guest + 6, 99, big);
	store_u32(guest + 14, 1, big);
	store_u32(guest + 18, 0, big);
	store_u32(guest + 22, 4242, big);
	store_u64(shift, 88, big);
	store_u32(shift + 12, 1, big);
	store_u32(shift + 16, 1, big);
	store_u64(shift + 28, 5, big);
	trace_writer_option(w, TRACE_ID_UNAME, "Linux box", 10);
	trace_writer_option(w, TRACE_ID_VERSION, "3.4.0", 6);
	trace_writer_option(w, TRACE_ID_TRACEID, id, sizeof(id));
	trace_writer_option(w, TRACE_ID_OFFSET, "-50", 4);
	trace_writer_option(w, TRACE_ID_DATE, "0x2", 4);
	trace_writer_option(w, TRACE_ID_TSC2NSEC, tsc, sizeof(tsc));
	trace_writer_option(w, TRACE_ID_GUEST, guest, sizeof(guest));
	trace_writer_option(w, TRACE_ID_TIME_SHIFT, shift, sizeof(shift));
	trace_writer_option(w, TRACE_ID_HOOK, "", 0);
	trace_writer_option(w, 4000, "from the future", 15);
	return w;
}

static struct trace_writer *make(unsigned version, enum compression compression, bool big)
{
	return make_with(&(struct trace_config){
		.version = version, .compression = compression, .big_endian = big });
}

static void check_file(const struct trace_file *file, unsigned version, bool big)
{
	bool future = false;

	assert_int_equal(file->version, version);
	assert_int_equal(file->big_endian, big);
	assert_int_equal(file->page_size, 4096);
	assert_int_equal(file->layout.commit_size, 8);
	assert_int_equal(file->n_cpus, 4);
	assert_string_equal(file->clock, "local");
	assert_string_equal(file->uname, "Linux box");
	assert_string_equal(file->tracer_version, "3.4.0");
	assert_true(file->trace_id == 0x1234567890ULL);
	assert_true(file->ts_offset == -50);
	assert_true(file->date_offset == 2000);
	assert_int_equal(file->tsc_mult, 3);
	assert_int_equal(file->n_guests, 1);
	assert_string_equal(file->guests[0].name, "guest");
	assert_int_equal(file->guests[0].pids[0], 4242);
	assert_true(file->shift->peer == 88);
	assert_true(file->shift->cpus[0].samples[0].offset == 5);
	assert_int_equal(file->n_buffers, 2);
	assert_string_equal(file->buffers[0].name, "");
	assert_string_equal(file->buffers[1].name, "other");
	assert_int_equal(file->buffers[0].n_cpus, 1);
	assert_int_equal(file->buffers[0].cpus[0].cpu, 3);
	assert_int_equal(file->buffers[1].n_cpus, 1);
	assert_int_equal(file->buffers[1].cpus[0].cpu, 0);
	assert_true(file->buffers[1].time.offset == 1950);
	for (size_t i = 0; i < file->n_options; i++)
		future |= file->options[i].id == 4000 &&
			  memcmp(file->options[i].data, "from the future", 16) == 0;
	assert_true(future);
	for (unsigned id = TRACE_ID_HEADER_INFO; id <= TRACE_ID_CMDLINES; id++)
		assert_non_null(trace_file_section(file, id));
	assert_true(file->damage.total == 0);
}

static void reads_both_versions(void **state)
{
	for (unsigned i = 0; i < 8; i++) {
		unsigned version = i < 2 ? 6 : 7;
		enum compression compression = i < 2 ? COMPRESSION_NONE :
						       (enum compression)(i / 2 - 1);
		struct trace_writer *w = make(version, compression, i & 1);
		_cleanup_strbuf_ struct strbuf bytes = { 0 };
		struct trace_file file;
		struct view view;

		if (!w)
			continue;
		if (succeeds(trace_writer_bytes(w, &bytes) == 0)) {
			view = view_of_bytes(bytes.s, bytes.len);
			if (succeeds(trace_file_init(&file, &view, 0, NULL) == 0)) {
				check_file(&file, version, i & 1);
				trace_file_done(&file);
			}
		}
		trace_writer_free(w);
	}
}

static void rejects_other_files(void **state)
{
	static const char *const texts[] = { "", "\x17\x08\x44tracin", "\x17\x08\x44tracing5",
					     "hello, this is no trace file at all" };
	struct fathom_err err = { 0 };
	struct trace_file file;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct view view = view_of_bytes(texts[i], strlen(texts[i]) + 1);

		assert_true(trace_file_init(&file, &view, 0, &err) < 0);
	}
	assert_string_equal(fathom_err_text(&err),
			    "not a trace file: expected a recording of fathom or trace-cmd");
}

static bool is_noted(const struct damage *damage, const char *words)
{
	for (size_t i = 0; i < damage->count; i++)
		if (strncmp(damage->notes[i].text, words, strlen(words)) == 0)
			return true;
	return false;
}

static void reads_compressed_options(void **state)
{
	for (unsigned i = 0; i < 4; i++) {
		struct trace_writer *w = make_with(&(struct trace_config){
			.version = 7,
			.compression = i < 2 ? COMPRESSION_ZLIB : COMPRESSION_ZSTD,
			.packed_options = true,
			.big_endian = i & 1 });
		_cleanup_strbuf_ struct strbuf bytes = { 0 };
		struct trace_file file;
		struct view view;
		uint64_t at;

		if (succeeds(w && trace_writer_bytes(w, &bytes) == 0)) {
			view = view_of_bytes(bytes.s, bytes.len);
			if (succeeds(trace_file_init(&file, &view, 0, NULL) == 0)) {
				check_file(&file, 7, i & 1);
				trace_file_done(&file);
			}
			/* More than these bytes can decompress to. */
			at = load_u64(bytes.s + 27, i & 1);
			store_u32(bytes.s + at + 20, 0x7fffffff, i & 1);
			if (succeeds(trace_file_init(&file, &view, 0, NULL) == 0)) {
				assert_int_equal(file.n_options, 0);
				assert_int_equal(file.damage.notes[0].offset, at);
				assert_string_equal(file.damage.notes[0].text,
						    "section 'OPTIONS' is truncated or damaged");
				/* Without options there are no buffers. */
				assert_true(
					is_noted(&file.damage, "trace data without a description"));
				trace_file_done(&file);
			}
		}
		trace_writer_free(w);
	}
}

/* A circular chain of options ends with a note. */
static void rejects_circular_options(void **state)
{
	struct trace_writer *w = make(7, COMPRESSION_NONE, false);
	_cleanup_strbuf_ struct strbuf bytes = { 0 };
	struct trace_file file;
	struct view view;

	if (succeeds(w && trace_writer_bytes(w, &bytes) == 0)) {
		uint64_t options = load_u64(bytes.s + 24, false);

		assert_int_equal(load_u16(bytes.s + options, false), TRACE_ID_DONE);
		store_u64(bytes.s + bytes.len - 8, options, false);
		view = view_of_bytes(bytes.s, bytes.len);
		if (succeeds(trace_file_init(&file, &view, 0, NULL) == 0)) {
			assert_true(file.damage.total == 1);
			assert_int_equal(file.n_guests, 1);
			assert_string_equal(file.damage.notes[0].text, "options form a loop");
			trace_file_done(&file);
		}
	}
	trace_writer_free(w);
}

static int parse(void *arg)
{
	struct view *view = arg;
	struct trace_file file;
	int r = trace_file_init(&file, view, 0, NULL);

	if (r == 0)
		trace_file_done(&file);
	return r;
}

static void survives_failing_allocations(void **state)
{
	for (unsigned version = 6; version <= 7; version++) {
		struct trace_writer *w =
			make(version, version == 7 ? COMPRESSION_ZSTD : COMPRESSION_NONE, false);
		_cleanup_strbuf_ struct strbuf bytes = { 0 };
		struct view view;

		if (succeeds(w && trace_writer_bytes(w, &bytes) == 0)) {
			view = view_of_bytes(bytes.s, bytes.len);
			oom_check(parse, &view);
		}
		trace_writer_free(w);
	}
}

#define SMALL_FILE 256

/* Like a view of bytes, does not check bounds; the file is full of non-zero pages. */
static long read_within(void *ctx, uint64_t offset, void *buf, size_t size)
{
	assert_true(offset + size <= SMALL_FILE);
	memset(buf, 1, size);
	return (long)size;
}

/* The size of pages in an unfinished file is untrusted. */
static void finds_the_end_with_any_page_size(void **state)
{
	struct trace_file file = {
		.view = { .size = SMALL_FILE, .read = read_within },
		.state = { .stage = TRACE_RECORDING, .region = UINT64_MAX },
	};

	for (uint32_t page_size = 0; page_size <= SMALL_FILE; page_size++) {
		struct trace_cpu cpu = { .offset = 64 };

		trace_state_correct(&file, page_size, &cpu);
		assert_int_equal(cpu.size, page_size < 16 ? 0 : 192 / page_size * page_size);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_both_versions),
		cmocka_unit_test(rejects_other_files),
		cmocka_unit_test(reads_compressed_options),
		cmocka_unit_test(rejects_circular_options),
		cmocka_unit_test(finds_the_end_with_any_page_size),
		cmocka_unit_test(survives_failing_allocations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
