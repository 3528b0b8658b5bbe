/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The functions of programs that are chosen for probes, and the messages that they come in. */
#ifndef FATHOM_RECORD_PLAN_PLAN_USERS_PARTS_H
#define FATHOM_RECORD_PLAN_PLAN_USERS_PARTS_H

#include "base/arena.h"
#include "base/u64-map.h"
#include "record/plan/plan-parts.h"

struct chosen_file {
	const char *path;
	const char *probe_path; /* the same for the kernel */
	size_t n; /* functions */
	bool is_go;
};

struct chosen {
	uint32_t file;
	const char *name;
	const char *readable; /* as in the source of C++ or Rust; "": as @name */
	uint64_t offset;
};

struct choice {
	struct plan *plan;
	struct chosen_file *files;
	size_t n_files, cap_files;
	struct chosen *list; /* those of a file stand together */
	size_t n, cap;
	struct u64_map offsets; /* of the file that is being looked into */
	struct arena arena;
};

/* What of a file is wanted: "GLOB,GLOB". */
struct choice_search {
	struct choice *choice;
	const char *path;
	char *globs;
};

void choice_done(struct choice *choice);
/*
 * Takes a message of the process without rights, whose bytes may be anything, for the struct choice_search @data: functions
 * of the last file. Their names have no character that ends a cell or a line of the table. 0, -EPROTO or -ENOMEM.
 */
int choice_take(void *data, const char *bytes, size_t len, struct fathom_err *err);

#endif
