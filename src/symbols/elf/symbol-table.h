/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Functions by address: an array of ranges without overlaps in ascending order, so that a lookup is
 * a binary search in an array of numbers. A function nested in another one splits it.
 *
 * If an address has several names, one is selected as perf does: with a size before without, a
 * function before an untyped symbol, strong before weak, global before local, fewer leading
 * underscores, longer, alphabetical order.
 *
 * A table is immutable, so threads can share it. Functions that return int return 0 or -ENOMEM.
 */
#ifndef FATHOM_SYMBOLS_ELF_SYMBOL_TABLE_H
#define FATHOM_SYMBOLS_ELF_SYMBOL_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Longer names are truncated. */
#define SYMBOL_NAME_MAX 16384

struct symbol_range {
	uint32_t size; /* of the range in bytes; larger ranges are split */
	uint32_t back; /* offset of the range in the function, in bytes */
	uint32_t name; /* offset in the strings */
};

struct symbol_table {
	uint64_t *starts; /* ascending */
	struct symbol_range *ranges; /* one for each */
	uint32_t n;
	const char *strings; /* NUL-terminated */
	size_t strings_size;
	/* Owns these three: allocated memory, or a mapped file if @mapped_size is not 0. */
	void *memory;
	size_t mapped_size;
};

/* The result of a lookup. */
struct symbol {
	const char *name; /* as in the file, see demangle.h; valid as long as the table */
	uint64_t start; /* address of the function */
};

/* Quality of a name, for symbol_builder_add(); bits. */
enum symbol_rank {
	SYMBOL_LOCAL = 0,
	SYMBOL_GLOBAL = 1,
	SYMBOL_STRONG = 2, /* not weak */
	SYMBOL_FUNCTION = 4,
	SYMBOL_SIZED = 8, /* set by symbol_builder_add() */
};

struct symbol_input {
	uint64_t start;
	uint64_t size; /* in bytes; 0: up to the next symbol or @limit */
	uint64_t limit; /* end of the section that contains it */
	uint32_t name; /* offset in the strings */
	uint32_t rank;
	bool is_indirect; /* resolved at load time; the symbol is the resolver */
};

/* Collects symbols. Zero-initialized: empty. */
struct symbol_builder {
	struct symbol_input *inputs;
	size_t n, cap;
	char *strings;
	size_t strings_size, strings_cap;
};

/*
 * Adds @len bytes of NUL-terminated names. *@ret_base is the offset of the first one. With
 * @versioned, versions such as "@@GLIBC_2.14" are removed.
 */
int symbol_builder_strings(struct symbol_builder *builder, const void *bytes, size_t len,
			   bool versioned, uint32_t *ret_base);
/* Adds a symbol. It is ignored unless its name is an offset in the strings. */
int symbol_builder_add(struct symbol_builder *builder, const struct symbol_input *input);
/* Sorts by address, best name first. */
void symbol_builder_sort(struct symbol_builder *builder);
/* Creates the table and empties the builder, even on failure. */
int symbol_builder_finish(struct symbol_builder *builder, struct symbol_table *ret_table);
void symbol_builder_done(struct symbol_builder *builder);
#define _cleanup_symbol_builder_ __attribute__((cleanup(symbol_builder_done)))

void symbol_table_done(struct symbol_table *table);
/* Finds the function that contains @address. Returns false if there is none. */
bool symbol_table_find(const struct symbol_table *table, uint64_t address,
		       struct symbol *ret_symbol);

#endif
