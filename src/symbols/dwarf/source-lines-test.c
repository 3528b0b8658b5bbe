/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>

#include "base/files/file.h"
#include "symbols/dwarf/source-lines.h"

extern int source_lines_sum;
int source_lines_sum;

/* Lines of the functions. */
enum {
	WITHIN_FIRST = __LINE__ + 2,
};
PLAIN_FUNCTION static inline __attribute__((always_inline)) void within(int n)
{
	source_lines_sum += n;
	__asm__ volatile("" : : : "memory");
}
enum {
	WITHIN_LAST = __LINE__ - 2,
	CALL = __LINE__ + 6,
};

PLAIN_FUNCTION __attribute__((noinline)) static void around(int n)
{
	__asm__ volatile("" : : : "memory");
	within(n);
}

static int first_base(struct dl_phdr_info *info, size_t size, void *data)
{
	*(uintptr_t *)data = info->dlpi_addr;
	return 1;
}

/* Every address of the function has a line in this file, and at least one is inlined. */
static void finds_lines_of_this_program(void **state)
{
	_cleanup_strbuf_ struct strbuf image = { 0 };
	struct source_frame frames[SOURCE_FRAMES_MAX];
	struct source_lines *lines = NULL;
	uintptr_t base = 0;
	bool inlined = false;
	int r;

	if (!source_lines_supported())
		skip_because("no libdw");
	around(1);
	dl_iterate_phdr(first_base, &base);
	require(file_read(AT_FDCWD, "/proc/self/exe", &image) >= 0);
	r = source_lines_new(image.s, image.len, &lines);
	require(r != -ENOMEM);
	assert_int_equal(r, 0);
	for (size_t i = 0; i < 1000; i++) {
		size_t n = source_lines_find(lines, (uintptr_t)around - base + i, frames);

		/* The end of the function. */
		if (i && (!n || strcmp(frames[n - 1].function ?: "", "around") != 0))
			break;
		assert_true(n >= 1);
		assert_non_null(frames[n - 1].file);
		assert_non_null(strstr(frames[n - 1].file, "source-lines-test.c"));
		assert_string_equal(frames[n - 1].function, "around");
		if (n == 2) {
			inlined = true;
			assert_string_equal(frames[0].function, "within");
			assert_in_range(frames[0].line, WITHIN_FIRST, WITHIN_LAST);
			assert_int_equal(frames[1].line, CALL);
		}
	}
	assert_true(inlined);
	assert_int_equal(source_lines_find(lines, 1, frames), 0);
	source_lines_free(lines);
}

static void rejects_files_without_debug_information(void **state)
{
	struct source_lines *lines;
	char text[64] = "no ELF file";

	assert_true(source_lines_new(text, sizeof(text), &lines) < 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_lines_of_this_program),
		cmocka_unit_test(rejects_files_without_debug_information),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
