/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Which files of tracefs are knobs, and of which kind. A path is only ever used after it was
 * found in the table here, so that a path from a file cannot lead out of tracefs.
 */
#ifndef FATHOM_KERNEL_TRACEFS_KNOB_KIND_H
#define FATHOM_KERNEL_TRACEFS_KNOB_KIND_H

enum knob_kind {
	KNOB_NONE, /* not a file that we know how to put back */
	KNOB_WORD, /* prints what it takes */
	KNOB_CHOICE, /* prints all words, the chosen one in brackets */
	KNOB_SIZE, /* a buffer's size, perhaps "7 (expanded: 1408)", or "X": CPUs differ */
	KNOB_PIDS, /* a list of pids, or "no pid" */
	KNOB_FUNCTIONS, /* a list of functions, and of commands that functions run */
	KNOB_GRAPH, /* a list of functions */
	KNOB_EVENT, /* whether one event is on */
	KNOB_EVENTS, /* which events of a group, or of all, are on */
	KNOB_FILTER, /* an event's filter, or "none" */
	KNOB_GROUP_FILTER, /* sets the filter of each event of a group, and tells none of them */
	KNOB_TRIGGERS, /* what an event sets off; each line is added and removed alone */
	KNOB_SNAPSHOT, /* whether the second buffer is there */
};

/* KNOB_NONE for a path that is not in the list, and for any that leads elsewhere ("..", "//"). */
enum knob_kind knob_kind_of(const char *file);

#endif
