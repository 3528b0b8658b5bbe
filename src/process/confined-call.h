/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Calls a function in a confined process (see confined.h), because it parses untrusted files. The
 * process has a copy of the caller's memory; the function returns its results in messages. It can
 * open ELF files, and files that the caller lists, through the caller. If it crashes, or exceeds
 * its limits of memory, CPU time or output, only the call fails.
 */
#ifndef FATHOM_PROCESS_CONFINED_CALL_H
#define FATHOM_PROCESS_CONFINED_CALL_H

#include <stddef.h>
#include <stdint.h>

#include <fathom/err.h>

#include "base/strbuf.h"

/* Longer messages fail with -EMSGSIZE. */
#define CONFINED_MESSAGE_MAX ((size_t)32 << 10)
/* The limit of the output of a call, in bytes. */
#define CONFINED_OUTPUT_MAX ((uint64_t)64 << 20)
/* Default limits of memory, in bytes, and CPU time, in seconds. */
#define CONFINED_MEMORY_MAX ((uint64_t)256 << 20)
#define CONFINED_SECONDS    300

/* A file that the function can open by its name, regardless of its type. */
struct confined_file {
	const char *name;
	int fd; /* descriptor to pass on; -1: the file of that name */
};

struct confined_call {
	/*
	 * Runs in the confined process. Returns 0 or a negative errno, with a message unless it
	 * came from take().
	 */
	int (*work)(void *data, struct fathom_err *err);
	/*
	 * Runs in the caller for each message, which is untrusted. Returns 0 or a negative errno,
	 * which the sender gets.
	 */
	int (*take)(void *data, const char *bytes, size_t len, struct fathom_err *err);
	void *data;
	const char *subject; /* the parsed file, for messages */
	const struct confined_file *files;
	size_t n_files;
	uint64_t memory; /* 0: CONFINED_MEMORY_MAX */
};

/* Returns the result of work(), or a negative errno with a message that names the subject. */
int confined_call(const struct confined_call *call, struct fathom_err *err);

/* For work(): sends a message. Returns the result of take(). */
int confined_send(const void *bytes, size_t len);
/*
 * Opens a file for reading: through the caller in work(), directly elsewhere. Returns a descriptor,
 * to be closed, or a negative errno.
 */
int confined_open(const char *path);
/* Like file_read(), for a file opened with confined_open(). */
int confined_read(const char *path, struct strbuf *buf);

#endif
