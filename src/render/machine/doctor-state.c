/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The sections of fathom doctor about current users of tracing and leftovers. */
#include "render/machine/doctor.h"

#include <ctype.h>

#include "base/quote.h"
#include "base/str.h"
#include "render/kit/amount.h"

#define NAMED	3 /* entries of a long list that are shown */
#define SHOWN	8 /* lines of one kind that are shown */
#define SUBJECT 19 /* width of the column with the user of tracing */

/* Replaces control characters: names of processes, programs and instances are untrusted. */
static void print_indented(struct out *out, unsigned int indent, struct strbuf *buf)
{
	for (size_t i = 0; i < buf->len; i++)
		if (iscntrl((unsigned char)buf->s[i]))
			buf->s[i] = '?';
	out_printf(out, OUT_PLAIN, "%*s", (int)indent, "");
	out_wrap(out, indent, indent + 2, strbuf_str(buf));
	strbuf_clear(buf);
}

static void doctor_state_print_line(struct out *out, struct strbuf *buf)
{
	print_indented(out, 2, buf);
}

/* Pads the first column. */
static void doctor_state_add_pad(struct strbuf *buf)
{
	do
		strbuf_addc(buf, ' ');
	while (!buf->err && buf->len < SUBJECT);
}

/*
 * Prints a subject of length @subject, padded to its column, and the text that follows it in @buf.
 * Clears @buf.
 */
static void doctor_state_print_pair(struct out *out, struct strbuf *buf, size_t subject)
{
	for (size_t i = 0; i < buf->len; i++)
		if (iscntrl((unsigned char)buf->s[i]))
			buf->s[i] = '?';
	out_printf(out, OUT_PLAIN, "  %.*s", (int)subject, strbuf_str(buf));
	out_wrap(out, 2 + (unsigned)subject, 2 + SUBJECT, strbuf_str(buf) + subject);
	strbuf_clear(buf);
}

static void print_more(struct out *out, size_t count)
{
	if (count > SHOWN)
		out_printf(out, OUT_FAINT, "  ... and %zu more\n", count - SHOWN);
}

static void doctor_state_print_buffer(struct out *out, const struct state_buffer *buffer)
{
	_cleanup_strbuf_ struct strbuf buf = { 0 };
	size_t subject;

	if (*buffer->name)
		quote_addf(&buf, "instance '%s'", buffer->name);
	else
		strbuf_adds(&buf, "top level");
	doctor_state_add_pad(&buf);
	subject = buf.len;
	if (!*buffer->tracer || str_eq(buffer->tracer, "nop"))
		strbuf_adds(&buf, "no tracer");
	else
		quote_addf(&buf, "tracer %s", buffer->tracer);
	strbuf_adds(&buf, ", ");
	amount_put_count(&buf, buffer->events.count, "event", "events");
	for (size_t i = 0; i < buffer->events.count && i < NAMED; i++)
		quote_addf(&buf, "%s%s", i ? ", " : " (", buffer->events.items[i]);
	if (buffer->events.count)
		strbuf_adds(&buf, buffer->events.count > NAMED ? ", ...)" : ")");
	strbuf_adds(&buf, buffer->on ? ", recording" : ", paused");
	doctor_state_print_pair(out, &buf, subject);
	for (size_t i = 0; i < buffer->settings.count && i < SHOWN; i++) {
		quote_addf(&buf, "%s: %s", buffer->settings.items[i].name,
			   buffer->settings.items[i].text);
		print_indented(out, 4, &buf);
	}
	print_more(out, buffer->settings.count);
}

static void doctor_state_print_functions(struct out *out, const struct trace_state *state)
{
	_cleanup_strbuf_ struct strbuf buf = { 0 };
	size_t subject;

	if (!state->functions)
		return;
	strbuf_adds(&buf, "kernel functions");
	doctor_state_add_pad(&buf);
	subject = buf.len;
	quote_addf(&buf, "%zu traced", state->functions);
	for (size_t i = 0; i < state->callbacks.count && i < SHOWN; i++)
		quote_addf(&buf, "%s%s (%zu)", i ? ", " : ", by ", state->callbacks.items[i].name,
			   state->callbacks.items[i].functions);
	doctor_state_print_pair(out, &buf, subject);
}

