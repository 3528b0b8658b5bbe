/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* CPU samples and hits of watched memory: the place, followed by a line for each caller. */
#include "base/quote.h"
#include "format/event/sample-event.h"
#include "format/event/watch-event.h"
#include "render/report/report-parts.h"
#include "render/report/watch-change.h"

enum {
	STACK,
	KERNEL,
	TGID,
	IP,
	USER,
	END,
	/* Of samples. */
	EVENT,
	/* Of hits. */
	WHAT = EVENT,
	OLD,
	NEW,
	LENGTH,
	KNOWN,
	ACCESS,
};

/*
 * Appends "vfs_read+0x12". A return address at the end of a function belongs to that function, not
 * to the next one.
 */
static void event_sample_put_kernel(const struct rendering *r, uint64_t address, bool returned)
{
	uint64_t start;
	const char *name = rendering_symbol(r, address - returned, &start);

	if (name) {
		quote_text_str(r->text, name);
		text_char(r->text, '+');
		address -= start;
	}
	text_str(r->text, "0x");
	text_hex(r->text, address);
}

static void event_sample_put_address(const struct rendering *r, bool is_kernel, uint64_t tgid,
				     uint64_t address, bool returned)
{
	if (is_kernel)
		event_sample_put_kernel(r, address, returned);
	else
		rendering_user_address(r, (int32_t)tgid, address, returned);
}

/*
 * Appends the stack. If @behind, the innermost address is the one after the instruction in
 * question. Returns false if fields are missing.
 */
static bool put_stack(const struct rendering *r, bool behind)
{
	const struct event_format *format = r->plan->entry->format;
	const struct event_field *stack = r->plan->fields[STACK];
	uint64_t ip, kernel, tgid, user, address;

	if (!stack || !rendering_number(r, IP, &ip) || !rendering_number(r, KERNEL, &kernel) ||
	    !rendering_number(r, TGID, &tgid) || !rendering_number(r, USER, &user))
		return false;
	event_sample_put_address(r, !user, tgid, ip, behind);
	/* The innermost frame is already part of the line. */
	for (size_t i = 1;
	     event_field_element(format, stack, r->event->data, r->event->size, i, &address); i++) {
		text_bytes(r->text, "\n=> ", 4);
		event_sample_put_address(r, i < kernel, tgid, address, i != kernel);
		text_bytes(r->text, " (", 2);
		text_hex(r->text, address);
		text_char(r->text, ')');
	}
	if (rendering_number(r, END, &address) && sample_end_text(address)) {
		text_bytes(r->text, "\n=> ", 4);
		text_str(r->text, sample_end_text(address));
	}
	return true;
}

static bool print_sample(const struct rendering *r)
{
	const struct event_entry *entry;
	uint64_t id;

	/* A sample taken at an event rather than at a time: "at sched_switch  ". */
	if (rendering_number(r, EVENT, &id) && id && id < EVENT_TABLE_IDS) {
		entry = event_table_find(report_events(r->report), (uint16_t)id);
		text_str(r->text, "at ");
		quote_text_str(r->text, entry && entry->format ? entry->format->name : "an event");
		text_str(r->text, "  ");
	}
	return !put_stack(r, false);
}

/* "counter: 41 -> 42  increment+0x12 [/usr/bin/app]" */
static bool print_watch(const struct rendering *r)
{
	const struct event_field *what = r->plan->fields[WHAT];
	struct watch_change change = { 0 };
	char words[WATCH_CHANGE_SIZE];
	uint64_t length, known, access;
	const char *name;
	size_t len;

	if (!what || !rendering_number(r, OLD, &change.old) ||
	    !rendering_number(r, NEW, &change.value) || !rendering_number(r, LENGTH, &length) ||
	    !rendering_number(r, KNOWN, &known) || !rendering_number(r, ACCESS, &access) ||
	    !event_field_string(r->plan->entry->format, what, r->event->data, r->event->size, &name,
				&len))
		return true;
	change.length = (unsigned)length;
	change.has_old = known & WATCH_EVENT_OLD;
	change.has_value = known & WATCH_EVENT_NEW;
	change.executes = access == WATCH_EVENT_EXECUTE;
	change.reads = access & WATCH_EVENT_READ;
	watch_change_print(&change, words);
	quote_text(r->text, name, len);
	text_bytes(r->text, ": ", 2);
	text_str(r->text, words);
	text_bytes(r->text, "  ", 2);
	put_stack(r, !change.executes);
	return false;
}

const struct event_renderer event_sample_renderers[] = {
	{ SAMPLE_SYSTEM,
	  SAMPLE_NAME,
	  { "stack", "kernel", "tgid", "ip", "user", "end", "event" },
	  print_sample },
	{ WATCH_EVENT_SYSTEM,
	  WATCH_EVENT_NAME,
	  { "stack", "kernel", "tgid", "ip", "user", "end", "what", "old", "new", "length", "known",
	    "access" },
	  print_watch },
	{ 0 },
};
