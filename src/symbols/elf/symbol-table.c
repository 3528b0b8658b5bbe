/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "symbols/elf/symbol-table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/cleanup.h"
#include "base/mem.h"

void symbol_builder_done(struct symbol_builder *builder)
{
	free(builder->inputs);
	free(builder->strings);
	*builder = (struct symbol_builder){ 0 };
}

int symbol_builder_strings(struct symbol_builder *builder, const void *bytes, size_t len,
			   bool versioned, uint32_t *ret_base)
{
	size_t base = builder->strings_size;
	size_t run = 0;

	if (len >= UINT32_MAX - base)
		return -EFBIG;
	if (mem_reserve(&builder->strings, &builder->strings_cap, base + len + 1, 1) < 0)
		return -ENOMEM;
	if (len)
		memcpy(builder->strings + base, bytes, len);
	builder->strings[base + len] = '\0';
	builder->strings_size = base + len + 1;
	/*
	 * Linkers merge names with a common ending, and crafted files can share even more. Limit
	 * the length of all names here, and remove their versions, once.
	 */
	for (char *p = builder->strings + base; p < builder->strings + base + len; p++) {
		if (*p == '\0')
			run = 0;
		else if (++run >= SYMBOL_NAME_MAX || (versioned && *p == '@' && run > 1))
			*p = '\0', run = 0;
	}
	*ret_base = (uint32_t)base;
	return 0;
}

int symbol_builder_add(struct symbol_builder *builder, const struct symbol_input *input)
{
	struct symbol_input *new;

	if (input->name >= builder->strings_size || !builder->strings[input->name])
		return 0;
	if (mem_reserve(&builder->inputs, &builder->cap, builder->n + 1, sizeof(*new)) < 0)
		return -ENOMEM;
	new = &builder->inputs[builder->n++];
	*new = *input;
	/* A symbol cannot extend beyond the address space. */
	if (new->size > UINT64_MAX - new->start)
		new->size = UINT64_MAX - new->start;
	if (new->size)
		new->rank |= SYMBOL_SIZED;
	return 0;
}

static size_t symbol_table_underscores(const char *name)
{
	return strspn(name, "_");
}

static int symbol_table_compare_names(const char *a, const char *b)
{
	size_t under_a = symbol_table_underscores(a), under_b = symbol_table_underscores(b);
	size_t len_a, len_b;

	if (under_a != under_b)
		return under_a < under_b ? -1 : 1;
	len_a = strlen(a);
	len_b = strlen(b);
	if (len_a != len_b)
		return len_a > len_b ? -1 : 1;
	return strcmp(a, b);
}

static int symbol_table_compare(const void *a, const void *b, void *strings)
{
	const struct symbol_input *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->rank != y->rank)
		return x->rank > y->rank ? -1 : 1;
	if (x->name == y->name)
		return 0;
	return symbol_table_compare_names((const char *)strings + x->name,
					  (const char *)strings + y->name);
}

void symbol_builder_sort(struct symbol_builder *builder)
{
	if (builder->n)
		qsort_r(builder->inputs, builder->n, sizeof(builder->inputs[0]),
			symbol_table_compare, builder->strings);
}

/*
 * Keeps the best name of each address, with the largest size of all names. Drops untyped symbols
 * inside functions, such as labels in assembly.
 */
static void drop_aliases(struct symbol_builder *builder)
{
	struct symbol_input *inputs = builder->inputs;
	uint64_t end = 0; /* of the functions so far */
	size_t n = 0;

	for (size_t i = 0; i < builder->n; i++) {
		const struct symbol_input *input = &inputs[i];

		if (n && inputs[n - 1].start == input->start) {
			if (input->size > inputs[n - 1].size)
				inputs[n - 1].size = input->size;
		} else if (!n || input->start >= end || input->rank & SYMBOL_FUNCTION) {
			inputs[n++] = *input;
		} else {
			continue;
		}
		if (input->size && inputs[n - 1].start + inputs[n - 1].size > end)
			end = inputs[n - 1].start + inputs[n - 1].size;
	}
	builder->n = n;
}

/* Symbols without a size extend to the next one, within the section that contains them. */
static void repair_sizes(struct symbol_builder *builder)
{
	for (size_t i = 0; i < builder->n; i++) {
		struct symbol_input *input = &builder->inputs[i];
		uint64_t end = input->limit;

		if (input->size)
			continue;
		if (i + 1 < builder->n && builder->inputs[i + 1].start < end)
			end = builder->inputs[i + 1].start;
		input->size = end > input->start ? end - input->start : 1;
	}
}

/* Ranges under construction. */
struct ranges {
	uint64_t *starts;
	struct symbol_range *ranges;
	size_t n, cap_starts, cap_ranges;
};

static void ranges_done(struct ranges *ranges)
{
	free(ranges->starts);
	free(ranges->ranges);
}

