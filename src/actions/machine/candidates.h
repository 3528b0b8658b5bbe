/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names that complete a word of a command line, from this machine or from a recording. Nothing is
 * changed. Anything that this user cannot read yields no names, which is not an error.
 */
#ifndef FATHOM_ACTIONS_MACHINE_CANDIDATES_H
#define FATHOM_ACTIONS_MACHINE_CANDIDATES_H

enum candidate_kind {
	CANDIDATE_EVENT, /* SYSTEM:EVENT, and EVENT once the prefix is not empty */
	CANDIDATE_FUNCTION, /* of the kernel */
	CANDIDATE_TRACER,
	CANDIDATE_CLOCK,
	CANDIDATE_OPTION, /* of the kernel's tracing; also with the prefix "no" */
	CANDIDATE_INSTANCE,
	CANDIDATE_SESSION,
	CANDIDATE_PROBE, /* an event added by a probe */
	CANDIDATE_MODULE,
	CANDIDATE_SYSCALL,
	CANDIDATE_ERRNO,
	CANDIDATE_RECIPE, /* of fathom count */
	CANDIDATE_USER,
	CANDIDATE_PID,
	/* From a recording: */
	CANDIDATE_RECORDED_COMM,
	CANDIDATE_RECORDED_PID,
	CANDIDATE_RECORDED_TASK, /* a name, or a PID once the prefix is not empty */
	CANDIDATE_RECORDED_BUFFER,
};

/*
 * Calls @put for each name that starts with @prefix; @note is a description or "". @root is prepended
 * to every path: "" except in tests. There are no names for the kinds that a recording has.
 */
void candidates_list(const char *root, enum candidate_kind kind, const char *prefix,
		     void (*put)(void *data, const char *name, const char *note), void *data);
/*
 * The same for the kinds that a recording has, from the file @path, which is parsed in a confined
 * process. Omits names that a shell would require to be quoted.
 */
void candidates_list_recorded(const char *path, enum candidate_kind kind, const char *prefix,
			      void (*put)(void *data, const char *name, const char *note),
			      void *data);

#endif
