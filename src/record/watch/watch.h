/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Watching memory with hardware breakpoints: the events, their rings, and what comes out of them in
 * the order of time. All of it are files of this process: when it ends, also by kill -9, the kernel
 * removes everything.
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

/* As many as x86 has twice; more are not of use. */
#define WATCH_BREAKPOINTS_MAX 8

struct watch_options {
	const struct breakpoint *list; /* of programs and of the kernel, as they come */
	unsigned n; /* at most WATCH_BREAKPOINTS_MAX */
	bool stacks;
	size_t ring_bytes; /* for each CPU */
};

/* Makes rings and programs, nothing is watched yet. */
int watch_new(const struct watch_options *options, struct watch **ret_watch,
	      struct fathom_err *err);
void watch_free(struct watch *watch);
DEFINE_CLEANUP(struct watch, watch_free);

/* Watches what is a program's in the memory of a task and of all that it will start. -ESRCH: it has ended. */
int watch_add_task(struct watch *watch, pid_t tid, struct fathom_err *err);
/* Watches what is the kernel's, whoever touches it, on all CPUs. */
int watch_add_cpus(struct watch *watch, struct fathom_err *err);
int watch_switch(struct watch *watch, bool on, struct fathom_err *err);

/* Readable when much has come. */
int watch_fd(const struct watch *watch);

typedef void (*watch_fn)(void *data, const struct perf_layout *layout,
			 const struct perf_record *record);

/*
 * Takes what has come out of the rings and calls @fn, in the order of time, for all that nothing earlier can
 * follow; with @last for everything. 0 or -ENOMEM.
 */
int watch_take(struct watch *watch, bool last, watch_fn fn, void *data);
/*
 * Hits that were not handed out: the kernel's own count of them against what came. Only right when watching is
 * switched off and the last was taken.
 */
int watch_lost(const struct watch *watch, uint64_t *ret_lost, struct fathom_err *err);

#endif
