/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Markers that programmers put into programs for tracers (USDT, "user statically defined tracing"). A marker
 * is a "nop" with a note beside it, in the section .note.stapsdt, that says where it is, and in
 * which registers or where in memory its arguments are. The notes may say anything.
 */
#ifndef FATHOM_SYMBOLS_PROBE_USDT_H
#define FATHOM_SYMBOLS_PROBE_USDT_H

#include "base/arena.h"
#include "symbols/elf/elf-file.h"

/* One place of a marker; a marker that is in several places has several notes. */
struct usdt_marker {
	const char *provider, *name;
	const char *arguments; /* "-4@%edi 8@-16(%rbp) 8@$5" */
	uint64_t offset; /* in the file */
	/* Where in the file a number lies that is not 0 while somebody traces it; 0: there is none. */
	uint64_t counter;
};

/*
 * All markers, in the order of their notes, in @arena. Notes that are damaged, or are about what is not
 * in the file, are passed over. 0 also when there are none; -ENOMEM.
 */
int usdt_read(const struct elf_file *file, struct arena *arena, struct usdt_marker **ret_markers,
	      size_t *ret_n);

enum usdt_operand {
	USDT_REGISTER, /* the value of @base */
	USDT_MEMORY, /* what is @number behind the address in @base */
	USDT_NUMBER, /* @number */
};

struct usdt_argument {
	enum usdt_operand operand;
	unsigned size; /* bytes: 1, 2, 4 or 8 */
	bool is_signed;
	char base[8]; /* a register, as the kernel calls it: "di" */
	int64_t number;
};

unsigned usdt_count_arguments(const char *arguments);
/*
 * The @i-th, from 0 on, for the machine @machine (EM_X86_64, EM_AARCH64). 0; -ENOENT when there are less,
 * or -EINVAL: the kernel cannot get it, *@ret_why says why.
 */
int usdt_find_argument(const char *arguments, uint16_t machine, unsigned i,
		       struct usdt_argument *ret_argument, const char **ret_why);

#endif
