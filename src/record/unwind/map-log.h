/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Logs what traced processes have mapped, and since when. Existing mappings are read when the
 * recording starts; after that, the kernel reports changes as they happen, so that processes that
 * live for milliseconds are included. Files that cannot be found by name afterwards (deleted files,
 * those of other mount namespaces, the vDSO) are copied to the trace, but not parsed: readers do
 * that, without privileges. One thread may use a log at a time.
 *
 * In the file, the log is one or more options TRACE_ID_FATHOM_MAPS, each a text; numbers are
 * hexadecimal:
 *
 *	F FILE SIZE MTIME COPY BUILD-ID PATH	a file; SIZE and MTIME 0: unknown; COPY 0: none;
 *						BUILD-ID "-": unknown
 *	A PID TIME				all mappings of a process follow
 *	M PID TIME START END OFFSET FILE	an executable mapping; FILE 0: anonymous
 *	X PID TIME				execve(): no mapping is left
 *	C PID TIME PARENT			a process was forked
 *	T TID TIME PID				a thread of a process
 *	L TIME N				the kernel lost N events
 *
 * Times are those of the trace clock, or all 0 if perf does not support it. For each COPY, there is
 * an option TRACE_ID_FATHOM_FILE: 8 bytes with its number, followed by the contents.
 */
#ifndef FATHOM_RECORD_UNWIND_MAP_LOG_H
#define FATHOM_RECORD_UNWIND_MAP_LOG_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "kernel/process/process-events.h"
#include "record/file/trace-out.h"

struct map_log;

/* An entry of the log, with the fields of the text. */
struct map_log_entry {
	char kind; /* the letter in the text */
	int32_t pid, other;
	uint64_t time;
	uint64_t start, end, offset;
	uint32_t file;
};

/*
 * Is notified of everything that is logged, at once; each file precedes its mappings. Functions may
 * be NULL.
 */
struct map_log_listener {
	/*
	 * Files are numbered from 1, in this order. @fd is closed afterwards; -1: could not be
	 * opened, or not a file; -2: data, such as the heap.
	 */
	void (*file)(void *data, uint32_t number, int fd, uint64_t size);
	void (*entry)(void *data, const struct map_log_entry *entry);
	void *data;
};

/*
 * Starts a log of the tasks @pids and their descendants; without any, of all processes. @events may
 * be NULL: then only current mappings are logged. Otherwise it belongs to the log, even after a
 * failure. @listener may be NULL; it is copied. @root, as for tracefs_find(), must outlive the log.
 * Returns 0 or a negative errno.
 */
int map_log_new(const char *root, const pid_t *pids, size_t n_pids, struct process_events *events,
		const struct map_log_listener *listener, struct map_log **ret_log,
		struct fathom_err *err);
void map_log_free(struct map_log *log);
/*
 * Returns a descriptor that is readable when map_log_read() has something to do, or -1 if it never
 * will. It belongs to the log.
 */
int map_log_fd(const struct map_log *log);
/* Logs the events that have happened. Returns 0 or -ENOMEM. */
int map_log_read(struct map_log *log);
/* Logs one event; for map_log_read() and tests. Returns 0 or -ENOMEM. */
int map_log_add(struct map_log *log, const struct process_event *event);
/* Notifies the listener of everything again, from the beginning. */
void map_log_announce(struct map_log *log);
/*
 * Returns the path of the file that the listener knows by this number, or NULL. Belongs to the log.
 */
const char *map_log_path(const struct map_log *log, uint32_t number);
/*
 * Returns the number of options that contain the log, or -ENOMEM. They belong to the log. To be
 * called once, at the end: sorts the entries.
 */
int map_log_options(struct map_log *log, const struct trace_out_option **ret_options);

#endif
