/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Single settings of a plan, and the corresponding files of tracefs. They are changed through the
 * session, which restores them. If the kernel rejects one, its reason is reported.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/err.h"
#include "base/negative-errno.h"
#include "kernel/tracefs/error-log.h"
#include "record/plan/plan-parts.h"
#include "record/session/session-env.h"
#include "record/session/session.h"

bool plan_has_file(int dir, const char *file)
{
	return faccessat(dir, file, F_OK, 0) == 0;
}

/* Adds the kernel's reason for an error, with a line that points at the location. */
static void plan_add_reason(int place, const char *value, struct fathom_err *err)
{
	struct error_log_entry entry;
	char message[200];

	if (!error_log_find(place, value, &entry))
		return;
	snprintf(message, sizeof(message), "%.199s", err->message);
	if (entry.command[0])
		err_set(err, err->code, "%s: %s\n    %.150s\n    %*s^", message, entry.message,
			entry.command, (int)entry.caret, "");
	else
		err_set(err, err->code, "%s: %s", message, entry.message);
}

int plan_set(struct session *session, struct session_place *place, const char *file,
	     enum knob_mode mode, const char *value, struct fathom_err *err)
{
	const struct session_setting setting = { place, file, mode, value };
	int r = session_apply(session, &setting, 1, err);

	if (r < 0 && err)
		plan_add_reason(place->fd, value, err);
	return r;
}

int plan_set_somewhere(struct plan *plan, struct session *session, struct session_place *place,
		       const char *file, enum knob_mode mode, const char *value,
		       struct fathom_err *err)
{
	if (plan_has_file(place->fd, file))
		return plan_set(session, place, file, mode, value, err);
	if (!plan_has_file(session_env(session)->tracefs.fd, file))
		return err_set(err, -ENOENT, "no setting '%s' in this kernel", file);
	return session_set_global(session, file, mode, value, plan->force, err);
}

int plan_open_switches(const struct plan *plan, int *fds, struct fathom_err *err)
{
	for (size_t i = 0; i < plan->n; i++) {
		fds[i] = openat(plan->buffers[i].place->fd, "tracing_on", O_WRONLY | O_CLOEXEC);
		if (fds[i] >= 0)
			continue;
		err_set_errno(err, negative_errno(), "cannot open 'tracing_on'");
		while (i)
			close(fds[--i]);
		return -EIO;
	}
	return 0;
}

/* Builds the name from "fathom_" and the session ID, with other characters replaced. */
void plan_probe_group(const struct session *session, char *group, size_t size)
{
	snprintf(group, size, PLAN_PROBE_GROUP "%s", session_id(session));
	for (char *p = group; *p; p++)
		if (!isalnum((unsigned char)*p))
			*p = '_';
}
