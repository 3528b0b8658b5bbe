/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"
#include "types-sample.h"

#include "symbols/btf/types.h"

#define _cleanup_types_ _cleanup_(types_free_p)

static int setup(void **state)
{
	return tree_setup(state) < 0 || types_sample_write(tree_fd()) < 0 ? -1 : 0;
}

/* Returns NULL while failing allocations are tested. */
static struct types *open_types(void)
{
	struct types *types = NULL;

	return types_new(tree_fd(), &types, NULL) == 0 ? types : NULL;
}

static void check_member(struct types *types, const char *type, const char *member, uint64_t bit,
			 uint32_t width, uint32_t size)
{
	struct type_member m;
	struct type t;

	if (types_find(types, NULL, type, &t) == -ENOMEM)
		return;
	assert_int_equal(types_find(types, NULL, type, &t), 0);
	assert_int_equal(type_find_member(t, member, &m), 0);
	assert_int_equal(m.bit, bit);
	assert_int_equal(m.width, width);
	assert_int_equal(type_look(m.type).size, size);
}

static void finds_members(void **state)
{
	_cleanup_types_ struct types *types = open_types();
	struct type_member m;
	struct type t;

	require(types);
	check_member(types, "struct path", "dentry", 64, 0, 8);
	check_member(types, "struct qstr", "len", 32, 0, 4);
	check_member(types, "struct qstr", "hash_len", 0, 0, 8);
	check_member(types, "struct qstr", "name", 64, 0, 8);
	check_member(types, "struct bits", "b", 3, 5, 4);
	check_member(types, "struct file", "ids", 384, 0, 16);
	check_member(types, "struct file", "mood", 256, 0, 4);
	assert_int_equal(types_find(types, NULL, "struct file", &t), 0);
	assert_int_equal(type_find_member(t, "absent", &m), -ENOENT);
	assert_int_equal(type_find_member(t, "", &m), -ENOENT);
	assert_int_equal(types_find(types, NULL, "struct absent", &t), -ENOENT);
	assert_int_equal(types_find(types, NULL, "file", &t), -ENOENT);
}

static struct type_info info_of(struct types *types, const char *name)
{
	struct type t = { 0 };

	return types_find(types, NULL, name, &t) == 0 ? type_look(t) : (struct type_info){ 0 };
}

static void resolves_typedefs(void **state)
{
	_cleanup_types_ struct types *types = open_types();
	const char *name;
	int64_t number;

	require(types);
	assert_int_equal(info_of(types, "u8").kind, TYPE_INT);
	assert_true(info_of(types, "u8").is_char);
	assert_false(info_of(types, "bool").is_char);
	assert_int_equal(info_of(types, "unsigned long").size, 8);
	assert_true(info_of(types, "long").is_signed);
	assert_int_equal(info_of(types, "unsigned").size, 4);
	assert_int_equal(info_of(types, "enum mood").kind, TYPE_ENUM);
	assert_true(type_enumerator(info_of(types, "enum mood").self, 0, &name, &number));
	assert_string_equal(name, "GOOD");
	assert_int_equal(number, 0);
	assert_false(type_enumerator(info_of(types, "enum mood").self, 1000, &name, &number));
	assert_false(type_enumerator(info_of(types, "struct file").self, 0, &name, &number));
	assert_int_equal(info_of(types, "void").kind, TYPE_VOID);
	assert_int_equal(info_of(types, "btf_trace_old").kind, TYPE_POINTER);
	assert_int_equal(info_of(types, "double").kind, TYPE_UNKNOWN);
	assert_int_equal(type_look((struct type){ 0 }).kind, TYPE_UNKNOWN);
}

static void check_parameter(const struct type_function *f, uint32_t i, enum type_abi abi,
			    const char *name, const char *where)
{
	struct type_parameter p;

	type_function_parameter(f, i, abi, &p);
	assert_string_equal(p.name, name);
	if (!where)
		assert_non_null(p.why);
	else
		assert_string_equal(type_abi_register(abi, p.place), where);
}

static void finds_parameters(void **state)
{
	_cleanup_types_ struct types *types = open_types();
	struct type_function f;

	require(types);
	assert_int_equal(types_find_function(types, NULL, "many", &f), 0);
	assert_int_equal(f.n, 9);
	check_parameter(&f, 0, TYPE_ABI_X86_64, "a", "di");
	check_parameter(&f, 5, TYPE_ABI_X86_64, "f", "r9");
	check_parameter(&f, 6, TYPE_ABI_X86_64, "g", NULL);
	check_parameter(&f, 7, TYPE_ABI_ARM64, "h", "x7");
	check_parameter(&f, 8, TYPE_ABI_ARM64, "i", NULL);
	/* A struct of two words takes two registers. */
	assert_int_equal(types_find_function(types, NULL, "by_value", &f), 0);
	check_parameter(&f, 0, TYPE_ABI_X86_64, "name", NULL);
	check_parameter(&f, 1, TYPE_ABI_X86_64, "x", "dx");
	check_parameter(&f, 2, TYPE_ABI_ARM64, "bits", "x3");
	check_parameter(&f, 3, TYPE_ABI_X86_64, "", NULL);
	assert_null(type_abi_register(TYPE_ABI_OTHER, 0));
}

static void finds_functions(void **state)
{
	_cleanup_types_ struct types *types = open_types();
	struct type_function f;
	int r;

	require(types);
	assert_int_equal(types_find_function(types, NULL, "absent", &f), -ENOENT);
	assert_int_equal(types_find_function(types, NULL, "differs", &f), -ENOTUNIQ);
	assert_int_equal(types_find_function(types, NULL, "mod_fn", &f), -ENOENT);
	r = types_find_function(types, "mod", "mod_fn", &f);
	assert_true(r == 0 || r == -ENOMEM || r == -ENOENT);
	assert_int_equal(types_find_callback(types, NULL, "btf_trace_old", &f), 0);
	assert_int_equal(f.n, 3);
	assert_int_equal(types_find_callback(types, NULL, "u32", &f), -ENOENT);
}

static void offers_names(void **state)
{
	_cleanup_types_ struct types *types = open_types();
	struct nearest member = { .wanted = "hsah_len" }, function = { .wanted = "vfs_opne" },
		       word = { .wanted = "dentri" };
	struct type t;

	require(types && types_find(types, NULL, "struct qstr", &t) >= 0);
	type_offer_members(t, &member);
	assert_string_equal(nearest_pick(&member), "hash_len");
	types_offer_functions(types, NULL, &function);
	assert_string_equal(nearest_pick(&function), "vfs_open");
	types_offer(types, NULL, "struct", &word);
	assert_string_equal(nearest_pick(&word), "dentry");
}

static int whole(void *arg)
{
	_cleanup_types_ struct types *types = NULL;
	struct type_function f;
	int r = types_new(tree_fd(), &types, NULL);

	return r < 0 ? r : types_find_function(types, "mod", "mod_fn", &f);
}

static void survives_failing_allocations(void **state)
{
	oom_check(whole, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_members),    cmocka_unit_test(resolves_typedefs),
		cmocka_unit_test(finds_parameters), cmocka_unit_test(finds_functions),
		cmocka_unit_test(offers_names),	    cmocka_unit_test(survives_failing_allocations),
	};

	return cmocka_run_group_tests_name("types", tests, setup, tree_teardown);
}
