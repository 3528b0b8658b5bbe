/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What sessions need of the machine: tracefs, sysctls, journals and the boot ID. Constant once it
 * is open, except for session_env_make_journals().
 */
#ifndef FATHOM_RECORD_SESSION_SESSION_ENV_H
#define FATHOM_RECORD_SESSION_SESSION_ENV_H

#include <fathom/err.h>

#include "kernel/tracefs/tracefs.h"

/* The directory of journals; volatile, as the settings are. */
#define SESSION_DIR "/run/fathom"

struct session_env {
	char *root; /* prefix of all paths: "" except in tests */
	struct tracefs tracefs;
	int journals; /* descriptor of the directory; -1: missing, or not accessible */
	int journals_err; /* why it is missing, a negative errno; 0: it is not */
	int proc_sys; /* descriptor of /proc/sys, or negative */
	char boot_id[64];
};

/* The initial value; a zeroed struct would make session_env_done() close descriptor 0. */
#define SESSION_ENV_NONE                                                \
	{                                                               \
		.tracefs = TRACEFS_NONE, .journals = -1, .proc_sys = -1 \
	}

/*
 * Opens everything, and changes nothing. @root as for tracefs_find(). tracefs and journals may be
 * missing; see session_env_check(). Returns 0 or a negative errno.
 */
int session_env_open(const char *root, struct session_env *ret_env, struct fathom_err *err);
void session_env_done(struct session_env *env);
#define _cleanup_session_env_ __attribute__((cleanup(session_env_done)))

/* Creates the directory of journals if it is missing. Returns 0 or a negative errno. */
int session_env_make_journals(struct session_env *env, struct fathom_err *err);
/* Returns 0 if tracefs is writable, or a negative errno with what prevents it and what to do. */
int session_env_check(const struct session_env *env, struct fathom_err *err);

#endif
