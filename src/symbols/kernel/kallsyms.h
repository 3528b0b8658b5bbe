/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Kernel symbols by address, from the text of /proc/kallsyms. The text is untrusted; invalid lines
 * are skipped. Immutable after kallsyms_init(), so threads can share it, each with its own cache.
 * Symbols and names belong to it and are valid until kallsyms_done().
 *
 * Often, an address has several names. The choice is that of libtraceevent, so that outputs can be
 * compared: for an address inside a function, the first name in the text; for its first byte, the
 * name at which a binary search of the whole table ends. The kernel itself always uses the first
 * name in the text: see kallsyms_first_alias().
 */
#ifndef FATHOM_SYMBOLS_KERNEL_KALLSYMS_H
#define FATHOM_SYMBOLS_KERNEL_KALLSYMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KALLSYMS_CACHE_SIZE 4096
/* At least this many bytes are readable from the start of any name, even a shorter one. */
#define KALLSYMS_NAME_PAD 8

struct kallsyms_symbol {
	uint64_t address;
	uint32_t name; /* offset in the text */
	uint32_t module; /* offset in the text; 0: the kernel */
};

struct probed_functions;

struct kallsyms {
	/* User functions in the same trace, owned by the caller; NULL: none. */
	const struct probed_functions *users;
	char *text; /* names in it are NUL-terminated */
	struct kallsyms_symbol *symbols; /* sorted by address */
	uint32_t n;
	uint32_t skipped; /* number of invalid lines */
	bool is_odd; /* some bytes do not occur in kernel symbols: quote names */
};

/* Caches lookups. Zero-initialized: empty. */
struct kallsyms_cache {
	uint64_t address[KALLSYMS_CACHE_SIZE];
	uint32_t place[KALLSYMS_CACHE_SIZE]; /* index in @symbols + 1; 0: empty */
};

/*
 * Symbols that a subset of the symbols must include, NULL-terminated: they delimit the kernel's
 * text and its interrupt handlers, or are referred to by event formats.
 */
extern const char *const kallsyms_marks[];

/* Copies @len bytes of @text. Returns 0, -EFBIG or -ENOMEM. */
int kallsyms_init(struct kallsyms *kallsyms, const char *text, size_t len);
void kallsyms_done(struct kallsyms *kallsyms);

/* Returns the symbol that contains @address, or NULL. @cache may be NULL. */
const struct kallsyms_symbol *kallsyms_find(const struct kallsyms *kallsyms,
					    struct kallsyms_cache *cache, uint64_t address);
/*
 * Returns the function that contains @address, by the name that all commands and outputs use: the
 * first one in the text. Returns NULL if there is none. @cache may be NULL. Only the lines of
 * `fathom report` use kallsyms_find(), like trace-cmd.
 */
const struct kallsyms_symbol *kallsyms_function(const struct kallsyms *kallsyms,
						struct kallsyms_cache *cache, uint64_t address);
/*
 * Returns the symbol with the address of @symbol, which belongs to @kallsyms, that is first in the
 * text.
 */
const struct kallsyms_symbol *kallsyms_first_alias(const struct kallsyms *kallsyms,
						   const struct kallsyms_symbol *symbol);
/* Returns the address of the first symbol of that name. A linear search, meant for a few names. */
bool kallsyms_address(const struct kallsyms *kallsyms, const char *name, uint64_t *ret_address);

/* Returns the start of the kernel, the symbol _text, in an unparsed text; 0: missing or hidden. */
uint64_t kallsyms_start(const char *text);

static inline const char *kallsyms_name(const struct kallsyms *kallsyms,
					const struct kallsyms_symbol *symbol)
{
	return kallsyms->text + symbol->name;
}

/* Returns the module of the symbol, or NULL for the kernel. */
static inline const char *kallsyms_module(const struct kallsyms *kallsyms,
					  const struct kallsyms_symbol *symbol)
{
	return symbol->module ? kallsyms->text + symbol->module : NULL;
}

#endif
