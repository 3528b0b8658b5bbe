/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "actions/session/session-use.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>

#include "actions/action.h"
#include "base/cleanup.h"
#include "base/err.h"
#include "base/files/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "record/session/session-env.h"

void session_args_done(void *args)
{
	free(((struct session_args *)args)->buffers.list);
}

/* Every named buffer must exist. */
static int session_use_check_names(const struct session_args *args,
				   const struct detached_session *detached, struct fathom_err *err)
{
	for (size_t i = 0; i < args->buffers.n; i++)
		if (!detached_buffer(detached, args->buffers.list[i]))
			return err_set(err, -ENOENT, "session '%s' has no buffer '%s'",
				       detached->id, args->buffers.list[i]);
	return 0;
}

static bool session_use_is_chosen(const struct session_args *args,
				  const struct detached_buffer *buffer)
{
	if (!args->buffers.n && !args->named && !args->main)
		return true;
	if (!*buffer->name)
		return args->main;
	for (size_t i = 0; i < args->buffers.n; i++)
		if (str_eq(args->buffers.list[i], buffer->name))
			return true;
	return args->named;
}

static int session_use_choose(const struct session_args *args, struct session_use *use,
			      struct fathom_err *err)
{
	int r = session_use_check_names(args, &use->detached, err);

	if (r < 0)
		return r;
	use->buffers = mem_zalloc(use->detached.n, sizeof(void *));
	use->places = mem_zalloc(use->detached.n, sizeof(void *));
	if (!use->buffers || !use->places)
		return err_nomem(err);
	for (size_t i = 0; i < use->detached.n && r == 0; i++) {
		const struct detached_buffer *buffer = &use->detached.buffers[i];

		if (!session_use_is_chosen(args, buffer))
			continue;
		use->buffers[use->n] = buffer;
		r = detached_place(use->session, buffer, &use->places[use->n++], err);
	}
	if (r == 0 && !use->n)
		return err_set(err, -ENOENT, "no buffer of session '%s' matches", use->detached.id);
	return r;
}

int session_use_open(const struct session_args *args, struct session_use *ret_use,
		     struct fathom_err *err)
{
	_cleanup_session_env_ struct session_env env = SESSION_ENV_NONE;
	_cleanup_session_use_ struct session_use use = { 0 };
	int r = session_env_open("", &env, err);

	if (r == 0)
		r = session_env_check(&env, err);
	if (r == 0)
		r = detached_find(&env, args->session, &use.detached, err);
	if (r == 0)
		r = session_adopt("", use.detached.id, &use.session, err);
	if (r == 0)
		r = session_use_choose(args, &use, err);
	if (r < 0)
		return r;
	*ret_use = TAKE_STRUCT(use, { 0 });
	return 0;
}

void session_use_done(struct session_use *use)
{
	session_free(use->session);
	detached_done(&use->detached);
	free(use->buffers);
	free(use->places);
	*use = (struct session_use){ 0 };
}

/* Calls @change for each selected buffer. Returns the exit status. */
static int session_use_each(const struct action *action, const char *value,
			    int (*change)(const struct session_use *use, size_t i,
					  const char *value, struct fathom_err *err))
{
	_cleanup_session_use_ struct session_use use = { 0 };
	struct fathom_err err = { 0 };
	int r;

	if (action_takes_no_operands(action, &err) < 0)
		return action_usage_error(action, &err);
	r = session_use_open(action->args, &use, &err);
	for (size_t i = 0; i < use.n && r == 0; i++)
		r = change(&use, i, value, &err);
	return r < 0 ? action_failed(action, &err) : EXIT_OK;
}

static int session_use_switch(const struct session_use *use, size_t i, const char *value,
			      struct fathom_err *err)
{
	return session_set(use->session, use->places[i], "tracing_on", value, err);
}

static int session_use_clear(const struct session_use *use, size_t i, const char *value,
			     struct fathom_err *err)
{
	int r = file_write(use->places[i]->fd, "trace", O_TRUNC, value);

	return r < 0 ? err_set_errno(err, r, "cannot empty buffer '%s'", use->buffers[i]->name) : 0;
}

int session_switch(const struct action *action, bool on)
{
	return session_use_each(action, on ? "1" : "0", session_use_switch);
}

int session_clear(const struct action *action)
{
	return session_use_each(action, "\n", session_use_clear);
}
