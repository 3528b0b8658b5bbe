/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests with the test program itself, whose functions are at known places. */
#include "test.h"

#include <link.h>

#include "symbols/user/user-program.h"

#define SELF "/proc/self/exe"

int sample_one(int n);
int sample_alias(int n);

__attribute__((noinline, used)) int sample_one(int n)
{
	__asm__ volatile("" : "+r"(n));
	return n + 1;
}

__attribute__((noinline, used)) static int sample_two(int n)
{
	__asm__ volatile("" : "+r"(n));
	return n * 3;
}

int sample_alias(int n) __attribute__((alias("sample_one")));

/* The compiler's name for the cold part of a function. */
__attribute__((noinline, used)) static int sample_piece(int n) __asm__("sample_two.cold");
static int sample_piece(int n)
{
	__asm__ volatile("" : "+r"(n));
	return n * 5;
}

__attribute__((noinline, used)) static int sample_clone(int n) __asm__("sample_made.constprop.0");
static int sample_clone(int n)
{
	__asm__ volatile("" : "+r"(n));
	return n * 7;
}

/* As Rust mangles app::save and app::save_all. */
__attribute__((noinline, used)) static int sample_rust(int n) __asm__("_RNvC3app4save");
static int sample_rust(int n)
{
	__asm__ volatile("" : "+r"(n));
	return n * 11;
}

__attribute__((noinline, used)) static int sample_rust_all(int n) __asm__("_RNvC3app8save_all");
static int sample_rust_all(int n)
{
	__asm__ volatile("" : "+r"(n));
	return n * 13;
}

#if defined(__x86_64__) && !ADDRESS_SANITIZED
#define HAS_INDIRECT
__attribute__((used)) static int (*choose(void))(int)
{
	return sample_two;
}
int sample_chosen(int n) __attribute__((ifunc("choose")));
#endif

/* Converts an address of this program to a file offset. */
struct place {
	uintptr_t address;
	uint64_t offset;
};

static int look(struct dl_phdr_info *info, size_t size, void *data)
{
	struct place *place = data;

	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		uintptr_t start = info->dlpi_addr + p->p_vaddr;

		if (p->p_type == PT_LOAD && place->address >= start &&
		    place->address - start < p->p_filesz) {
			place->offset = place->address - start + p->p_offset;
			return 1;
		}
	}
	return 0;
}

static uint64_t offset_of(int (*function)(int))
{
	struct place place = { .address = (uintptr_t)function };

	assert_int_equal(dl_iterate_phdr(look, &place), 1);
	return place.offset;
}

struct found {
	struct user_program *program;
	struct arena arena;
	struct user_function *list;
	size_t n;
};

static void found_done(struct found *found)
{
	user_program_free(found->program);
	arena_done(&found->arena);
}

static int find(const char *name, struct found *ret)
{
	struct found found = { 0 };
	int r = user_program_open(SELF, &found.program, NULL);

	if (r == 0)
		r = user_program_find(found.program, name, &found.arena, &found.list, &found.n,
				      NULL);
	if (r < 0)
		found_done(&found);
	else
		*ret = found;
	return r;
}

static void finds_functions(void **state)
{
	_cleanup_(found_done) struct found found = { 0 };
	_cleanup_(found_done) struct found alias = { 0 };

	require(find("sample_two", &found) >= 0 && find("sample_alias", &alias) >= 0);
	assert_int_equal(found.n, 1);
	assert_int_equal(found.list[0].offset, offset_of(sample_two));
	assert_true(found.list[0].size > 0);
	assert_false(found.list[0].is_indirect || found.list[0].is_piece);
	assert_true(user_program_has_code(found.program, found.list[0].offset));
	assert_false(user_program_has_code(found.program, 0));
	assert_false(user_program_has_code(found.program, UINT64_MAX));
	assert_false(user_program_is_go(found.program));
	assert_int_equal(alias.n, 1);
	assert_int_equal(alias.list[0].offset, offset_of(sample_one));
}

