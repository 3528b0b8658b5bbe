/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The machine as sessions see it: tracefs, sysctls, journals, and which boot it is. */
#ifndef FATHOM_RECORD_SESSION_SESSION_ENV_H
#define FATHOM_RECORD_SESSION_SESSION_ENV_H

#include <fathom/err.h>

#include "kernel/tracefs/tracefs.h"

/* Where journals are; gone after a reboot, as the settings are. */
#define SESSION_DIR "/run/fathom"

struct session_env {
	char *root; /* in front of every path: "" but in tests */
	struct tracefs tracefs;
	int journals; /* the directory; -1: there is none, or we may not see it */
	int journals_err; /* why there is none: a negative errno */
	int proc_sys;
	char boot_id[64];
};

#define SESSION_ENV_NONE                                                \
	{                                                               \
		.tracefs = TRACEFS_NONE, .journals = -1, .proc_sys = -1 \
	}

/* Looks, and changes nothing. */
int session_env_open(const char *root, struct session_env *ret_env, struct fathom_err *err);
void session_env_done(struct session_env *env);
#define _cleanup_session_env_ __attribute__((cleanup(session_env_done)))

/* Makes the directory of journals where there is none. */
int session_env_make_journals(struct session_env *env, struct fathom_err *err);
/* 0 when tracefs can be written; else what is in the way and what to do. */
int session_env_check(const struct session_env *env, struct fathom_err *err);

#endif
