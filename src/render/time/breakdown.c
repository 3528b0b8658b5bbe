/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "render/time/breakdown.h"

#include "base/quote.h"
#include "base/strbuf.h"
#include "render/kit/duration.h"

#define PARTS_SHOWN 5 /* of each entry */

/* One percent of the time. Calls that did not return have no total. */
static uint64_t least_shown(const struct breakdown_entry *entry)
{
	uint64_t own = 0;

	for (size_t i = 0; i < entry->n; i++)
		own += entry->parts[i].own;
	return (own > entry->total ? own : entry->total) / 100;
}

bool breakdown_put(const struct breakdown_entry *entry, bool noise, struct strbuf *buf)
{
	uint64_t least = least_shown(entry);
	size_t shown = 0;

	for (size_t i = 0; i < entry->n && shown < PARTS_SHOWN; i++) {
		const struct breakdown_part *part = &entry->parts[i];
		char text[DURATION_SIZE];

		if (part->noise != noise || part->own < least)
			continue;
		strbuf_adds(buf, shown ? ", " : "");
		quote_addf(buf, part->grouped ? "%s_* %s" : "%s %s", part->name,
			   duration_text(part->own, text));
		shown++;
	}
	return shown;
}

int breakdown_print(const struct breakdown_entry *entry, unsigned at, struct out *out)
{
	_cleanup_strbuf_ struct strbuf line = { 0 };
	int r;

	if (breakdown_put(entry, false, &line)) {
		out_printf(out, OUT_PLAIN, "%*s", (int)at, "");
		out_wrap(out, at, at, strbuf_str(&line));
	}
	r = line.err;
	strbuf_clear(&line);
	if (breakdown_put(entry, true, &line)) {
		out_printf(out, OUT_FAINT, "%*snoise: ", (int)at, "");
		out_wrap(out, at + 7, at + 7, strbuf_str(&line));
	}
	return r ?: line.err;
}

void breakdown_json(const struct breakdown_entry *entry, struct json *json)
{
	json_begin_array(json, "phases");
	for (size_t i = 0; i < entry->n; i++) {
		json_begin_object(json, NULL);
		json_string(json, "name", entry->parts[i].name);
		json_bool(json, "is_noise", entry->parts[i].noise);
		json_bool(json, "is_name_prefix", entry->parts[i].grouped);
		json_u64(json, "self_ns", entry->parts[i].own);
		json_u64(json, "call_count", entry->parts[i].calls);
		json_end_object(json);
	}
	json_end_array(json);
}
