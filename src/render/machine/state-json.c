/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "render/machine/state-json.h"

void state_json_texts(struct json *json, const char *key, const struct text_list *list)
{
	json_begin_array(json, key);
	for (size_t i = 0; i < list->count; i++)
		json_string(json, NULL, list->items[i]);
	json_end_array(json);
}

void state_json_pairs(struct json *json, const char *key, const struct pair_list *list,
		      const char *name, const char *text)
{
	json_begin_array(json, key);
	for (size_t i = 0; i < list->count; i++) {
		json_begin_object(json, NULL);
		json_string(json, name, list->items[i].name);
		json_string(json, text, list->items[i].text);
		json_end_object(json);
	}
	json_end_array(json);
}

void state_json_buffer(struct json *json, const struct state_buffer *buffer)
{
	json_begin_object(json, NULL);
	json_string(json, "name", buffer->name);
	json_string(json, "tracer", buffer->tracer);
	json_bool(json, "is_on", buffer->on);
	state_json_texts(json, "events", &buffer->events);
	state_json_pairs(json, "settings", &buffer->settings, "name", "value");
	json_end_object(json);
}

void state_json_holder(struct json *json, const struct state_holder *holder)
{
	json_begin_object(json, NULL);
	json_s64(json, "pid", holder->pid);
	json_string(json, "comm", holder->comm);
	json_string(json, "what", holder->what);
	json_u64(json, "count", holder->count);
	json_end_object(json);
}
