/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Parses the specification of a watched location: "counter", "a.c:counter+8/4:rw", "0x7ffe1000/8",
 * "main:x", "(struct task_struct)init_task.comm". No function keeps state.
 */
#ifndef FATHOM_SYMBOLS_PROBE_WATCH_SPEC_H
#define FATHOM_SYMBOLS_PROBE_WATCH_SPEC_H

#include <stdint.h>

#include <fathom/err.h>

#include "base/arena.h"
#include "symbols/btf/types.h"

enum watch_access {
	WATCH_WRITE = 1,
	WATCH_READ = 2,
	WATCH_EXECUTE = 4,
};

struct watch_spec {
	const char *text; /* everything except the access suffix */
	const char *symbol; /* NULL: only @address is given */
	uint64_t address; /* or the offset from the symbol */
	uint64_t length; /* 0: not given */
	unsigned access; /* 0: not given */
	const char *type; /* of the symbol, such as "struct task_struct"; NULL: not given */
	const char *path; /* of the member: ".comm", ".se.vruntime", ".comm[2]"; "": none */
};

/* Strings are in @arena. Returns 0, -EINVAL with a message, or -ENOMEM. */
int watch_spec_parse(const char *text, struct arena *arena, struct watch_spec *ret_spec,
		     struct fathom_err *err);
/*
 * Resolves the member: adds its offset to the address, and sets the length unless given. @types may
 * be NULL: no type information. Returns 0 or a negative errno with a message.
 */
int watch_spec_member(struct watch_spec *spec, struct types *types, struct fathom_err *err);

#define WATCH_PARTS_MAX 8

struct watch_part {
	uint64_t address;
	unsigned length; /* 1, 2, 4 or 8; the address is a multiple of it */
};

/*
 * Splits a range into parts that the hardware can watch. Returns their number; 0: more than @max.
 */
unsigned watch_parts(uint64_t address, uint64_t length, struct watch_part *parts, unsigned max);

#endif
