/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"
#include "tree.h"

#include <fcntl.h>
#include <unistd.h>

#include <bpf/btf.h>

#include "base/cleanup.h"
#include "symbols/btf/btf.h"
#include "symbols/btf/btf-print.h"

#define _cleanup_prototypes_ _cleanup_(prototypes_free_p)

/* IDs of the types that build() creates. */
struct ids {
	int integer, character, kstat, bool_type, size;
};

/* Adds a function @name of type @proto. */
static void add_function(struct btf *btf, const char *name, int proto)
{
	assert_true(btf__add_func(btf, name, BTF_FUNC_STATIC, proto) > 0);
}

static void add_basic(struct btf *btf, struct ids *ids)
{
	int p, proto;

	ids->integer = btf__add_int(btf, "int", 4, BTF_INT_SIGNED);
	ids->character = btf__add_int(btf, "char", 1, 0);
	ids->kstat = btf__add_struct(btf, "kstat", 8);
	ids->bool_type = btf__add_int(btf, "_Bool", 1, BTF_INT_BOOL);
	ids->size = btf__add_typedef(btf, "size_t", btf__add_int(btf, "long unsigned int", 8, 0));

	p = btf__add_ptr(btf, ids->kstat);
	add_function(btf, "vfs_fstat", btf__add_func_proto(btf, ids->integer));
	proto = btf__add_func_proto(btf, ids->integer);
	btf__add_func_param(btf, "fd", ids->integer);
	btf__add_func_param(btf, "stat", p);
	add_function(btf, "vfs_fstat2", proto);
}

/* void qsort_(void *base, bool (*cmp)(const void *a, const void *b), char *const names[4], ...) */
static void add_hard(struct btf *btf, const struct ids *ids)
{
	int cv = btf__add_const(btf, 0);
	int pcv = btf__add_ptr(btf, cv);
	int pv = btf__add_ptr(btf, 0);
	int cmp = btf__add_func_proto(btf, ids->bool_type);
	int pcmp, names, proto;

	btf__add_func_param(btf, "a", pcv);
	btf__add_func_param(btf, "b", pcv);
	pcmp = btf__add_ptr(btf, cmp);
	names = btf__add_array(btf, ids->integer,
			       btf__add_const(btf, btf__add_ptr(btf, ids->character)), 4);
	proto = btf__add_func_proto(btf, 0);
	btf__add_func_param(btf, "base", pv);
	btf__add_func_param(btf, "cmp", pcmp);
	btf__add_func_param(btf, "names", names);
	btf__add_func_param(btf, NULL, 0);
	add_function(btf, "hard", proto);
	/* A function that returns a function pointer. */
	proto = btf__add_func_proto(btf, pcmp);
	btf__add_func_param(btf, "n", ids->size);
	add_function(btf, "chooser", proto);
}

static void add_odd(struct btf *btf, const struct ids *ids)
{
	int anon = btf__add_ptr(btf, btf__add_struct(btf, NULL, 4));
	int color = btf__add_ptr(btf, btf__add_enum(btf, "color", 4));
	int row = btf__add_ptr(btf, btf__add_array(btf, ids->integer, ids->integer, 3));
	int later = btf__add_ptr(btf, btf__add_fwd(btf, "later", BTF_FWD_UNION));
	int vol = btf__add_volatile(btf, ids->integer);
	int res = btf__add_restrict(btf, btf__add_ptr(btf, ids->character));
	int proto = btf__add_func_proto(btf, color);

	btf__add_func_param(btf, "s", anon);
	btf__add_func_param(btf, "f", later);
	btf__add_func_param(btf, "v", vol);
	btf__add_func_param(btf, NULL, res);
	btf__add_func_param(btf, "m", row);
	add_function(btf, "odd", proto);
	add_function(btf, "twice", proto);
	add_function(btf, "twice", proto);
	proto = btf__add_func_proto(btf, 0);
	add_function(btf, "differs", proto);
	proto = btf__add_func_proto(btf, ids->integer);
	add_function(btf, "differs", proto);
	add_function(btf, "no\033name", proto);
	add_function(btf, "notype", ids->integer);
}

/* libbpf adds parameters to the last type added, so prototypes follow the types that they use. */
static struct btf *build(void)
{
	struct btf *btf = btf__new_empty();
	struct ids ids;

