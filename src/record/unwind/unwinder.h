/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Finds the callers of samples during the recording, so that files contain addresses only. This
 * happens in a confined process (process/confined.h), because anyone may have written the files of
 * traced programs. The process receives all mappings (record/unwind/map-log.h) with open files, and
 * answers one sample after the other. The recorder never waits for it: if the process is too busy,
 * samples are not unwound. If it fails, another one continues without the file that was being read.
 *
 * One thread may use an unwinder, the one that created it: its processes are killed when that
 * thread exits.
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
#include "symbols/dwarf/unwind-regs.h"

/* Limit for one sample; longer stacks end with UNWIND_ROOM. */
#define UNWINDER_FRAMES_MAX 255

struct unwind_question {
	uint32_t number; /* chosen by the caller; answers arrive in the order of questions */
	int32_t pid; /* of the process */
	uint64_t time; /* in ns, of the clock of the map log */
	uint64_t regs[UNWIND_REGS_MAX]; /* by DWARF register number */
};

struct unwind_answer {
	uint32_t number;
	uint32_t end; /* enum unwind_end */
	uint32_t n;
	uint32_t file; /* of the last frame; 0: none */
	uint64_t frames[UNWINDER_FRAMES_MAX];
};

/* A failure of the process. */
struct unwinder_failure {
	char how[CONFINED_HOW_SIZE]; /* see confined_pool_fail() */
	uint32_t file; /* the file that it was reading, skipped from now on; 0: none */
	uint64_t stacks; /* that end in this file since */
};

struct unwinder;

/*
 * Starts the processes. Returns 0 or a negative errno; -ENOTSUP if this build or architecture does
 * not support it.
 */
int unwinder_new(struct unwinder **ret_unwinder, struct fathom_err *err);
/* The same with a different limit of CPU time for one stack, in ns, for tests. */
int unwinder_new_limited(uint64_t stack_ns, struct unwinder **ret_unwinder, struct fathom_err *err);
/* Kills the processes, and frees @unwinder. */
void unwinder_free(struct unwinder *unwinder);
/* Returns the PID of the process; 0: none. */
pid_t unwinder_pid(const struct unwinder *unwinder);
/* Returns the PIDs of the process and its possible replacements, and their number. */
size_t unwinder_pids(const struct unwinder *unwinder, pid_t pids[CONFINED_FAILURES_MAX]);
/* Returns the number of the file whose rules are being read; 0: none. */
uint32_t unwinder_reading(const struct unwinder *unwinder);
/* The listener for map_log_new(), which must not be used after unwinder_free(). */
struct map_log_listener unwinder_listener(struct unwinder *unwinder);

/*
 * Asks to unwind @stack, of @size bytes. Never blocks. Returns false if the process is too busy or
 * has failed; then there will be no answer.
 */
bool unwinder_ask(struct unwinder *unwinder, const struct unwind_question *question,
		  const uint8_t *stack, size_t size);
/*
 * Receives the next answer, waiting for at most @wait_ms. Returns false if there is none. The
 * answer is checked, but its addresses may be arbitrary.
 */
bool unwinder_answer(struct unwinder *unwinder, int wait_ms, struct unwind_answer *ret_answer);
/* Returns true from a failure of the process until unwinder_restart() succeeds. */
bool unwinder_failed(const struct unwinder *unwinder);
/*
 * Replaces a process that has failed. The new one needs all mappings again, see map_log_announce().
 * Pending questions will have no answer. Returns false if the process has not failed, or none is
 * left.
 */
bool unwinder_restart(struct unwinder *unwinder);
/*
 * Returns the number of failures so far, in *@ret_failures, which belong to @unwinder. After
 * CONFINED_FAILURES_MAX, there is no process left.
 */
size_t unwinder_failures(const struct unwinder *unwinder,
			 const struct unwinder_failure **ret_failures);

#endif
