/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fuzzes the types and variables of ELF files with debug information: functions and locations at
 * the addresses where program-types-seed.c has them, and types and variables by their names there.
 * Results are used as by probes and by 'fathom watch'.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/mem.h"
#include "input.h"
#include "symbols/dwarf/program-types.h"
#include "symbols/probe/watch-spec.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
/* For LeakSanitizer: libdw leaks memory if debug information is damaged. */
void __lsan_disable(void) __attribute__((weak));
void __lsan_enable(void) __attribute__((weak));

/* The first function, and from each to the next. */
#define TEXT  0x1000
#define ALIGN 64
#define N     8

static void check(bool holds)
{
	if (!holds)
		abort();
}

/* As deep as its own types, with a limit: a type may contain itself. */
static void look(struct type type, int depth)
{
	struct strbuf text = { 0 };
	struct type_info info = type_look(type);
	struct type_member member;
	const char *name;
	int64_t number;

	type_print(type, &text);
	strbuf_done(&text);
	for (uint32_t i = 0; i < 8 && type_enumerator(type, i, &name, &number); i++)
		check(name != NULL);
	if (depth > 6)
		return;
	if (info.kind == TYPE_POINTER || info.kind == TYPE_ARRAY)
		look(info.target, depth + 1);
	if (info.kind == TYPE_STRUCT && type_find_member(info.self, "next", &member) == 0)
		look(member.type, depth + 1);
	if (info.kind == TYPE_STRUCT && type_find_member(info.self, "kind", &member) == 0)
		look(member.type, depth + 1);
}

static void look_at_function(struct types *types, const char *name)
{
	struct type_function function;

	if (types_find_function(types, NULL, name, &function) < 0)
		return;
	look(function.result, 0);
	for (uint32_t i = 0; i < function.n && i < 20; i++) {
		struct type_parameter parameter;

		type_function_parameter(&function, i, TYPE_ABI_X86_64, &parameter);
		check(parameter.name != NULL);
		look(parameter.type, 0);
	}
}

static void look_at_member(struct types *types)
{
	struct watch_spec spec = { .text = "(struct list)head.kind",
				   .symbol = "head",
				   .type = "struct list",
				   .path = ".next->kind" };
	struct fathom_err err = { 0 };
	int r;

	r = watch_spec_member(&spec, types, &err);
	check(r == 0 || *err.message);
	spec.path = ".pair[1].second";
	r = watch_spec_member(&spec, types, &err);
	check(r == 0 || *err.message);
}

static void look_at_all(struct types *types, const struct program_wanted *wanted)
{
	struct type type;

	for (size_t i = 0; i < wanted->n_types; i++)
		if (types_find(types, NULL, wanted->types[i], &type) == 0)
			look(type, 0);
	for (size_t i = 0; i < wanted->n_functions; i++)
		look_at_function(types, wanted->functions[i].name);
	for (size_t i = 0; i < wanted->n_places; i++) {
		const struct program_place *place = &wanted->places[i];

		look_at_function(types, place->name);
		for (size_t k = 0; k < place->n; k++)
			check(place->variables[k].kind != VARIABLE_NOWHERE ||
			      place->variables[k].why);
	}
	look_at_member(types);
}

static void read_types(int fd)
{
	static const char *const type_names[] = { "struct list", "union value", "enum kind",
						  "list_t" };
	static const char *const names[] = { "head", "count" };
	static const char *const called[] = { "f0", "f1", "f2", "f3", "f4", "f5", "f6", "f7" };
	static const char *const at[] = { "p0", "p1", "p2", "p3", "p4", "p5", "p6", "p7" };
	struct arena arena = { 0 };
	struct program_function functions[N];
	struct program_place places[N] = { 0 };
	struct program_wanted wanted = { .fd = fd,
					 .program_fd = fd,
					 .functions = functions,
					 .n_functions = N,
					 .types = type_names,
					 .n_types = ARRAY_SIZE(type_names),
					 .places = places,
					 .n_places = N,
					 .names = names,
					 .n_names = ARRAY_SIZE(names),
					 .arena = &arena };
	struct types *types = NULL;
	int r;

	for (unsigned i = 0; i < N; i++) {
		functions[i] = (struct program_function){ called[i], TEXT + i * ALIGN };
		places[i].address = TEXT + i * ALIGN + i * 3;
		places[i].name = at[i];
	}
	r = program_types_new(&wanted, &types);
	check(r >= 0 || r == -ENOMEM);
	if (r >= 0)
		look_at_all(types, &wanted);
	types_free(types);
	arena_done(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = fuzz_file(data, size);

	if (__lsan_disable)
		__lsan_disable();
	read_types(fd);
	if (__lsan_enable)
		__lsan_enable();
	close(fd);
	return 0;
}
