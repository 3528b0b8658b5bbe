/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Records buffers that are set up already into a file: reads what describes the kernel,
 * makes the file, pumps, keeps count, and finishes. It changes no setting of the kernel.
 *
 *	recorder_new()  recorder_go()  recorder_tick()...  recorder_stop()  recorder_finish()
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
	const char *name; /* in the file; "" is the main one */
	int place; /* directory of the instance */
	/* Its pages come from the caller, by recorder_own_streams(); @place says how they have to be. */
	bool is_own;
};

struct recorder_spec {
	const char *root; /* "" but in tests */
	int tracefs; /* the top directory */
	int fd; /* the file: empty, open for reading and writing */
	const struct recorder_buffer *buffers;
	size_t n_buffers;
	unsigned metadata; /* enum metadata_flags */
	const char *enums, *symbols; /* see struct metadata_source */
	const struct session_env *env; /* the same */
	struct pump_options pump;
	const char *info; /* lines "key: value" about this recording */
	const struct trace_out_option *options; /* more for the file */
	size_t n_options;
	uint64_t keep; /* bytes of each CPU that are kept, the newest; 0: all */
	bool keep_rings; /* a flight recorder: nothing is read until the end */
	/*
	 * Called when what describes the machine was read, which takes long, and no ring is open, which has the
	 * kernel refuse another tracer. 0 or a negative errno. NULL: nothing is to be done then.
	 */
	int (*described)(void *data, struct fathom_err *err);
	void *described_data;
};

/* What one CPU of one buffer came to. */
struct recorder_cpu {
	const char *buffer;
	uint32_t cpu;
	uint64_t bytes; /* in the file */
	uint64_t events; /* read from the ring; 0 for a snapshot, which nobody counts */
	uint64_t lost; /* overrun and dropped, as the kernel counts them */
	uint64_t waiting; /* bytes that are in the ring */
	uint64_t made; /* events that the kernel has made so far: read, waiting and lost */
};

struct recorder_totals {
	uint64_t bytes, events, lost, made; /* sums of those of the CPUs */
	uint64_t fullest; /* bytes that wait in the fullest of the rings */
	const struct recorder_cpu *cpus;
	size_t n_cpus;
};

struct recorder;

/* Writes all but the data: a file without events, for those who have them from elsewhere. */
int recorder_describe(const struct recorder_spec *spec, struct fathom_err *err);

int recorder_new(const struct recorder_spec *spec, struct recorder **ret_recorder,
		 struct fathom_err *err);
void recorder_free(struct recorder *recorder);
static inline void recorder_free_p(struct recorder **recorder)
{
	recorder_free(*recorder);
}
#define _cleanup_recorder_ __attribute__((cleanup(recorder_free_p)))

/* Ids of its threads, for keeping them out of the trace. */
const pid_t *recorder_threads(const struct recorder *recorder, size_t *ret_n);
void recorder_go(struct recorder *recorder);
/* Readable when data cannot be written any more. */
int recorder_fd(const struct recorder *recorder);
/* Bytes in the file so far. */
uint64_t recorder_bytes(const struct recorder *recorder);
/* Takes what the rings hold and brings the file up to date; to be called about once a second. */
int recorder_tick(struct recorder *recorder);
/* Where the pages of a buffer go that the caller writes himself. */
struct trace_out_stream *recorder_own_streams(struct recorder *recorder, const char *buffer,
					      size_t *ret_n);
/* Reads the names of the tasks that live now. 0 or -ENOMEM. */
int recorder_name_tasks(struct recorder *recorder);
/* Gives a task the name of perf's last record; one given later counts. 0 or -ENOMEM. */
int recorder_add_name(struct recorder *recorder, pid_t pid, const char *name);
/* Asks the kernel how many events were read and lost so far. */
void recorder_count(struct recorder *recorder, struct recorder_totals *ret_totals);
/*
 * Tracing is off: takes the rest, and lets go of the rings. After a failure the file still
 * has all that was written. The totals live as long as the recorder.
 */
int recorder_stop(struct recorder *recorder, struct recorder_totals *ret_totals,
		  struct fathom_err *err);
/*
 * After recorder_stop(): gives up all that is older than @ns before the last event. How much
 * time is there then, in nanoseconds.
 */
uint64_t recorder_keep_last(struct recorder *recorder, uint64_t ns);
/* Whether the clocks of the kernel and the wall are to be related by an option. */
void recorder_add_date(struct recorder *recorder);
/* @info are more lines about the recording, @more are options for the file. */
int recorder_finish(struct recorder *recorder, const char *info,
		    const struct trace_out_option *more, size_t n_more,
		    struct trace_out_result *ret_result, struct fathom_err *err);

#endif
