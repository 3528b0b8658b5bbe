/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Unwinds a copy of the test's own stack, taken in a known chain of functions without frame
 * pointers.
 */
#include "test.h"

#include <fcntl.h>
#include <link.h>

#include "base/cleanup.h"
#include "base/files/file.h"
#include "own-stack.h"
#include "symbols/dwarf/stack-unwind.h"

#define FRAMES OWN_STACK_FRAMES
#define FILES  16

static const struct own_stack *own;

/* A file mapped in this process, read on demand. */
static struct module {
	uint64_t base, start, end;
	const char *path;
	struct strbuf image;
	struct frame_rules *rules;
	bool asked;
} modules[FILES];
static size_t n_modules;
static const char *without; /* a file without rules */

static int add_module(struct dl_phdr_info *info, size_t size, void *data)
{
	struct module *module = &modules[n_modules];

	if (n_modules == FILES)
		return 1;
	*module = (struct module){ .base = info->dlpi_addr, .start = UINT64_MAX };
	module->path = n_modules ? info->dlpi_name : "/proc/self/exe";
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *head = &info->dlpi_phdr[i];
		uint64_t start = info->dlpi_addr + head->p_vaddr;

		if (head->p_type != PT_LOAD || !(head->p_flags & PF_X))
			continue;
		module->start = start < module->start ? start : module->start;
		module->end = start + head->p_memsz > module->end ? start + head->p_memsz :
								    module->end;
	}
	n_modules++;
	return 0;
}

static struct unwind_code find(void *data, uint64_t address)
{
	struct unwind_code code = { .why = UNWIND_NOWHERE };

	for (size_t i = 0; i < n_modules; i++) {
		struct module *module = &modules[i];

		if (address < module->start || address >= module->end)
			continue;
		code.why = UNWIND_NO_FILE;
		code.file = (uint32_t)i;
		code.address = address - module->base;
		if (!module->asked && file_read(AT_FDCWD, module->path, &module->image) == 0)
			frame_rules_new(module->image.s, module->image.len, &module->rules);
		module->asked = true;
		if (!without || !strstr(module->path, without))
			code.rules = module->rules;
		break;
	}
	return code;
}

static const struct unwind_finder finder = { find, NULL };

static int set_up(void **state)
{
	own = own_stack_take();
	dl_iterate_phdr(add_module, NULL);
	return 0;
}

static int tear_down(void **state)
{
	for (size_t i = 0; i < n_modules; i++) {
		frame_rules_free(modules[i].rules);
		strbuf_done(&modules[i].image);
	}
	return 0;
}

static size_t unwind(size_t size, uint64_t *frames, size_t max, enum unwind_end *end)
{
	const struct unwind_stack stack = { own->regs, own->bytes, size };
	struct unwind_cache *cache = unwind_cache_new();
	size_t n = 0;

	*end = UNWIND_NOWHERE;
	if (cache)
		n = stack_unwind(cache, &finder, &stack, frames, max, end);
	unwind_cache_free(cache);
	return n;
}

static void skip_where_unknown(void)
{
	if (!frame_rules_supported() || !own->bytes)
		skip_because("no libdw, or the own stack cannot be copied");
}

static void finds_its_callers(void **state)
{
	uint64_t frames[FRAMES];
	enum unwind_end end;
	size_t n, at = 3;

	skip_where_unknown();
	n = unwind(own->size, frames, FRAMES, &end);
	/* If memory is exhausted, there are no frames. */
	require(n >= 2);
	assert_int_equal(end, UNWIND_WHOLE);
	assert_int_equal(frames[0], own->regs[unwind_machine.pc]);
	assert_int_equal(frames[1], (uintptr_t)own->returns[0]);
	assert_int_equal(frames[2], (uintptr_t)own->returns[1]);
	assert_int_equal(frames[3], (uintptr_t)own->returns[2]);
	while (at < n && frames[at] != (uintptr_t)own->last)
		at++;
	assert_true(at < n);
	/*
	 * All frames that the C library sees, which may include those of a sanitizer first; its
	 * first frame is in the same function as ours.
	 */
	assert_true((size_t)own->n_backtrace >= n);
	for (size_t i = 1; i < n; i++)
		assert_int_equal(frames[n - i], (uintptr_t)own->backtrace[own->n_backtrace - i]);
}

static uint64_t looked_for[FRAMES];
static size_t n_looked_for;

static struct unwind_code note_and_find(void *data, uint64_t address)
{
	if (n_looked_for < FRAMES)
		looked_for[n_looked_for++] = address;
	return find(data, address);
}

/* A return address can belong to the next function; the function is that of the call. */
static void looks_up_the_call_instruction(void **state)
{
	const struct unwind_finder noting = { note_and_find, NULL };
	const struct unwind_stack stack = { own ? own->regs : NULL, own ? own->bytes : NULL,
					    own ? own->size : 0 };
	struct unwind_cache *cache;
	uint64_t frames[FRAMES];
	enum unwind_end end;
	size_t n = 0;

	skip_where_unknown();
	cache = unwind_cache_new();
	if (cache)
		n = stack_unwind(cache, &noting, &stack, frames, FRAMES, &end);
	unwind_cache_free(cache);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(looked_for[i], frames[i] - (i > 0));
}

