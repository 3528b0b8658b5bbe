/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The parts of a map log: its entries and processes (map-log-entries.c), the files
 * (map-log-files.c), and how events are logged and written (map-log.c).
 */
#ifndef FATHOM_RECORD_UNWIND_MAP_LOG_PARTS_H
#define FATHOM_RECORD_UNWIND_MAP_LOG_PARTS_H

#include "base/arena.h"
#include "base/strbuf.h"
#include "base/u64-map.h"
#include "record/unwind/map-log.h"

/* A file that was mapped. */
struct logged_file {
	const char *path;
	uint64_t inode; /* 0: identified by the build ID instead */
	uint8_t build_id[PROCESS_BUILD_ID_MAX];
	uint8_t build_id_len;
	uint64_t size, mtime; /* 0: unknown */
	dev_t device; /* identity of the file that was opened */
	ino_t number;
	int32_t pid; /* the process that mapped it first, and where */
	uint64_t start, end;
	struct strbuf copy; /* contents of a TRACE_ID_FATHOM_FILE; empty: no copy */
};

/* A process that was seen. */
struct logged_process {
	bool wanted;
	int32_t parent; /* 0: unknown */
	uint64_t last_start, last_end; /* its latest mapping */
	uint32_t last_file;
};

struct map_log {
	const char *root; /* belongs to the caller */
	struct process_events *events;
	struct map_log_listener listener;
	bool all; /* log all processes */
	bool timed;
	struct map_log_entry *entries;
	size_t n, cap;
	uint64_t dropped; /* entries beyond the limit */
	struct u64_map pids;
	struct logged_process *processes;
	size_t n_processes, cap_processes;
	struct u64_map file_keys; /* by a hash of what identifies a file */
	struct logged_file *files; /* the first is file 1 */
	size_t n_files, cap_files;
	uint64_t copied; /* bytes in copies */
	struct arena arena; /* owns paths */
	struct strbuf *texts;
	size_t n_texts, cap_texts;
	struct trace_out_option *options;
};

/* map-log-entries.c */
/* Returns the data about a process, or NULL if memory is exhausted. Valid until the next call. */
struct logged_process *map_log_process(struct map_log *log, int32_t pid);
/* Returns whether the process is logged. */
bool map_log_is_wanted(struct map_log *log, int32_t pid);
/*
 * Adds an entry, and notifies the listener. Beyond the limit, entries are only counted. Returns 0
 * or -ENOMEM.
 */
int map_log_add_entry(struct map_log *log, const struct map_log_entry *entry);

/* map-log-files.c */
/*
 * Returns the number of the file that @event maps, or 0 for none. A new file is opened and
 * examined. Returns -ENOMEM if memory is exhausted.
 */
int64_t map_log_file(struct map_log *log, const struct process_event *event);
/*
 * Notifies the listener of all files again, in order. A file that can no longer be opened has no
 * contents.
 */
void map_log_announce_files(struct map_log *log);

#endif
