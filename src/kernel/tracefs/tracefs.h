/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Where tracefs is and whether it can be used. Looking mounts nothing. All access
 * goes through the directory's file descriptor, so that a later mount over the
 * path does not lead astray.
 */
#ifndef FATHOM_KERNEL_TRACEFS_TRACEFS_H
#define FATHOM_KERNEL_TRACEFS_TRACEFS_H

#include <stdbool.h>

#include <fathom/err.h>

enum tracefs_state {
	TRACEFS_WRITABLE, /* all is well */
	TRACEFS_READ_ONLY, /* can be read, not changed: mounted so */
	TRACEFS_READABLE, /* can be read, not changed: no right to */
	TRACEFS_NO_ACCESS, /* mounted; no right to look inside */
	TRACEFS_LOCKED, /* mounted; kernel lockdown forbids its files */
	TRACEFS_NOT_MOUNTED, /* the kernel has it */
	TRACEFS_HIDDEN, /* something else covers it, as in a container */
	TRACEFS_NOT_IN_KERNEL,
};

enum tracefs_place {
	TRACEFS_AT_TRACING, /* /sys/kernel/tracing */
	TRACEFS_AT_DEBUGFS, /* /sys/kernel/debug/tracing */
	TRACEFS_ELSEWHERE,
};

struct tracefs {
	int fd; /* the directory; -1 unless state is at most TRACEFS_LOCKED */
	char *path; /* as seen by this process; NULL when not mounted */
	enum tracefs_state state;
	enum tracefs_place place; /* only valid with a path */
};

#define TRACEFS_NONE     \
	{                \
		.fd = -1 \
	}

/*
 * Finds tracefs. @root is put in front of every path: "" for this machine, a
 * directory that looks like one for tests. Not being there is an answer, in
 * @ret_tracefs->state, not a failure. 0 or -ENOMEM.
 */
int tracefs_find(const char *root, struct tracefs *ret_tracefs, struct fathom_err *err);
void tracefs_done(struct tracefs *tracefs);
#define _cleanup_tracefs_ __attribute__((cleanup(tracefs_done)))

/* Can its files be read? */
static inline bool tracefs_readable(const struct tracefs *tracefs)
{
	return tracefs->state <= TRACEFS_READABLE;
}

/* What is in the way, in words; "" when nothing is. */
const char *tracefs_obstacle(const struct tracefs *tracefs);
/* What to do about it; "" when nothing can or has to be done. */
const char *tracefs_advice(const struct tracefs *tracefs);
/* A short name for programs: "writable", "read-only", ... */
const char *tracefs_state_name(enum tracefs_state state);

/*
 * Returns true if the kernel has disabled ftrace for good (ftrace_bug()), which it does when the code
 * at a call site is not what it expects. Only a reboot helps.
 */
bool tracefs_functions_dead(const struct tracefs *tracefs);

/* Mounts tracefs at /sys/kernel/tracing. 0 or a negative errno. */
int tracefs_mount(const char *root, struct fathom_err *err);

#endif
