/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Truncated and modified files: no crash, no hang, and intact parts are read. Most useful when
 * built with sanitizers.
 */
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "events.h"
#include "format/file/trace-file.h"
#include "golden.h"

static size_t read_all(const uint8_t *bytes, size_t size, uint64_t *ret_damage)
{
	struct fathom_trace *trace;
	struct fathom_cursor *cursor;
	struct fathom_event event;
	int fd = memfd_create("hostile", MFD_CLOEXEC);
	size_t n = 0;
	int r;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, size), size);
	*ret_damage = 1;
	if (fathom_trace_open_fd(fd, size & 1 ? FATHOM_OPEN_NO_MAP : 0, &trace, NULL) < 0)
		return 0;
	assert_int_equal(fathom_cursor_new(trace, NULL, &cursor, NULL), 0);
	while ((r = fathom_cursor_next(cursor, &event)) == 1)
		n++;
	assert_int_equal(r, 0);
	*ret_damage = fathom_trace_damage_count(trace);
	fathom_cursor_free(cursor);
	fathom_trace_free(trace);
	return n;
}

static void make_small(const struct trace_config *config, struct strbuf *out)
{
	struct trace_writer *w = trace_writer_new(config);

	for (unsigned i = 0; i < 600; i++)
		page_writer_event(trace_writer_cpu(w, 0, i % 3), 1000 + i, 1, 2, 16 + i % 40);
	assert_int_equal(trace_writer_bytes(w, out), 0);
	trace_writer_free(w);
}

static const struct trace_config configs[] = {
	{ .version = 6, .page_size = 1024 },
	{ .version = 6, .page_size = 1024, .big_endian = true, .long_size = 4 },
	{ .version = 7, .page_size = 1024 },
	{ .version = 7, .page_size = 1024, .compression = COMPRESSION_ZLIB },
	{ .version = 7, .page_size = 1024, .compression = COMPRESSION_ZSTD, .chunk_pages = 3 },
};

static void truncated_anywhere(void **state)
{
	for (size_t k = 0; k < sizeof(configs) / sizeof(configs[0]); k++) {
		_cleanup_strbuf_ struct strbuf bytes = { 0 };
		size_t whole, last = 0;
		uint64_t damage;

		make_small(&configs[k], &bytes);
		whole = read_all((uint8_t *)bytes.s, bytes.len, &damage);
		assert_int_equal(whole, 600);
		assert_true(damage == 0);
		for (size_t len = 0; len < bytes.len; len += 1 + len / 997) {
			size_t n = read_all((uint8_t *)bytes.s, len, &damage);

			/* Damage is always reported, and a longer part never yields less. */
			assert_true(damage > 0);
			if (configs[k].version == 6) {
				assert_true(n >= last);
				last = n;
			}
			assert_true(n <= whole);
		}
		/* Version 6 has its tables at the beginning: all but the last page is available. */
		if (configs[k].version == 6)
			assert_true(last > 560);
	}
}

static void changed_anywhere(void **state)
{
	uint64_t seed = 123456789, damage;

	for (size_t k = 0; k < sizeof(configs) / sizeof(configs[0]); k++) {
		_cleanup_strbuf_ struct strbuf bytes = { 0 };

		make_small(&configs[k], &bytes);
		for (unsigned i = 0; i < 1500; i++) {
			uint8_t *copy = malloc(bytes.len);
			unsigned changes = 1 + (unsigned)(rnd(&seed) % 4);

			assert_non_null(copy);
			memcpy(copy, bytes.s, bytes.len);
			while (changes--) {
				size_t at = rnd(&seed) % (rnd(&seed) % 2 ? bytes.len : 2000);
				static const uint8_t nasty[] = { 0, 1, 0x7f, 0x80, 0xff, 0xfe };

				copy[at % bytes.len] = rnd(&seed) % 2 ? (uint8_t)rnd(&seed) :
									nasty[rnd(&seed) % 6];
			}
			read_all(copy, bytes.len, &damage);
			free(copy);
		}
	}
}

static void real_files_truncated_and_changed(void **state)
{
	uint64_t seed = 362436069, damage;
	char *path;

	for (size_t i = 0; (path = golden_path(i)); i++) {
		int fd = open(path, O_RDONLY | O_CLOEXEC);
		off_t size = lseek(fd, 0, SEEK_END);
		uint8_t *bytes = malloc((size_t)size);

		assert_non_null(bytes);
		assert_int_equal(pread(fd, bytes, (size_t)size, 0), size);
		for (unsigned k = 0; k < 6; k++) {
			size_t at = rnd(&seed) % (size_t)size;
			uint8_t old = bytes[at];

			read_all(bytes, at, &damage);
			assert_true(damage > 0);
			bytes[at] = (uint8_t)rnd(&seed);
			read_all(bytes, (size_t)size, &damage);
			bytes[at] = old;
		}
		free(bytes);
		close(fd);
		free(path);
	}
}

/* The messages that users see. */
static void reports_errors(void **state)
{
	struct fathom_trace_damage damage;
	struct fathom_trace *trace;
	struct fathom_err err = { 0 };
	_cleanup_strbuf_ struct strbuf bytes = { 0 };
	int fd = memfd_create("hostile", MFD_CLOEXEC);

	assert_int_equal(fathom_trace_open("/nowhere", 0, &trace, &err), -ENOENT);
	assert_string_equal(fathom_err_text(&err),
			    "cannot open '/nowhere': No such file or directory");
	assert_int_equal(fathom_trace_open("/", 0, &trace, &err), -EISDIR);
	assert_int_equal(fathom_trace_open("/dev/null", 0, &trace, &err), -ESPIPE);
	assert_int_equal(fathom_trace_open("/proc/self/exe", 0, &trace, &err), -EINVAL);
	assert_string_equal(
		fathom_err_text(&err),
		"cannot read '/proc/self/exe': not a trace file: expected a recording of fathom or trace-cmd");
	make_small(&configs[0], &bytes);
	assert_int_equal(write(fd, bytes.s, bytes.len - 5000), bytes.len - 5000);
	assert_int_equal(fathom_trace_open_fd(fd, 0, &trace, &err), 0);
	assert_int_equal(fathom_trace_damage(trace, 0, &damage), 0);
	assert_non_null(strstr(damage.text, "data of CPU 2 truncated"));
	assert_true(damage.offset == bytes.len - 5000);
	fathom_trace_free(trace);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(truncated_anywhere),
		cmocka_unit_test(changed_anywhere),
		cmocka_unit_test(real_files_truncated_and_changed),
		cmocka_unit_test(reports_errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
