/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Knobs: files of tracefs whose values can be saved as text and restored. Few of these files accept
 * their own output; this module converts between the two formats. @dir is a descriptor of the
 * tracefs directory or of an instance, and paths are relative to it. Functions return a negative
 * errno on failure, -EINVAL for a file that is not a knob (see knob-kind.h).
 */
#ifndef FATHOM_KERNEL_TRACEFS_KNOB_H
#define FATHOM_KERNEL_TRACEFS_KNOB_H

#include <stdbool.h>

#include "base/strbuf.h"

/*
 * Appends the value, in the form that knob_restore() accepts. Equal values have equal texts.
 * Returns 0 or a negative errno; -EUCLEAN if the buffer size differs between CPUs and has to be
 * read from the file of each CPU.
 */
int knob_read(int dir, const char *file, struct strbuf *value);
/*
 * Writes the value unless it is the current one. Returns 1 if it was written, 0 if nothing had to
 * be done, or a negative errno. A snapshot buffer is only freed, never allocated.
 */
int knob_restore(int dir, const char *file, const char *value);

enum knob_mode {
	KNOB_SET, /* replaces a list */
	KNOB_ADD, /* appends to a list */
};

/*
 * Writes a value in the kernel's syntax, as a user gives it. "" with KNOB_SET empties a list.
 * Returns 0 or a negative errno.
 */
int knob_write(int dir, const char *file, enum knob_mode mode, const char *value);

/*
 * The same for sysctls that tracers change; @file is relative to /proc/sys, and @proc_sys is a
 * descriptor of that directory.
 */
bool sysctl_is_known(const char *file);
int sysctl_read(int proc_sys, const char *file, struct strbuf *value);
int sysctl_restore(int proc_sys, const char *file, const char *value);

#endif
