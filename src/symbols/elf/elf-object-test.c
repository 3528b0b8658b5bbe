/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests with the symbols of the test program itself. */
#include "symbols/elf/elf-object.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "test.h"

PLAIN_VARIABLE int elf_object_sample[5] = { 1 };
PLAIN_VARIABLE static volatile short elf_object_static = 3;
static _Thread_local volatile int elf_object_tls = 3;
int elf_object_function(int n);

__attribute__((noinline)) int elf_object_function(int n)
{
	return n + elf_object_static + elf_object_tls;
}

struct opened {
	int fd;
	struct elf_source source;
	struct elf_file file;
};

static int set_up(void **state)
{
	static struct opened opened;

	opened.fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	if (opened.fd < 0 || elf_source_fd(opened.fd, &opened.source) < 0 ||
	    elf_file_init(&opened.file, &opened.source, NULL) < 0)
		return -1;
	*state = &opened;
	return 0;
}

static int tear_down(void **state)
{
	struct opened *opened = *state;

	elf_file_done(&opened->file);
	close(opened->fd);
	return 0;
}

static int find(struct opened *opened, const char *name, struct elf_object *object)
{
	return elf_object_find(&opened->file, "self", NULL, name, object, NULL);
}

static void test_find(void **state)
{
	struct elf_object object, other;

	assert_int_equal(find(*state, "elf_object_sample", &object), 0);
	assert_int_equal(object.size, sizeof(elf_object_sample));
	assert_false(object.is_function);
	assert_int_equal(find(*state, "elf_object_static", &object), 0);
	assert_int_equal(object.size, sizeof(elf_object_static));
	assert_int_equal(find(*state, "elf-object-test.c:elf_object_static", &other), 0);
	assert_int_equal(other.address, object.address);
	assert_int_equal(find(*state, "other.c:elf_object_static", &other), -ENOENT);
	assert_int_equal(find(*state, "elf_object_function", &other), 0);
	assert_true(other.is_function);
	/* The distance in the file equals that in memory. */
	assert_true(other.address - object.address ==
		    (uintptr_t)elf_object_function - (uintptr_t)&elf_object_static);
}

static void test_missing(void **state)
{
	struct elf_object object;

	assert_int_equal(find(*state, "elf_object", &object), -ENOENT);
	assert_int_equal(find(*state, "", &object), -ENOENT);
	assert_int_equal(find(*state, "elf_object_tls", &object), -EOPNOTSUPP);
	assert_true(elf_object_function(1) > 1);
}

static int oom_find(void *arg)
{
	struct elf_object object;

	return find(arg, "elf_object_sample", &object);
}

static void test_memory(void **state)
{
	oom_check(oom_find, *state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_find, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_missing, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_memory, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
