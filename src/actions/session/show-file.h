/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Text files of a detached session's buffer, or of the top level, as the kernel prints them. */
#ifndef FATHOM_ACTIONS_SESSION_SHOW_FILE_H
#define FATHOM_ACTIONS_SESSION_SHOW_FILE_H

#include <stdbool.h>

#include "actions/session/session-use.h"
#include "render/kit/out.h"

#define SHOW_PATH_SIZE 256

/* The directory, and its path in tracefs. */
struct show_place {
	struct session_env env;
	struct detached_session detached;
	const struct detached_buffer *buffer; /* of the session; NULL: of no known session */
	int fd;
	char path[SHOW_PATH_SIZE];
};

/* Selects the buffer of the session; without a session, or with @top, any instance. */
int show_place_open(const struct session_args *args, bool top, struct show_place *ret_place,
		    struct fathom_err *err);
void show_place_done(struct show_place *place);

struct show_how {
	const char *cpu; /* of this CPU; NULL: of all */
	bool path; /* print the path of the file first */
	bool pause; /* pause tracing while reading, if the session is detached */
};

/* Copies the file to @out, until its end or Ctrl-C. */
int show_place_print(const struct show_place *place, const char *file, const struct show_how *how,
		     struct out *out, struct fathom_err *err);
/* Returns whether it has the form of a CPU number; NULL has. */
int show_cpu_check(const char *cpu, struct fathom_err *err);

#endif
