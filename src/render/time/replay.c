/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "render/time/replay.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/quote.h"
#include "base/str.h"
#include "render/kit/duration.h"
#include "render/kit/table.h"
#include "render/time/replay-data.h"

#define INDENT	   2
#define INDENT_MAX 120

static void replay_flush(struct replay_view *view)
{
	if (out_write(view->out, &view->buf) < 0 || view->name.err)
		view->nomem = true;
}

static enum out_style replay_style_of(const struct replay_node *node)
{
	switch (node->kind) {
	case REPLAY_SYSCALL:
		return node->flags & REPLAY_HAS_RESULT && node->result < 0 &&
				       node->result >= -4095 ?
			       OUT_BAD :
			       OUT_TITLE;
	case REPLAY_CALL:
	case REPLAY_FUNCTION:
		return OUT_NAME;
	case REPLAY_AWAY:
	case REPLAY_IRQ:
	case REPLAY_SOFTIRQ:
		return OUT_WARN;
	case REPLAY_LOST:
		return OUT_BAD;
	default:
		return OUT_FAINT;
	}
}

/*
 * Returns the end of the node or, if that is unknown, the last time at which it was seen. An open
 * wait never ends.
 */
static uint64_t replay_end_of(const struct replay_tree *tree, const struct replay_node *node)
{
	if (!(node->flags & REPLAY_NO_END))
		return node->start + node->times.total;
	if (node->kind == REPLAY_AWAY)
		return UINT64_MAX;
	while (node->flags & REPLAY_NO_END && node->last != REPLAY_NONE)
		node = &tree->nodes[node->last];
	return node->start + node->times.total;
}

/* Returns whether the node contains the requested time. */
static bool is_around(const struct replay_view *view, const struct replay_tree *tree,
		      const struct replay_node *node)
{
	return view->around && node->start <= view->around &&
	       view->around < replay_end_of(tree, node);
}

static void replay_put_numbers(struct replay_view *view, const struct replay_tree *tree,
			       const struct replay_node *node)
{
	char time[TIME_TEXT_SIZE];
	bool has_time = !(node->flags & REPLAY_NO_END) && node->kind != REPLAY_EVENT &&
			node->kind != REPLAY_LOST && node->kind != REPLAY_FUNCTION;

	quote_addf(&view->buf, "%16s ", time_text(node->start, view->raw_times, false, time));
	strbuf_addc(&view->buf, has_time ? duration_mark(node->times.total) : ' ');
	duration_put(&view->buf, has_time ? node->times.total : 0);
	strbuf_adds(&view->buf, is_around(view, tree, node) ? " >" : "  ");
}

static void print_node(struct replay_view *view, const struct replay *replay, int32_t pid,
		       const struct replay_node *node, unsigned level)
{
	size_t indent = (size_t)level * INDENT;

	replay_put_numbers(view, replay_tree(replay), node);
	strbuf_pad(&view->buf, ' ', indent < INDENT_MAX ? indent : INDENT_MAX);
	quote_adds(&view->buf, out_style(view->out, replay_style_of(node)));
	replay_put_label(view, replay, node, pid, &view->buf);
	quote_adds(&view->buf, out_style(view->out, OUT_PLAIN));
	quote_adds(&view->buf, out_style(view->out, OUT_FAINT));
	replay_put_remarks(node, view->out->utf8, &view->buf);
	quote_adds(&view->buf, out_style(view->out, OUT_PLAIN));
	strbuf_addc(&view->buf, '\n');
	replay_flush(view);
}

static void print_below(struct replay_view *view, const struct replay *replay, int32_t pid,
			uint32_t at, unsigned level, int64_t parent)
{
	const struct replay_tree *tree = replay_tree(replay);
	const struct replay_node *node = &tree->nodes[at];
	int64_t number = (int64_t)view->n++;

	if (view->form == REPLAY_TEXT)
		print_node(view, replay, pid, node, level);
	else
		replay_write_node(view, replay, pid, node, level, parent);
	for (uint32_t child = node->first; child != REPLAY_NONE; child = tree->nodes[child].next)
		print_below(view, replay, pid, child, level + 1, number);
}

void replay_print_tree(void *data, const struct replay *replay, int32_t pid, uint32_t node)
{
	struct replay_view *view = data;
	const struct replay_node *root = &replay_tree(replay)->nodes[node];
	const char *name = replay_task_name(replay, pid);
	bool is_same;

	if (root->start > view->to || replay_end_of(replay_tree(replay), root) < view->from)
		return;
	replay_make_room(view);
	is_same = view->has_task && view->pid == pid && str_eq(view->task, name);
	if (view->form == REPLAY_TEXT && !is_same) {
		if (view->n)
			strbuf_addc(&view->buf, '\n');
		quote_addf(&view->buf, "%s%s-%" PRId32 "%s\n", out_style(view->out, OUT_TITLE),
			   *name ? name : "<...>", pid, out_style(view->out, OUT_PLAIN));
		replay_flush(view);
	}
	view->has_task = true;
	view->pid = pid;
	snprintf(view->task, sizeof(view->task), "%s", name);
	print_below(view, replay, pid, node, 0, -1);
	replay_flush(view);
}

void replay_print_head(struct replay_view *view)
{
	switch (view->form) {
	case REPLAY_TEXT:
		quote_addf(&view->buf, "%s            time   duration  what%s\n",
			   out_style(view->out, OUT_TITLE), out_style(view->out, OUT_PLAIN));
		break;
	case REPLAY_JSON:
		json_document_begin(&view->json, &view->buf, true);
		json_begin_array(&view->json, "entries");
		break;
	case REPLAY_CSV:
		strbuf_adds(&view->buf,
			    "index,parent_index,level,pid,task,cpu,kind,what,start_time_ns,count,"
			    "total_ns,self_ns,interrupt_ns,off_cpu_ns,min_ns,max_ns,result,"
			    "hidden_count,incomplete\n");
		break;
	}
	replay_flush(view);
}

int replay_print_end(struct replay_view *view)
{
	bool nomem;

	if (view->form == REPLAY_JSON) {
		json_end_array(&view->json);
		json_document_end(&view->json, &view->out->completeness);
	}
	replay_flush(view);
	nomem = view->nomem;
	strbuf_done(&view->buf);
	strbuf_done(&view->name);
	free(TAKE_PTR(view->room));
	return nomem ? -ENOMEM : 0;
}
