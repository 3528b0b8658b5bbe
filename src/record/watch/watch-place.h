/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where in memory that lies which a user wants to watch. */
#ifndef FATHOM_RECORD_WATCH_WATCH_PLACE_H
#define FATHOM_RECORD_WATCH_WATCH_PLACE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <fathom/err.h>

#include "symbols/kernel/kallsyms.h"
#include "symbols/probe/watch-spec.h"

struct watch_place {
	uint64_t address;
	uint64_t length; /* 0: not known */
	bool is_function;
	bool guessed; /* nobody has said the length */
};

/*
 * Finds the member of a variable of the process' program, or of another @file that it has mapped, whose
 * type was named, by the debug information; see watch_spec_member(). Nothing is done when none
 * was named. 0 or a negative errno.
 */
int watch_member_program(struct watch_spec *spec, const char *file, pid_t pid,
			 struct fathom_err *err);
/*
 * In the memory of the process @pid, which stands still or has begun: a symbol of its program, or of
 * a library that it has mapped by now; with @file, as users call programs, of that one alone.
 */
int watch_place_program(const struct watch_spec *spec, const char *file, pid_t pid,
			struct watch_place *ret_place, struct fathom_err *err);
/* In the kernel's. The names are those of /proc/kallsyms. */
int watch_place_kernel(const struct watch_spec *spec, const struct kallsyms *kallsyms,
		       struct watch_place *ret_place, struct fathom_err *err);
/* Reads /proc/kallsyms. */
int watch_kallsyms(struct kallsyms *ret_kallsyms, struct fathom_err *err);
/* The bytes in the memory of a process, now. 0 or a negative errno. */
int watch_read_memory(pid_t pid, uint64_t address, void *bytes, size_t len);

#endif
