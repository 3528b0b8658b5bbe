/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Watched memory in a recording: what `-e mem:WHAT` adds to it, in a buffer of its own. */
#ifndef FATHOM_ACTIONS_RECORD_RECORD_WATCH_H
#define FATHOM_ACTIONS_RECORD_RECORD_WATCH_H

#include "actions/action.h"
#include "actions/record/record-run.h"
#include "base/strbuf.h"
#include "record/recorder.h"

struct record_watch;

/* Are the other options such that it goes? Then the plan gets what is needed. *@ret is NULL when nothing is watched. */
int record_watch_plan(struct record_args *args, bool has_command, struct record_watch **ret_watch,
		      struct fathom_err *err);
/* The command, if it is held yet, ends. */
void record_watch_free(struct record_watch *watch, pid_t command);
/* The buffer of hits; those of the plan come before it. */
struct recorder_buffer record_watch_buffer(const struct plan *plan);

/*
 * To be called before the command is let go: watching begins. Only if it is the command's memory, the command
 * will be held at its first instruction.
 */
int record_watch_before(struct record_watch *watch, struct recorder *recorder, pid_t command,
			struct fathom_err *err);
/* After it: now that is watched, and goes on. */
int record_watch_after(struct record_watch *watch, struct fathom_err *err);
/* The command could not be run; there is none to be held. */
void record_watch_forget(struct record_watch *watch);
/* Readable when much has come; -1 before it has begun. */
int record_watch_fd(const struct record_watch *watch);
/* Writes what has come; with @all also pages that are not full. 0 or a negative errno. */
int record_watch_take(struct record_watch *watch, bool all);
/* Ends watching. */
void record_watch_off(struct record_watch *watch);
/* Takes the last; what it failed with is kept in @failure, if nothing is. */
void record_watch_end(struct record_watch *watch, struct strbuf *info, struct fathom_err *failure);
uint64_t record_watch_lost(const struct record_watch *watch);
/* Says what was lost, and unless @quiet how many hits there are. */
void record_watch_tell(const struct record_watch *watch, const struct action *action, bool quiet);

#endif
