/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What traces right now, as JSON: the objects that several commands have in common. */
#ifndef FATHOM_RENDER_MACHINE_STATE_JSON_H
#define FATHOM_RENDER_MACHINE_STATE_JSON_H

#include "kernel/state/state.h"
#include "render/kit/json.h"

/* "name" ("": the top level), "tracer", "on", "events" (names), "settings" ("name", "value"). */
void state_json_buffer(struct json *json, const struct state_buffer *buffer);
/* "pid", "comm", "what", "count". */
void state_json_holder(struct json *json, const struct state_holder *holder);
/* An array of texts, and one of objects with two texts each. */
void state_json_texts(struct json *json, const char *key, const struct text_list *list);
void state_json_pairs(struct json *json, const char *key, const struct pair_list *list,
		      const char *name, const char *text);

#endif
