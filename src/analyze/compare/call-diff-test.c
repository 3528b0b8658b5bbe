/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include <errno.h>

#include "analyze/compare/call-diff.h"
#include "base/mem.h"
#include "base/strbuf.h"

/* The same functions at other addresses, one of them without a name. */
static const char old_symbols[] = "1000 t a\n2000 t b\n3000 t c\n4000 t d\n5000 t end\n";
static const char new_symbols[] = "11000 t d\n12000 t c\n13000 t b\n14000 t a\n15000 t end\n";

/* A chain of functions, as digits times 0x1000 above the base, and the time of the last one. */
struct call {
	const char *path;
	uint64_t total;
};

static const struct call old_calls[] = {
	{ "1", 100 }, { "12", 40 }, { "13", 30 }, { "4", 5 }, { "124", 7 }, { "9", 1 }, { 0 },
};
static const struct call new_calls[] = {
	{ "4", 170 }, { "43", 40 }, { "41", 60 }, { "431", 7 }, { "9", 2 }, { 0 },
};

static int build(const struct call *calls, uint64_t base, const struct kallsyms *kallsyms,
		 struct call_tree *tree)
{
	int r = call_tree_init(tree, kallsyms, true);

	for (; r == 0 && calls->path; calls++) {
		struct call_times times = { .total = calls->total };
		uint32_t node = CALL_ROOT;

		for (const char *p = calls->path; *p && node != CALL_NONE; p++) {
			uint64_t address = *p == '9' ? 0x99 : base + ((uint64_t)(*p - '0') << 12);
			uint32_t func = func_table_find(&tree->funcs, address);

			node = func == FUNC_NONE ? CALL_NONE : call_tree_child(tree, node, func);
		}
		if (node == CALL_NONE)
			return -ENOMEM;
		call_tree_add(tree, node, &times);
	}
	return r ?: tree->nomem ? -ENOMEM : 0;
}

static void put(const struct call_diff *diff, uint32_t node, int level, struct strbuf *text)
{
	for (uint32_t at = diff->nodes[node].child; at != CALL_NONE; at = diff->nodes[at].sibling) {
		const struct func *func = call_diff_func(diff, at);

		strbuf_addf(text, "%*s%s %llu->%llu %+lld\n", level, "", func->name ?: "?",
			    (unsigned long long)call_diff_before(diff, at)->times.total,
			    (unsigned long long)call_diff_after(diff, at)->times.total,
			    (long long)call_diff_change(diff, at));
		put(diff, at, level + 1, text);
	}
}

static int print(void *arg)
{
	struct strbuf own = { 0 }, *text = arg ?: &own;
	struct call_tree before = { 0 }, after = { 0 };
	struct call_diff diff = { 0 };
	struct kallsyms old_names = { 0 }, new_names = { 0 };
	int r = kallsyms_init(&old_names, old_symbols, strlen(old_symbols));

	if (r == 0)
		r = kallsyms_init(&new_names, new_symbols, strlen(new_symbols));
	if (r == 0)
		r = build(old_calls, 0, &old_names, &before);
	if (r == 0)
		r = build(new_calls, 0x10000, &new_names, &after);
	if (r == 0)
		r = call_diff_make(&(const struct call_tree *){ &before }, 1,
				   &(const struct call_tree *){ &after }, 1, &diff);
	if (r == 0)
		put(&diff, 0, 0, text);
	call_diff_done(&diff);
	call_tree_done(&before);
	call_tree_done(&after);
	kallsyms_done(&old_names);
	kallsyms_done(&new_names);
	r = r ?: text->err;
	strbuf_done(&own);
	return r;
}

static void superimposes_by_name(void **state)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };

	if (print(&text) == 0)
		assert_string_equal(strbuf_str(&text), "d 5->0 -5\n"
						       "a 100->170 +70\n"
						       " d 0->60 +60\n"
						       " c 30->0 -30\n"
						       " b 40->40 +0\n"
						       "  d 7->7 +0\n"
						       "? 1->2 +1\n");
	else
		assert_true(mem_fault);
}

static void survives_failing_allocations(void **state)
{
	oom_check(print, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(superimposes_by_name),
		cmocka_unit_test(survives_failing_allocations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
