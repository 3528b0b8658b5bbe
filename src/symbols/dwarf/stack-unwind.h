/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Who called whom, out of the registers of a task and a copy of the top of its stack, by the rules that its files have
 * for that (symbols/dwarf/frame-rules.h). What it finds is a caller by these rules, or nothing: it never guesses. Registers,
 * stack and files may be anybody's.
 */
#ifndef FATHOM_SYMBOLS_DWARF_STACK_UNWIND_H
#define FATHOM_SYMBOLS_DWARF_STACK_UNWIND_H

#include "symbols/dwarf/frame-rules.h"

/* Why there are no more frames. */
enum unwind_end {
	UNWIND_WHOLE, /* the outermost function */
	UNWIND_COPY, /* more of the stack was not copied */
	UNWIND_NO_RULES, /* the file says nothing about this place */
	UNWIND_NO_FILE, /* this is code, but there is no file to look at */
	UNWIND_NOWHERE, /* the caller would be where no code is, or its frame not behind this one */
	UNWIND_ROOM, /* there is no room for more */
};

/* What one address is in. */
struct unwind_code {
	struct frame_rules *rules; /* NULL: there are none, @why says so */
	uint32_t file; /* any number that tells files apart */
	uint64_t address; /* in the file's own terms */
	enum unwind_end why; /* UNWIND_NOWHERE: this is no code at all */
};

struct unwind_finder {
	struct unwind_code (*find)(void *data, uint64_t address);
	void *data;
};

struct unwind_stack {
	const uint64_t *regs; /* by their numbers in DWARF, unwind_machine.n of them */
	const uint8_t *bytes; /* from the stack pointer on */
	size_t size;
};

/* Rules that were found before are kept here, some thousand of them. */
struct unwind_cache;
struct unwind_cache *unwind_cache_new(void);
void unwind_cache_free(struct unwind_cache *cache);
/* Nothing that was kept counts any more; for files that are given up. */
void unwind_cache_clear(struct unwind_cache *cache);

/*
 * Writes the addresses of the frames, the innermost first; all but that are where calls return to. How many, at most
 * @max.
 */
size_t stack_unwind(struct unwind_cache *cache, const struct unwind_finder *finder,
		    const struct unwind_stack *stack, uint64_t *frames, size_t max,
		    enum unwind_end *ret_end);

#endif
