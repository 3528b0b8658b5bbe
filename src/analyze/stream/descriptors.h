/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * File descriptor tables of tasks. They map descriptors to file numbers, which the caller chooses.
 * Tables are shared by threads and copied by fork; exec closes descriptors marked close-on-exec. A
 * descriptor that is not in a table is closed or unknown.
 *
 * If memory is exhausted, functions set @nomem, and some descriptors stay unknown. Not thread-safe.
 */
#ifndef FATHOM_ANALYZE_STREAM_DESCRIPTORS_H
#define FATHOM_ANALYZE_STREAM_DESCRIPTORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/u64-map.h"

#define FILE_NONE UINT32_MAX

struct descriptor_table;

/* Empty when zero-initialized. */
struct descriptors {
	struct u64_map pids; /* pid -> index in @tasks */
	uint32_t *tasks; /* index in @tables */
	size_t n_tasks, cap_tasks;
	struct descriptor_table *tables;
	size_t n_tables, cap_tables;
	uint32_t unused; /* list of free tables: index + 1; 0: none */
	size_t n_open; /* in all tables */
	uint64_t epoch; /* entries of tables from an earlier epoch are invalid */
	bool nomem; /* entries are missing */
};

/* Returns the file, or FILE_NONE if the descriptor is closed or unknown. */
uint32_t descriptors_get(const struct descriptors *descriptors, int32_t pid, int64_t fd);
/*
 * FILE_NONE makes the descriptor unknown. At most a million descriptors are remembered; more are
 * ignored.
 */
void descriptors_set(struct descriptors *descriptors, int32_t pid, int64_t fd, uint32_t file,
		     bool close_on_exec);
/* Closes the descriptors @first to @last, or sets their close-on-exec flag. */
void descriptors_close(struct descriptors *descriptors, int32_t pid, uint32_t first, uint32_t last);
void descriptors_mark(struct descriptors *descriptors, int32_t pid, uint32_t first, uint32_t last,
		      bool close_on_exec);
/* @child is a new task, which shares the table of its parent or gets a copy. */
void descriptors_fork(struct descriptors *descriptors, int32_t parent, int32_t child, bool shares);
/* Gives the task a private copy of its table. */
void descriptors_unshare(struct descriptors *descriptors, int32_t pid);
void descriptors_exec(struct descriptors *descriptors, int32_t pid);
/* Forgets the descriptors of all tasks. */
void descriptors_forget(struct descriptors *descriptors);
void descriptors_exit(struct descriptors *descriptors, int32_t pid);
void descriptors_done(struct descriptors *descriptors);

#endif
