/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A trace file for the commands that analyze it, and its calls for those that show them. */
#ifndef FATHOM_ACTIONS_ANALYSIS_ANALYSIS_INPUT_H
#define FATHOM_ACTIONS_ANALYSIS_ANALYSIS_INPUT_H

#include "actions/action.h"
#include "actions/report/report-setup.h"
#include "analyze/calls/calls.h"
#include "analyze/calls/sample-tree.h"
#include "analyze/stream/feed.h"
#include "analyze/syscalls/syscalls.h"
#include "process/broker.h"

/* Zero-initialised is empty. */
struct analysis_input {
	const char *path;
	struct report_setup setup;
	struct feed feed;
};

/*
 * What all commands do that answer with one file's analysis: looks at the words, calls @work
 * with the file's name. The exit code; @work returns one, too, or a negative errno.
 */
typedef int analysis_work(const struct action *action, const char *path, struct fathom_err *err);
int analysis_run(const struct action *action, analysis_work *work);
/* Opens the file and enters the sandbox. A file descriptor or a negative errno. */
int analysis_input_enter(const char *path, struct fathom_err *err);

/*
 * Reads the file @fd, which is taken over, as @args say; to be called inside the sandbox. 0 or a
 * negative errno.
 */
int analysis_input_open(struct analysis_input *input, struct report_args *args, int fd,
			const char *path, struct fathom_err *err);
/* Both: opens the file, enters the sandbox, and reads there. */
int analysis_input_begin(struct analysis_input *input, struct report_args *args, const char *path,
			 struct fathom_err *err);
/*
 * Why there is nothing to show: there are no @what in the file, @how being the quoted command that records
 * some, or in the part of it that was chosen. A negative errno.
 */
int analysis_nothing(const struct analysis_input *input, const char *what, const char *how,
		     struct fathom_err *err);
/* Adds what the answer lacks to @out, which is to be done before it is printed. 0 or a negative errno. */
int analysis_input_complete(const struct analysis_input *input, struct out *out,
			    struct fathom_err *err);
/* Says what the numbers do not, unless quiet; the exit code. */
int analysis_input_tell(const struct analysis_input *input, const struct action *action);
void analysis_input_done(struct analysis_input *input);

/* For call-view.h: does the function's name fit? @match is a struct match. */
bool analysis_fits(const void *match, const struct func *func);
/* Makes of @window what holds the instance, of which the event of the end comes a little after it. */
void analysis_window_of(const struct instance *instance, struct fathom_window *window);

enum calls_samples {
	CALLS_NO_SAMPLES, /* samples are ignored */
	CALLS_OR_SAMPLES, /* of a file without calls the samples are taken */
	CALLS_ONLY_SAMPLES,
};

struct calls_input {
	struct analysis_input input;
	struct calls *calls;
	const struct call_tree *tree; /* of the calls, or of the samples */
	bool has_calls;
	/* By the caller; then @users finds names, see symbol_broker_use(). */
	enum calls_samples samples_wanted;
	const char *
		stacks_of; /* only stacks of events of this name, which are the samples then; NULL: not */
	uint64_t bare, n_stacks_of; /* of these events had no stack; how many there are */
	struct user_symbols users;
	struct sample_tree samples;
	bool is_samples; /* @tree is that of the samples */
	bool with_notes; /* by the caller: for comparisons with other runs */
	/* Is fed as well, if it is set: then a file without calls is fine if it has system calls. */
	struct syscalls *syscalls;
};

/*
 * Starts the process that finds names for samples of each of @inputs, of @n, and enters the sandbox. 0 or a
 * negative errno; broker_done() is due in any case.
 */
int calls_input_enter(struct broker *broker, struct calls_input *const *inputs, size_t n,
		      struct fathom_err *err);
/* The same, and reads its calls. A file without calls is an error. */
int calls_input_read(struct calls_input *input, struct report_args *args, int fd, const char *path,
		     struct fathom_err *err);
/* As analysis_input_tell(), and how many of the events whose stacks were wanted have none. */
int calls_input_tell(const struct calls_input *input, const struct action *action);
void calls_input_done(struct calls_input *input);

#endif
