/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include "symbols/btf/parameters.h"

#include <time.h>

/* Names: offsets in the string below. */
static const char names[] = "\0int\0vfs_open\0path\0fd\0S\0key";
enum {
	N_INT = 1,
	N_VFS_OPEN = 5,
	N_PATH = 14,
	N_FD = 19,
	N_S = 22,
	N_KEY = 24
};

#define KIND(kind, n) ((uint32_t)(kind) << 24 | (n))

static const uint32_t types[] = {
	N_INT,	KIND(1, 0),  4,		 1U << 24 | 32, /* 1: int */
	0,	KIND(2, 0),  0, /* 2: void * */
	N_S,	KIND(4, 0),  16, /* 3: struct S, 16 bytes */
	0,	KIND(10, 0), 1, /* 4: const int */
	0,	KIND(13, 5), 1, /* 5: int (void *path, const int fd, struct S key, missing, ...) */
	N_PATH, 2,	     N_FD,	 4,
	N_KEY,	3,	     0,		 99,
	0,	0,	     N_VFS_OPEN, KIND(12, 0),
	5, /* 6: vfs_open */
	N_FD,	KIND(12, 0), 1, /* 7: a function whose type is not a function type */
};

static size_t make(uint8_t *bytes, bool big)
{
	uint32_t head[6] = { 0x0001eb9f, 24, 0, sizeof(types), sizeof(types), sizeof(names) };
	size_t n = 0;

	if (big)
		head[0] = 0xeb9f0001;
	for (size_t i = 0; i < 6 + sizeof(types) / 4; i++) {
		uint32_t word = i < 6 ? head[i] : types[i - 6];

		for (int b = 0; b < 4; b++)
			bytes[n++] = (uint8_t)(word >> (big ? 24 - b * 8 : b * 8));
	}
	memcpy(bytes + n, names, sizeof(names));
	return n + sizeof(names);
}

/* Names with megabytes in common are not compared in full. */
static void is_fast_with_long_names(void **state)
{
	enum {
		FUNCTIONS = 20000,
		NAME = 2 << 20
	};
	uint32_t head[6] = { 0x0001eb9f, 24, 0, FUNCTIONS * 12, FUNCTIONS * 12, NAME };
	uint32_t function[3] = { 1, KIND(12, 0), 0 };
	size_t size = sizeof(head) + FUNCTIONS * sizeof(function) + NAME;
	uint8_t *bytes = calloc(1, size);
	struct parameters p;
	clock_t start;

	assert_non_null(bytes);
	memcpy(bytes, head, sizeof(head));
	for (size_t i = 0; i < FUNCTIONS; i++)
		memcpy(bytes + sizeof(head) + i * sizeof(function), function, sizeof(function));
	memset(bytes + size - NAME + 1, 'x', NAME - 2);
	start = clock();
	assert_int_equal(parameters_init(&p, bytes, size), 0);
	/* Takes milliseconds of CPU time, or many seconds if names are compared in full. */
	assert_true(clock() - start < 2 * CLOCKS_PER_SEC);
	assert_int_equal(p.n_functions, FUNCTIONS);
	assert_int_equal(parameters_find(&p, (char *)bytes + size - NAME + 1, NAME - 2), 0);
	parameters_done(&p);
	free(bytes);
}

static void check(bool big)
{
	uint8_t bytes[1024];
	size_t size = make(bytes, big);
	struct parameters p;
	struct parameter one;
	uint32_t function;

	assert_int_equal(parameters_init(&p, bytes, size), 0);
	assert_int_equal(parameters_find(&p, "vfs_ope", 7), 0);
	assert_int_equal(parameters_find(&p, "vfs_opener", 10), 0);
	function = parameters_find(&p, "vfs_open.isra.0", 8);
	assert_int_not_equal(function, 0);
	assert_int_equal(parameters_count(&p, function), 5);
	one = parameters_get(&p, function, 0);
	assert_string_equal(one.name, "path");
	assert_int_equal(one.kind, PARAMETER_POINTER);
	one = parameters_get(&p, function, 1);
	assert_string_equal(one.name, "fd");
	assert_int_equal(one.kind, PARAMETER_INT);
	assert_int_equal(one.bits, 32);
	assert_true(one.is_signed);
	one = parameters_get(&p, function, 2);
	assert_int_equal(one.kind, PARAMETER_OTHER);
	assert_string_equal(one.kind_name, "STRUCT");
	assert_int_equal(one.size, 16);
	assert_int_equal(parameters_get(&p, function, 3).kind, PARAMETER_UNKNOWN);
	assert_int_equal(parameters_get(&p, function, 4).kind, PARAMETER_NONE);
	function = parameters_find(&p, "fd", 2);
	assert_int_not_equal(function, 0);
	assert_int_equal(parameters_count(&p, function), 0);
	parameters_done(&p);
}

static void reads_parameters(void **state)
{
	check(false);
}

static void reads_the_other_byte_order(void **state)
{
	check(true);
}

/* Reads nothing outside the bytes, wherever they are cut off; sanitizers check that. */
static void reads_the_intact_part_of_damaged_bytes(void **state)
{
	uint8_t bytes[1024];
	size_t size = make(bytes, false);

	for (size_t i = 0; i < size; i++) {
		for (int value = 0; value < 256; value += 255) {
			uint8_t *copy = malloc(size);
			struct parameters p;
			uint32_t f;

			assert_non_null(copy);
			memcpy(copy, bytes, size);
			copy[i] = (uint8_t)value;
			if (parameters_init(&p, copy, size - i % 3) == 0) {
				f = parameters_find(&p, "vfs_open", 8);
				for (uint32_t n = 0; f && n < parameters_count(&p, f); n++)
					parameters_get(&p, f, n);
				parameters_done(&p);
			}
			free(copy);
		}
	}
}

static void rejects_other_bytes(void **state)
{
	struct parameters p;

	assert_int_equal(parameters_init(&p, "", 0), -EINVAL);
	assert_int_equal(parameters_init(&p, "not a BTF file, but long enough", 31), -EINVAL);
}

static int build(void *arg)
{
	uint8_t bytes[1024];
	size_t size = make(bytes, false);
	struct parameters p;
	int r = parameters_init(&p, bytes, size);

	if (r == 0)
		parameters_done(&p);
	return r;
}

static void survives_failing_allocations(void **state)
{
	oom_check(build, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(is_fast_with_long_names),
		cmocka_unit_test(reads_parameters),
		cmocka_unit_test(reads_the_other_byte_order),
		cmocka_unit_test(reads_the_intact_part_of_damaged_bytes),
		cmocka_unit_test(rejects_other_bytes),
		cmocka_unit_test(survives_failing_allocations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
