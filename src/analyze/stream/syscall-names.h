/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Names of system calls by number, learnt from events that have both: raw_syscalls have numbers only, while an
 * event of the other system is named after its call.
 */
#ifndef FATHOM_ANALYZE_STREAM_SYSCALL_NAMES_H
#define FATHOM_ANALYZE_STREAM_SYSCALL_NAMES_H

#include "analyze/stream/decoded-event.h"
#include "base/arena.h"
#include "base/u64-map.h"

/* Zero-initialised is empty. */
struct syscall_names {
	struct u64_map numbers; /* places in @list */
	const char **list;
	size_t n, cap;
	struct arena arena;
	bool nomem; /* some are missing */
};

/* @decoded is an entry or an exit. */
void syscall_names_learn(struct syscall_names *names, const struct decoded_event *decoded);
/* NULL: not known. */
const char *syscall_names_find(const struct syscall_names *names, int64_t number);
void syscall_names_done(struct syscall_names *names);

#endif
