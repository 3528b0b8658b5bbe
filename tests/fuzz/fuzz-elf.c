/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fuzzes ELF files: their sections, their symbols including .gnu_debugdata, demangled names, and
 * USDT markers with their arguments.
 */
#include <elf.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/user/demangle.h"
#include "symbols/elf/elf-symbols.h"
#include "symbols/probe/usdt.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool holds)
{
	if (!holds)
		abort();
}

static void check_table(const struct symbol_table *table)
{
	struct symbol symbol;

	for (uint32_t i = 0; i < table->n; i++) {
		const struct symbol_range *range = &table->ranges[i];
		uint64_t start = table->starts[i];
		_cleanup_strbuf_ struct strbuf out = { 0 };

		check(range->size && range->name < table->strings_size);
		check(i == 0 || (table->starts[i - 1] < start &&
				 start - table->starts[i - 1] >= range[-1].size));
		check(symbol_table_find(table, start, &symbol));
		check(symbol.start == start - range->back && *symbol.name &&
		      strlen(symbol.name) < SYMBOL_NAME_MAX + 8);
		check(symbol_table_find(table, start + range->size - 1, &symbol));
		demangle_rust(symbol.name, &out);
	}
	symbol_table_find(table, 0, &symbol);
	symbol_table_find(table, UINT64_MAX, &symbol);
}

static void check_markers(const struct elf_file *file)
{
	static const uint16_t machines[] = { EM_X86_64, EM_AARCH64, EM_386 };
	struct arena arena = { 0 };
	struct usdt_marker *markers;
	size_t n = 0;

	if (usdt_read(file, &arena, &markers, &n) < 0)
		n = 0;
	for (size_t i = 0; i < n; i++) {
		unsigned count = usdt_count_arguments(markers[i].arguments);

		check(*markers[i].provider && *markers[i].name);
		for (unsigned k = 0; k <= count && k < 20; k++) {
			struct usdt_argument a;
			const char *why = "";
			int r = usdt_find_argument(markers[i].arguments, machines[k % 3], k, &a,
						   &why);

			check(r == 0 || (r == -EINVAL && *why) || (r == -ENOENT && k == count));
			check(r < 0 || a.size == 1 || a.size == 2 || a.size == 4 || a.size == 8);
		}
	}
	arena_done(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct elf_source source = { .fd = -1, .bytes = data, .size = size };
	unsigned char id[ELF_BUILD_ID_MAX];
	char name[ELF_DEBUGLINK_MAX];
	struct symbol_table table;
	struct elf_file file;
	uint64_t value, back;
	unsigned lack;
	uint32_t crc;

	if (!data || elf_file_init(&file, &source, NULL) < 0)
		return 0;
	elf_file_build_id(&file, id);
	if (elf_file_debuglink(&file, name, &crc))
		check(*name && !strchr(name, '/'));
	elf_file_base(&file);
	check_markers(&file);
	if (elf_file_address(&file, 0x1234, &value))
		elf_file_offset(&file, value, &back);
	if (elf_symbols_read(&file, "/bin/x", NULL, &table, &lack) == 0) {
		check_table(&table);
		symbol_table_done(&table);
	}
	elf_file_done(&file);
	return 0;
}
