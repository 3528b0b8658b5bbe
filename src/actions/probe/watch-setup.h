/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sets up watched memory, for printing hits at once or for recording them: finds the addresses in
 * stopped processes, sets breakpoints, and adds the previous value to each hit.
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

/*
 * Zero-initialized. The caller may set the held process, the owner of the memory, and the map log.
 */
struct watch_setup {
	struct arena arena; /* for what targets refer to */
	struct hold hold; /* released when watching is enabled */
	pid_t pid; /* owner of the memory; 0: no process */
	struct watch_hits memory[WATCH_MEMORIES];
	struct breakpoint list[WATCH_PLACES_MAX];
	size_t target[WATCH_PLACES_MAX]; /* number of the target that it belongs to */
	unsigned n;
	struct watch *watch;
	struct kallsyms kallsyms;
	bool has_kallsyms, asked_kallsyms;
};

struct watch_setup_options {
	struct watch_target *targets; /* parsed; addresses are found here */
	size_t n;
	bool stacks;
	uint64_t ring_kb; /* per CPU; 0: sufficient */
};

/*
 * Frees everything. If the held process is @child, which was started for us, it does not continue.
 */
void watch_setup_done(struct watch_setup *setup, pid_t child);
/* Holds the process of the thread @tid, whose memory will be watched. */
int watch_setup_hold(struct watch_setup *setup, pid_t tid, struct fathom_err *err);
/* Finds the targets and sets disabled breakpoints in all held threads, or in the kernel. */
int watch_setup_open(struct watch_setup *setup, const struct watch_setup_options *options,
		     struct fathom_err *err);
/* Returns true if it was a hit, described by *@ret_hit, which is valid as long as @record. */
bool watch_setup_feed(struct watch_setup *setup, const struct perf_record *record,
		      struct watch_hit *ret_hit);
bool watch_setup_nomem(const struct watch_setup *setup);
/* Kernel symbols, read on first use. NULL: not available. */
const struct kallsyms *watch_setup_kallsyms(struct watch_setup *setup);

#endif
