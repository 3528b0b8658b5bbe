/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Markers in programs for tracers (USDT, "user statically defined tracing"). A marker is a "nop"
 * with a note in the section .note.stapsdt, with its address, and the registers or memory locations
 * of its arguments. Notes are untrusted. No function keeps state.
 */
#ifndef FATHOM_SYMBOLS_PROBE_USDT_H
#define FATHOM_SYMBOLS_PROBE_USDT_H

#include "base/arena.h"
#include "symbols/elf/elf-file.h"

/* One place of a marker; a marker with several places has several notes. */
struct usdt_marker {
	const char *provider, *name;
	const char *arguments; /* "-4@%edi 8@-16(%rbp) 8@$5" */
	uint64_t offset; /* in the file */
	/* File offset of a counter that is non-zero while the marker is traced; 0: none. */
	uint64_t counter;
};

/*
 * Returns all markers in the order of their notes, in @arena. Invalid notes, and those that refer
 * to addresses outside the file, are skipped. Returns 0, even if there are none, or -ENOMEM.
 */
int usdt_read(const struct elf_file *file, struct arena *arena, struct usdt_marker **ret_markers,
	      size_t *ret_n);

enum usdt_operand {
	USDT_REGISTER, /* the value of @base */
	USDT_MEMORY, /* @number bytes from the address in @base */
	USDT_NUMBER, /* @number */
};

struct usdt_argument {
	enum usdt_operand operand;
	unsigned size; /* in bytes: 1, 2, 4 or 8 */
	bool is_signed;
	char base[8]; /* a register by its kernel name, such as "di" */
	int64_t number;
};

unsigned usdt_count_arguments(const char *arguments);
/*
 * Parses the @i-th argument, from 0 on, for @machine (EM_X86_64, EM_AARCH64). Returns 0, -ENOENT if
 * there are fewer, or -EINVAL if the kernel cannot fetch it, with the reason, a static string, in
 * *@ret_why.
 */
int usdt_find_argument(const char *arguments, uint16_t machine, unsigned i,
		       struct usdt_argument *ret_argument, const char **ret_why);

#endif
