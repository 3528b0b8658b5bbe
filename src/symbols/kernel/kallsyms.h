/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Names for addresses, out of the text of /proc/kallsyms. Lines that cannot be
 * read are passed over, the text may come from anybody. After kallsyms_init()
 * nothing changes, so threads may share it, each with a cache of its own.
 *
 * Several names at one address are common. The one that is chosen is the one that
 * libtraceevent chooses, so that texts of both can be compared: for an address
 * within a function the name that comes first in the text, for its very start the
 * one at which a binary search over the whole table arrives. The kernel always takes
 * the first one in the text: kallsyms_first_alias() leads there.
 */
#ifndef FATHOM_SYMBOLS_KERNEL_KALLSYMS_H
#define FATHOM_SYMBOLS_KERNEL_KALLSYMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KALLSYMS_CACHE_SIZE 4096
/* So many bytes can be read from the start of any name, however short it is. */
#define KALLSYMS_NAME_PAD 8

struct kallsyms_symbol {
	uint64_t address;
	uint32_t name; /* offset in the text */
	uint32_t module; /* offset in the text; 0: the kernel itself */
};

struct probed_functions;

struct kallsyms {
	/* Functions of programs that are in the same trace; the caller's. NULL: there are none. */
	const struct probed_functions *users;
	char *text; /* owned; the names in it end with NUL */
	struct kallsyms_symbol *symbols; /* by address */
	uint32_t n;
	uint32_t skipped; /* lines that could not be read */
	bool is_odd; /* there are bytes that no name of a kernel has: names are to be quoted */
};

/* Remembers what was looked up last; zero-initialised is empty. */
struct kallsyms_cache {
	uint64_t address[KALLSYMS_CACHE_SIZE];
	uint32_t place[KALLSYMS_CACHE_SIZE]; /* in symbols, + 1; 0: empty */
};

/*
 * Symbols that a part of them needs as well, up to NULL: between some the functions of interrupts lie, and the kernel's text;
 * event formats name others.
 */
extern const char *const kallsyms_marks[];

/* Takes the @len bytes of @text, which are copied. 0 or a negative errno. */
int kallsyms_init(struct kallsyms *kallsyms, const char *text, size_t len);
void kallsyms_done(struct kallsyms *kallsyms);

/* The symbol that @address is in: NULL when there is none. @cache may be NULL. */
const struct kallsyms_symbol *kallsyms_find(const struct kallsyms *kallsyms,
					    struct kallsyms_cache *cache, uint64_t address);
/*
 * The function that @address is in, by the name that all commands and outputs have for it: of several
 * names at its address the first in the text. NULL when there is none. @cache may be NULL. Only the
 * lines of `fathom report` have the last one, as trace-cmd does.
 */
const struct kallsyms_symbol *kallsyms_function(const struct kallsyms *kallsyms,
						struct kallsyms_cache *cache, uint64_t address);
/* Of the symbols at the address of @symbol, a part of @kallsyms, the first in the text. */
const struct kallsyms_symbol *kallsyms_first_alias(const struct kallsyms *kallsyms,
						   const struct kallsyms_symbol *symbol);
/* The address of the first symbol with that name. Looks at all of them: for a few names only. */
bool kallsyms_address(const struct kallsyms *kallsyms, const char *name, uint64_t *ret_address);

/* Where the kernel begins, the symbol _text, in a text that was not taken yet; 0: it is not there, or hidden. */
uint64_t kallsyms_start(const char *text);

static inline const char *kallsyms_name(const struct kallsyms *kallsyms,
					const struct kallsyms_symbol *symbol)
{
	return kallsyms->text + symbol->name;
}

/* The module of the symbol, NULL for the kernel itself. */
static inline const char *kallsyms_module(const struct kallsyms *kallsyms,
					  const struct kallsyms_symbol *symbol)
{
	return symbol->module ? kallsyms->text + symbol->module : NULL;
}

#endif