/* One per place, no cold parts, in the order of the file. */
static void finds_globs(void **state)
{
	_cleanup_(found_done) struct found found = { 0 };
	size_t seen = 0;

	require(find("sample_*", &found) >= 0);
	for (size_t i = 0; i < found.n; i++) {
		assert_true(i == 0 || found.list[i - 1].offset < found.list[i].offset);
		assert_string_not_equal(found.list[i].name, "sample_two.cold");
		seen += found.list[i].offset == offset_of(sample_one) ||
			found.list[i].offset == offset_of(sample_two);
	}
	assert_int_equal(seen, 2);
}

/* Names with "::" are those in the source. */
static void finds_readable_names(void **state)
{
	_cleanup_(found_done) struct found one = { 0 };
	_cleanup_(found_done) struct found all = { 0 };
	_cleanup_(found_done) struct found none = { 0 };

	assert_int_equal(sample_rust(2) + sample_rust_all(2), 48);
	require(find("app::save", &one) >= 0 && find("app::*", &all) >= 0 &&
		find("app::saved", &none) >= 0);
	assert_int_equal(one.n, 1);
	assert_int_equal(one.list[0].offset, offset_of(sample_rust));
	assert_int_equal(all.n, 2);
	assert_int_equal(none.n, 0);
}

static void recognizes_code_that_is_not_a_function(void **state)
{
	_cleanup_(found_done) struct found piece = { 0 };

	require(find("sample_two.cold", &piece) >= 0);
	assert_int_equal(piece.n, 1);
	assert_true(piece.list[0].is_piece);
	assert_int_equal(sample_piece(2), 10);
#ifdef HAS_INDIRECT
	{
		_cleanup_(found_done) struct found chosen = { 0 };

		assert_int_equal(sample_chosen(2), 6);
		require(find("sample_chosen", &chosen) >= 0);
		assert_int_equal(chosen.n, 1);
		assert_true(chosen.list[0].is_indirect);
	}
#endif
}

static void suggests_similar_names(void **state)
{
	_cleanup_(found_done) struct found none = { 0 };

	assert_int_equal(sample_clone(2), 14);
	require(find("sample_tow", &none) >= 0);
	assert_int_equal(none.n, 0);
	assert_string_equal(user_program_nearest(none.program, "sample_tow"), "sample_two");
	assert_string_equal(user_program_nearest(none.program, "sample_made"),
			    "sample_made.constprop.0");
	assert_null(user_program_nearest(none.program, "something_quite_different_from_all"));
}

static void rejects_other_files(void **state)
{
	struct user_program *program;
	struct fathom_err err = { 0 };
	int r = user_program_open("/nowhere/at/all", &program, &err);

	assert_true(r == -ENOENT || r == -ENOMEM);
	r = user_program_open("/", &program, &err);
	assert_true(r < 0);
	r = user_program_open("/proc/self/status", &program, &err);
	assert_true(r < 0);
}

static void writes_lines(void **state)
{
	_cleanup_strbuf_ struct strbuf line = { 0 };

	user_probe_line(&line, false, "g", "e", "/bin/x", 0x1234, 0);
	strbuf_addc(&line, '\n');
	user_probe_line(&line, true, "g", "e_ret", "/bin/x", 0x1234, 0x40);
	if (succeeds(!line.err))
		assert_string_equal(line.s, "p:g/e /bin/x:0x1234\nr:g/e_ret /bin/x:0x1234(0x40)");
	assert_true(user_probe_path_is_possible("/bin/x:y(z)"));
	assert_false(user_probe_path_is_possible("/bin/x y"));
	assert_false(user_probe_path_is_possible("bin/x"));
	assert_false(user_probe_path_is_possible(""));
}

static int whole(void *arg)
{
	struct found found;
	int r = find("sample_*", &found);

	if (r == 0)
		found_done(&found);
	return r;
}

static void survives_failing_allocations(void **state)
{
	oom_check(whole, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_functions),
		cmocka_unit_test(finds_globs),
		cmocka_unit_test(finds_readable_names),
		cmocka_unit_test(recognizes_code_that_is_not_a_function),
		cmocka_unit_test(suggests_similar_names),
		cmocka_unit_test(rejects_other_files),
		cmocka_unit_test(writes_lines),
		cmocka_unit_test(survives_failing_allocations),
	};

	return cmocka_run_group_tests_name("user-program", tests, NULL, NULL);
}
