/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A function that runs in a process without rights (see confined.h), because it parses files that others can write. It
 * sees the memory of its caller as it was when it was called, and changes nothing there: what it finds out it sends in
 * messages. It opens files through the caller, which hands out ELF files and those that it lists itself. If the
 * function crashes, or exceeds its memory, its CPU time or its output, the call fails, and nothing else happens.
 */
#ifndef FATHOM_PROCESS_CONFINED_CALL_H
#define FATHOM_PROCESS_CONFINED_CALL_H

#include <stddef.h>
#include <stdint.h>

#include <fathom/err.h>

#include "base/strbuf.h"

/* Longer messages are -EMSGSIZE. */
#define CONFINED_MESSAGE_MAX ((size_t)32 << 10)
/* Bytes of all messages of one call. */
#define CONFINED_OUTPUT_MAX ((uint64_t)64 << 20)
/* Memory and CPU time of a call that asks for no other. */
#define CONFINED_MEMORY_MAX ((uint64_t)256 << 20)
#define CONFINED_SECONDS    300

/* A file that the function may open by this name, whatever is in it. */
struct confined_file {
	const char *name;
	int fd; /* what it gets; -1: the file of that name */
};

struct confined_call {
	/* In the process without rights. 0 or a negative errno, with a message if it is not take()'s. */
	int (*work)(void *data, struct fathom_err *err);
	/* In the caller, for each message: its bytes may be anything. 0 or a negative errno, which the sender gets. */
	int (*take)(void *data, const char *bytes, size_t len, struct fathom_err *err);
	void *data;
	const char *subject; /* what is read, for messages */
	const struct confined_file *files;
	size_t n_files;
	uint64_t memory; /* 0: CONFINED_MEMORY_MAX */
};

/* What work() returns, or a negative errno with a message that names the subject. */
int confined_call(const struct confined_call *call, struct fathom_err *err);

/* In work(): sends a message and waits for what take() returns. */
int confined_send(const void *bytes, size_t len);
/*
 * Opens a file for reading: in work() through the caller, anywhere else as usual. A descriptor to be closed or a
 * negative errno.
 */
int confined_open(const char *path);
/* As file_read(), for such a file. */
int confined_read(const char *path, struct strbuf *buf);

#endif
