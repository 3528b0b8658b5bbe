/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Finds the memory that a user wants to watch: its address and length in bytes. Program files are
 * parsed in a confined process. Functions return 0 or a negative errno.
 */
#ifndef FATHOM_RECORD_WATCH_WATCH_PLACE_H
#define FATHOM_RECORD_WATCH_WATCH_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <fathom/err.h>

#include "symbols/kernel/kallsyms.h"
#include "symbols/probe/watch-spec.h"

struct watch_place {
	uint64_t address;
	uint64_t length; /* 0: unknown */
	bool is_function;
	bool guessed; /* the length was not specified */
};

/*
 * Finds a member of a variable whose type @spec names, in the debug information of the program of
 * @pid, or in @file, which it has mapped; sets address and length of @spec, see
 * watch_spec_member(). Does nothing if @spec names no type.
 */
int watch_member_program(struct watch_spec *spec, const char *file, pid_t pid,
			 struct fathom_err *err);
/*
 * Finds a symbol in the memory of the process @pid, which must have executed its program: in that,
 * or in a library that it has mapped. With @file, as users name programs, only in that.
 */
int watch_place_program(const struct watch_spec *spec, const char *file, pid_t pid,
			struct watch_place *ret_place, struct fathom_err *err);
/* Finds a symbol of the kernel in @kallsyms. */
int watch_place_kernel(const struct watch_spec *spec, const struct kallsyms *kallsyms,
		       struct watch_place *ret_place, struct fathom_err *err);
/* Reads /proc/kallsyms; to be released by the caller with kallsyms_done(). */
int watch_kallsyms(struct kallsyms *ret_kallsyms, struct fathom_err *err);
/* Reads memory of a process. Returns 0 or a negative errno; -EFAULT if some of it is not mapped. */
int watch_read_memory(pid_t pid, uint64_t address, void *bytes, size_t len);

#endif
