/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Functions by address. The table is made of ranges that do not overlap, in rising order, so that a
 * lookup is one binary search over an array of numbers. A function that lies within another one
 * cuts it in two.
 *
 * Of several names at one address one is kept, chosen as perf does: one with a size before one without,
 * a function before what has no type, a strong name before a weak one, a global one before a local one,
 * the one with fewer underscores in front, the longer one, the first in the alphabet.
 *
 * After it is made nothing changes: threads may share it.
 */
#ifndef FATHOM_SYMBOLS_ELF_SYMBOL_TABLE_H
#define FATHOM_SYMBOLS_ELF_SYMBOL_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Longer names are cut. */
#define SYMBOL_NAME_MAX 16384

struct symbol_range {
	uint32_t size; /* of the range; larger ones are cut in several */
	uint32_t back; /* from its start to that of the function */
	uint32_t name; /* offset in the strings */
};

struct symbol_table {
	uint64_t *starts; /* rising */
	struct symbol_range *ranges; /* as many */
	uint32_t n;
	const char *strings; /* ends with NUL */
	size_t strings_size;
	/* Who owns the three: one block of memory, or a mapped file when mapped_size is not 0. */
	void *memory;
	size_t mapped_size;
};

/* What a lookup finds. */
struct symbol {
	const char *name; /* as in the file; see demangle.h */
	uint64_t start; /* of the function */
};

/* How good a name is, for symbol_builder_add(); bits. */
enum symbol_rank {
	SYMBOL_LOCAL = 0,
	SYMBOL_GLOBAL = 1,
	SYMBOL_STRONG = 2, /* not weak */
	SYMBOL_FUNCTION = 4,
	SYMBOL_SIZED = 8, /* added by itself */
};

struct symbol_input {
	uint64_t start;
	uint64_t size; /* 0: up to the next one, or to @limit */
	uint64_t limit; /* the end of what it lies in */
	uint32_t name; /* offset in the strings */
	uint32_t rank;
	bool is_indirect; /* the address is chosen when it is loaded; here is what chooses */
};

/* Collects symbols. Zero-initialised is empty. */
struct symbol_builder {
	struct symbol_input *inputs;
	size_t n, cap;
	char *strings;
	size_t strings_size, strings_cap;
};

/*
 * Adds @len bytes of names that end with NUL each; where they begin goes to @ret_base. With @versioned they
 * lose what follows an '@', as in "memcpy@@GLIBC_2.14".
 */
int symbol_builder_strings(struct symbol_builder *builder, const void *bytes, size_t len,
			   bool versioned, uint32_t *ret_base);
/* The name must be an offset in the strings, or the symbol is passed over. 0 or -ENOMEM. */
int symbol_builder_add(struct symbol_builder *builder, const struct symbol_input *input);
/* By address, and of one address the best name first. */
void symbol_builder_sort(struct symbol_builder *builder);
/* Makes the table and empties the builder, also when this fails. 0 or -ENOMEM. */
int symbol_builder_finish(struct symbol_builder *builder, struct symbol_table *ret_table);
void symbol_builder_done(struct symbol_builder *builder);
#define _cleanup_symbol_builder_ __attribute__((cleanup(symbol_builder_done)))

void symbol_table_done(struct symbol_table *table);
/* The function that @address is in. False: none. */
bool symbol_table_find(const struct symbol_table *table, uint64_t address,
		       struct symbol *ret_symbol);

#endif
