/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The text of an entry of a replay, and the state of an output while a replay is written. Used by
 * the outputs and by the viewer; not thread-safe. Functions append to a strbuf, which keeps errors.
 */
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

/*
 * Zero-initialized except for the fields up to the blank line. Released by replay_print_end(); the
 * viewer frees @room, @buf and @name itself.
 */
struct replay_view {
	struct out *out;
	struct report *report; /* of the trace, for the text of events */
	enum replay_form form;
	bool raw_times; /* timestamps are not in nanoseconds */
	uint64_t around; /* entries that contain this time are marked; 0: none */
	uint64_t from, to; /* trees outside this range are omitted */

	uint64_t n; /* entries written so far */
	bool has_task; /* the last entry was of @pid */
	int32_t pid;
	char task[TASK_NAME_SIZE]; /* the task's name at that time */
	char *room; /* for the text of events; NULL: not yet allocated */
	struct strbuf buf, name;
	struct json json;
	bool nomem;
};

/* For struct replay_options: appends "sleeping in read, woken by sh-227". */
void replay_put_wait(struct strbuf *buf, const struct task_states *states,
		     const struct task_span *span);

/* Append the text of a node, with its result, and further remarks. */
void replay_put_label(struct replay_view *view, const struct replay *replay,
		      const struct replay_node *node, int32_t pid, struct strbuf *buf);
void replay_put_remarks(const struct replay_node *node, bool utf8, struct strbuf *buf);

/*
 * Return the kind as a static word, and append the name alone. The latter requires
 * replay_make_room() before.
 */
const char *replay_kind_word(enum replay_kind kind);
void replay_put_name(struct replay_view *view, const struct replay *replay,
		     const struct replay_node *node, int32_t pid, struct strbuf *buf);
/* Allocates @room if needed; sets @nomem on failure. replay_put_label() does this itself. */
void replay_make_room(struct replay_view *view);

#endif
