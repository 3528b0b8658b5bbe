/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Finds the callers of samples while the recording goes on, so that files hold nothing but addresses. It is done
 * in a process of its own without rights (process/confined.h), as the files of traced programs may be anybody's; that process
 * is told what is mapped where (record/unwind/map-log.h), gets the files open, and answers one sample after the other. Nobody waits for
 * it: what it has no time for is not asked. If the process fails, another one continues without the file that it was reading.
 */
#ifndef FATHOM_RECORD_UNWIND_UNWINDER_H
#define FATHOM_RECORD_UNWIND_UNWINDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <fathom/err.h>

#include "process/confined-pool.h"
#include "record/unwind/map-log.h"
#include "symbols/dwarf/stack-unwind.h"

/* Of one sample; more end with UNWIND_ROOM. */
#define UNWINDER_FRAMES_MAX 255

struct unwind_question {
	uint32_t number; /* of the caller's choice; answers come in the order of questions */
	int32_t pid; /* of the process */
	uint64_t time;
	uint64_t regs[UNWIND_REGS_MAX]; /* by their numbers in DWARF */
};

struct unwind_answer {
	uint32_t number;
	uint32_t end; /* enum unwind_end */
	uint32_t n;
	uint32_t file; /* the one of the last frame; 0: none */
	uint64_t frames[UNWINDER_FRAMES_MAX];
};

/* An end of the process before its time. */
struct unwinder_failure {
	char how[CONFINED_HOW_SIZE]; /* see confined_pool_fail() */
	uint32_t file; /* the one that it was reading, which is not read again; 0: none */
	uint64_t stacks; /* that end in this file since */
};

struct unwinder;

/* -ENOTSUP: this program or this machine cannot do it. */
int unwinder_new(struct unwinder **ret_unwinder, struct fathom_err *err);
/* The same with another limit of CPU time for one stack, for tests. */
int unwinder_new_limited(uint64_t stack_ns, struct unwinder **ret_unwinder, struct fathom_err *err);
void unwinder_free(struct unwinder *unwinder);
/* The process; 0: none. */
pid_t unwinder_pid(const struct unwinder *unwinder);
/* The process and those that may replace it. Returns how many. */
size_t unwinder_pids(const struct unwinder *unwinder, pid_t pids[CONFINED_FAILURES_MAX]);
/* The file whose rules the process is reading now; 0: none. */
uint32_t unwinder_reading(const struct unwinder *unwinder);
/* For map_log_new(). */
struct map_log_listener unwinder_listener(struct unwinder *unwinder);

/* False: it has too much to do, or is not there any more; there will be no answer. */
bool unwinder_ask(struct unwinder *unwinder, const struct unwind_question *question,
		  const uint8_t *stack, size_t size);
/* The next answer, waiting at most so long. False: there is none. */
bool unwinder_answer(struct unwinder *unwinder, int wait_ms, struct unwind_answer *ret_answer);
/* Returns true from the end of a process before its time until unwinder_restart() succeeds. */
bool unwinder_failed(const struct unwinder *unwinder);
/*
 * Replaces a process that has failed: the new one has to be told everything again, see map_log_tell(). Questions that were
 * under way have no answer. Returns false if the process has not failed, or no other is left.
 */
bool unwinder_restart(struct unwinder *unwinder);
/* All failures so far. Returns how many; with CONFINED_FAILURES_MAX there is no process any more. */
size_t unwinder_failures(const struct unwinder *unwinder,
			 const struct unwinder_failure **ret_failures);

#endif
