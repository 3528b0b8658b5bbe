/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The parts of a log of maps, from the bottom: its entries and processes (map-log-entries.c), the files
 * (map-log-files.c), and what comes into it and how it is written (map-log.c).
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
	uint64_t inode; /* 0: the build-id tells it from others */
	uint8_t build_id[PROCESS_BUILD_ID_MAX];
	uint8_t build_id_len;
	uint64_t size, mtime; /* 0: unknown */
	dev_t device; /* of the file that was opened, with the number of its inode there */
	ino_t number;
	int32_t pid; /* who mapped it first, and where */
	uint64_t start, end;
	struct strbuf copy; /* TRACE_ID_FATHOM_FILE; empty: none */
};

/* A process that was seen. */
struct logged_process {
	bool wanted;
	int32_t parent; /* 0: unknown */
	uint64_t last_start, last_end; /* of what it mapped last */
	uint32_t last_file;
};

struct map_log {
	const char *root;
	struct process_events *events;
	struct map_log_listener listener;
	bool all; /* no process is left out */
	bool timed;
	struct map_log_entry *entries;
	size_t n, cap;
	uint64_t dropped; /* there were too many */
	struct u64_map pids;
	struct logged_process *processes;
	size_t n_processes, cap_processes;
	struct u64_map file_keys; /* by a hash of what tells them apart */
	struct logged_file *files; /* the first is file 1 */
	size_t n_files, cap_files;
	uint64_t copied; /* bytes */
	struct arena arena; /* paths */
	struct strbuf *texts;
	size_t n_texts, cap_texts;
	struct trace_out_option *options;
};

/* map-log-entries.c */
/* What is known of a process; NULL: no memory. */
struct logged_process *map_log_process(struct map_log *log, int32_t pid);
/* Does what happens to it go into the log? */
bool map_log_is_wanted(struct map_log *log, int32_t pid);
/* One more is dropped, and counted, when there are too many. 0 or -ENOMEM. */
int map_log_add_entry(struct map_log *log, const struct map_log_entry *entry);

/* map-log-files.c */
/* The number of the file that @event maps, 0 for none; looked at when it is seen first. Negative: no memory. */
int64_t map_log_file(struct map_log *log, const struct process_event *event);
/* Tells the listener of all files again, in their order; one that cannot be opened any more comes without contents. */
void map_log_tell_files(struct map_log *log);

#endif
