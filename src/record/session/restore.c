/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "record/session/restore.h"

#include <errno.h>
#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/str.h"
#include "kernel/events/added-event.h"
#include "kernel/tracefs/instance-dir.h"
#include "kernel/tracefs/knob-kind.h"
#include "kernel/tracefs/knob.h"

#define RETRY_MS 20

/*
 * The tracer comes first: if it was active while a function filter is restored, all functions would
 * be traced for a moment. Dynamic events come last, when nothing uses them any more.
 */
enum pass {
	PASS_TRACER,
	PASS_SETTINGS,
	PASS_EVENTS,
	PASSES,
};

static enum pass pass_of(const struct record *record)
{
	if (record->type == RECORD_EVENT)
		return PASS_EVENTS;
	if (record->type == RECORD_SETTING && str_eq(record->field[1], "current_tracer"))
		return PASS_TRACER;
	return PASS_SETTINGS;
}

static int restore_setting(const struct record *record, const struct session_env *env)
{
	const char *instance = record->field[0];
	_cleanup_close_ int dir = *instance ? instance_dir_open(env->tracefs.fd, instance) : -1;

	if (knob_kind_of(record->field[1]) == KNOB_NONE)
		return -EINVAL;
	if (*instance && dir < 0)
		return dir;
	return knob_restore(*instance ? dir : env->tracefs.fd, record->field[1], record->field[2]);
}

/* Removing an instance counts as a change only if it existed. */
static int restore_instance(const char *name, const struct session_env *env, unsigned wait_ms)
{
	_cleanup_close_ int dir = instance_dir_open(env->tracefs.fd, name);
	int r;

	if (dir < 0)
		return dir;
	close(TAKE_FD(dir));
	r = instance_dir_remove(env->tracefs.fd, name, wait_ms);
	return r < 0 ? r : 1;
}

static int restore_once(const struct record *record, const struct session_env *env,
			unsigned wait_ms)
{
	switch (record->type) {
	case RECORD_SETTING:
		return restore_setting(record, env);
	case RECORD_SYSCTL:
		return sysctl_restore(env->proc_sys, record->field[0], record->field[1]);
	case RECORD_INSTANCE:
		return restore_instance(record->field[0], env, wait_ms);
	case RECORD_EVENT:
		return added_event_remove(env->tracefs.fd, record->field[0], wait_ms);
	default:
		return 0;
	}
}

static int restore_one(const struct record *record, const struct session_env *env, unsigned wait_ms)
{
	for (unsigned waited = 0;; waited += RETRY_MS) {
		int r = restore_once(record, env, wait_ms);

		/* The setting has disappeared with its file, instance or module. */
		if (r == -ENOENT || r == -ENODEV)
			return 0;
		if ((r != -EBUSY && r != -EAGAIN) || record->type != RECORD_SETTING ||
		    waited >= wait_ms)
			return r;
		nanosleep(&(struct timespec){ .tv_nsec = RETRY_MS * 1000000L }, NULL);
	}
}

static void restore_describe(const struct record *record, int r, struct fathom_err *err)
{
	switch (record->type) {
	case RECORD_SETTING:
		err_set_errno(err, r, "cannot restore '%.100s%s%.100s'", record->field[0],
			      *record->field[0] ? "/" : "", record->field[1]);
		break;
	case RECORD_INSTANCE:
		err_set_errno(err, r, "cannot remove instance '%.100s'", record->field[0]);
		break;
	case RECORD_EVENT:
		err_set_errno(err, r, "cannot remove event '%.100s'", record->field[0]);
		break;
	default:
		err_set_errno(err, r, "cannot restore '%.100s'", record->field[0]);
	}
}

/*
 * Without tracefs, every object would look as if it had disappeared, and nothing would be restored.
 */
static int check_tracefs(const struct session_env *env, struct fathom_err *err)
{
	if (env->tracefs.fd < 0)
		return session_env_check(env, err);
	if (faccessat(env->tracefs.fd, "current_tracer", F_OK, 0) < 0)
		return err_set_errno(err, -EIO, "tracefs is not accessible");
	return 0;
}

int records_restore(const struct records *records, const struct session_env *env, unsigned wait_ms,
		    struct restore_result *ret_result, struct fathom_err *err)
{
	struct restore_result result = { 0 };
	int first = check_tracefs(env, err);

	if (first < 0)
		return first;
	for (enum pass pass = 0; pass < PASSES; pass++) {
		for (size_t i = records->n; i-- > 0;) {
			const struct record *record = &records->list[i];
			int r;

			if (record->is_void || pass_of(record) != pass)
				continue;
			r = restore_one(record, env, wait_ms);
			if (r > 0)
				result.changed++;
			if (r >= 0)
				continue;
			if (result.failed++ == 0) {
				restore_describe(record, r, err);
				first = r;
			}
		}
	}
	*ret_result = result;
	return first;
}
