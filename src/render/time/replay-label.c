/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The text of a replay entry, shared by the screen, JSON and CSV, and the viewer. */
#include "render/time/replay-label.h"

#include <inttypes.h>
#include <string.h>

#include "analyze/calls/phases.h"
#include "analyze/devices/irqs.h"
#include "analyze/syscalls/syscall-args.h"
#include "base/mem.h"
#include "base/quote.h"
#include "render/kit/amount.h"
#include "render/kit/duration.h"
#include "render/kit/result.h"
#include "render/kit/syscall-fate.h"
#include "render/waits/waker.h"

/* Longer texts of events are cut. */
#define TEXT_SIZE 4096

const char *replay_kind_word(enum replay_kind kind)
{
	static const char *const words[] = {
		[REPLAY_CALL] = "call",		[REPLAY_NOISE] = "noise",
		[REPLAY_FUNCTION] = "function", [REPLAY_SYSCALL] = "system call",
		[REPLAY_IRQ] = "interrupt",	[REPLAY_SOFTIRQ] = "softirq",
		[REPLAY_AWAY] = "away",		[REPLAY_EVENT] = "event",
		[REPLAY_LOST] = "lost",		[REPLAY_GROUP] = "repeated",
	};

	return words[kind];
}

void replay_put_wait(struct strbuf *buf, const struct task_states *states,
		     const struct task_span *span)
{
	if (span->state == TASK_STATE_RUNNABLE) {
		strbuf_adds(buf, span->was_preempted ? "preempted" : "runnable");
		return;
	}
	quote_adds(buf, state_word(span->state));
	if (span->at_end)
		return;
	strbuf_adds(buf, ", ");
	waker_put(buf, states, span->waker);
}

/* Appends the text of an event as one line. */
static void replay_put_text(struct strbuf *buf, const struct text *text)
{
	const char *p = text->s, *end = text->p;

	while (p < end && *p == ' ')
		p++;
	for (; p < end; p++)
		strbuf_addc(buf, *p == '\n' || *p == '\t' ? ' ' : *p);
}

/* Returns the event whose bytes are stored with the node. */
static struct fathom_event replay_event_of(const struct replay *replay,
					   const struct replay_node *node, int32_t pid)
{
	return (struct fathom_event){ .time = node->start,
				      .data = replay_tree_bytes(replay_tree(replay), node),
				      .size = node->len,
				      .cpu = node->cpu,
				      .pid = pid,
				      .id = node->id };
}

/* Appends the text of the event stored with the node; returns false if there is none. */
static bool replay_put_event(struct replay_view *view, const struct replay *replay,
			     const struct replay_node *node, int32_t pid, struct strbuf *buf)
{
	struct fathom_event event = replay_event_of(replay, node, pid);
	const struct event_entry *entry;
	struct text text;

	if (!node->len || !view->room)
		return false;
	text_init(&text, view->room, TEXT_SIZE);
	if (node->kind == REPLAY_CALL)
		return report_call_text(view->report, &event, &text) &&
		       (replay_put_text(buf, &text), true);
	entry = event_table_find(report_events(view->report), event.id);
	if (node->kind == REPLAY_EVENT && entry)
		quote_addf(buf, "%s: ", entry->format->name);
	report_event_text(view->report, &event, &text);
	replay_put_text(buf, &text);
	return true;
}

/* Appends the values recorded by a probe on the entry of a function: its text after the address. */
static bool replay_put_probe(struct replay_view *view, const struct replay_node *node,
			     const struct replay *replay, int32_t pid, struct strbuf *buf)
{
	struct fathom_event event = replay_event_of(replay, node, pid);
	struct text text;
	char *p;

	if (!view->room)
		return false;
	text_init(&text, view->room, TEXT_SIZE);
	report_event_text(view->report, &event, &text);
	p = memchr(text.s, ')', text_len(&text));
	text.s = p ? p + 1 : text.s;
	strbuf_addc(buf, '(');
	replay_put_text(buf, &text);
	strbuf_addc(buf, ')');
	return true;
}

static void time_replay_put_call(struct replay_view *view, const struct replay *replay,
				 const struct replay_node *node, int32_t pid, struct strbuf *buf)
{
	const struct func *func = replay_func(replay, node->what);

	if (!func) {
		strbuf_adds(buf, "unknown function");
		return;
	}
	if (node->len && !(node->flags & REPLAY_VARIES) &&
	    replay_put_event(view, replay, node, pid, buf))
		return;
	func_put_name(func, buf);
	if (node->len &&
	    (node->flags & REPLAY_VARIES || !replay_put_probe(view, node, replay, pid, buf)))
		strbuf_adds(buf, "(...)");
}

static void put_syscall(const struct replay *replay, const struct replay_node *node,
			struct strbuf *buf)
{
	const char *name = replay_syscall_name(replay, node->what);

	if (node->len)
		quote_add(buf, replay_tree_bytes(replay_tree(replay), node), node->len);
	else if (name)
		quote_addf(buf, "%s()", name);
	else
		quote_addf(buf, "system call %" PRId32 "()", (int32_t)node->what);
}

