/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include <errno.h>

#include "analyze/calls/breakdown.h"
#include "analyze/calls/phases.h"
#include "base/cleanup.h"
#include "base/mem.h"
#include "base/strbuf.h"

static const char symbols[] = "1000 t __x64_sys_openat\n"
			      "2000 t link_path_walk\n"
			      "3000 T __irqentry_text_start\n"
			      "3010 t sysvec_timer\n"
			      "4000 T __irqentry_text_end\n"
			      "5000 t mutex_lock\n"
			      "6000 t schedule\n"
			      "7000 t foo_helper\n"
			      "8000 t handle_mm_fault\n"
			      "9000 t schedule_tail\n"
			      "a000 t __do_sys_openat\n"
			      "b000 t end\n";

static const char rules[] = "[into the kernel]\n__x64_sys_* __do_sys_*\n[noise: locks]\nmutex_*\n"
			    "[path lookup]\nlink_*\n[scheduler]\nschedule*\n[memory]\nhandle_*\n";

/* A call chain of addresses, in multiples of 0x1000, and the self time of its last function. */
static const struct {
	const char *path;
	uint64_t own;
} calls[] = {
	{ "1", 10 },   { "1a", 1 }, { "12", 20 }, { "127", 5 }, { "125", 7 },
	{ "1256", 2 }, { "17", 3 }, { "13", 40 }, { "135", 6 }, { "8", 50 },
	{ "87", 4 },   { "9", 8 },  { "3", 100 },
};

static uint64_t address_of(char c)
{
	return c == '3' ? 0x3010 : (uint64_t)(c <= '9' ? c - '0' : c - 'a' + 10) << 12;
}

static int build(struct call_tree *tree)
{
	for (size_t i = 0; i < ARRAY_SIZE(calls); i++) {
		struct call_times times = { .total = calls[i].own, .own = calls[i].own };
		uint32_t node = CALL_ROOT;

		for (const char *p = calls[i].path; *p && node != CALL_NONE; p++) {
			uint32_t func = func_table_find(&tree->funcs, address_of(*p));

			node = func == FUNC_NONE ? CALL_NONE : call_tree_child(tree, node, func);
		}
		if (node == CALL_NONE)
			return -ENOMEM;
		call_tree_add(tree, node, &times);
	}
	return tree->nomem ? -ENOMEM : 0;
}

static void put_entry(const struct breakdown_entry *entry, struct strbuf *text)
{
	static const char *const kinds[] = { "syscall", "fault", "irq", "other" };

	strbuf_addf(text, "%s %s:", kinds[entry->kind], entry->name);
	for (size_t i = 0; i < entry->n; i++)
		strbuf_addf(text, " %s%s%s=%llu", entry->parts[i].noise ? "!" : "",
			    entry->parts[i].name, entry->parts[i].grouped ? "*" : "",
			    (unsigned long long)entry->parts[i].own);
	strbuf_addc(text, '\n');
}

static int print(void *arg)
{
	struct strbuf *text = arg, own = { 0 };
	struct breakdown breakdown = { 0 };
	struct call_tree tree = { 0 };
	struct phases *phases = NULL;
	struct kallsyms kallsyms;
	int r = kallsyms_init(&kallsyms, symbols, strlen(symbols));

	if (r < 0)
		return r;
	r = phases_parse(rules, strlen(rules), &phases, NULL);
	if (r == 0)
		r = call_tree_init(&tree, &kallsyms, false);
	if (r == 0)
		r = build(&tree);
	if (r == 0)
		r = breakdown_make(&tree, phases, &breakdown);
	for (size_t i = 0; i < breakdown.n && r == 0; i++)
		put_entry(&breakdown.list[i], text ?: &own);
	breakdown_done(&breakdown);
	call_tree_done(&tree);
	phases_free(phases);
	kallsyms_done(&kallsyms);
	r = r ?: (text ?: &own)->err;
	strbuf_done(&own);
	return r;
}

static void each_entry_has_its_phases(void **state)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };

	if (print(&text) == 0)
		assert_string_equal(
			strbuf_str(&text),
			"irq : sysvec*=140 !locks=6\n"
			"fault : memory=54\n"
			"syscall openat: path lookup=25 into the kernel=11 foo*=3 !locks=9\n"
			"other : scheduler=8\n");
	else
		assert_true(mem_fault);
}

static void names_system_calls(void **state)
{
	assert_string_equal(breakdown_syscall_name("__x64_sys_openat"), "openat");
	assert_string_equal(breakdown_syscall_name("__arm64_sys_read"), "read");
	assert_null(breakdown_syscall_name("__x64_sys_"));
	assert_null(breakdown_syscall_name("ksys_read"));
}

static void survives_failing_allocations(void **state)
{
	oom_check(print, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_entry_has_its_phases),
		cmocka_unit_test(names_system_calls),
		cmocka_unit_test(survives_failing_allocations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
