/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a thing in a replay is, in words, and what is kept while a replay is written. */
#ifndef FATHOM_RENDER_TIME_REPLAY_LABEL_H
#define FATHOM_RENDER_TIME_REPLAY_LABEL_H

#include "analyze/replay/replay.h"
#include "render/kit/json.h"
#include "render/kit/out.h"
#include "render/report/report.h"

enum replay_form {
	REPLAY_TEXT,
	REPLAY_JSON,
	REPLAY_CSV,
};

/* Zero-initialised, with the first six set, is ready. */
struct replay_view {
	struct out *out;
	struct report *report; /* of the trace; knows the texts of events */
	enum replay_form form;
	bool raw_times; /* they are no nanoseconds */
	uint64_t around; /* what goes on at this time is marked; 0: nothing is */
	uint64_t from, to; /* trees that lie outside are left out */

	uint64_t n; /* things written so far */
	bool has_task; /* the last one was of @pid */
	int32_t pid;
	char task[TASK_NAME_SIZE]; /* its name then */
	char *room; /* for texts of events */
	struct strbuf buf, name;
	struct json json;
	bool nomem;
};

/* For struct replay_options: "sleeping in read, woken by sh-227". */
void replay_put_wait(struct strbuf *buf, const struct task_states *states,
		     const struct task_span *span);

/* What a node is, with its result, and what else is to be said of it, for those who draw it. */
void replay_put_label(struct replay_view *view, const struct replay *replay,
		      const struct replay_node *node, int32_t pid, struct strbuf *buf);
void replay_put_remarks(const struct replay_node *node, bool utf8, struct strbuf *buf);

/* The kind as a word; the name alone, for which there must be room. */
const char *replay_kind_word(enum replay_kind kind);
void replay_put_name(struct replay_view *view, const struct replay *replay,
		     const struct replay_node *node, int32_t pid, struct strbuf *buf);
/* Makes room for texts of events, which replay_put_label() does by itself. */
void replay_make_room(struct replay_view *view);

#endif