static void ends_at_the_end_of_the_copy(void **state)
{
	uint64_t whole[FRAMES], frames[FRAMES];
	enum unwind_end end;
	size_t n, n_whole;

	skip_where_unknown();
	n_whole = unwind(own->size, whole, FRAMES, &end);
	for (size_t size = 0; size < own->size && size < 16384; size += 24) {
		n = unwind(size, frames, FRAMES, &end);
		require(n >= 2 || size <= 1024);
		assert_true(n <= n_whole);
		assert_memory_equal(frames, whole, n * sizeof(frames[0]));
		assert_int_equal(end, n < n_whole ? UNWIND_COPY : end);
	}
	unwind(0, frames, FRAMES, &end);
	n = unwind(0, frames, FRAMES, &end);
	assert_true(n <= 1);
}

static void ends_without_room_or_rules(void **state)
{
	uint64_t frames[FRAMES];
	enum unwind_end end;
	size_t n;

	skip_where_unknown();
	n = unwind(own->size, frames, 3, &end);
	require(n >= 2);
	assert_int_equal(n, 3);
	assert_int_equal(end, UNWIND_ROOM);
	/* The address in the file is known, but not the caller. */
	without = "libc";
	n = unwind(own->size, frames, FRAMES, &end);
	without = NULL;
	/* In qsort(), which a sanitizer moves to another file. */
	assert_true(n >= 4);
	assert_int_equal(end, UNWIND_NO_FILE);
	assert_int_equal(frames[3], (uintptr_t)own->returns[2]);
	assert_non_null(strstr(modules[find(NULL, frames[n - 1] - 1).file].path, "libc"));
}

/* Simple, and reproducible. */
static uint64_t next_random(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed;
}

static void survives_random_registers(void **state)
{
	uint64_t regs[UNWIND_REGS_MAX], frames[FRAMES], words[512], seed = 88172645463325252ULL;
	struct unwind_stack stack = { regs, (const uint8_t *)words, sizeof(words) };
	struct unwind_cache *cache;
	enum unwind_end end;

	skip_where_unknown();
	cache = unwind_cache_new();
	for (int round = 0; cache && round < 20000; round++) {
		size_t n;

		memcpy(regs, own->regs, sizeof(regs));
		for (size_t i = 0; i < ARRAY_SIZE(words); i++)
			words[i] = round % 3 == 0 ?
					   own->regs[unwind_machine.sp] + i * 8 :
				   round % 3 == 1 ?
					   (uintptr_t)own->returns[0] :
					   (uintptr_t)own->returns[1] + next_random(&seed) % 4096;
		/* Our own code with random registers, or a random address. */
		for (unsigned i = 0; i < unwind_machine.n; i++)
			if (next_random(&seed) % 4 == 0)
				regs[i] = next_random(&seed) >> (next_random(&seed) % 64);
		regs[unwind_machine.pc] = round % 7 == 0 ? regs[0] :
							   (uintptr_t)own->regs[unwind_machine.pc] +
								   next_random(&seed) % 8192;
		stack.size = next_random(&seed) % (sizeof(words) + 1);
		n = stack_unwind(cache, &finder, &stack, frames, FRAMES, &end);
		assert_in_range(n, regs[unwind_machine.pc] != 0, FRAMES);
		for (size_t i = 1; i < n; i++)
			assert_int_not_equal(find(NULL, frames[i] - 1).why, UNWIND_NOWHERE);
	}
	unwind_cache_free(cache);
}

/* A stack filled with one return address is unwound to its end, or until there is no room. */
static void stays_within_the_stack(void **state)
{
	uint64_t frames[FRAMES], words[512];
	struct unwind_stack stack = { own->regs, (const uint8_t *)words, sizeof(words) };
	struct unwind_cache *cache;
	enum unwind_end end;

	skip_where_unknown();
	cache = unwind_cache_new();
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		words[i] = (uintptr_t)own->returns[0];
	if (succeeds(cache)) {
		size_t n = stack_unwind(cache, &finder, &stack, frames, FRAMES, &end);

		assert_true(n > 2 || !modules[0].rules);
		assert_true(end == UNWIND_COPY || end == UNWIND_ROOM || !modules[0].rules);
	}
	unwind_cache_free(cache);
}

static void rejects_other_files(void **state)
{
	char text[64] = "no ELF file";
	struct frame_rules *rules;

	assert_true(frame_rules_new(text, sizeof(text), &rules) < 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_its_callers),
		cmocka_unit_test(looks_up_the_call_instruction),
		cmocka_unit_test(ends_at_the_end_of_the_copy),
		cmocka_unit_test(ends_without_room_or_rules),
		cmocka_unit_test(survives_random_registers),
		cmocka_unit_test(stays_within_the_stack),
		cmocka_unit_test(rejects_other_files),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
