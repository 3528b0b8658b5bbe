/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Records buffers that are set up already to a file: reads the description of the kernel, creates
 * the file, moves the pages, counts, and finishes the file. It changes no setting of the kernel.
 *
 * recorder_new()  recorder_go()  recorder_tick()...  recorder_stop()  recorder_finish()
 *
 * One thread may use a recorder; its pump has threads of its own. Functions return 0 or a negative
 * errno.
 */
#ifndef FATHOM_RECORD_RECORDER_H
#define FATHOM_RECORD_RECORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <fathom/err.h>

#include "record/file/pump.h"
#include "record/file/trace-out.h"

struct recorder_buffer {
	const char *name; /* in the file; "": the top-level one */
	int place; /* descriptor of the instance */
	/* The caller writes its pages, see recorder_own_streams(); @place has their format. */
	bool is_own;
};

struct recorder_spec {
	const char *root; /* the root for tracefs_find() */
	int tracefs; /* descriptor of the tracefs directory */
	int fd; /* of the file: empty, open for reading and writing; stays the caller's */
	const struct recorder_buffer *buffers;
	size_t n_buffers;
	unsigned metadata; /* enum metadata_flags */
	const char *enums, *symbols; /* see struct metadata_source */
	const struct session_env *env; /* for the symbol cache, see struct metadata_source */
	struct pump_options pump;
	const char *info; /* lines "KEY: VALUE" about this recording; NULL: none */
	const struct trace_out_option *options; /* additional options of the file */
	size_t n_options;
	uint64_t keep; /* bytes to keep per CPU, the newest ones; 0: all */
	bool keep_rings; /* flight recorder: don't read the rings before the end */
	/*
	 * Called after the description of the machine was read, which takes long, and before rings
	 * are opened, after which the kernel refuses to change the tracer. Returns 0 or a negative
	 * errno. NULL: nothing to do.
	 */
	int (*described)(void *data, struct fathom_err *err);
	void *described_data;
};

/* Totals of one CPU of one buffer. */
struct recorder_cpu {
	const char *buffer;
	uint32_t cpu;
	uint64_t bytes; /* in the file */
	uint64_t events; /* read from the ring; 0 for a snapshot, which has no counts */
	uint64_t lost; /* overwritten or dropped, according to the kernel */
	uint64_t waiting; /* bytes in the ring */
	uint64_t made; /* events created so far: read, in the ring and lost */
};

struct recorder_totals {
	uint64_t bytes, events, lost, made; /* sums over all CPUs */
	uint64_t fullest; /* bytes in the fullest ring */
	const struct recorder_cpu *cpus; /* belong to the recorder */
	size_t n_cpus;
};

struct recorder;

/*
 * Writes everything except for the data: a file without events, to add events from another source
 * to.
 */
int recorder_describe(const struct recorder_spec *spec, struct fathom_err *err);

/*
 * Reads the description of the machine, creates the file and starts the threads, which wait for
 * recorder_go(). @spec need not outlive the call, but its descriptors must outlive the recorder.
 */
int recorder_new(const struct recorder_spec *spec, struct recorder **ret_recorder,
		 struct fathom_err *err);
/* Stops the threads at once, if recorder_stop() was not called. */
void recorder_free(struct recorder *recorder);
static inline void recorder_free_p(struct recorder **recorder)
{
	recorder_free(*recorder);
}
#define _cleanup_recorder_ __attribute__((cleanup(recorder_free_p)))

/*
 * Returns the IDs of the threads, to exclude them from the trace. They are valid until
 * recorder_stop().
 */
const pid_t *recorder_threads(const struct recorder *recorder, size_t *ret_n);
void recorder_go(struct recorder *recorder);
/*
 * Returns a descriptor that is readable when data can no longer be written. It belongs to the
 * recorder, and is closed by recorder_stop().
 */
int recorder_fd(const struct recorder *recorder);
/* Returns the number of bytes in the file so far. */
uint64_t recorder_bytes(const struct recorder *recorder);
/*
 * Moves the data in the rings and makes the file valid up to there. To be called about once a
 * second. Does nothing for a flight recorder.
 */
int recorder_tick(struct recorder *recorder);
/*
 * Returns the streams of a buffer whose pages the caller writes, one per CPU. They belong to the
 * recorder.
 */
struct trace_out_stream *recorder_own_streams(struct recorder *recorder, const char *buffer,
					      size_t *ret_n);
/* Reads the names of all current tasks. Returns 0 or -ENOMEM. */
int recorder_name_tasks(struct recorder *recorder);
/* Adds a task name from a perf record; the last one wins. Returns 0 or -ENOMEM. */
int recorder_add_name(struct recorder *recorder, pid_t pid, const char *name);
/*
 * Asks the kernel how many events have been read and lost so far. *@ret_totals points to data of
 * the recorder.
 */
void recorder_count(struct recorder *recorder, struct recorder_totals *ret_totals);
/*
 * To be called with tracing off: moves the rest and closes the rings, so that settings can be
 * restored. After a failure, the file contains everything written before. *@ret_totals points to
 * data of the recorder.
 */
int recorder_stop(struct recorder *recorder, struct recorder_totals *ret_totals,
		  struct fathom_err *err);
/*
 * To be called after recorder_stop(): drops all pages that are older than @ns before the start of
 * the last page. Returns the time that remains, in nanoseconds.
 */
uint64_t recorder_keep_last(struct recorder *recorder, uint64_t ns);
/* Adds an option that relates the trace clock to wall-clock time, from what both show now. */
void recorder_add_date(struct recorder *recorder);
/*
 * Completes the file with task names, symbols, statistics and options, to which @info and @more are
 * added.
 */
int recorder_finish(struct recorder *recorder, const char *info,
		    const struct trace_out_option *more, size_t n_more,
		    struct trace_out_result *ret_result, struct fathom_err *err);

#endif