/* Assigns the bytes from @from to @to to @input. */
static int put_range(struct ranges *ranges, const struct symbol_input *input, uint64_t from,
		     uint64_t to)
{
	uint64_t back = from - input->start, size = to - from;

	/* Larger sizes cannot be represented, and do not occur in functions. */
	if (from >= to || back > UINT32_MAX)
		return 0;
	if (size > UINT32_MAX)
		size = UINT32_MAX;
	if (mem_reserve(&ranges->starts, &ranges->cap_starts, ranges->n + 1, sizeof(uint64_t)) <
		    0 ||
	    mem_reserve(&ranges->ranges, &ranges->cap_ranges, ranges->n + 1,
			sizeof(struct symbol_range)) < 0)
		return -ENOMEM;
	ranges->starts[ranges->n] = from;
	ranges->ranges[ranges->n++] =
		(struct symbol_range){ (uint32_t)size, (uint32_t)back, input->name };
	return 0;
}

static uint64_t input_end(const struct symbol_input *input)
{
	return input->start + input->size;
}

/*
 * Visits the symbols in order with a stack of unfinished ones, innermost on top: an address belongs
 * to the top one. @open has room for all of them.
 */
static int flatten(const struct symbol_builder *builder, const struct symbol_input **open,
		   struct ranges *ranges)
{
	size_t depth = 0;
	uint64_t at = 0; /* all addresses below are assigned, or have no symbol */
	int r = 0;

	for (size_t i = 0; r == 0 && i <= builder->n; i++) {
		const struct symbol_input *input = i < builder->n ? &builder->inputs[i] : NULL;
		uint64_t next = input ? input->start : UINT64_MAX;

		while (r == 0 && depth && input_end(open[depth - 1]) <= next) {
			const struct symbol_input *top = open[--depth];

			r = put_range(ranges, top, at, input_end(top));
			if (input_end(top) > at)
				at = input_end(top);
		}
		if (r == 0 && depth && input) {
			r = put_range(ranges, open[depth - 1], at, next);
			at = next;
		}
		if (!input)
			break;
		if (at < next)
			at = next;
		open[depth++] = input;
	}
	return r;
}

static int make_table(struct ranges *ranges, struct symbol_builder *builder,
		      struct symbol_table *ret_table)
{
	size_t starts_size = ranges->n * sizeof(uint64_t);
	size_t ranges_size = ranges->n * sizeof(struct symbol_range);
	char *memory;

	if (ranges->n > UINT32_MAX)
		return -EFBIG;
	memory = mem_alloc(starts_size + ranges_size + builder->strings_size + 1);
	if (!memory)
		return -ENOMEM;
	if (ranges->n) {
		memcpy(memory, ranges->starts, starts_size);
		memcpy(memory + starts_size, ranges->ranges, ranges_size);
	}
	if (builder->strings_size)
		memcpy(memory + starts_size + ranges_size, builder->strings, builder->strings_size);
	memory[starts_size + ranges_size + builder->strings_size] = '\0';
	*ret_table = (struct symbol_table){
		.starts = (uint64_t *)memory,
		.ranges = (struct symbol_range *)(memory + starts_size),
		.n = (uint32_t)ranges->n,
		.strings = memory + starts_size + ranges_size,
		.strings_size = builder->strings_size,
		.memory = memory,
	};
	return 0;
}

int symbol_builder_finish(struct symbol_builder *builder, struct symbol_table *ret_table)
{
	_cleanup_symbol_builder_ struct symbol_builder own = *builder;
	_cleanup_(ranges_done) struct ranges ranges = { 0 };
	_cleanup_free_ const struct symbol_input **open = NULL;
	int r;

	*builder = (struct symbol_builder){ 0 };
	symbol_builder_sort(&own);
	drop_aliases(&own);
	repair_sizes(&own);
	open = mem_zalloc(own.n + 1, sizeof(void *));
	if (!open)
		return -ENOMEM;
	r = flatten(&own, open, &ranges);
	return r < 0 ? r : make_table(&ranges, &own, ret_table);
}

void symbol_table_done(struct symbol_table *table)
{
	if (table->mapped_size)
		munmap(table->memory, table->mapped_size);
	else
		free(table->memory);
	*table = (struct symbol_table){ 0 };
}

bool symbol_table_find(const struct symbol_table *table, uint64_t address,
		       struct symbol *ret_symbol)
{
	const uint64_t *base = table->starts;
	const struct symbol_range *range;
	uint32_t n = table->n;
	uint64_t start;

	if (!n || address < base[0])
		return false;
	/* Find the last start at or before the address, with a branchless binary search. */
	while (n > 1) {
		uint32_t half = n / 2;

		base += base[half] <= address ? half : 0;
		n -= half;
	}
	start = *base;
	range = &table->ranges[base - table->starts];
	if (address - start >= range->size)
		return false;
	*ret_symbol = (struct symbol){ table->strings + range->name, start - range->back };
	return true;
}
