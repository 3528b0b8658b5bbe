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
#include "kernel/tracefs/knob-kind.h"

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
