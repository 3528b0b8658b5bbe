/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Samples of CPUs: where it was, and behind it a line for each function that called. */
#include "render/report-parts.h"
#include "format/sample-event.h"

enum {
	STACK,
	KERNEL,
	TGID,
	IP,
	USER,
};

/* "vfs_read+0x12"; what returns to the end of a function has its name, and not that of the next one. */
static void put_kernel(const struct rendering *r, uint64_t address, bool returned)
{
	uint64_t start;
	const char *name = rendering_symbol(r, address - returned, &start);

	if (name) {
		text_str(r->text, name);
		text_char(r->text, '+');
		address -= start;
	}
	text_str(r->text, "0x");
	text_hex(r->text, address);
}

static void put_address(const struct rendering *r, bool is_kernel, uint64_t tgid, uint64_t address,
			bool returned)
{
	if (is_kernel)
		put_kernel(r, address, returned);
	else
		rendering_user_address(r, (int32_t)tgid, address, returned);
}

static bool print_sample(const struct rendering *r)
{
	const struct event_format *format = r->plan->entry->format;
	const struct event_field *stack = r->plan->fields[STACK];
	uint64_t ip, kernel, tgid, user, address;

	if (!stack || !rendering_number(r, IP, &ip) || !rendering_number(r, KERNEL, &kernel) ||
	    !rendering_number(r, TGID, &tgid) || !rendering_number(r, USER, &user))
		return true;
	put_address(r, !user, tgid, ip, false);
	/* The innermost was just told. */
	for (size_t i = 1;
	     event_field_element(format, stack, r->event->data, r->event->size, i, &address); i++) {
		text_bytes(r->text, "\n=> ", 4);
		put_address(r, i < kernel, tgid, address, i != kernel);
		text_bytes(r->text, " (", 2);
		text_hex(r->text, address);
		text_char(r->text, ')');
	}
	return false;
}

const struct event_renderer event_sample_renderers[] = {
	{ SAMPLE_SYSTEM, SAMPLE_NAME, { "stack", "kernel", "tgid", "ip", "user" }, print_sample },
	{ 0 },
};
