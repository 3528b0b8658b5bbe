/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Finds tracefs, without mounting it, and determines whether it can be used. All access goes
 * through a descriptor of the directory, so mounting something over the path later has no effect.
 */
#ifndef FATHOM_KERNEL_TRACEFS_TRACEFS_H
#define FATHOM_KERNEL_TRACEFS_TRACEFS_H

#include <stdbool.h>

#include <fathom/err.h>

enum tracefs_state {
	TRACEFS_WRITABLE, /* fully usable */
	TRACEFS_READ_ONLY, /* readable; mounted read-only */
	TRACEFS_READABLE, /* readable; no permission to write */
	TRACEFS_NO_ACCESS, /* mounted; no permission to read */
	TRACEFS_LOCKED, /* mounted; kernel lockdown forbids using it */
	TRACEFS_NOT_MOUNTED, /* not mounted; the kernel supports it */
	TRACEFS_HIDDEN, /* covered by another mount, as in a container */
	TRACEFS_NOT_IN_KERNEL,
};

enum tracefs_place {
	TRACEFS_AT_TRACING, /* /sys/kernel/tracing */
	TRACEFS_AT_DEBUGFS, /* /sys/kernel/debug/tracing */
	TRACEFS_ELSEWHERE,
};

struct tracefs {
	int fd; /* of the directory, closed by tracefs_done(); -1: see @state */
	char *path; /* as seen by this process; NULL: not mounted */
	enum tracefs_state state;
	enum tracefs_place place; /* only valid with a path */
};

/* The initial value; a zeroed struct would make tracefs_done() close descriptor 0. */
#define TRACEFS_NONE     \
	{                \
		.fd = -1 \
	}

/*
 * Finds tracefs. @root is prepended to every path: "" for this machine or, for tests, a directory.
 * A tracefs that is missing or inaccessible is not an error, but a state of *@ret_tracefs. Returns
 * 0 or -ENOMEM.
 */
int tracefs_find(const char *root, struct tracefs *ret_tracefs, struct fathom_err *err);
void tracefs_done(struct tracefs *tracefs);
#define _cleanup_tracefs_ __attribute__((cleanup(tracefs_done)))

/* Returns whether its files can be read. */
static inline bool tracefs_readable(const struct tracefs *tracefs)
{
	return tracefs->state <= TRACEFS_READABLE;
}

/* Returns what prevents its use, or "" if nothing does. The string is static. */
const char *tracefs_obstacle(const struct tracefs *tracefs);
/* Returns what to do about that, or "". The string is static. */
const char *tracefs_advice(const struct tracefs *tracefs);
/* Returns a short name for programs, such as "read-only". The string is static. */
const char *tracefs_state_name(enum tracefs_state state);

/*
 * Returns whether the kernel has disabled ftrace for good, see ftrace_bug(): it found unexpected
 * code at a call site. Only a reboot helps.
 */
bool tracefs_functions_dead(const struct tracefs *tracefs);

/* Mounts tracefs at /sys/kernel/tracing. Returns 0 or a negative errno. */
int tracefs_mount(const char *root, struct fathom_err *err);

#endif
