/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/calls/func-table.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/quote.h"
#include "base/str.h"
#include "symbols/probe/probed-functions.h"

static void func_table_find_range(const struct kallsyms *kallsyms, const char *start,
				  const char *end, uint64_t *ret_start, uint64_t *ret_end)
{
	if (kallsyms_address(kallsyms, start, ret_start) &&
	    kallsyms_address(kallsyms, end, ret_end))
		return;
	*ret_start = *ret_end = 0;
}

static void find_marks(struct func_table *table)
{
	table->ready = true;
	if (!table->kallsyms)
		return;
	func_table_find_range(table->kallsyms, "__irqentry_text_start", "__irqentry_text_end",
			      &table->irq_start, &table->irq_end);
	func_table_find_range(table->kallsyms, "__softirqentry_text_start",
			      "__softirqentry_text_end", &table->softirq_start,
			      &table->softirq_end);
}

/*
 * On many kernels, the entry functions of interrupts, between the linker symbols, cannot be traced;
 * these are the functions they call.
 */
static bool is_irq_name(const char *name)
{
	static const char *const names[] = { "irq_enter_rcu",	   "irq_exit_rcu",
					     "__common_interrupt", "common_interrupt",
					     "gic_handle_irq",	   "el1_interrupt",
					     "el0_interrupt" };

	if (str_after(name, "__sysvec_") || str_after(name, "sysvec_"))
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (str_eq(name, names[i]))
			return true;
	return false;
}

static bool is_switch_name(const char *name)
{
	static const char *const names[] = { "schedule",
					     "__schedule",
					     "__cond_resched",
					     "preempt_schedule",
					     "_cond_resched",
					     "preempt_schedule_common",
					     "preempt_schedule_irq",
					     "preempt_schedule_notrace",
					     "schedule_idle",
					     "preempt_schedule_thunk" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (str_eq(name, names[i]))
			return true;
	return false;
}

static unsigned flags_of(const struct func_table *table, const struct func *func)
{
	if ((func->address >= table->irq_start && func->address < table->irq_end) ||
	    (func->name && is_irq_name(func->name)))
		return FUNC_IRQ;
	if ((func->address >= table->softirq_start && func->address < table->softirq_end) ||
	    (func->name &&
	     (str_eq(func->name, "__do_softirq") || str_eq(func->name, "handle_softirqs"))))
		return FUNC_SOFTIRQ;
	if (func->name && is_switch_name(func->name))
		return FUNC_SWITCH;
	return func->name && str_eq(func->name, "run_ksoftirqd") ? FUNC_SOFTIRQ_TASK : 0;
}

static uint32_t func_table_add(struct func_table *table, const struct func *func)
{
	if (table->n >= FUNC_NONE - 1 ||
	    mem_reserve(&table->list, &table->cap, table->n + 1, sizeof(*table->list)) < 0)
		return FUNC_NONE;
	table->list[table->n] = *func;
	return (uint32_t)table->n++;
}

/* Adds the function that contains a new address. */
static uint32_t func_table_make(struct func_table *table, uint64_t address)
{
	struct func func = { .address = address };
	const struct probed_function *user =
		probed_functions_find(table->kallsyms ? table->kallsyms->users : NULL, address);
	const struct kallsyms_symbol *symbol =
		table->kallsyms ? kallsyms_function(table->kallsyms, NULL, address) : NULL;

	if (user) {
		func.name = user->name;
		func.module = user->file;
		func.flags = FUNC_USER;
		return func_table_add(table, &func);
	}
	if (symbol) {
		func.address = symbol->address;
		func.name = kallsyms_name(table->kallsyms, symbol);
		func.module = kallsyms_module(table->kallsyms, symbol);
		if (symbol->address != address)
			return func_table_find(table, symbol->address);
	}
	func.flags = flags_of(table, &func);
	return func_table_add(table, &func);
}

/* Associates the address with the function. */
static uint32_t func_table_remember(struct func_table *table, uint64_t address, uint32_t func)
{
	uint32_t place;

	if (func == FUNC_NONE || mem_reserve(&table->funcs, &table->cap_funcs,
					     table->places.n + (size_t)1, sizeof(uint32_t)) < 0)
		return FUNC_NONE;
	place = u64_map_put(&table->places, address);
	if (place == U64_MAP_NONE)
		return FUNC_NONE;
	table->funcs[place] = func;
	return func;
}

uint32_t func_table_find(struct func_table *table, uint64_t address)
{
	uint32_t place = u64_map_get(&table->places, address);

	if (place != U64_MAP_NONE)
		return table->funcs[place];
	if (!table->ready)
		find_marks(table);
	return func_table_remember(table, address, func_table_make(table, address));
}

uint32_t func_table_folded(struct func_table *table, uint32_t key, const char *name)
{
	/* Beyond any function. */
	uint64_t address = UINT64_MAX - key;
	uint32_t place = u64_map_get(&table->places, address);
	const struct func func = { .address = address, .name = name, .flags = FUNC_FOLDED };

	return place != U64_MAP_NONE ?
		       table->funcs[place] :
		       func_table_remember(table, address, func_table_add(table, &func));
}

/* Derives an address from a name, in a range that no processor uses. */
static uint64_t address_of_name(const struct func *func)
{
	uint32_t seed = hash_seed() ^ func->flags;
	uint64_t name = hash_bytes(func->name, strlen(func->name), seed);
	uint64_t hash = hash_bytes(func->module ?: "", func->module ? strlen(func->module) : 0,
				   (uint32_t)name);

	return (uint64_t)1 << 63 | (hash ^ name >> 32) >> 2;
}

static bool is_same_name(const struct func *a, const struct func *b)
{
	return a->flags == b->flags && a->name && str_eq(a->name, b->name) &&
	       str_eq(a->module ?: "", b->module ?: "");
}

uint32_t func_table_named(struct func_table *table, const struct func *func)
{
	struct func named = *func;

	named.flags |= FUNC_NAMED;
	/* Resolves collisions by linear probing. */
	for (named.address = address_of_name(&named);; named.address++) {
		uint32_t place = u64_map_get(&table->places, named.address);

		if (place == U64_MAP_NONE)
			return func_table_remember(table, named.address,
						   func_table_add(table, &named));
		if (is_same_name(&table->list[table->funcs[place]], &named))
			return table->funcs[place];
	}
}

uint32_t func_table_same(struct func_table *table, const struct func *func)
{
	uint32_t same;

	if (func->flags & FUNC_FOLDED)
		return func_table_folded(table, (uint32_t)(UINT64_MAX - func->address), func->name);
	if (func->flags & FUNC_NAMED)
		return func_table_named(table, func);
	same = func_table_find(table, func->address);
	if (same != FUNC_NONE)
		table->list[same].flags |= func->flags & FUNC_KERNEL;
	return same;
}

void func_put_name(const struct func *func, struct strbuf *buf)
{
	if (func->flags & FUNC_FOLDED)
		quote_addf(buf, "(%s)", func->name);
	else if (func->name)
		quote_adds(buf, func->name);
	else
		strbuf_addf(buf, "0x%" PRIx64, func->address);
	/* The convention of the flame graph scripts. */
	if (func->flags & FUNC_KERNEL)
		strbuf_adds(buf, "_[k]");
	if (func->module)
		quote_addf(buf, " [%s]", func->module);
}

void func_table_done(struct func_table *table)
{
	u64_map_done(&table->places);
	free(table->list);
	free(table->funcs);
	memset(table, 0, sizeof(*table));
}
