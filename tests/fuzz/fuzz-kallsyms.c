/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fuzzes the text of kallsyms, and finding symbols by address and by name in it. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/kernel/kallsyms.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* As in a report: the cache must not outlive the symbols. */
static struct kallsyms_cache cache;

static void check(bool holds)
{
	if (!holds)
		abort();
}

static void check_lookup(const struct kallsyms *kallsyms, uint64_t address)
{
	const struct kallsyms_symbol *found = kallsyms_find(kallsyms, NULL, address);

	/* The cache makes no difference, whether or not it contains the address. */
	check(kallsyms_find(kallsyms, &cache, address) == found);
	check(kallsyms_find(kallsyms, &cache, address) == found);
	if (found)
		check(found->address <= address);
}

static void check_symbol(const struct kallsyms *kallsyms, uint32_t i, size_t size)
{
	const struct kallsyms_symbol *symbol = &kallsyms->symbols[i];
	const char *name = kallsyms_name(kallsyms, symbol);
	const char *module = kallsyms_module(kallsyms, symbol);
	const struct kallsyms_symbol *found;
	volatile char padding;
	uint64_t address;

	check(name[0] && strlen(name) <= size && !strpbrk(name, " \t\r\n"));
	for (int pad = 0; pad < KALLSYMS_NAME_PAD; pad++)
		padding = name[pad];
	(void)padding;
	check(!module || (strlen(module) <= size && !strpbrk(module, " \t\r\n")));
	check(i == 0 || symbol[-1].address <= symbol->address);
	found = kallsyms_find(kallsyms, NULL, symbol->address);
	check(found && found->address == symbol->address);
	check_lookup(kallsyms, symbol->address);
	check_lookup(kallsyms, symbol->address + 1);
	check_lookup(kallsyms, symbol->address - 1);
	/* Visits all symbols: a few are enough. */
	if (i < 8)
		check(kallsyms_address(kallsyms, name, &address));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kallsyms kallsyms;

	if (kallsyms_init(&kallsyms, (const char *)data, size) < 0)
		return 0;
	memset(&cache, 0, sizeof(cache));
	check(kallsyms.n <= size && kallsyms.skipped <= size + 1);
	for (uint32_t i = 0; i < kallsyms.n; i++)
		check_symbol(&kallsyms, i, size);
	check_lookup(&kallsyms, 0);
	check_lookup(&kallsyms, UINT64_MAX);
	kallsyms_done(&kallsyms);
	return 0;
}
