/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Names of system calls by number. Events of raw_syscalls have only the number; the names are
 * learned from events of the syscalls system, which are named after the call. If memory is
 * exhausted, @nomem is set, and some names are missing. Not thread-safe.
 */
#ifndef FATHOM_ANALYZE_STREAM_SYSCALL_NAMES_H
#define FATHOM_ANALYZE_STREAM_SYSCALL_NAMES_H

#include "analyze/stream/decoded-event.h"
#include "base/arena.h"
#include "base/u64-map.h"

/* Empty when zero-initialized. */
struct syscall_names {
	struct u64_map numbers; /* number -> index in @list */
	const char **list;
	size_t n, cap;
	struct arena arena;
	bool nomem; /* some are missing */
};

/* Learns from an entry or an exit of a system call. */
void syscall_names_learn(struct syscall_names *names, const struct decoded_event *decoded);
/* Returns NULL if unknown. The string is valid until syscall_names_done(). */
const char *syscall_names_find(const struct syscall_names *names, int64_t number);
void syscall_names_done(struct syscall_names *names);

#endif
