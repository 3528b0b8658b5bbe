/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Moves the pages of the kernel's rings to the recording: a thread for each CPU of each
 * buffer splices from trace_pipe_raw into a pipe and from there into the file. Pages are
 * not looked at, and nothing is allocated once it runs. The threads sleep in the kernel until a ring is
 * filled to its buffer_percent; pump_flush() makes them take what is there.
 *
 * The kernel changes no tracer while trace_pipe_raw is open: make the pump when all is set
 * up, and free it before anything is put back.
 */
#ifndef FATHOM_RECORD_FILE_PUMP_H
#define FATHOM_RECORD_FILE_PUMP_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include <fathom/err.h>

#include "record/file/trace-out.h"

struct pump_source {
	int place; /* directory of the instance */
	struct trace_out_stream *to; /* whose cpu it is */
};

struct pump_options {
	int priority; /* of SCHED_FIFO; 0: an ordinary thread */
	unsigned interval_us; /* look for data this often instead of sleeping; 0: sleep */
	bool snapshot; /* of the snapshot, not of the ring that is written to */
};

struct pump;

/* The threads are there when this returns, but wait for pump_go(). */
int pump_new(const struct pump_source *sources, size_t n, const struct pump_options *options,
	     struct pump **ret_pump, struct fathom_err *err);
/* Ends the threads at once if pump_stop() did not. */
void pump_free(struct pump *pump);
static inline void pump_free_p(struct pump **pump)
{
	pump_free(*pump);
}
#define _cleanup_pump_ __attribute__((cleanup(pump_free_p)))

/* Ids of the threads, for keeping them out of the trace. */
const pid_t *pump_threads(const struct pump *pump, size_t *ret_n);
void pump_go(struct pump *pump);
/* Takes what the rings hold, in the background; whole pages only. */
void pump_flush(struct pump *pump);
/* Readable when a thread has failed. */
int pump_fd(const struct pump *pump);
/*
 * Takes all that is left and ends the threads. Tracing must be off, or this does not end.
 * The first failure, with the CPU and the reason.
 */
int pump_stop(struct pump *pump, struct fathom_err *err);

#endif
