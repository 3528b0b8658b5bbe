/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "render/kit/json.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/quote.h"
#include "render/kit/json-csv.h"

#define NUMBER_SIZE 32

void json_init(struct json *json, struct strbuf *buf, bool pretty)
{
	memset(json, 0, sizeof(*json));
	json->buf = buf;
	json->pretty = pretty;
}

static void json_new_line(struct json *json)
{
	if (!json->pretty)
		return;
	strbuf_addc(json->buf, '\n');
	strbuf_pad(json->buf, ' ', 2 * (size_t)json->depth);
}

/* Escapes an ASCII character. */
static void add_escape(struct strbuf *buf, unsigned char c)
{
	static const char letters[] = "\"\"\\\\\bb\ff\nn\rr\tt";

	for (const char *l = letters; *l; l += 2)
		if ((unsigned char)*l == c) {
			strbuf_addc(buf, '\\');
			strbuf_addc(buf, l[1]);
			return;
		}
	strbuf_addf(buf, "\\u%04x", c);
}

/* Escapes a non-ASCII character, as a surrogate pair if it is beyond U+FFFF. */
static void json_add_number(struct strbuf *buf, uint32_t c)
{
	if (c > 0xffff)
		strbuf_addf(buf, "\\u%04x\\u%04x", 0xd800 + ((c - 0x10000) >> 10),
			    0xdc00 + (c & 0x3ff));
	else
		strbuf_addf(buf, "\\u%04x", c);
}

static void add_quoted(struct strbuf *buf, const char *s, size_t len)
{
	const char *end = s + len;

	strbuf_addc(buf, '"');
	while (s < end) {
		size_t n = quote_plain(s, (size_t)(end - s)), plain = 0;
		uint32_t c = 0;

		while (plain < n && s[plain] != '"' && s[plain] != '\\')
			plain++;
		strbuf_add(buf, s, plain);
		s += plain;
		if (s == end)
			break;
		n = quote_utf8(s, (size_t)(end - s), &c);
		if (n == 0)
			json_add_number(buf, 0xfffd);
		else if (c < 0x80)
			add_escape(buf, (unsigned char)c);
		else
			json_add_number(buf, c);
		s += n ?: 1;
	}
	strbuf_addc(buf, '"');
}

/* Writes the text that precedes a value: comma, indentation and key. */
static void begin_value(struct json *json, const char *key)
{
	if (json->depth) {
		if (json->has_member[json->depth - 1])
			strbuf_addc(json->buf, ',');
		json->has_member[json->depth - 1] = true;
		json_new_line(json);
	}
	if (key) {
		add_quoted(json->buf, key, strlen(key));
		strbuf_adds(json->buf, json->pretty ? ": " : ":");
	}
}

/* Writes a number or a word. */
static void json_plain(struct json *json, const char *key, const char *value)
{
	if (json->csv) {
		json_csv_value(json->csv, json->depth, key, value, strlen(value));
		return;
	}
	begin_value(json, key);
	quote_adds(json->buf, value);
}

static void begin_nested(struct json *json, const char *key, char bracket)
{
	assert(json->depth < JSON_DEPTH_MAX);
	if (json->csv) {
		json_csv_begin(json->csv, json->depth++, key, bracket == '[');
		return;
	}
	begin_value(json, key);
	json->has_member[json->depth++] = false;
	strbuf_addc(json->buf, bracket);
}

static void end_nested(struct json *json, char bracket)
{
	bool empty;

	assert(json->depth > 0);
	if (json->csv) {
		json_csv_end(json->csv, --json->depth, json->buf);
		return;
	}
	empty = !json->has_member[--json->depth];
	if (!empty)
		json_new_line(json);
	strbuf_addc(json->buf, bracket);
}

void json_begin_object(struct json *json, const char *key)
{
	begin_nested(json, key, '{');
}

void json_end_object(struct json *json)
{
	end_nested(json, '}');
}

void json_begin_array(struct json *json, const char *key)
{
	begin_nested(json, key, '[');
}

void json_end_array(struct json *json)
{
	end_nested(json, ']');
}

void json_string_len(struct json *json, const char *key, const char *value, size_t len)
{
	if (json->csv) {
		json_csv_value(json->csv, json->depth, key, value, len);
		return;
	}
	begin_value(json, key);
	add_quoted(json->buf, value, len);
}

void json_string(struct json *json, const char *key, const char *value)
{
	if (value)
		json_string_len(json, key, value, strlen(value));
	else
		json_null(json, key);
}

void json_u64(struct json *json, const char *key, uint64_t value)
{
	char text[NUMBER_SIZE];

	snprintf(text, sizeof(text), "%" PRIu64, value);
	json_plain(json, key, text);
}

void json_s64(struct json *json, const char *key, int64_t value)
{
	char text[NUMBER_SIZE];

	snprintf(text, sizeof(text), "%" PRId64, value);
	json_plain(json, key, text);
}

void json_thousandths(struct json *json, const char *key, uint64_t value)
{
	char text[NUMBER_SIZE];

	snprintf(text, sizeof(text), "%" PRIu64 ".%03u", value / 1000, (unsigned)(value % 1000));
	json_plain(json, key, text);
}

void json_address(struct json *json, const char *key, uint64_t address)
{
	char text[NUMBER_SIZE];
	int len = snprintf(text, sizeof(text), "0x%" PRIx64, address);

	json_string_len(json, key, text, (size_t)len);
}

void json_bool(struct json *json, const char *key, bool value)
{
	json_plain(json, key, value ? "true" : "false");
}

void json_null(struct json *json, const char *key)
{
	if (!json->csv)
		json_plain(json, key, "null");
}

void json_end_document(struct json *json)
{
	assert(json->depth == 0);
	if (!json->csv)
		strbuf_addc(json->buf, '\n');
}
