/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* High-resolution timers. */
#include "base/quote.h"
#include "render/report/report-parts.h"

enum {
	TIMER,
	HRTIMER,
	FUNCTION,
	NOW,
	EXPIRES,
	SOFTEXPIRES
};
#define TIMER_FIELDS "timer", "hrtimer", "function", "now", "expires", "softexpires"

static void put_timer(const struct rendering *r)
{
	uint64_t timer;

	text_str(r->text, "hrtimer=");
	if (!rendering_number(r, TIMER, &timer) && !rendering_show(r, HRTIMER, &timer))
		return;
	text_bytes(r->text, "0x", 2);
	text_hex(r->text, timer);
}

/* Appends " function=name/0x0"; after the slash comes the offset in the function. */
static void event_hrtimer_put_function(const struct rendering *r)
{
	uint64_t address, start;
	const char *name;

	if (!rendering_number(r, FUNCTION, &address))
		return;
	text_str(r->text, " function=");
	name = rendering_symbol(r, address, &start);
	if (!name) {
		text_number(r->text, &(struct text_number){ .value = address,
							    .base = 16,
							    .width = 10,
							    .precision = -1,
							    .zero = true,
							    .prefix = true });
		return;
	}
	quote_text_str(r->text, name);
	text_str(r->text, "/0x");
	text_hex(r->text, start - address);
}

static void event_hrtimer_put_time(const struct rendering *r, const char *label, unsigned field)
{
	uint64_t time;

	text_str(r->text, label);
	if (rendering_show(r, field, &time))
		text_u64(r->text, time);
}

static bool print_expire(const struct rendering *r)
{
	put_timer(r);
	event_hrtimer_put_time(r, " now=", NOW);
	event_hrtimer_put_function(r);
	return false;
}

static bool print_start(const struct rendering *r)
{
	put_timer(r);
	event_hrtimer_put_function(r);
	event_hrtimer_put_time(r, " expires=", EXPIRES);
	event_hrtimer_put_time(r, " softexpires=", SOFTEXPIRES);
	return false;
}

const struct event_renderer event_hrtimer_renderers[] = {
	{ "timer", "hrtimer_expire_entry", { TIMER_FIELDS }, print_expire },
	{ "timer", "hrtimer_start", { TIMER_FIELDS }, print_start },
	{ 0 },
};
