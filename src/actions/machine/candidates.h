/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names on this machine that complete a word of a command line. They are read without changing
 * anything. What this user cannot read has no names, which is not an error.
 */
#ifndef FATHOM_ACTIONS_MACHINE_CANDIDATES_H
#define FATHOM_ACTIONS_MACHINE_CANDIDATES_H

enum candidate_kind {
	CANDIDATE_EVENT, /* SYSTEM:EVENT, and EVENT once the prefix is not empty */
	CANDIDATE_FUNCTION, /* of the kernel */
	CANDIDATE_TRACER,
	CANDIDATE_CLOCK,
	CANDIDATE_OPTION, /* of the kernel's tracing; with the prefix "no" as well */
	CANDIDATE_INSTANCE,
	CANDIDATE_SESSION,
	CANDIDATE_PROBE, /* an event that was added with a probe */
	CANDIDATE_MODULE,
	CANDIDATE_SYSCALL,
	CANDIDATE_ERRNO,
	CANDIDATE_USER,
	CANDIDATE_PID,
};

/*
 * Calls @put for each name that starts with @prefix; @note describes it, or is "". @root is put in
 * front of every path: "" except in tests.
 */
void candidates_list(const char *root, enum candidate_kind kind, const char *prefix,
		     void (*put)(void *data, const char *name, const char *note), void *data);

#endif
