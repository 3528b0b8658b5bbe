/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Carries out a counting plan over a recording, for the command that prints the result:
 *
 *	_cleanup_(count_file_done) struct count_file file = COUNT_FILE_NONE;
 *	int r = count_file_read(action, &args->report, &plan, path, &file, &err);
 *
 *	if (r < 0)
 *		return reading_failed(action, &err);
 *	... print file.table, with the names from count_file_function() and count_file_frame() ...
 *	return count_file_report(&file, action);
 *
 * Not thread-safe; the process is in the sandbox from then on.
 */
#ifndef FATHOM_ACTIONS_COUNT_COUNT_FILE_H
#define FATHOM_ACTIONS_COUNT_COUNT_FILE_H

#include "actions/analysis/user-names.h"
#include "analyze/count/count-events.h"

/* Owned by the caller; everything it refers to is valid until count_file_done(). */
struct count_file {
	struct analysis_input input;
	struct user_names names; /* of user stacks; only if a key is one */
	struct count_events *events;
	struct count_table *table; /* the result; can be sorted */
	const struct count_columns *columns;
	const struct count_site *sites; /* for keys of COUNT_COLUMN_EVENT */
	size_t n_sites;
	bool in_nanoseconds; /* else, times are in units of an unknown clock */
	uint64_t first, last; /* time of the earliest and the latest event that was read */
	bool is_reading; /* private */
};

/* The initial value. */
#define COUNT_FILE_NONE                   \
	{                                 \
		.names = USER_NAMES_NONE, \
	}

/*
 * Opens the recording @path, enters the sandbox and carries out @plan over the events that @args
 * selects. Stores the completeness of the result in action->out. A recording without any of the
 * events gives an empty table, if it could have had them. @args and @plan must outlive the file.
 * Returns 0 or a negative errno; call count_file_done() in either case, but not before the error is
 * reported with reading_failed().
 */
int count_file_read(const struct action *action, struct report_args *args,
		    const struct count_plan *plan, const char *path, struct count_file *file,
		    struct fathom_err *err);
/*
 * When the result is printed: writes to action->messages what limits it, unless quiet. Returns the
 * exit status.
 */
int count_file_report(const struct count_file *file, const struct action *action);
void count_file_done(struct count_file *file);

/*
 * Returns the kernel function that contains @address, and its start, or NULL. The name is untrusted.
 */
const char *count_file_function(const struct count_file *file, uint64_t address,
				uint64_t *ret_start);
/* Stores up to @max addresses of the stack @id, innermost first. Returns their number. */
size_t count_file_stack(const struct count_file *file, int64_t id, uint64_t *addresses, size_t max);
/*
 * Returns the name of frame @i of the stack @id, of a kernel or user function, or NULL. The name is
 * untrusted.
 */
const char *count_file_frame(struct count_file *file, int64_t id, size_t i);

#endif
