/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The tables of open files that tasks have: what each descriptor stands for, a number of the
 * caller's choice. Tables are shared by threads, copied by fork, and lose what is marked as
 * close-on-exec with exec. What is not in a table is closed or not known.
 */
#ifndef FATHOM_ANALYZE_STREAM_DESCRIPTORS_H
#define FATHOM_ANALYZE_STREAM_DESCRIPTORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/u64-map.h"

#define FILE_NONE UINT32_MAX

struct descriptor_table;

/* Zero-initialised is empty. */
struct descriptors {
	struct u64_map pids; /* places in @tasks */
	uint32_t *tasks; /* which table */
	size_t n_tasks, cap_tasks;
	struct descriptor_table *tables;
	size_t n_tables, cap_tables;
	uint32_t unused; /* a list of tables */
	size_t n_open; /* in all tables */
	uint64_t epoch; /* what is in a table of an earlier one is forgotten */
	bool nomem; /* something is missing */
};

/* FILE_NONE: closed, or not known. */
uint32_t descriptors_get(const struct descriptors *descriptors, int32_t pid, int64_t fd);
/* With FILE_NONE it is not known any more. More than a million are not remembered. */
void descriptors_set(struct descriptors *descriptors, int32_t pid, int64_t fd, uint32_t file,
		     bool close_on_exec);
/* Those from @first to @last are closed, or only marked as to be closed by exec. */
void descriptors_close(struct descriptors *descriptors, int32_t pid, uint32_t first, uint32_t last);
void descriptors_mark(struct descriptors *descriptors, int32_t pid, uint32_t first, uint32_t last,
		      bool close_on_exec);
/* A new task: it shares the table of its parent, or has a copy. */
void descriptors_fork(struct descriptors *descriptors, int32_t parent, int32_t child, bool shares);
/* The task's table is its own from now on. */
void descriptors_unshare(struct descriptors *descriptors, int32_t pid);
void descriptors_exec(struct descriptors *descriptors, int32_t pid);
/* Nothing is known any more about any task. */
void descriptors_forget(struct descriptors *descriptors);
void descriptors_exit(struct descriptors *descriptors, int32_t pid);
void descriptors_done(struct descriptors *descriptors);

#endif
