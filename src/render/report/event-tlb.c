/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* TLB flushes. */
#include "render/report/event-renderer.h"

enum {
	PAGES,
	REASON
};

static bool print_flush(const struct rendering *r)
{
	static const char *const reasons[] = { "flush on task switch", "remote shootdown",
					       "local shootdown", "local mm shootdown" };
	uint64_t value;

	text_str(r->text, "pages=");
	if (rendering_show(r, PAGES, &value))
		text_s64(r->text, (int64_t)value);
	if (!rendering_find(r, REASON, &value))
		return true;
	text_str(r->text, " reason=");
	if (value < ARRAY_SIZE(reasons))
		text_str(r->text, reasons[value]);
	text_bytes(r->text, " (", 2);
	text_u64(r->text, value);
	text_char(r->text, ')');
	return false;
}

const struct event_renderer event_tlb_renderers[] = {
	{ "tlb", "tlb_flush", { "pages", "reason" }, print_flush },
	{ 0 },
};
