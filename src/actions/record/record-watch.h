/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Watched memory in a recording, for '-e mem:WHAT', in a separate buffer. */
#ifndef FATHOM_ACTIONS_RECORD_RECORD_WATCH_H
#define FATHOM_ACTIONS_RECORD_RECORD_WATCH_H

#include "actions/action.h"
#include "actions/record/record-run.h"
#include "base/strbuf.h"
#include "record/recorder.h"

struct record_watch;

/*
 * Checks that other options are compatible, and adds what is needed to the plan. *@ret is NULL if
 * nothing is watched.
 */
int record_watch_plan(struct record_args *args, bool has_command, struct record_watch **ret_watch,
		      struct fathom_err *err);
/* Kills the command if it is still held. */
void record_watch_free(struct record_watch *watch, pid_t command);
/* Adds the buffer of hits, after those of the plan. */
struct recorder_buffer record_watch_buffer(const struct plan *plan);

/*
 * Call before the command continues: starts watching, unless the memory is the command's, which
 * will be held at its first instruction.
 */
int record_watch_before(struct record_watch *watch, struct recorder *recorder, pid_t command,
			struct fathom_err *err);
/* Call afterwards: watches the memory of the command, and lets it continue. */
int record_watch_after(struct record_watch *watch, struct fathom_err *err);
/* The command could not be executed and will not be held. */
void record_watch_forget(struct record_watch *watch);
/* A descriptor that becomes readable when much data is available; -1 before watching starts. */
int record_watch_fd(const struct record_watch *watch);
/* Writes the available data; with @all also partial pages. Returns 0 or a negative errno. */
int record_watch_take(struct record_watch *watch, bool all);
/* Stops watching. */
void record_watch_off(struct record_watch *watch);
/* Writes the rest. Stores the error in @failure, unless that has one. */
void record_watch_end(struct record_watch *watch, struct strbuf *info, struct fathom_err *failure);
uint64_t record_watch_lost(const struct record_watch *watch);
/* Reports losses and, unless @quiet, the number of hits. */
void record_watch_report(const struct record_watch *watch, const struct action *action, bool quiet);

#endif
