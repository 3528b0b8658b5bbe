/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Opens a trace file for the analyses, and reads its calls for those that show calls. */
#ifndef FATHOM_ACTIONS_ANALYSIS_ANALYSIS_INPUT_H
#define FATHOM_ACTIONS_ANALYSIS_ANALYSIS_INPUT_H

#include "actions/action.h"
#include "actions/report/report-setup.h"
#include "analyze/calls/calls.h"
#include "analyze/calls/sample-tree.h"
#include "analyze/stream/feed.h"
#include "analyze/syscalls/syscalls.h"
#include "process/broker.h"
#include "read/context/followed.h"

/* Empty when zero-initialized. */
struct analysis_input {
	const char *path;
	struct report_setup setup;
	struct feed feed;
	struct followed followed; /* tasks to which the recording is limited */
	/* Set by the caller: says if those that occurred while the recorder ran are missing. */
	bool of_interrupts;
};

/*
 * The frame of all commands that analyze one file: checks the operands and calls @work with the
 * file name. Returns the exit status; @work also returns one, or a negative errno.
 */
typedef int analysis_work(const struct action *action, const char *path, struct fathom_err *err);
int analysis_run(const struct action *action, analysis_work *work);
/* Opens the file and enters the sandbox. Returns a file descriptor or a negative errno. */
int analysis_input_enter(const char *path, struct fathom_err *err);

/*
 * Reads the file @fd according to @args, inside the sandbox. Takes ownership of @fd. Returns 0 or a
 * negative errno.
 */
int analysis_input_open(struct analysis_input *input, struct report_args *args, int fd,
			const char *path, struct fathom_err *err);
/* Opens the file, enters the sandbox, and reads the file. */
int analysis_input_begin(struct analysis_input *input, struct report_args *args, const char *path,
			 struct fathom_err *err);
/*
 * Reports that the file, or the selected part of it, contains no @what. @how is the quoted command
 * that records them. Returns a negative errno.
 */
int analysis_nothing(const struct analysis_input *input, const char *what, const char *how,
		     struct fathom_err *err);
/* Stores the completeness of the result in @out. Call before printing. */
void analysis_input_complete(const struct analysis_input *input, struct out *out);
/* Reports limitations of the numbers, unless quiet. Returns the exit status. */
int analysis_input_report(const struct analysis_input *input, const struct action *action);
void analysis_input_done(struct analysis_input *input);

/* For call-view.h: returns whether the function name matches. @match is a struct match. */
bool analysis_fits(const void *match, const struct func *func);
/*
 * Sets @window to the range that contains the call; its end event is slightly later than its end.
 */
void analysis_window_of(const struct instance *instance, struct fathom_window *window);

enum calls_samples {
	CALLS_NO_SAMPLES, /* ignore samples */
	CALLS_OR_SAMPLES, /* use the samples of a file without calls */
	CALLS_ONLY_SAMPLES,
};

struct calls_input {
	struct analysis_input input;
	struct calls *calls;
	const struct call_tree *tree; /* of the calls, or of the samples */
	bool has_calls;
	/* Set by the caller; @users then resolves names, see symbol_broker_use(). */
	enum calls_samples samples_wanted;
	const char *stacks_of; /* use the stacks of events of this name as samples; NULL: don't */
	uint64_t bare, n_stacks_of; /* of these events, the number without a stack, and of all */
	struct user_symbols users;
	struct sample_tree samples;
	bool is_samples; /* @tree consists of samples */
	bool with_notes; /* set by the caller: for comparisons between runs */
	/* Also fed, if not NULL: a file without calls is then valid if it has system calls. */
	struct syscalls *syscalls;
};

/*
 * Starts the process that resolves names for samples of the @n @inputs, and enters the sandbox.
 * Returns 0 or a negative errno; call broker_done() in either case.
 */
int calls_input_enter(struct broker *broker, struct calls_input *const *inputs, size_t n,
		      struct fathom_err *err);
/* Likewise, and reads the calls. A file without calls is an error. */
int calls_input_read(struct calls_input *input, struct report_args *args, int fd, const char *path,
		     struct fathom_err *err);
/* Like analysis_input_report(), and also reports how many of the selected events have no stack. */
int calls_input_report(const struct calls_input *input, const struct action *action);
void calls_input_done(struct calls_input *input);

#endif
