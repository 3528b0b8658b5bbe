/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What tasks did, one thing after the other, as indented text, JSON or CSV. */
#ifndef FATHOM_RENDER_TIME_REPLAY_H
#define FATHOM_RENDER_TIME_REPLAY_H

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

void replay_print_head(struct replay_view *view);
/* For struct replay_options; @data is the view. */
void replay_print_tree(void *data, const struct replay *replay, int32_t pid, uint32_t node);
/* 0 or -ENOMEM; the view is empty then. */
int replay_print_end(struct replay_view *view);

/* For struct replay_options: "sleeping in read, woken by sh-227". */
void replay_put_wait(struct strbuf *buf, const struct task_states *states,
		     const struct task_span *span);

/* What a node is, with its result, and what else is to be said of it, for those who draw it. */
void replay_put_label(struct replay_view *view, const struct replay *replay,
		      const struct replay_node *node, int32_t pid, struct strbuf *buf);
void replay_put_remarks(const struct replay_node *node, bool utf8, struct strbuf *buf);

/* The parts, for the files that write them: the kind as a word; the name. */
const char *replay_kind_word(enum replay_kind kind);
void replay_put_name(struct replay_view *view, const struct replay *replay,
		     const struct replay_node *node, int32_t pid, struct strbuf *buf);
/* replay-data.c: a node for programs, at its level below @parent, a number or -1. */
void replay_write_node(struct replay_view *view, const struct replay *replay, int32_t pid,
		       const struct replay_node *node, unsigned level, int64_t parent);

#endif
