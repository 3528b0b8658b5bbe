/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fuzzes texts of memory maps in both forms, and names of JIT-compiled code, also in both. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/user/user-symbols.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool holds)
{
	if (!holds)
		abort();
}

static void look(const struct user_maps *maps, int32_t pid, uint64_t address)
{
	bool known;
	const struct user_mapping *found = user_maps_find(maps, pid, 5, address, &known);

	if (found)
		check(known && found->start <= address && address < found->end && found->path);
}

static void fuzz_dump(const uint8_t *data, size_t size)
{
	struct elf_source source = { .fd = -1, .bytes = data, .size = size };
	struct symbol_builder builder = { 0 };
	struct symbol_table table;
	struct symbol symbol;

	if (user_jit_add_dump(&builder, &source) == 0 &&
	    symbol_builder_finish(&builder, &table) == 0) {
		for (uint32_t i = 0; i < table.n; i++)
			check(symbol_table_find(&table, table.starts[i], &symbol) && *symbol.name);
		symbol_table_done(&table);
	}
	symbol_builder_done(&builder);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint64_t addresses[] = { 0, 0x400000, 0x401000, 0x7f0000000000, UINT64_MAX };
	const char *text = (const char *)data;
	struct user_maps maps = { 0 };
	struct symbol_table table;
	struct symbol symbol;

	if (!data)
		return 0;
	user_maps_add_text(&maps, 1234, 1, text, size);
	user_maps_add_fork(&maps, 1234, 1235, 2);
	user_maps_add_option(&maps, 3, text, size);
	for (size_t i = 0; i < sizeof(addresses) / sizeof(addresses[0]); i++) {
		look(&maps, 1234, addresses[i]);
		look(&maps, 1235, addresses[i]);
	}
	user_maps_done(&maps);
	if (user_maps_add_log(&maps, 7, text, size) == 0 && user_maps_seal(&maps) == 0)
		for (size_t i = 0; i < sizeof(addresses) / sizeof(addresses[0]); i++) {
			look(&maps, 1234, addresses[i]);
			look(&maps, 1235, addresses[i]);
		}
	user_maps_done(&maps);
	fuzz_dump(data, size);
	if (user_jit_parse(text, size, &table) < 0)
		return 0;
	for (uint32_t i = 0; i < table.n; i++)
		check(symbol_table_find(&table, table.starts[i], &symbol) && *symbol.name);
	symbol_table_done(&table);
	return 0;
}
