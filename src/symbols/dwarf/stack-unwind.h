/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Computes the call chain from the registers of a task and a copy of the top of its stack, using
 * the frame information of its files (symbols/dwarf/frame-rules.h). Frames are never guessed: each
 * one follows from these rules. Registers and stack are untrusted. A cache is not thread-safe.
 */
#ifndef FATHOM_SYMBOLS_DWARF_STACK_UNWIND_H
#define FATHOM_SYMBOLS_DWARF_STACK_UNWIND_H

#include "symbols/dwarf/frame-rules.h"

/* Why a call chain ends. */
enum unwind_end {
	UNWIND_WHOLE, /* complete, up to the outermost function */
	UNWIND_COPY, /* the copy of the stack ends here */
	UNWIND_NO_RULES, /* the file has no rules for this address */
	UNWIND_NO_FILE, /* code, but no file to read rules from */
	/* the return address is not in code, or the frame would not be above this one */
	UNWIND_NOWHERE,
	UNWIND_ROOM, /* no room for more frames */
};

/* The file that contains an address. */
struct unwind_code {
	struct frame_rules *rules; /* NULL: none; @why is the reason */
	uint32_t file; /* any number that identifies the file */
	uint64_t address; /* as in the file */
	enum unwind_end why; /* UNWIND_NOWHERE: not code at all */
};

struct unwind_finder {
	struct unwind_code (*find)(void *data, uint64_t address);
	void *data;
};

struct unwind_stack {
	const uint64_t *regs; /* by DWARF number, unwind_machine.n of them */
	const uint8_t *bytes; /* from the stack pointer on */
	size_t size;
};

/* Caches the rules of a few thousand addresses. */
struct unwind_cache;
struct unwind_cache *unwind_cache_new(void);
void unwind_cache_free(struct unwind_cache *cache);
/* Drops all cached rules; required when a file is closed. */
void unwind_cache_clear(struct unwind_cache *cache);

/*
 * Writes the addresses of the frames, innermost first; all but the first are return addresses.
 * Returns their number, at most @max, and in *@ret_end the reason why the chain ends.
 */
size_t stack_unwind(struct unwind_cache *cache, const struct unwind_finder *finder,
		    const struct unwind_stack *stack, uint64_t *frames, size_t max,
		    enum unwind_end *ret_end);

#endif
