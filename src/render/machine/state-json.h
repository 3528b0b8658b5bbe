/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Current users of tracing as JSON: objects that several commands share. Functions append to the
 * open array, or a member @key to the open object; errors are kept in json->buf.
 */
#ifndef FATHOM_RENDER_MACHINE_STATE_JSON_H
#define FATHOM_RENDER_MACHINE_STATE_JSON_H

#include "kernel/state/state.h"
#include "render/kit/json.h"

/*
 * Members: "name" ("" for the top level), "tracer", "on", "events" (names), "settings" (objects
 * with "name" and "value").
 */
void state_json_buffer(struct json *json, const struct state_buffer *buffer);
/* Members: "pid", "comm", "what", "count". */
void state_json_holder(struct json *json, const struct state_holder *holder);
/* An array of strings, and an array of objects with the members @name and @text. */
void state_json_texts(struct json *json, const char *key, const struct text_list *list);
void state_json_pairs(struct json *json, const char *key, const struct pair_list *list,
		      const char *name, const char *text);

#endif
