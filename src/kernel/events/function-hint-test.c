/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"
#include "tree.h"

#include "base/cleanup.h"
#include "base/mem.h"
#include "kernel/events/function-hint.h"

#define _cleanup_functions_ _cleanup_(functions_done)

/* NULL if nothing is similar, or if memory is exhausted. */
static const char *hint(const char *list, const char *name)
{
	static char found[128];
	_cleanup_functions_ struct functions functions = { 0 };
	char *text = mem_strdup(list);
	const char *pick;

	if (!text || functions_parse(text, false, &functions, NULL) < 0)
		return NULL;
	pick = function_hint(&functions, name);
	snprintf(found, sizeof(found), "%s", pick ? pick : "");
	return pick ? found : NULL;
}

static void check(const char *list, const char *name, const char *wanted)
{
	const char *found = hint(list, name);

	if (mem_fault && !found)
		return;
	if (!wanted)
		assert_null(found);
	else
		assert_string_equal(found ? found : "(none)", wanted);
}

static void knows_renamed_functions(void **state)
{
	check("common_interrupt\ndo_idle\n", "do_IRQ", "common_interrupt");
	check("__common_interrupt\ndo_idle\n", "do_IRQ", "__common_interrupt");
	check("__common_interrupt\ndo_idle\n", "common_interrupt", "__common_interrupt");
	check("handle_irq_event\n", "do_IRQ", "handle_irq_event");
	check("kernel_clone\n", "_do_fork", "kernel_clone");
	check("kernel_clone\n", "do_fork", "kernel_clone");
	check("submit_bio_noacct\n", "generic_make_request", "submit_bio_noacct");
	check("handle_softirqs\n", "__do_softirq", "handle_softirqs");
	/* The first existing name of the family. */
	check("do_sys_openat2\npath_openat\n", "do_sys_open", "do_sys_openat2");
}

static void knows_names_of_system_call_functions(void **state)
{
	check("__x64_sys_read\n__ia32_sys_read\n", "sys_read", "__x64_sys_read");
	check("__x64_sys_read\n", "SyS_read", "__x64_sys_read");
	check("__arm64_sys_read\n", "__x64_sys_read", "__arm64_sys_read");
	check("__x64_sys_newstat\n", "sys_stat", "__x64_sys_newstat");
	check("__x64_sys_read\n", "sys_", NULL);
}

static void knows_compiler_suffixes(void **state)
{
	check("finish_task_switch.isra.0\nfinish_task\n", "finish_task_switch",
	      "finish_task_switch.isra.0");
	check("foobarbaz.cold\nother\n", "foobarbaz", NULL);
	check("kmem_cache_alloc_noprof\n", "kmem_cache_alloc", "kmem_cache_alloc_noprof");
	check("do_execveat_common.isra.0\n", "do_execve", "do_execveat_common.isra.0");
}

static void finds_the_most_similar_name(void **state)
{
	check("vfs_read\nvfs_write\n", "vfs_raed", "vfs_read");
	check("vfs_read\nvfs_write\n", "quite_another", NULL);
	check("", "anything", NULL);
}

static void recognizes_untraceable_functions(void **state)
{
	const char *root = tree_make();

	tree_file("/proc/kallsyms", "ffffffff81000000 T _stext\n"
				    "0000000000000000 t common_interrupt\n"
				    "0000000000000000 d a_variable\n"
				    "0000000000000000 t of_module\t[module]\n"
				    "broken\n");
	if (!mem_fault) {
		assert_true(function_is_untraceable(root, "common_interrupt"));
		assert_true(function_is_untraceable(root, "of_module"));
	}
	assert_false(function_is_untraceable(root, "a_variable"));
	assert_false(function_is_untraceable(root, "nosuch"));
	assert_false(function_is_untraceable("/nowhere", "nosuch"));
	tree_remove();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(knows_renamed_functions),
		cmocka_unit_test(knows_names_of_system_call_functions),
		cmocka_unit_test(knows_compiler_suffixes),
		cmocka_unit_test(finds_the_most_similar_name),
		cmocka_unit_test(recognizes_untraceable_functions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
