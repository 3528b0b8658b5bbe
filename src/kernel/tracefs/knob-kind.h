/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The table of tracefs files that are knobs (see knob.h), and their kinds. Paths are looked up here
 * before they are used, so a path from a journal or an option cannot leave tracefs.
 */
#ifndef FATHOM_KERNEL_TRACEFS_KNOB_KIND_H
#define FATHOM_KERNEL_TRACEFS_KNOB_KIND_H

enum knob_kind {
	KNOB_NONE, /* not a restorable file */
	KNOB_WORD, /* reads back in the form in which it is written */
	KNOB_CHOICE, /* prints all words, the current one in brackets */
	KNOB_SIZE, /* a buffer size, also "7 (expanded: 1408)" or "X": CPUs differ */
	KNOB_PIDS, /* a list of PIDs, or "no pid" */
	KNOB_FUNCTIONS, /* a list of functions and function commands */
	KNOB_GRAPH, /* a list of functions */
	KNOB_EVENT, /* whether an event is enabled */
	KNOB_EVENTS, /* which events of a group, or of all groups, are enabled */
	KNOB_FILTER, /* the filter of an event, or "none" */
	KNOB_GROUP_FILTER, /* sets the filters of all events of a group; cannot be read */
	KNOB_TRIGGERS, /* triggers of an event; lines are added and removed one by one */
	KNOB_SNAPSHOT, /* whether the snapshot buffer is allocated */
};

/* Returns KNOB_NONE if @file is not in the table, or contains "..", "//" or the like. */
enum knob_kind knob_kind_of(const char *file);

#endif
