/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "render/json.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

void json_init(struct json *json, struct strbuf *buf, bool pretty)
{
	memset(json, 0, sizeof(*json));
	json->buf = buf;
	json->pretty = pretty;
}

static void new_line(struct json *json)
{
	if (!json->pretty)
		return;
	strbuf_addc(json->buf, '\n');
	strbuf_pad(json->buf, ' ', 2 * (size_t)json->depth);
}

/*
 * How many bytes the UTF-8 sequence at @s has, 0 when it is none. Overlong
 * forms, surrogates and what lies beyond U+10FFFF are none.
 */
static size_t utf8_length(const unsigned char *s, size_t left)
{
	size_t n = s[0] < 0x80 ? 1 :
		   s[0] < 0xc2 ? 0 :
		   s[0] < 0xe0 ? 2 :
		   s[0] < 0xf0 ? 3 :
		   s[0] < 0xf5 ? 4 :
				 0;

	if (n == 0 || n > left)
		return 0;
	for (size_t i = 1; i < n; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
	    (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f))
		return 0;
	return n;
}

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

static void add_quoted(struct strbuf *buf, const char *text, size_t len)
{
	const unsigned char *s = (const unsigned char *)text;
	size_t plain = 0, i = 0;

	strbuf_addc(buf, '"');
	while (i < len) {
		size_t n = utf8_length(s + i, len - i);

		if (n && s[i] >= 0x20 && s[i] != '"' && s[i] != '\\' && s[i] != 0x7f) {
			i += n;
			continue;
		}
		strbuf_add(buf, s + plain, i - plain);
		if (n)
			add_escape(buf, s[i]);
		else
			strbuf_adds(buf, "\\ufffd");
		plain = ++i;
	}
	strbuf_add(buf, s + plain, len - plain);
	strbuf_addc(buf, '"');
}

/* The comma, the indentation and the key that stand before every value. */
static void begin_value(struct json *json, const char *key)
{
	if (json->depth) {
		if (json->has_member[json->depth - 1])
			strbuf_addc(json->buf, ',');
		json->has_member[json->depth - 1] = true;
		new_line(json);
	}
	if (key) {
		add_quoted(json->buf, key, strlen(key));
		strbuf_adds(json->buf, json->pretty ? ": " : ":");
	}
}

static void begin_nested(struct json *json, const char *key, char bracket)
{
	begin_value(json, key);
	assert(json->depth < JSON_DEPTH_MAX);
	json->has_member[json->depth++] = false;
	strbuf_addc(json->buf, bracket);
}

static void end_nested(struct json *json, char bracket)
{
	bool empty;

	assert(json->depth > 0);
	empty = !json->has_member[--json->depth];
	if (!empty)
		new_line(json);
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
	begin_value(json, key);
	strbuf_addf(json->buf, "%" PRIu64, value);
}

void json_s64(struct json *json, const char *key, int64_t value)
{
	begin_value(json, key);
	strbuf_addf(json->buf, "%" PRId64, value);
}

void json_thousandths(struct json *json, const char *key, uint64_t value)
{
	begin_value(json, key);
	strbuf_addf(json->buf, "%" PRIu64 ".%03u", value / 1000, (unsigned)(value % 1000));
}

void json_bool(struct json *json, const char *key, bool value)
{
	begin_value(json, key);
	strbuf_adds(json->buf, value ? "true" : "false");
}

void json_null(struct json *json, const char *key)
{
	begin_value(json, key);
	strbuf_adds(json->buf, "null");
}

void json_end_document(struct json *json)
{
	assert(json->depth == 0);
	strbuf_addc(json->buf, '\n');
}