	assert_non_null(btf);
	add_basic(btf, &ids);
	add_hard(btf, &ids);
	add_odd(btf, &ids);
	return btf;
}

static void write_bytes(int dir, const char *path, const void *bytes, size_t size)
{
	_cleanup_close_ int fd = openat(dir, path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, size), size);
}

static void write_btf(int dir, const char *path, const struct btf *btf)
{
	uint32_t size;
	const void *bytes = btf__raw_data(btf, &size);

	write_bytes(dir, path, bytes, size);
}

static void check(struct prototypes *p, const char *module, const char *name, int want,
		  const char *text)
{
	_cleanup_strbuf_ struct strbuf buf = { 0 };
	int r = prototypes_print(p, module, name, &buf);

	if (r == -ENOMEM)
		return;
	assert_string_equal(strbuf_str(&buf), text);
	assert_int_equal(r, want);
}

static void prints_prototypes(void **state)
{
	_cleanup_prototypes_ struct prototypes *p = NULL;
	struct btf *btf = build();

	write_btf(*(int *)*state, "vmlinux", btf);
	btf__free(btf);
	require(prototypes_new(*(int *)*state, &p, NULL) >= 0);
	check(p, NULL, "vfs_fstat", 1, "int vfs_fstat(void)");
	check(p, NULL, "vfs_fstat2", 1, "int vfs_fstat2(int fd, struct kstat *stat)");
	check(p, NULL, "hard", 1,
	      "void hard(void *base, bool (*cmp)(const void *a, const void *b), "
	      "char *const names[4], ...)");
	check(p, NULL, "chooser", 1, "bool (*chooser(size_t n))(const void *a, const void *b)");
	check(p, NULL, "odd", 1,
	      "enum color *odd(struct { ... } *s, union later *f, volatile int v, "
	      "char *restrict, int (*m)[3])");
	check(p, NULL, "nothing", 0, "");
	check(p, NULL, "notype", 0, "");
	check(p, NULL, "no\033name", 1, "int no?name(void)");
}

static void prints_all_ambiguous_prototypes(void **state)
{
	_cleanup_prototypes_ struct prototypes *p = NULL;
	_cleanup_strbuf_ struct strbuf buf = { 0 };
	struct btf *btf = build();

	write_btf(*(int *)*state, "vmlinux", btf);
	btf__free(btf);
	require(prototypes_new(*(int *)*state, &p, NULL) >= 0);
	check(p, NULL, "differs", 2, "void differs(void)\nint differs(void)");
	assert_true(prototypes_print(p, NULL, "twice", &buf) == 1 || buf.err);
}

static void reads_modules(void **state)
{
	_cleanup_prototypes_ struct prototypes *p = NULL;
	struct btf *base = build();
	struct btf *split = btf__new_empty_split(base);
	int dir = *(int *)*state, proto;

	proto = btf__add_func_proto(split, 1);
	btf__add_func_param(split, "x", 2);
	add_function(split, "in_module", proto);
	write_btf(dir, "vmlinux", base);
	write_btf(dir, "mod", split);
	btf__free(split);
	btf__free(base);
	require(prototypes_new(dir, &p, NULL) >= 0);
	check(p, "mod", "in_module", 1, "int in_module(char x)");
	check(p, "mod", "vfs_fstat", 0, "");
	check(p, "absent", "in_module", 0, "");
	check(p, "../vmlinux", "vfs_fstat", 0, "");
	check(p, "mod", "in_module", 1, "int in_module(char x)");
}

/* Recursive types, deeper and wider than any real ones. */
static void loops_are_bounded(void **state)
{
	_cleanup_strbuf_ struct strbuf buf = { 0 };
	struct btf *btf = btf__new_empty();
	int ptr = btf__add_ptr(btf, 1), proto;

	assert_int_equal(ptr, 1);
	btf_print_declaration(btf, 1, "self", &buf);
	assert_true(buf.len < 100);

	/* Type 2: a pointer to type 3, a function with 50 parameters of type 2. */
	assert_int_equal(btf__add_ptr(btf, 3), 2);
	proto = btf__add_func_proto(btf, 3);
	assert_int_equal(proto, 3);
	for (int i = 0; i < 50; i++)
		btf__add_func_param(btf, "p", 2);
	strbuf_clear(&buf);
	btf_print_declaration(btf, 2, "wide", &buf);
	assert_true(buf.len < (size_t)2 * BTF_PRINT_MAX);
	strbuf_clear(&buf);
	btf_print_declaration(btf, 999999, "x", &buf);
	if (succeeds(!buf.err))
		assert_string_equal(strbuf_str(&buf), "? x");
	btf__free(btf);
}

