/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Writes JSON as it goes, into a strbuf that the caller empties when it likes;
 * no tree is kept. Keys and nesting are the caller's to get right: inside an
 * object every call names a @key, inside an array @key is NULL. What is written is
 * ASCII: all other characters are \u escapes, whatever the locale, and bytes that are
 * no UTF-8 become U+FFFD, so the result is always valid JSON.
 */
#ifndef FATHOM_RENDER_KIT_JSON_H
#define FATHOM_RENDER_KIT_JSON_H

#include <stdbool.h>
#include <stdint.h>

#include "base/strbuf.h"

#define JSON_DEPTH_MAX 32

struct json {
	struct strbuf *buf;
	bool pretty; /* one member per line, indented by two */
	unsigned depth;
	bool has_member[JSON_DEPTH_MAX]; /* by depth: is a comma due? */
};

void json_init(struct json *json, struct strbuf *buf, bool pretty);
void json_begin_object(struct json *json, const char *key);
void json_end_object(struct json *json);
void json_begin_array(struct json *json, const char *key);
void json_end_array(struct json *json);
/* A NULL @value becomes null. */
void json_string(struct json *json, const char *key, const char *value);
void json_string_len(struct json *json, const char *key, const char *value, size_t len);
void json_u64(struct json *json, const char *key, uint64_t value);
void json_s64(struct json *json, const char *key, int64_t value);
/* Thousandths of a number, as "12.345": JSON has no other way to keep nanoseconds apart. */
void json_thousandths(struct json *json, const char *key, uint64_t value);
void json_bool(struct json *json, const char *key, bool value);
void json_null(struct json *json, const char *key);
/* Ends a document: a newline, and ready for the next one. */
void json_end_document(struct json *json);

#endif
