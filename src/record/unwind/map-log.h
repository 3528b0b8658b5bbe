/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the traced processes have in their memory, and since when: read when the recording begins, then
 * told by the kernel as it happens, so that processes are known that live for milliseconds. Files
 * that nobody will find by their name afterwards (deleted ones, those of other mount namespaces, the vDSO) are kept
 * with it, unread: who reads the trace takes them apart, without privilege.
 *
 * In the file it is an option TRACE_ID_FATHOM_MAPS, or several, each a text; numbers are hexadecimal:
 *
 *	F FILE SIZE MTIME COPY BUILD-ID PATH	a file; SIZE and MTIME 0: unknown; COPY 0: none; BUILD-ID "-": unknown
 *	A PID TIME				all mappings of a process follow
 *	M PID TIME START END OFFSET FILE	a mapping that can be executed; FILE 0: anonymous
 *	X PID TIME				another program was started: no mapping is left
 *	C PID TIME PARENT			a process was forked
 *	T TID TIME PID				a thread of a process
 *	L TIME N				the kernel could not tell N things
 *
 * Times are those of the events, or all 0 when the clock is one that perf does not have. And for each COPY an option
 * TRACE_ID_FATHOM_FILE: 8 bytes with its number, then the file.
 */
#ifndef FATHOM_RECORD_UNWIND_MAP_LOG_H
#define FATHOM_RECORD_UNWIND_MAP_LOG_H

#include <sys/types.h>

#include "kernel/process/process-events.h"
#include "record/file/trace-out.h"

struct map_log;

/* What has happened, as it stands in the text. */
struct map_log_entry {
	char kind; /* the letter in the text */
	int32_t pid, other;
	uint64_t time;
	uint64_t start, end, offset;
	uint32_t file;
};

/* Who is told of all that comes into the log, at once; each file comes before it is mapped. Zeroes: nobody. */
struct map_log_listener {
	/* Files are numbered from 1, in this order. @fd -1: it could not be opened, or is none; -2: nor is it code. */
	void (*file)(void *data, uint32_t number, int fd, uint64_t size);
	void (*entry)(void *data, const struct map_log_entry *entry);
	void *data;
};

/*
 * @pids are traced, and what they start; none: all processes. @events may be NULL, then only what is mapped now
 * is known; else it belongs to the log, also after a failure. @listener may be NULL. @root is "" but in tests.
 */
int map_log_new(const char *root, const pid_t *pids, size_t n_pids, struct process_events *events,
		const struct map_log_listener *listener, struct map_log **ret_log,
		struct fathom_err *err);
void map_log_free(struct map_log *log);
/* Readable when there is something for map_log_read(); -1: never. */
int map_log_fd(const struct map_log *log);
/* Takes in what has happened. 0 or -ENOMEM. */
int map_log_read(struct map_log *log);
/* One thing that has happened; for map_log_read(), and for tests. */
int map_log_add(struct map_log *log, const struct process_event *event);
/* Tells the listener everything from the beginning, as if it had just happened. */
void map_log_tell(struct map_log *log);
/* The path of a file by the number that the listener got; NULL: there is none. Lives as long as the log. */
const char *map_log_path(const struct map_log *log, uint32_t number);
/* All of it as options, which live as long as the log. How many, or -ENOMEM. */
int map_log_options(struct map_log *log, const struct trace_out_option **ret_options);

#endif
