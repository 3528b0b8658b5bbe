/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A directory that a process writes which may not open files. It sends the bytes through a
 * pipe, each piece with the number of the file that it belongs to, and a process that knows
 * nothing of traces makes the files. The directory gets its name when it is whole.
 */
#ifndef FATHOM_ACTIONS_CONVERT_EXPORT_DIR_H
#define FATHOM_ACTIONS_CONVERT_EXPORT_DIR_H

#include <stddef.h>
#include <sys/types.h>

#include <fathom/err.h>

#include "base/files/place.h"
#include "render/export.h"

struct export_dir {
	const struct export_output *output; /* which names the files */
	const char *path; /* what it will be called */
	struct place place; /* where that is */
	char *temp; /* what it is called now, in the same directory; NULL: there is none */
	mode_t mode; /* of the files in it */
	int fd; /* the directory; -1: none */
	int from, to; /* the ends of the pipe; -1: closed */
	int *files; /* by number; -1: not there yet */
	size_t n_files;
};

#define EXPORT_DIR_NONE                                              \
	{                                                            \
		.place = PLACE_NONE, .fd = -1, .from = -1, .to = -1, \
	}

/*
 * Makes the directory under another name; its files will have @mode, 0 for NEW_FILE_MODE. What is
 * there under @path must be an empty directory.
 */
int export_dir_open(struct export_dir *dir, const struct export_output *output, const char *path,
		    mode_t mode, struct fathom_err *err);
/* For the process that writes: sends bytes; @dir is a struct export_dir. 0 or a negative errno. */
int export_dir_send(void *dir, unsigned number, const void *bytes, size_t len);
/* For the other: writes what is sent until the pipe is closed. */
int export_dir_receive(struct export_dir *dir, struct fathom_err *err);
/* Gives it its name. */
int export_dir_commit(struct export_dir *dir, struct fathom_err *err);
/* Without a commit before it, all of it is removed. */
void export_dir_done(struct export_dir *dir);

#endif
