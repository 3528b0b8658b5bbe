/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Changes in the configuration of a wireless interface, on several lines. */
#include "base/quote.h"
#include "render/report/report-parts.h"

#define INDENT 65

enum {
	WIPHY_NAME,
	VIF_NAME,
	VIF_TYPE,
	ASSOC,
	AID,
	CTS,
	SHORTPRE,
	SHORTSLOT,
	DTIMPER,
	BCNINT,
	ASSOC_CAP,
	BASIC_RATES
};

static void event_mac80211_put_string(const struct rendering *r, unsigned i)
{
	const struct event_field *field = r->plan->fields[i];
	const char *s;
	size_t len;

	if (!field) {
		text_str(r->text, "NOTFOUND:");
		text_str(r->text, r->plan->renderer->fields[i]);
	} else if (event_field_string(r->plan->entry->format, field, r->event->data, r->event->size,
				      &s, &len)) {
		quote_text(r->text, s, len);
	}
}

static void event_mac80211_put_number(const struct rendering *r, unsigned i, bool hex)
{
	uint64_t value;

	if (!rendering_number(r, i, &value))
		return;
	text_str(r->text, r->plan->renderer->fields[i]);
	text_char(r->text, ':');
	if (!hex) {
		text_s64(r->text, (int32_t)value);
		return;
	}
	if ((uint32_t)value)
		text_bytes(r->text, "0x", 2);
	text_hex(r->text, (uint32_t)value);
}

static void event_mac80211_new_line(const struct rendering *r)
{
	text_char(r->text, '\n');
	text_fill(r->text, ' ', INDENT);
}

/* Appends a field beyond RENDERER_FIELDS. */
static void put_extra(const struct rendering *r, const char *name)
{
	const struct event_format *format = r->plan->entry->format;
	const struct event_field *field = event_field_find(format, name);
	uint64_t value;

	if (!field || !event_field_u64(format, field, r->event->data, r->event->size, &value))
		return;
	quote_text_str(r->text, name);
	text_char(r->text, ':');
	text_s64(r->text, (int32_t)value);
}

static bool print_bss_info(const struct rendering *r)
{
	uint64_t type;

	event_mac80211_put_string(r, WIPHY_NAME);
	text_str(r->text, " vif:");
	event_mac80211_put_string(r, VIF_NAME);
	if (rendering_show(r, VIF_TYPE, &type)) {
		text_char(r->text, '(');
		text_s64(r->text, (int32_t)type);
		text_char(r->text, ')');
	}
	event_mac80211_new_line(r);
	for (unsigned i = ASSOC; i <= DTIMPER; i++) {
		event_mac80211_put_number(r, i, false);
		text_char(r->text, ' ');
	}
	event_mac80211_new_line(r);
	event_mac80211_put_number(r, BCNINT, false);
	text_char(r->text, ' ');
	event_mac80211_put_number(r, ASSOC_CAP, true);
	text_char(r->text, ' ');
	event_mac80211_put_number(r, BASIC_RATES, true);
	text_char(r->text, ' ');
	put_extra(r, "enable_beacon");
	event_mac80211_new_line(r);
	put_extra(r, "ht_operation_mode");
	return false;
}

const struct event_renderer event_mac80211_renderers[] = {
	{ "mac80211",
	  "drv_bss_info_changed",
	  { "wiphy_name", "vif_name", "vif_type", "assoc", "aid", "cts", "shortpre", "shortslot",
	    "dtimper", "bcnint", "assoc_cap", "basic_rates" },
	  print_bss_info },
	{ 0 },
};
