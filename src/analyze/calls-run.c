/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/calls-run.h"

#include <errno.h>

#include "base/cleanup.h"
#include "base/err.h"

DEFINE_CLEANUP(struct fathom_cursor, fathom_cursor_free);
DEFINE_CLEANUP(struct calls, calls_free);

static void count(struct calls_run *run, const struct fathom_event *event)
{
	run->n_events++;
	if (event->missed == FATHOM_MISSED_UNKNOWN)
		run->lost_unknown = true;
	else
		run->lost += event->missed;
}

static void feed(struct calls_run *run, struct happening_reader *reader, struct calls *calls,
		 const struct fathom_event *event)
{
	struct happening happening;

	happening_read(reader, event, &happening);
	if (happening.kind == HAPPENING_CALL || happening.kind == HAPPENING_RETURN) {
		if (run->wanted && !run->wanted(run->wanted_data, event))
			happening.kind = HAPPENING_OTHER;
		run->n_calls += happening.kind == HAPPENING_CALL;
	}
	calls_feed(calls, &happening);
}

int calls_run(struct calls_run *run, struct calls **ret_calls, struct fathom_err *err)
{
	_cleanup_(happening_reader_done) struct happening_reader reader = { .table = run->events };
	_cleanup_(fathom_cursor_free_p) struct fathom_cursor *cursor = NULL;
	_cleanup_(calls_free_p) struct calls *calls = NULL;
	struct fathom_event event;
	int r = calls_new(&run->options, &calls);

	if (r < 0)
		return err_nomem(err);
	r = fathom_cursor_new(run->trace, run->window, &cursor, err);
	if (r < 0)
		return r;
	while ((r = fathom_cursor_next(cursor, &event)) == 1) {
		count(run, &event);
		if (event.data)
			feed(run, &reader, calls, &event);
	}
	if (r < 0 || reader.nomem)
		return err_nomem(err);
	*ret_calls = TAKE_PTR(calls);
	return 0;
}
