/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Knobs: the files of tracefs whose value can be taken, kept as text, and put
 * back. What a file prints is seldom what it takes; this module knows the way
 * back for each of them. Paths are relative to the top of tracefs or to the
 * directory of an instance, which is what @dir is.
 */
#ifndef FATHOM_KERNEL_TRACEFS_KNOB_H
#define FATHOM_KERNEL_TRACEFS_KNOB_H

#include <stdbool.h>

#include "base/strbuf.h"

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

/*
 * Appends the value in the form that knob_restore() takes; the same value always
 * gives the same text, but for -EUCLEAN: the buffers of the CPUs differ in size,
 * each has a file of its own that tells. 0 or a negative errno.
 */
int knob_read(int dir, const char *file, struct strbuf *value);
/* 1: was another value and is put back; 0: nothing to do; or a negative errno. */
int knob_restore(int dir, const char *file, const char *value);

enum knob_mode {
	KNOB_SET, /* what was there before goes */
	KNOB_ADD, /* to a list: what was there before stays */
};

/* Writes what a user wants, as the kernel takes it. "" with KNOB_SET empties a list. */
int knob_write(int dir, const char *file, enum knob_mode mode, const char *value);

/* Sysctls that a tracer may change; @file is relative to /proc/sys. */
bool sysctl_is_known(const char *file);
int sysctl_read(int proc_sys, const char *file, struct strbuf *value);
int sysctl_restore(int proc_sys, const char *file, const char *value);

#endif
