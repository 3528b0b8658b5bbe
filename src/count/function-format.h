/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The parameters or the result of a kernel function in the form of an event format: the record is
 * struct pt_regs, and each field is at the place of its register there.
 */
#ifndef FATHOM_COUNT_FUNCTION_FORMAT_H
#define FATHOM_COUNT_FUNCTION_FORMAT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "format/event/event-format.h"

struct types;

/* How a program is attached, which determines its context. */
enum function_context {
	FUNCTION_ENTRY, /* struct pt_regs, with the parameters */
	FUNCTION_RETURN, /* struct pt_regs, with the result */
	FUNCTION_TRACED_ENTRY, /* an array of the parameters, see BPF_TRACE_FENTRY */
	FUNCTION_TRACED_EXIT, /* the same, followed by the result */
};

/*
 * Creates the format of the function @name in this context; "ret" is the result. Without type
 * information (@types may be NULL), parameters are unknown and the result is a signed 64-bit
 * number. Parameters that are not in a register are left out. Everything is in @arena, but @name
 * must outlive it. *@ret_id is the ID of the function in the kernel's BTF, or 0: then it cannot be
 * traced. Returns 0 or -ENOMEM.
 */
int function_format_new(struct types *types, const char *module, const char *name,
			enum function_context context, struct arena *arena,
			struct event_format **ret_format, uint32_t *ret_id);

/* The offset of the program counter in struct pt_regs. */
int16_t function_format_ip(void);

#endif
