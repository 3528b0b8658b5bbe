/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The functions that a trace names, by small numbers, in the order in which they came.
 * Addresses within one function are one; those that no symbol covers are each their own.
 */
#ifndef FATHOM_ANALYZE_CALLS_FUNC_TABLE_H
#define FATHOM_ANALYZE_CALLS_FUNC_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"
#include "base/u64-map.h"
#include "symbols/kernel/kallsyms.h"

#define FUNC_NONE UINT32_MAX

enum func_flags {
	FUNC_IRQ = 1, /* an interrupt comes in here */
	FUNC_SOFTIRQ = 2, /* work that an interrupt left is done here */
	FUNC_SOFTIRQ_TASK = 4, /* the task that does such work calls from here */
	FUNC_FOLDED = 8, /* no function, but many that are about one thing */
	FUNC_USER = 16, /* of a program; @module is its file */
	FUNC_KERNEL = 32, /* of the kernel, and marked so, where there are others as well */
	FUNC_NAMED = 64, /* it has no address but one that stands for its name */
	FUNC_SWITCH = 128, /* the CPU may go on with another task here */
};

struct func {
	uint64_t address; /* its start */
	const char *name; /* NULL: nobody knows */
	const char *module; /* NULL: the kernel itself; the file of a function of a program */
	unsigned flags;
};

/* Zero-initialised with @kallsyms set, which must outlive it; NULL: no names. */
struct func_table {
	const struct kallsyms *kallsyms;
	struct func *list;
	size_t n, cap;
	struct u64_map places; /* by addresses that were seen, in @funcs */
	uint32_t *funcs;
	size_t cap_funcs;
	uint64_t irq_start, irq_end, softirq_start, softirq_end;
	bool ready;
};

/* The number of the function; FUNC_NONE without memory. */
uint32_t func_table_find(struct func_table *table, uint64_t address);
/*
 * The number of what stands for many functions; @key tells one from another, @name must outlive
 * the table. FUNC_NONE without memory.
 */
uint32_t func_table_folded(struct func_table *table, uint32_t key, const char *name);
/*
 * The number of what is known by its name, @module and flags alone; names must outlive the table.
 * FUNC_NONE without memory.
 */
uint32_t func_table_named(struct func_table *table, const struct func *func);
/* The number of a function of another table of the same trace. FUNC_NONE without memory. */
uint32_t func_table_same(struct func_table *table, const struct func *func);
/*
 * "vfs_read", "vfs_read_[k]" where it is marked, "(locks)" for many, "ext4_map_blocks [ext4]", "main [app]", or the address where nobody
 * knows the name.
 */
void func_put_name(const struct func *func, struct strbuf *buf);
void func_table_done(struct func_table *table);

#endif
