/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A process of its own that reads debug info: large, complicated, and from anybody. It has no rights, as
 * the reader has none, and is limited in memory and time. When it ends by a fault of what it reads, another one takes its
 * place, and the reader goes on without the lines of that file.
 */
#ifndef FATHOM_ACTIONS_NAMES_LINE_HELPER_H
#define FATHOM_ACTIONS_NAMES_LINE_HELPER_H

#include <sys/types.h>

#include "actions/action.h"
#include "process/confined-pool.h"
#include "symbols/user/user-symbols.h"

/* A file with debug info, which several recordings may name. */
struct line_file {
	dev_t device;
	ino_t inode; /* 0: unknown */
	uint64_t base; /* where in that file it begins */
};

/* It ended, or took too long. */
struct line_failure {
	char how[CONFINED_HOW_SIZE]; /* see confined_pool_fail() */
	char *path; /* of the program whose debug info it was reading; NULL: none, or no memory */
	struct line_file file; /* which is not read again */
};

struct line_helper {
	struct confined_pool pool;
	struct line_file *files; /* that were handed over, with those of processes that failed */
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

/* To be called before the sandbox is entered, with sandbox_enter_asking(). 0 or a negative errno. */
int line_helper_start(struct line_helper *helper, struct fathom_err *err);
/* Lets @symbols ask it. */
void line_helper_use(struct line_helper *helper, struct user_symbols *symbols);
void line_helper_done(struct line_helper *helper);
/*
 * Says for each failure which file it was, and how many of the @all functions that were shown have no line for that
 * reason. Nothing if there was none.
 */
void line_helper_tell(const struct line_helper *helper, const struct action *action,
		      uint64_t unread, uint64_t all);

#endif
