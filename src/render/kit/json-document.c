/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "render/kit/json-document.h"

#include <fathom/version.h>

void completeness_add(struct completeness *completeness, const struct completeness *other)
{
	/* A single recording without a count of lost events makes the sum unknown. */
	completeness->lost_known = other->lost_known &&
				   (completeness->lost_known || !completeness->of_recording);
	completeness->of_recording |= other->of_recording;
	completeness->lost_more |= other->lost_more;
	completeness->lost += other->lost;
	completeness->damaged |= other->damaged;
	completeness->unfinished |= other->unfinished;
	completeness->cut |= other->cut;
	completeness->time_range |= other->time_range;
	completeness->filtered |= other->filtered;
	completeness->some_tasks |= other->some_tasks;
	completeness->some_cpus |= other->some_cpus;
	completeness->hidden_interrupts |= other->hidden_interrupts;
	completeness->unreadable |= other->unreadable;
	completeness->uncounted |= other->uncounted;
}

void completeness_json(const struct completeness *completeness, struct json *json)
{
	static const struct completeness nothing;
	const struct completeness *c = completeness ?: &nothing;
	const struct {
		bool missing;
		const char *word;
	} words[] = {
		{ c->lost || c->lost_more, "lost_events" },
		{ c->damaged, "damaged_parts" },
		{ c->unfinished, "unfinished_end" },
		{ c->cut, "unread_end" },
		{ c->time_range, "outside_time_range" },
		{ c->filtered, "filtered_events" },
		{ c->some_tasks, "untraced_tasks" },
		{ c->some_cpus, "untraced_cpus" },
		{ c->hidden_interrupts, "hidden_interrupts" },
		{ c->unreadable, "unreadable_state" },
		{ c->uncounted, "uncounted_events" },
	};
	bool is_complete = true;

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		is_complete &= !words[i].missing;
	json_begin_object(json, "completeness");
	/* Without a count of lost events, this is unknown. */
	if (is_complete && c->of_recording && !c->lost_known)
		json_null(json, "is_complete");
	else
		json_bool(json, "is_complete", is_complete);
	json_begin_array(json, "missing");
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (words[i].missing)
			json_string(json, NULL, words[i].word);
	json_end_array(json);
	if (c->lost_known)
		json_u64(json, "lost_event_count", c->lost);
	else
		json_null(json, "lost_event_count");
	json_bool(json, "lost_count_is_minimum", c->lost_more);
	json_end_object(json);
}

void json_document_begin(struct json *json, struct strbuf *buf, bool pretty)
{
	json_init(json, buf, pretty);
	json_begin_object(json, NULL);
	json_u64(json, "schema", JSON_SCHEMA);
	json_string(json, "version", fathom_version());
}

void json_document_begin_csv(struct json *json, struct strbuf *buf, struct json_csv *csv)
{
	if (!csv) {
		json_document_begin(json, buf, true);
		return;
	}
	json_init(json, buf, false);
	json->csv = csv;
	json_csv_head(csv, buf);
	json_begin_object(json, NULL);
}

void json_document_end(struct json *json, const struct completeness *completeness)
{
	completeness_json(completeness, json);
	json_end_object(json);
	json_end_document(json);
}
