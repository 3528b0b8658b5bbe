/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory that is being watched, for those who show hits at once and for those who record them: finds the
 * places in stopped processes, sets the breakpoints, and adds the previous value to each hit.
 */
#ifndef FATHOM_ACTIONS_PROBE_WATCH_SETUP_H
#define FATHOM_ACTIONS_PROBE_WATCH_SETUP_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "analyze/stream/watch-hits.h"
#include "base/arena.h"
#include "kernel/tracefs/hold.h"
#include "record/watch/watch-target.h"
#include "record/watch/watch.h"

enum watch_memory {
	WATCH_MEMORY_PROGRAM,
	WATCH_MEMORY_KERNEL,
	WATCH_MEMORIES,
};

/* Zero-initialised. The caller may set who is held and whose memory it is, and where maps are noted. */
struct watch_setup {
	struct arena arena; /* for what targets have */
	struct hold hold; /* to be released when watching was switched on */
	pid_t pid; /* whose memory it is; 0: no process' */
	struct watch_hits memory[WATCH_MEMORIES];
	struct breakpoint list[WATCH_PLACES_MAX];
	size_t target[WATCH_PLACES_MAX]; /* the number of that which it belongs to */
	unsigned n;
	struct watch *watch;
	struct kallsyms kallsyms;
	bool has_kallsyms, asked_kallsyms;
};

struct watch_setup_options {
	struct watch_target *targets; /* parsed; their places are found here */
	size_t n;
	bool stacks;
	uint64_t ring_kb; /* for each CPU; 0: enough */
};

/* Frees all. A process that is held still was begun for us alone, if it is @child, and does not go on. */
void watch_setup_done(struct watch_setup *setup, pid_t child);
/* Holds the process that @tid is a thread of; its memory will be watched. */
int watch_setup_hold(struct watch_setup *setup, pid_t tid, struct fathom_err *err);
/* Finds the targets and sets breakpoints, switched off, in all threads that are held, or in the kernel. */
int watch_setup_open(struct watch_setup *setup, const struct watch_setup_options *options,
		     struct fathom_err *err);
/* True: it was a hit; *@ret_hit describes it and is valid as long as @record. */
bool watch_setup_feed(struct watch_setup *setup, const struct perf_record *record,
		      struct watch_hit *ret_hit);
bool watch_setup_nomem(const struct watch_setup *setup);
/* The kernel's names, read when they are asked for first. NULL: they cannot be had. */
const struct kallsyms *watch_setup_kallsyms(struct watch_setup *setup);

#endif
