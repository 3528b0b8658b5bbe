/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A directory written by a process that cannot open files. The writer sends data through a pipe,
 * each chunk with the number of its file, and a process that parses nothing creates the files. The
 * directory gets its name when it is complete.
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
	const char *path; /* final name */
	struct place place; /* directory that contains it */
	char *temp; /* current name in that directory; NULL: none */
	mode_t mode; /* of the files in it */
	int fd; /* the directory; -1: none */
	int from, to; /* ends of the pipe; -1: closed */
	int *files; /* by number; -1: not created yet */
	size_t n_files;
};

#define EXPORT_DIR_NONE                                              \
	{                                                            \
		.place = PLACE_NONE, .fd = -1, .from = -1, .to = -1, \
	}

/*
 * Creates the directory under a temporary name. Its files will have @mode, or NEW_FILE_MODE if that
 * is 0. If @path exists, it must be an empty directory.
 */
int export_dir_open(struct export_dir *dir, const struct export_output *output, const char *path,
		    mode_t mode, struct fathom_err *err);
/* In the writer: sends data; @dir is a struct export_dir. Returns 0 or a negative errno. */
int export_dir_send(void *dir, unsigned number, const void *bytes, size_t len);
/* In the other process: writes what arrives until the pipe is closed. */
int export_dir_receive(struct export_dir *dir, struct fathom_err *err);
/* Gives the directory its name. */
int export_dir_commit(struct export_dir *dir, struct fathom_err *err);
/* Removes the directory unless it was committed. */
void export_dir_done(struct export_dir *dir);

#endif
