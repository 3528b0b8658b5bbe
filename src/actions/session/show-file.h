/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files of a kept session's buffer, or of the top level, as the kernel prints them. */
#ifndef FATHOM_ACTIONS_SESSION_SHOW_FILE_H
#define FATHOM_ACTIONS_SESSION_SHOW_FILE_H

#include <stdbool.h>

#include "actions/session/session-use.h"
#include "render/kit/out.h"

#define SHOW_PATH_SIZE 256

/* The directory that is meant, and its path below tracefs. */
struct show_place {
	struct session_env env;
	struct detached_session detached;
	const struct detached_buffer *buffer; /* of the session; NULL: it is nobody's that we know */
	int fd;
	char path[SHOW_PATH_SIZE];
};

/* The session's buffer that @args choose; without a session, or with @top, any instance. */
int show_place_open(const struct session_args *args, bool top, struct show_place *ret_place,
		    struct fathom_err *err);
void show_place_done(struct show_place *place);

struct show_how {
	const char *cpu; /* the file of this CPU; NULL: of all */
	bool path; /* print the name of the file first */
	bool pause; /* pause tracing while reading, if the session is ours */
};

/* Copies the file to @out, until its end or Ctrl-C. */
int show_place_print(const struct show_place *place, const char *file, const struct show_how *how,
		     struct out *out, struct fathom_err *err);
/* Can it be the number of a CPU? NULL can. */
int show_cpu_check(const char *cpu, struct fathom_err *err);

#endif
