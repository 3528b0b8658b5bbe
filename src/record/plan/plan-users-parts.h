/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The user functions that are selected for probes, and the messages of the confined process that
 * finds them.
 */
#ifndef FATHOM_RECORD_PLAN_PLAN_USERS_PARTS_H
#define FATHOM_RECORD_PLAN_PLAN_USERS_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fathom/err.h>

#include "base/arena.h"
#include "base/u64-map.h"

struct plan;

struct chosen_file {
	const char *path;
	const char *probe_path; /* in the form that the kernel accepts */
	size_t n; /* number of functions */
	bool is_go;
};

struct chosen {
	uint32_t file;
	const char *name;
	const char *readable; /* demangled C++ or Rust name; "": same as @name */
	uint64_t offset;
};

struct choice {
	struct plan *plan;
	struct chosen_file *files;
	size_t n_files, cap_files;
	struct chosen *list; /* the functions of a file are adjacent */
	size_t n, cap;
	struct u64_map offsets; /* of the current file */
	struct arena arena;
};

/* What to search for in a file: "GLOB,GLOB". */
struct choice_search {
	struct choice *choice;
	const char *path;
	char *globs;
};

void choice_done(struct choice *choice);
/*
 * Receives a message of the confined process, which is untrusted, for the struct choice_search
 * @data: functions of the last file. Characters that would end a cell or line of the table are
 * replaced in names. Returns 0, -EPROTO or -ENOMEM.
 */
int choice_take(void *data, const char *bytes, size_t len, struct fathom_err *err);

#endif
