/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Moves the pages of the kernel's rings to the recording. A thread for each CPU of each buffer
 * splices from trace_pipe_raw to a pipe, and from there to the file. Pages are not parsed, and
 * nothing is allocated while it runs. The threads sleep until a ring is filled to its
 * buffer_percent; pump_flush() makes them move what there is.
 *
 * The kernel refuses to change the tracer while trace_pipe_raw is open: create the pump after
 * everything is set up, and free it before settings are restored. All functions must be called by
 * one thread. Between pump_new() and pump_free(), SIGUSR1 belongs to the pump, so there can be only
 * one.
 */
#ifndef FATHOM_RECORD_FILE_PUMP_H
#define FATHOM_RECORD_FILE_PUMP_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include <fathom/err.h>

#include "record/file/trace-out.h"

struct pump_source {
	int place; /* descriptor of the instance; must outlive pump_new() only */
	struct trace_out_stream *to; /* determines the CPU; must outlive the pump */
};

struct pump_options {
	int priority; /* of SCHED_FIFO; 0: normal scheduling */
	unsigned interval_us; /* poll this often instead of sleeping; 0: sleep */
	bool snapshot; /* read the snapshot, not the ring */
};

struct pump;

/*
 * Opens the rings and starts the threads, which wait for pump_go(). Returns 0 or a negative errno.
 */
int pump_new(const struct pump_source *sources, size_t n, const struct pump_options *options,
	     struct pump **ret_pump, struct fathom_err *err);
/*
 * Closes the rings. Stops the threads at once, discarding remaining data, if pump_stop() was not
 * called.
 */
void pump_free(struct pump *pump);
static inline void pump_free_p(struct pump **pump)
{
	pump_free(*pump);
}
#define _cleanup_pump_ __attribute__((cleanup(pump_free_p)))

/* Returns the IDs of the threads, to exclude them from the trace. They belong to the pump. */
const pid_t *pump_threads(const struct pump *pump, size_t *ret_n);
void pump_go(struct pump *pump);
/* Moves whole pages that the rings hold, in the background. */
void pump_flush(struct pump *pump);
/* Returns a descriptor that is readable when a thread has failed. It belongs to the pump. */
int pump_fd(const struct pump *pump);
/*
 * Moves everything that is left, including partial pages, and ends the threads. Tracing must be
 * off, or this may never return. Returns 0 or the first error, a negative errno, with the CPU and
 * the reason.
 */
int pump_stop(struct pump *pump, struct fathom_err *err);

#endif