void replay_put_name(struct replay_view *view, const struct replay *replay,
		     const struct replay_node *node, int32_t pid, struct strbuf *buf)
{
	const struct phases *phases = replay_options(replay)->phases;

	switch (node->kind) {
	case REPLAY_CALL:
	case REPLAY_FUNCTION:
		time_replay_put_call(view, replay, node, pid, buf);
		break;
	case REPLAY_NOISE:
		quote_adds(buf, phases_get(phases, (int)node->what)->name);
		break;
	case REPLAY_SYSCALL:
		put_syscall(replay, node, buf);
		break;
	case REPLAY_IRQ:
		strbuf_adds(buf, "interrupt: ");
		replay_put_event(view, replay, node, pid, buf);
		break;
	case REPLAY_SOFTIRQ:
		quote_addf(buf, "softirq %s", irqs_softirq_name(node->what) ?: "");
		break;
	case REPLAY_AWAY:
		quote_add(buf, replay_tree_bytes(replay_tree(replay), node), node->len);
		break;
	case REPLAY_EVENT:
		replay_put_event(view, replay, node, pid, buf);
		break;
	case REPLAY_LOST:
		if (node->result)
			quote_addf(buf, "%" PRId64 " events lost here", node->result);
		else
			strbuf_adds(buf, "events lost here");
		break;
	case REPLAY_GROUP:
		strbuf_adds(buf, "repeated");
		break;
	}
}

static void replay_put_result(const struct replay *replay, const struct replay_node *node,
			      struct strbuf *buf)
{
	char text[RESULT_SIZE];

	if (node->flags & REPLAY_RESULT_VARIES)
		strbuf_adds(buf, "...");
	else if (node->kind == REPLAY_SYSCALL)
		syscall_result_put(buf, replay_syscall_name(replay, node->what), node->result,
				   NULL);
	else
		quote_adds(buf, result_text(node->result, text));
}

static void put_each(struct strbuf *buf, const struct replay_node *node, bool utf8)
{
	char min[DURATION_SIZE], max[DURATION_SIZE];

	quote_addf(buf, " %s%" PRIu64, utf8 ? "× " : "x ", node->count);
	if (!node->max || node->kind == REPLAY_GROUP)
		return;
	duration_text(node->min, min);
	duration_text(node->max, max);
	if (strcmp(min, max) == 0)
		quote_addf(buf, ", each %s", min);
	else
		quote_addf(buf, ", each %s to %s", min, max);
}

/* Parts below a tenth of the time are omitted. */
static void replay_put_part(struct strbuf *buf, const struct replay_node *node, uint64_t ns,
			    const char *what)
{
	char duration[DURATION_SIZE];

	if (ns && ns >= node->times.total / 10)
		quote_addf(buf, "; %s %s", what, duration_text(ns, duration));
}

void replay_put_remarks(const struct replay_node *node, bool utf8, struct strbuf *buf)
{
	size_t start;

	if (node->count > 1)
		put_each(buf, node, utf8);
	start = buf->len;
	if (node->flags & REPLAY_NO_START)
		strbuf_adds(buf, "; start not recorded");
	if (node->flags & REPLAY_NO_END && node->fate == SYSCALL_RETURNED)
		strbuf_adds(buf, "; end not recorded");
	replay_put_part(buf, node, node->times.asleep, "off-CPU");
	replay_put_part(buf, node, node->times.stolen, "interrupted");
	if (node->hidden && node->kind != REPLAY_NOISE) {
		strbuf_adds(buf, "; ");
		amount_put_count(buf, node->hidden, "call", "calls");
		strbuf_adds(buf, " inside");
	}
	/* The first remark has no semicolon before it. */
	if (buf->len > start && !buf->err)
		memcpy(buf->s + start, "  ", 2);
}

void replay_make_room(struct replay_view *view)
{
	if (!view->room)
		view->room = mem_alloc(TEXT_SIZE);
	view->nomem |= !view->room;
}

void replay_put_label(struct replay_view *view, const struct replay *replay,
		      const struct replay_node *node, int32_t pid, struct strbuf *buf)
{
	bool in_parentheses = node->kind == REPLAY_NOISE || node->kind == REPLAY_AWAY ||
			      node->kind == REPLAY_LOST || node->kind == REPLAY_GROUP;

	replay_make_room(view);
	if (in_parentheses)
		strbuf_addc(buf, '(');
	replay_put_name(view, replay, node, pid, buf);
	if (node->flags & REPLAY_HAS_RESULT) {
		strbuf_adds(buf, " = ");
		replay_put_result(replay, node, buf);
	} else if (node->kind == REPLAY_SYSCALL && node->fate != SYSCALL_RETURNED) {
		quote_addf(buf, " = %s", syscall_fate_remark(node->fate));
	}
	if (in_parentheses)
		strbuf_addc(buf, ')');
}
