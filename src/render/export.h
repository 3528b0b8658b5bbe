/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Converts traces to the formats of other programs. Each output consists of a struct in a separate
 * file, export-NAME.c, and a line in the table of export.c; see docs/howto-add-output.md.
 *
 * An output receives the events of a trace one by one, in chronological order, and does not store
 * them. One that copies the trace receives the window and no events; one that shows how time was
 * spent receives calls aggregated by path. Exports are not thread-safe. The process may be in the
 * sandbox once export_prepare() has returned.
 */
#ifndef FATHOM_RENDER_EXPORT_H
#define FATHOM_RENDER_EXPORT_H

#include <stddef.h>
#include <stdint.h>

#include <fathom/err.h>

#include "analyze/calls/call-tree.h"
#include "render/report/report-run.h"
#include "render/kit/sink.h"

struct export;

enum export_flags {
	EXPORT_BINARY = 1, /* not for terminals */
	EXPORT_DIRECTORY = 2, /* a directory instead of a file */
	EXPORT_SEEKS = 4, /* needs a regular file, not a pipe */
};

/* The calls in a part of a trace. The tree is valid until the callback returns. */
struct export_calls {
	const struct call_tree *tree;
	uint64_t duration; /* from the first event to the last, in ns */
};

struct export_output {
	const char *name; /* for --format */
	const char *suffix; /* suffix of files of this format, with the dot */
	const char *summary; /* programs that read it */
	const char *open; /* how to open it: "open it ..." */
	unsigned flags;
	size_t state_size; /* of export->state, which is zeroed */

	/*
	 * Called before the trace is read, before privileges are dropped. May be NULL. Returns 0 or
	 * a negative errno.
	 */
	int (*prepare)(struct export *export, struct fathom_err *err);
	/* Writes everything that precedes the events. Returns 0 or a negative errno. */
	int (*begin)(struct export *export, struct fathom_err *err);
	/* Writes one event; @data is the struct export. Failures are reported by end(). */
	report_writer *event;
	/*
	 * Receives all events in a first pass, before @event receives any; writes nothing. May be
	 * NULL.
	 */
	report_writer *first;
	/* Writes everything that follows the events. Returns 0 or a negative errno. */
	int (*end)(struct export *export, struct fathom_err *err);
	/*
	 * Replaces the three above: writes everything to @fd. Sets export->events to a non-zero
	 * value if there are any.
	 */
	int (*copy)(struct export *export, int fd, struct fathom_err *err);
	/* Replaces all of the above except prepare(): receives aggregated calls. */
	int (*calls)(struct export *export, const struct export_calls *calls,
		     struct fathom_err *err);
	/* Releases resources of the state; also called after failures. May be NULL. */
	void (*done)(struct export *export);
	/* For directories: writes the name of file @number to @buf, which has @size bytes. */
	void (*file_name)(unsigned number, char *buf, size_t size);
};

/* Files in a directory have numbers below this. */
#define EXPORT_FILES_MAX 65536

struct export
{
	/* Set by the caller, who owns it: */
	const struct export_output *output;
	struct report_run *run; /* which events to export */
	struct report_input *input; /* the only one of the run: the trace, and the window */
	struct sink *sink; /* destination of the output; flushed by export_run() */
	struct user_symbols *users; /* symbolizes CPU samples; NULL: not symbolized */
	/* For directories: appends bytes to file @number. Returns 0 or a negative errno. */
	int (*append)(void *data, unsigned number, const void *bytes, size_t len);
	void *append_data;

	/* Set by the output: */
	void *state;
	uint64_t events; /* number of events written */
	uint64_t shortened; /* of these: with text that was too long and was cut */
	uint64_t unknown; /* of these: with an unknown format */
	uint64_t left_out; /* further events, which cannot be represented */
};

/* All outputs, in the order of the list, NULL-terminated; and their names, for completion. */
#define EXPORT_NAMES "perfetto chrome firefox speedscope ctf folded pprof dat6 dat"
extern const struct export_output *const export_outputs[];

/* Returns NULL if there is no output of this name. */
const struct export_output *export_find(const char *name);
/* Returns the output with the longest suffix that @path ends with, or NULL. */
const struct export_output *export_find_suffix(const char *path);

/*
 * Allocates the state and calls prepare(). Returns 0 or a negative errno. Call export_done() in
 * either case.
 */
int export_prepare(struct export *export, struct fathom_err *err);
/*
 * Writes the whole output. Returns 0 or a negative errno; write errors, such as -EPIPE, come
 * without a message in @err.
 */
int export_run(struct export *export, struct fathom_err *err);
void export_done(struct export *export);

extern const struct export_output export_perfetto;
extern const struct export_output export_chrome;
extern const struct export_output export_firefox;
extern const struct export_output export_speedscope;
extern const struct export_output export_ctf;
extern const struct export_output export_folded;
extern const struct export_output export_pprof;
extern const struct export_output export_trace_dat;
extern const struct export_output export_trace_dat_v6;

#endif
