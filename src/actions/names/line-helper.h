/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A sandboxed process that reads debug information, which is large, complex and untrusted. It has
 * memory and time limits. If it fails on a file, a spare process takes over, and the reader
 * continues without the lines of that file.
 */
#ifndef FATHOM_ACTIONS_NAMES_LINE_HELPER_H
#define FATHOM_ACTIONS_NAMES_LINE_HELPER_H

#include <sys/types.h>

#include "actions/action.h"
#include "process/confined-pool.h"
#include "symbols/user/user-symbols.h"

/* A file with debug information; several recordings may refer to it. */
struct line_file {
	dev_t device;
	ino_t inode; /* 0: unknown */
	uint64_t base; /* offset of the ELF file in it */
};

/* The process exited or took too long. */
struct line_failure {
	char how[CONFINED_HOW_SIZE]; /* see confined_pool_fail() */
	char *path; /* program whose debug information it was reading, or NULL */
	struct line_file file; /* not read again */
};

struct line_helper {
	struct confined_pool pool;
	struct line_file *files; /* files passed on, including to processes that failed */
	uint32_t n_files;
	size_t cap_files;
	uint32_t first; /* of the current process */
	struct line_failure failures[CONFINED_FAILURES_MAX];
	size_t n_failures;
};

#define LINE_HELPER_NONE                   \
	{                                  \
		.pool = CONFINED_POOL_NONE \
	}

/* Call before entering the sandbox with sandbox_enter_asking(). Returns 0 or a negative errno. */
int line_helper_start(struct line_helper *helper, struct fathom_err *err);
/* Lets @symbols use it. */
void line_helper_use(struct line_helper *helper, struct user_symbols *symbols);
void line_helper_done(struct line_helper *helper);
/*
 * Reports, for each failure, the file, and how many of the @all functions shown have no line
 * because of it. Prints nothing if there was no failure.
 */
void line_helper_print_unread(const struct line_helper *helper, const struct action *action,
			      uint64_t unread, uint64_t all);

#endif
