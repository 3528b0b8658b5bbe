/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fuzzes ELF files whose unwind tables are applied to a stack that consists of the file's own
 * bytes: whatever they contain, there are no more frames than fit, and all but the first are in the
 * file.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/dwarf/stack-unwind.h"

#define FRAMES 32
#define STACK  0x7fff0000
#define CODE   0x1000 /* larger than in the files of the corpus */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
/* For LeakSanitizer: libdw leaks memory if files are damaged. */
void __lsan_disable(void) __attribute__((weak));
void __lsan_enable(void) __attribute__((weak));

/*
 * libdw allocates as many registers as a file mentions, possibly gigabytes. The unwinder has a
 * memory limit, with which this fails; a build with sanitizers has none, and this replaces it.
 */
const char *__asan_default_options(void);
__attribute__((visibility("default"))) const char *__asan_default_options(void)
{
	return "max_allocation_size_mb=512:allocator_may_return_null=1";
}

static struct unwind_code find(void *data, uint64_t address)
{
	struct unwind_code code = { .why = UNWIND_NOWHERE, .address = address };

	if (address < CODE)
		code.rules = data;
	return code;
}

static void unwind(struct frame_rules *rules, const uint8_t *data, size_t size)
{
	const struct unwind_finder finder = { find, rules };
	uint64_t regs[UNWIND_REGS_MAX], frames[FRAMES];
	struct unwind_stack stack = { regs, data, size };
	struct unwind_cache *cache = unwind_cache_new();
	enum unwind_end end;

	for (uint64_t address = 0x200; cache && address < 0x280; address += 5) {
		size_t n;

		for (unsigned i = 0; i < UNWIND_REGS_MAX; i++)
			regs[i] = STACK + i * 16;
		regs[unwind_machine.sp] = STACK;
		regs[unwind_machine.pc] = address;
		n = stack_unwind(cache, &finder, &stack, frames, FRAMES, &end);
		if (!n || n > FRAMES)
			abort();
		for (size_t i = 1; i < n; i++)
			if (frames[i] > CODE)
				abort();
	}
	unwind_cache_free(cache);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct frame_rules *rules;
	void *image = malloc(size ? size : 1);

	if (!image)
		return 0;
	if (__lsan_disable)
		__lsan_disable();
	memcpy(image, data, size);
	if (frame_rules_new(image, size, &rules) == 0) {
		unwind(rules, data, size);
		frame_rules_free(rules);
	}
	if (__lsan_enable)
		__lsan_enable();
	free(image);
	return 0;
}