static void print_bpf(struct out *out, const struct trace_state *state)
{
	_cleanup_strbuf_ struct strbuf buf = { 0 };

	for (size_t i = 0; i < state->bpf.count && i < SHOWN; i++) {
		const struct state_bpf *bpf = &state->bpf.items[i];

		size_t subject;

		quote_addf(&buf, "BPF program %u", bpf->id);
		doctor_state_add_pad(&buf);
		subject = buf.len;
		quote_addf(&buf, "'%s' (%s)", bpf->name, bpf->type);
		if (*bpf->target)
			quote_addf(&buf, " on %s", bpf->target);
		doctor_state_print_pair(out, &buf, subject);
	}
	print_more(out, state->bpf.count);
}

static void doctor_state_print_holders(struct out *out, const struct trace_state *state)
{
	_cleanup_strbuf_ struct strbuf buf = { 0 };

	for (size_t i = 0; i < state->holders.count && i < SHOWN; i++) {
		const struct state_holder *holder = &state->holders.items[i];

		size_t subject;

		quote_addf(&buf, "process %ld (%s)", holder->pid, holder->comm);
		doctor_state_add_pad(&buf);
		subject = buf.len;
		quote_addf(&buf, "%s open", holder->what);
		if (holder->count > 1)
			quote_addf(&buf, ", %zu times", holder->count);
		doctor_state_print_pair(out, &buf, subject);
	}
	print_more(out, state->holders.count);
}

static void print_dynamic_events(struct out *out, const struct trace_state *state)
{
	_cleanup_strbuf_ struct strbuf buf = { 0 };

	for (size_t i = 0; i < state->dynamic_events.count && i < SHOWN; i++) {
		size_t subject;

		strbuf_adds(&buf, "dynamic event");
		doctor_state_add_pad(&buf);
		subject = buf.len;
		quote_adds(&buf, state->dynamic_events.items[i]);
		doctor_state_print_pair(out, &buf, subject);
	}
	print_more(out, state->dynamic_events.count);
}

static void print_leftovers(struct out *out, const struct trace_state *state)
{
	_cleanup_strbuf_ struct strbuf buf = { 0 };

	if (!state->leftovers.count)
		return;
	out_printf(out, OUT_TITLE,
		   "\nLeft behind by an earlier fathom session "
		   "('fathom reset' removes it)\n");
	for (size_t i = 0; i < state->leftovers.count && i < SHOWN; i++) {
		const struct state_leftover *left = &state->leftovers.items[i];

		quote_addf(&buf, "%s '%s'", left->kind, left->name);
		if (left->pid)
			quote_addf(&buf, ", in use by process %ld", left->pid);
		doctor_state_print_line(out, &buf);
	}
	print_more(out, state->leftovers.count);
}

void doctor_print_recordings(struct out *out, const struct left_recordings *left)
{
	_cleanup_strbuf_ struct strbuf buf = { 0 };

	if (!left->n)
		return;
	out_printf(out, OUT_TITLE,
		   "\nUnfinished recordings ('fathom recover FILE' finishes them)\n");
	for (size_t i = 0; i < left->n && i < SHOWN; i++) {
		quote_addf(&buf, "'%s' (recorder %ld was killed)", left->list[i].path,
			   left->list[i].pid);
		doctor_state_print_line(out, &buf);
	}
	print_more(out, left->n);
}

void doctor_print_state(struct out *out, const struct trace_state *state)
{
	_cleanup_strbuf_ struct strbuf buf = { 0 };

	out_printf(out, OUT_TITLE, "\n%s\n", "In use");
	if (!trace_state_active(state)) {
		strbuf_adds(&buf,
			    state->unseen.count ?
				    "nothing visible" :
				    "nothing: no tracer, event, probe or BPF program is active");
		doctor_state_print_line(out, &buf);
	}
	for (size_t i = 0; i < state->buffers.count; i++) {
		const struct state_buffer *buffer = &state->buffers.items[i];

		/* Unlike an instance, the top-level buffer always exists. */
		if (*buffer->name || state_buffer_active(buffer) || buffer->settings.count ||
		    !buffer->on)
			doctor_state_print_buffer(out, buffer);
	}
	print_dynamic_events(out, state);
	doctor_state_print_functions(out, state);
	print_bpf(out, state);
	doctor_state_print_holders(out, state);
	for (size_t i = 0; i < state->unseen.count; i++) {
		size_t subject;

		strbuf_adds(&buf, "not visible");
		doctor_state_add_pad(&buf);
		subject = buf.len;
		quote_addf(&buf, "%s (%s)", state->unseen.items[i].name,
			   state->unseen.items[i].text);
		doctor_state_print_pair(out, &buf, subject);
	}
	print_leftovers(out, state);
}
