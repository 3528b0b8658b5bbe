/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * jitdump, the file in which JIT compilers store code with its names for perf; described in
 * jitdump-specification.txt in perf's documentation.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/u64-map.h"
#include "symbols/user/user-symbols.h"

#define MAGIC	    0x4a695444
#define RECORDS_MAX ((size_t)1 << 22)
/* The bytes of a record that are read. */
#define HEAD_MAX 1024

enum {
	FILE_HEAD = 40,
	FILE_HEAD_SIZE_AT = 8,
	RECORD_HEAD = 16,
	LOADED = 0,
	LOADED_ADDRESS_AT = 32,
	LOADED_SIZE_AT = 40,
	LOADED_INDEX_AT = 48,
	LOADED_NAME_AT = 56,
	MOVED = 1,
	MOVED_ADDRESS_AT = 40,
	MOVED_SIZE_AT = 48,
	MOVED_INDEX_AT = 56,
	MOVED_END = 64,
};

/* A named piece of code. */
struct jit_code {
	uint32_t name;
};

struct dump {
	struct symbol_builder *builder;
	bool swapped; /* written on a machine with the other byte order */
	struct u64_map indexes;
	struct jit_code *codes;
	size_t n, cap;
};

static uint64_t user_jitdump_number(const struct dump *dump, const unsigned char *p, size_t size)
{
	uint32_t small;
	uint64_t large;

	if (size == sizeof(small)) {
		memcpy(&small, p, sizeof(small));
		return dump->swapped ? __builtin_bswap32(small) : small;
	}
	memcpy(&large, p, sizeof(large));
	return dump->swapped ? __builtin_bswap64(large) : large;
}

static int add_code(struct dump *dump, uint64_t start, uint64_t size, uint32_t name)
{
	return symbol_builder_add(dump->builder, &(struct symbol_input){ .start = start,
									 .size = size,
									 .name = name,
									 .rank = SYMBOL_FUNCTION |
										 SYMBOL_STRONG });
}

static int add_loaded(struct dump *dump, const unsigned char *p, size_t len)
{
	const unsigned char *name = p + LOADED_NAME_AT;
	struct jit_code *code;
	uint32_t at;
	int r;

	if (len <= LOADED_NAME_AT || !*name || !user_jitdump_number(dump, p + LOADED_SIZE_AT, 8))
		return 0;
	/* A name truncated at the end of what was read becomes a shorter one. */
	r = symbol_builder_strings(dump->builder, name,
				   strnlen((const char *)name, len - LOADED_NAME_AT), false, &at);
	if (r < 0)
		return r;
	code = u64_map_element(&dump->indexes, user_jitdump_number(dump, p + LOADED_INDEX_AT, 8),
			       &dump->codes, &dump->n, &dump->cap, sizeof(*code));
	if (!code)
		return -ENOMEM;
	code->name = at;
	return add_code(dump, user_jitdump_number(dump, p + LOADED_ADDRESS_AT, 8),
			user_jitdump_number(dump, p + LOADED_SIZE_AT, 8), at);
}

static int add_moved(struct dump *dump, const unsigned char *p, size_t len)
{
	uint32_t place;

	if (len < MOVED_END)
		return 0;
	place = u64_map_get(&dump->indexes, user_jitdump_number(dump, p + MOVED_INDEX_AT, 8));
	if (place >= dump->n || !user_jitdump_number(dump, p + MOVED_SIZE_AT, 8))
		return 0;
	return add_code(dump, user_jitdump_number(dump, p + MOVED_ADDRESS_AT, 8),
			user_jitdump_number(dump, p + MOVED_SIZE_AT, 8), dump->codes[place].name);
}

/*
 * Reads the records at @at and later. A truncated record is the last one: its writer is still at
 * work, or was killed.
 */
static int add_records(struct dump *dump, const struct elf_source *source, uint64_t at)
{
	unsigned char head[HEAD_MAX];
	int r = 0;

	for (size_t i = 0; i < RECORDS_MAX && r == 0 && at < source->size; i++) {
		uint64_t rest = source->size - at, size;
		size_t len = rest < sizeof(head) ? (size_t)rest : sizeof(head);

		if (len < RECORD_HEAD || elf_source_read(source, at, head, len) < 0)
			break;
		size = user_jitdump_number(dump, head + 4, 4);
		if (size < RECORD_HEAD)
			break;
		if (size < len)
			len = (size_t)size;
		if (user_jitdump_number(dump, head, 4) == LOADED)
			r = add_loaded(dump, head, len);
		else if (user_jitdump_number(dump, head, 4) == MOVED)
			r = add_moved(dump, head, len);
		if (size > rest)
			break;
		at += size;
	}
	return r == -EFBIG ? 0 : r;
}

int user_jit_add_dump(struct symbol_builder *builder, const struct elf_source *source)
{
	struct dump dump = { .builder = builder };
	unsigned char head[FILE_HEAD];
	int r = elf_source_read(source, 0, head, sizeof(head));

	if (r < 0)
		return r;
	if (user_jitdump_number(&dump, head, 4) != MAGIC)
		dump.swapped = true;
	if (user_jitdump_number(&dump, head, 4) != MAGIC)
		return -EINVAL;
	r = add_records(&dump, source, user_jitdump_number(&dump, head + FILE_HEAD_SIZE_AT, 4));
	u64_map_done(&dump.indexes);
	free(dump.codes);
	return r;
}
