/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Function names change between kernel versions. Known renames come first, then forms of a name
 * that compilers and macros create, then similar spellings.
 */
#include "kernel/events/function-hint.h"

#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/str.h"

#define NAME_SIZE 128

/* Names of the same function over time; a kernel has any one of them. */
static const char *const families[][6] = {
	{ "do_IRQ", "common_interrupt", "__common_interrupt", "handle_irq_event" },
	{ "smp_apic_timer_interrupt", "apic_timer_interrupt", "sysvec_apic_timer_interrupt",
	  "__sysvec_apic_timer_interrupt", "hrtimer_interrupt" },
	{ "smp_reschedule_interrupt", "sysvec_reschedule_ipi", "scheduler_ipi" },
	{ "do_fork", "_do_fork", "kernel_clone" },
	{ "do_execve", "do_execve_common", "__do_execve_file", "do_execveat_common" },
	{ "do_sys_open", "do_sys_openat2", "do_filp_open", "path_openat" },
	{ "do_filp_open", "path_openat" },
	{ "do_page_fault", "__do_page_fault", "exc_page_fault", "do_user_addr_fault",
	  "handle_mm_fault" },
	{ "exc_page_fault", "handle_mm_fault" },
	{ "do_softirq", "__do_softirq", "handle_softirqs" },
	{ "generic_make_request", "submit_bio_noacct" },
	{ "__vfs_read", "vfs_read" },
	{ "__vfs_write", "vfs_write" },
	{ "vfs_stat", "vfs_fstatat", "vfs_statx" },
	{ "do_generic_file_read", "generic_file_buffered_read", "filemap_read" },
	{ "__alloc_pages_nodemask", "__alloc_pages", "__alloc_pages_noprof",
	  "__alloc_frozen_pages_noprof" },
	{ "kmalloc", "__kmalloc", "__kmalloc_noprof" },
	{ "__schedule", "schedule" },
	{ "do_mmap_pgoff", "do_mmap" },
	{ "do_munmap", "__do_munmap", "do_vmi_munmap" },
	{ "do_unlinkat", "filename_unlinkat" },
	{ "task_tick_fair", "scheduler_tick", "sched_tick" },
	{ "scheduler_tick", "sched_tick" },
	{ "context_switch", "__switch_to", "finish_task_switch" },
	{ "netif_receive_skb", "netif_receive_skb_internal", "__netif_receive_skb_core" },
};

/* Prefixes of system call functions, by architecture and kernel version. */
static const char *const syscall_prefixes[] = {
	"__x64_sys_", "__arm64_sys_",	  "__riscv_sys_", "__s390x_sys_", "__loongarch_sys_",
	"__se_sys_",  "__ia32_sys_",	  "SyS_",	  "sys_",	  "ksys_",
	"__do_sys_",  "__se_compat_sys_",
};

static const char *function_hint_find(const struct functions *functions, const char *name)
{
	size_t n;
	const struct function *f = functions_find(functions, name, &n);

	return f ? f->name : NULL;
}

/* "name.isra.0", "name.constprop.0" and the like are the whole function under another name. */
static const char *find_suffixed(const struct functions *functions, const char *name)
{
	size_t len = strlen(name), lo = 0, hi = functions->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (strcmp(functions->list[mid].name, name) <= 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	/* Names that start with "name." sort close after "name". */
	for (; lo < functions->n && strncmp(functions->list[lo].name, name, len) == 0; lo++)
		if (functions->list[lo].name[len] == '.' &&
		    !strstr(functions->list[lo].name + len, ".cold"))
			return functions->list[lo].name;
	return NULL;
}

static const char *find_form(const struct functions *functions, const char *name)
{
	const char *found = function_hint_find(functions, name);
	char longer[NAME_SIZE];

	if (!found)
		found = find_suffixed(functions, name);
	if (!found && snprintf(longer, sizeof(longer), "%s_noprof", name) < (int)sizeof(longer))
		found = function_hint_find(functions, longer);
	return found;
}

static const char *find_in_family(const struct functions *functions, const char *name)
{
	const char *found = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(families) && !found; i++) {
		bool ours = false;

		for (size_t j = 0; j < ARRAY_SIZE(families[i]) && families[i][j]; j++)
			ours |= str_eq(families[i][j], name);
		for (size_t j = 0; ours && !found && j < ARRAY_SIZE(families[i]); j++)
			if (families[i][j])
				found = find_form(functions, families[i][j]);
	}
	return found;
}

/* Returns the system call whose function has that @name, in any form, or NULL. */
static const char *syscall_of(const char *name)
{
	const char *rest = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(syscall_prefixes) && !rest; i++)
		rest = str_after(name, syscall_prefixes[i]);
	return rest && *rest ? rest : NULL;
}

static const char *function_hint_find_syscall(const struct functions *functions, const char *name)
{
	const char *call = syscall_of(name), *found = NULL;
	char other[NAME_SIZE];

	if (!call)
		return NULL;
	/* sys_stat is obsolete; programs use sys_newstat. */
	for (int new = 0; new < 2 && !found; new ++)
		for (size_t i = 0; i < ARRAY_SIZE(syscall_prefixes) && !found; i++)
			if (snprintf(other, sizeof(other), "%s%s%s", syscall_prefixes[i],
				     new ? "new" : "", call) < (int)sizeof(other))
				found = function_hint_find(functions, other);
	return found;
}

const char *function_hint(const struct functions *functions, const char *name)
{
	struct nearest nearest = { .wanted = name };
	const char *found = find_in_family(functions, name);

	if (!found)
		found = function_hint_find_syscall(functions, name);
	if (!found)
		found = find_form(functions, name);
	if (found)
		return found;
	for (size_t i = 0; i < functions->n; i++)
		nearest_offer(&nearest, functions->list[i].name);
	return nearest_pick(&nearest);
}

bool function_is_untraceable(const char *root, const char *name)
{
	_cleanup_free_ char *path = mem_printf("%s/proc/kallsyms", root);
	_cleanup_fclose_ FILE *file = path ? fopen(path, "re") : NULL;
	char line[512];

	/* Lines are "ADDRESS TYPE NAME[\t[MODULE]]". */
	while (file && fgets(line, sizeof(line), file)) {
		char *rest = line, *type, *symbol;

		if (!str_next_word(&rest, " ") || !(type = str_next_word(&rest, " ")) ||
		    !(symbol = str_next_word(&rest, "\t\n")))
			continue;
		if ((type[0] == 't' || type[0] == 'T') && str_eq(symbol, name))
			return true;
	}
	return false;
}
