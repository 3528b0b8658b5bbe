/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Writes JSON into a strbuf as it is produced; no tree is built. The caller may take or clear the
 * contents of the buffer at any time, and checks its @err for lack of memory. Inside an object,
 * every call needs a @key; inside an array, @key is NULL. The caller must nest calls correctly;
 * this is not checked, except for the depth, by assertions.
 *
 * The output is always valid JSON and ASCII, regardless of the locale: other characters are written
 * as \u escapes, invalid UTF-8 as U+FFFD.
 */
#ifndef FATHOM_RENDER_KIT_JSON_H
#define FATHOM_RENDER_KIT_JSON_H

#include <stdbool.h>
#include <stdint.h>

#include "base/strbuf.h"

#define JSON_DEPTH_MAX 32

struct json {
	struct strbuf *buf;
	struct json_csv *csv; /* one table is written, as CSV; NULL: JSON, see json-csv.h */
	bool pretty; /* one member per line, indented by two spaces per level */
	unsigned depth;
	bool has_member[JSON_DEPTH_MAX]; /* by depth: the next member needs a comma */
};

void json_init(struct json *json, struct strbuf *buf, bool pretty);
void json_begin_object(struct json *json, const char *key);
void json_end_object(struct json *json);
void json_begin_array(struct json *json, const char *key);
void json_end_array(struct json *json);
/* Writes null if @value is NULL. */
void json_string(struct json *json, const char *key, const char *value);
void json_string_len(struct json *json, const char *key, const char *value, size_t len);
void json_u64(struct json *json, const char *key, uint64_t value);
void json_s64(struct json *json, const char *key, int64_t value);
/* Writes a string, "0x1f": readers that use floating-point numbers would lose digits. */
void json_address(struct json *json, const char *key, uint64_t address);
/* Writes @value / 1000 with three decimals, as in "12.345"; exact, unlike a double. */
void json_thousandths(struct json *json, const char *key, uint64_t value);
void json_bool(struct json *json, const char *key, bool value);
void json_null(struct json *json, const char *key);
/*
 * Ends a document with a newline. All objects and arrays must be closed; the next document can
 * follow.
 */
void json_end_document(struct json *json);

#endif
