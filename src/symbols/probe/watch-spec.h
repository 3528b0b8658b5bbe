/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What is to be watched, as users write it: "counter", "a.c:counter+8/4:rw", "0x7ffe1000/8", "main:x",
 * "(struct task_struct)init_task.comm".
 */
#ifndef FATHOM_SYMBOLS_PROBE_WATCH_SPEC_H
#define FATHOM_SYMBOLS_PROBE_WATCH_SPEC_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "symbols/btf/types.h"

enum watch_access {
	WATCH_WRITE = 1,
	WATCH_READ = 2,
	WATCH_EXECUTE = 4,
};

struct watch_spec {
	const char *text; /* all of it, without what is to be watched for */
	const char *symbol; /* NULL: @address is all */
	uint64_t address; /* or what is to be added to that of the symbol */
	uint64_t length; /* 0: it was not said */
	unsigned access; /* 0: it was not said */
	const char *type; /* of the symbol, "struct task_struct"; NULL: it was not said */
	const char *path; /* of the member: ".comm", ".se.vruntime", ".comm[2]"; "": none */
};

/* The strings come from @arena. 0, -EINVAL with a message, -ENOMEM. */
int watch_spec_parse(const char *text, struct arena *arena, struct watch_spec *ret_spec,
		     struct fathom_err *err);
/*
 * Finds the member of the type: adds its place to the address and sets the length where it was not
 * said. @types may be NULL: there are none. 0 or a negative errno with a message.
 */
int watch_spec_member(struct watch_spec *spec, struct types *types, struct fathom_err *err);

#define WATCH_PARTS_MAX 8

struct watch_part {
	uint64_t address;
	unsigned length; /* 1, 2, 4 or 8, and the address is a multiple of it */
};

/* Cuts a range into parts that the hardware can watch. Their number; 0: more than @max. */
unsigned watch_parts(uint64_t address, uint64_t length, struct watch_part *parts, unsigned max);

#endif
