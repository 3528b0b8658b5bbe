/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A directory that a process writes which may not open files. It sends the bytes through a
 * pipe, each piece with the number of the file that it belongs to, and a process that knows
 * nothing of traces makes the files. The directory gets its name when it is whole.
 */
#ifndef FATHOM_CLI_EXPORT_DIR_H
#define FATHOM_CLI_EXPORT_DIR_H

#include <stdbool.h>
#include <stddef.h>

#include <fathom/err.h>

#include "render/export.h"

struct export_dir {
	const struct export_output *output; /* which names the files */
	const char *path; /* what it will be called */
	char *temp; /* what it is called now; NULL: there is none */
	int fd; /* the directory; -1: none */
	int from, to; /* the ends of the pipe; -1: closed */
	int *files; /* by number; -1: not there yet */
	size_t n_files;
};

#define EXPORT_DIR_NONE                         \
	{                                       \
		.fd = -1, .from = -1, .to = -1, \
	}

/* Makes the directory under another name. What is there under @path must be an empty directory. */
int export_dir_open(struct export_dir *dir, const struct export_output *output, const char *path,
		    struct fathom_err *err);
/* For the process that writes: sends bytes; @dir is a struct export_dir. 0 or a negative errno. */
int export_dir_send(void *dir, unsigned number, const void *bytes, size_t len);
/* For the other: writes what is sent until the pipe is closed. */
int export_dir_receive(struct export_dir *dir, struct fathom_err *err);
/* Gives it its name. */
int export_dir_commit(struct export_dir *dir, struct fathom_err *err);
/* Without a commit before it, all of it is removed. */
void export_dir_done(struct export_dir *dir);

#endif
