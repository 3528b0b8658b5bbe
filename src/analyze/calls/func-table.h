/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Numbers the functions in a trace, from 0 in order of appearance. All addresses in a function get
 * the same number; each address without a symbol gets its own.
 *
 * Pointers into @list are valid until a function is added; names and modules are not copied, and
 * belong to @kallsyms or the caller. Functions return FUNC_NONE if memory is exhausted. Not
 * thread-safe.
 */
#ifndef FATHOM_ANALYZE_CALLS_FUNC_TABLE_H
#define FATHOM_ANALYZE_CALLS_FUNC_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"
#include "base/u64-map.h"
#include "symbols/kernel/kallsyms.h"

#define FUNC_NONE UINT32_MAX

enum func_flags {
	FUNC_IRQ = 1, /* entry of an interrupt */
	FUNC_SOFTIRQ = 2, /* runs softirqs */
	FUNC_SOFTIRQ_TASK = 4, /* calls softirq work in ksoftirqd */
	FUNC_FOLDED = 8, /* not a function, but several folded into one */
	FUNC_USER = 16, /* user function; @module is its file */
	FUNC_KERNEL = 32, /* kernel function among user functions, marked in the output */
	FUNC_NAMED = 64, /* identified by its name; @address is derived from that */
	FUNC_SWITCH = 128, /* the scheduler may switch tasks in it */
};

struct func {
	uint64_t address; /* start address if func_has_address(), otherwise a key within the table */
	const char *name; /* NULL if unknown */
	const char *module; /* NULL: the kernel image; of a user function: its file */
	unsigned flags;
};

static inline bool func_has_address(const struct func *func)
{
	return !(func->flags & (FUNC_FOLDED | FUNC_NAMED | FUNC_USER));
}

/* Initialize to zero, except for @kallsyms, which must outlive the table; NULL: no names. */
struct func_table {
	const struct kallsyms *kallsyms;
	struct func *list;
	size_t n, cap;
	struct u64_map places; /* address -> index in @funcs, which has the index in @list */
	uint32_t *funcs;
	size_t cap_funcs;
	uint64_t irq_start, irq_end, softirq_start, softirq_end;
	bool ready;
};

/* Returns the number of the function at @address. */
uint32_t func_table_find(struct func_table *table, uint64_t address);
/*
 * Returns the number of a node that represents several functions, identified by @key. @name must
 * outlive the table.
 */
uint32_t func_table_folded(struct func_table *table, uint32_t key, const char *name);
/*
 * Returns the number of a function identified by name, @module and flags. Both strings must outlive
 * the table.
 */
uint32_t func_table_named(struct func_table *table, const struct func *func);
/* Returns the number of a function from another table of the same trace. */
uint32_t func_table_same(struct func_table *table, const struct func *func);
/*
 * Appends the name: "vfs_read", "vfs_read_[k]" if marked, "(locks)" if folded, "ext4_map_blocks
 * [ext4]", "main [app]", or the address if the name is unknown.
 */
void func_put_name(const struct func *func, struct strbuf *buf);
void func_table_done(struct func_table *table);

#endif