/* Must not crash; sanitized builds detect more. */
static void print_everything(int dir)
{
	static const char *const names[] = { "vfs_fstat2", "hard",    "chooser", "odd",
					     "twice",	   "differs", "" };
	_cleanup_prototypes_ struct prototypes *p = NULL;

	if (prototypes_new(dir, &p, NULL) < 0)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		_cleanup_strbuf_ struct strbuf buf = { 0 };

		prototypes_print(p, NULL, names[i], &buf);
	}
}

static void survives_damaged_bytes(void **state)
{
	int dir = *(int *)*state;
	struct btf *btf = build();
	unsigned seed = 12345;
	uint32_t size;
	const void *bytes = btf__raw_data(btf, &size);
	_cleanup_free_ unsigned char *copy = malloc(size);

	require_memory();
	assert_non_null(copy);
	for (uint32_t cut = 0; cut < size; cut += 7) {
		write_bytes(dir, "vmlinux", bytes, cut);
		print_everything(dir);
	}
	for (int round = 0; round < 3000; round++) {
		memcpy(copy, bytes, size);
		for (int i = 0; i < 1 + round % 4; i++) {
			seed = seed * 1103515245 + 12345;
			copy[(seed >> 8) % size] = (unsigned char)(seed >> 24);
		}
		write_bytes(dir, "vmlinux", copy, size);
		print_everything(dir);
	}
	btf__free(btf);
}

/* Skips @extra bytes of a future header, if what follows is aligned. */
static void accepts_longer_headers(void **state)
{
	for (uint32_t extra = 0; extra <= 5; extra++) {
		_cleanup_prototypes_ struct prototypes *p = NULL;
		struct btf *btf = build();
		const size_t header = sizeof(struct btf_header);
		unsigned char copy[4096] = { 0 };
		uint32_t size, len = (uint32_t)header + extra;
		const char *bytes = btf__raw_data(btf, &size);
		int r;

		assert_true(size + extra <= sizeof(copy));
		memcpy(copy, bytes, header);
		memcpy(copy + offsetof(struct btf_header, hdr_len), &len, sizeof(len));
		memcpy(copy + len, bytes + header, size - header);
		write_bytes(*(int *)*state, "vmlinux", copy, size + extra);
		btf__free(btf);
		r = prototypes_new(*(int *)*state, &p, NULL);
		if (succeeds(r != -ENOMEM))
			assert_int_equal(r, extra % 4 ? -EINVAL : 0);
		if (extra % 4 == 0 && succeeds(r == 0))
			check(p, NULL, "vfs_fstat", 1, "int vfs_fstat(void)");
	}
}

static void reports_the_reason(void **state)
{
	_cleanup_prototypes_ struct prototypes *p = NULL;
	struct fathom_err err = { 0 };
	int r = prototypes_new(*(int *)*state, &p, &err);

	if (succeeds(r != -ENOMEM))
		assert_int_equal(r, -ENOENT);
	tree_file("/vmlinux", "no BTF at all, but long enough for a header");
	r = prototypes_new(*(int *)*state, &p, &err);
	if (succeeds(r != -ENOMEM))
		assert_int_equal(r, -EINVAL);
}

static int whole_way(void *arg)
{
	_cleanup_prototypes_ struct prototypes *p = NULL;
	_cleanup_strbuf_ struct strbuf buf = { 0 };
	int r = prototypes_new(*(int *)arg, &p, NULL);

	if (r == 0)
		r = prototypes_print(p, NULL, "hard", &buf);
	if (r >= 0)
		r = prototypes_print(p, "absent", "hard", &buf);
	return r < 0 ? r : 0;
}

static void survives_failing_allocations(void **state)
{
	struct btf *btf = build();

	write_btf(*(int *)*state, "vmlinux", btf);
	btf__free(btf);
	oom_check(whole_way, *state);
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, tree_setup, tree_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(prints_prototypes),      TEST(prints_all_ambiguous_prototypes),
		TEST(reads_modules),	      TEST(loops_are_bounded),
		TEST(survives_damaged_bytes), TEST(accepts_longer_headers),
		TEST(reports_the_reason),     TEST(survives_failing_allocations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
