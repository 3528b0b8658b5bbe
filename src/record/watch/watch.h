/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Watches memory with hardware breakpoints: the perf events, their rings, and the hits in
 * chronological order, in ns of CLOCK_MONOTONIC. All objects are descriptors of this process, so the kernel
 * removes them when it exits, even by SIGKILL. One thread may use a watch at a time. Functions
 * return 0 or a negative errno.
 */
#ifndef FATHOM_RECORD_WATCH_WATCH_H
#define FATHOM_RECORD_WATCH_WATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <fathom/err.h>

#include "base/cleanup.h"
#include "format/event/perf-records.h"
#include "kernel/perf/breakpoint.h"

struct watch;

/* Twice as many as x86 has. */
#define WATCH_BREAKPOINTS_MAX 8

struct watch_options {
	const struct breakpoint *list; /* of programs and the kernel, in any order */
	unsigned n; /* at most WATCH_BREAKPOINTS_MAX */
	bool stacks; /* record call chains */
	size_t ring_bytes; /* size of the ring of each CPU */
};

/* Creates rings and BPF programs; nothing is watched yet. @options is copied. */
int watch_new(const struct watch_options *options, struct watch **ret_watch,
	      struct fathom_err *err);
void watch_free(struct watch *watch);
DEFINE_CLEANUP(struct watch, watch_free);

/*
 * Sets the breakpoints of programs, disabled, in the memory of a task and all that it will start.
 * Returns -ESRCH if it has exited.
 */
int watch_add_task(struct watch *watch, pid_t tid, struct fathom_err *err);
/* Sets the breakpoints of the kernel, disabled, on all CPUs, for accesses by anybody. */
int watch_add_cpus(struct watch *watch, struct fathom_err *err);
/* Enables or disables all breakpoints. */
int watch_switch(struct watch *watch, bool on, struct fathom_err *err);

/* Returns a descriptor that is readable when a ring is a quarter full. It belongs to @watch. */
int watch_fd(const struct watch *watch);

/* Receives a record, which is valid during the call. */
typedef void (*watch_fn)(void *data, const struct perf_layout *layout,
			 const struct perf_record *record);

/*
 * Reads the rings and calls @fn, in chronological order, for all records that no earlier one can
 * follow any more; with @last, for all of them. Returns 0 or -ENOMEM.
 */
int watch_take(struct watch *watch, bool last, watch_fn fn, void *data);
/*
 * Returns how many hits were lost, by comparing the kernel's count to the hits received. Correct
 * only when watching is disabled and everything was taken.
 */
int watch_lost(const struct watch *watch, uint64_t *ret_lost, struct fathom_err *err);

#endif
