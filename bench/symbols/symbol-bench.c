/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How long creating a table of 500,000 functions and looking up addresses takes. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "symbols/elf/symbol-table.h"
#include "symbols/user/user-maps.h"

#define FUNCTIONS 500000
#define MAPPINGS  10000
#define LOOKUPS	  20000000

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static uint64_t next(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static int fill(struct symbol_builder *builder)
{
	uint64_t address = 0x400000;
	int r = 0;

	for (int i = 0; r == 0 && i < FUNCTIONS; i++) {
		char name[32];
		int len = snprintf(name, sizeof(name), "function_number_%d", i);
		struct symbol_input input = { .start = address,
					      .size = 16 + (uint64_t)(i % 37) * 16,
					      .rank = SYMBOL_FUNCTION | SYMBOL_STRONG };

		r = symbol_builder_strings(builder, name, (size_t)len, false, &input.name);
		if (r == 0)
			r = symbol_builder_add(builder, &input);
		address += input.size + (i % 3 ? 0 : 16);
	}
	return r;
}

/* Looks up the file mapped at an address, of 10,000 files mapped at different times. */
static int ask_maps(void)
{
	struct user_maps maps = { 0 };
	struct user_mapping mapping = { .path = "/lib/file.so", .executable = true };
	uint64_t state = 88172645463325252, found = 0;
	double start;
	bool known;

	for (uint64_t i = 0; i < MAPPINGS; i++) {
		mapping.start = 0x7f0000000000 + i * 0x4000;
		mapping.end = mapping.start + 0x3000;
		if (user_maps_add_mapping(&maps, 7, i + 1, &mapping) < 0)
			return -1;
	}
	if (user_maps_seal(&maps) < 0)
		return -1;
	start = now();
	for (int i = 0; i < LOOKUPS; i++)
		found += user_maps_find(&maps, 7, MAPPINGS,
					0x7f0000000000 + next(&state) % (MAPPINGS * 0x4000),
					&known) != NULL;
	printf("%.0f ns to find one of %d mappings (%" PRIu64 " found)\n",
	       (now() - start) / LOOKUPS * 1e9, MAPPINGS, found);
	user_maps_done(&maps);
	return 0;
}

int main(void)
{
	struct symbol_builder builder = { 0 };
	struct symbol_table table;
	struct symbol symbol;
	uint64_t state = 88172645463325252, span, found = 0, sum = 0;
	double start = now(), made, end;

	if (fill(&builder) < 0)
		return 1;
	start = now();
	if (symbol_builder_finish(&builder, &table) < 0)
		return 1;
	made = now();
	span = table.starts[table.n - 1] - table.starts[0] + 64;
	for (int i = 0; i < LOOKUPS; i++)
		if (symbol_table_find(&table, table.starts[0] + next(&state) % span, &symbol)) {
			found++;
			sum += symbol.start;
		}
	end = now();
	printf("table of %" PRIu32 " functions made in %.0f ms\n", table.n, (made - start) * 1e3);
	printf("%.1f million random lookups a second, %.0f ns each (%" PRIu64 " found, %" PRIx64
	       ")\n",
	       LOOKUPS / (end - made) / 1e6, (end - made) / LOOKUPS * 1e9, found, sum);
	symbol_table_done(&table);
	return ask_maps() < 0;
}
