/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Traces as files of other programs. Each output is one struct in a file of its own,
 * export-NAME.c, and one line in the table of export.c; see docs/howto-add-output.md.
 *
 * An output is handed the events of a trace one by one, in the order of time, and takes no
 * memory for each of them. One that copies the trace instead gets the window and no events, and
 * one that shows where the time went gets the calls of functions, added up by their paths.
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
	EXPORT_DIRECTORY = 2, /* a directory of files instead of one */
	EXPORT_SEEKS = 4, /* has to be a plain file, not a pipe */
};

/* The calls of functions in that part of a trace. */
struct export_calls {
	const struct call_tree *tree;
	uint64_t duration; /* from the first event to the last */
};

struct export_output {
	const char *name; /* for --format */
	const char *suffix; /* of files that are such, with the dot */
	const char *summary; /* who reads it */
	const char *open; /* how it is opened: "open it ..." */
	unsigned flags;
	size_t state_size; /* of export->state, zeroed */

	/* Before the trace is read, with all rights still there; may be NULL. 0 or a negative errno. */
	int (*prepare)(struct export *export, struct fathom_err *err);
	/* What comes before the events. */
	int (*begin)(struct export *export, struct fathom_err *err);
	/* One event; @data is the struct export. Failures are kept for the end. */
	report_writer *event;
	/* Gets all events before @event gets the first one, and writes nothing; may be NULL. */
	report_writer *first;
	/* What comes behind the events. */
	int (*end)(struct export *export, struct fathom_err *err);
	/* Instead of these three: writes all of it to @fd. export->events is not 0 if there are any. */
	int (*copy)(struct export *export, int fd, struct fathom_err *err);
	/* Instead of all of these: gets the calls of functions, added up. */
	int (*calls)(struct export *export, const struct export_calls *calls,
		     struct fathom_err *err);
	/* Releases what the state holds; also after a failure. May be NULL. */
	void (*done)(struct export *export);
	/* Directories: what the file of this number is called; *@buf is room for it. */
	void (*file_name)(unsigned number, char *buf, size_t size);
};

/* Numbers of files in a directory are below this. */
#define EXPORT_FILES_MAX 65536

struct export
{
	/* By the caller: */
	const struct export_output *output;
	struct report_run *run; /* which events are chosen */
	struct report_input *input; /* the only one of the run: the trace, and the window */
	struct sink *sink; /* where the bytes go */
	struct user_symbols *users; /* finds names for samples of CPUs; NULL: they have none */
	/* Directories: adds bytes to the file of that number. 0 or a negative errno. */
	int (*append)(void *data, unsigned number, const void *bytes, size_t len);
	void *append_data;

	/* By the output: */
	void *state;
	uint64_t events; /* that were written */
	uint64_t shortened; /* of these: text that was too long was cut */
	uint64_t unknown; /* of these: no format describes them */
	uint64_t left_out; /* and those that there is no way to write */
};

/* All outputs, in the order of the list; ends with NULL. Their names, for who completes words: */
#define EXPORT_NAMES "perfetto chrome firefox speedscope ctf folded pprof dat6 dat"
extern const struct export_output *const export_outputs[];

/* NULL when there is none of that name. */
const struct export_output *export_find(const char *name);
/* The one with the longest suffix that @path has, or NULL. */
const struct export_output *export_find_suffix(const char *path);

/* Makes the state and prepares it. 0 or a negative errno; export_done() is due in any case. */
int export_prepare(struct export *export, struct fathom_err *err);
/* Writes all of it. 0 or a negative errno, -EPIPE when nobody reads on. */
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
