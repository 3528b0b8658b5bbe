/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Parses the header and the fields of a format:
 *
 *	name: sched_switch
 *	ID: 314
 *	format:
 *		field:char prev_comm[16];	offset:8;	size:16;	signed:0;
 *	print fmt: "..."
 *
 * The text is untrusted. Every number is checked, but a field's offset and size can still be
 * outside a record; this is detected when the field is read.
 */
#include "format/event/event-format.h"

#include <errno.h>
#include <string.h>

#include "base/err.h"
#include "base/str.h"
#include "format/event/c-type.h"

/* Rejects larger offsets and sizes: a record is smaller than a sub-buffer. */
#define FIELD_END_MAX (1U << 24)

struct span {
	const char *s;
	size_t len;
};

struct parser {
	const char *text;
	const char *p; /* the next line */
	const char *end;
	struct arena *arena;
	struct fathom_err *err;
	struct event_format *format;
	size_t cap; /* of format->fields */
};

static bool event_format_is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static bool event_format_is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_';
}

static struct span span_trim(struct span span)
{
	while (span.len && event_format_is_blank(span.s[0])) {
		span.s++;
		span.len--;
	}
	while (span.len && event_format_is_blank(span.s[span.len - 1]))
		span.len--;
	return span;
}

static bool span_begins(struct span span, const char *prefix)
{
	size_t len = strlen(prefix);

	return span.len >= len && memcmp(span.s, prefix, len) == 0;
}

static struct span span_from(struct span span, size_t n)
{
	return span_trim((struct span){ span.s + n, span.len - n });
}

/* Parses a decimal number that is the whole span. */
static bool span_number(struct span span, uint32_t max, uint32_t *ret)
{
	uint64_t n = 0;

	if (!span.len || span.len > 10)
		return false;
	for (size_t i = 0; i < span.len; i++) {
		if (span.s[i] < '0' || span.s[i] > '9')
			return false;
		n = n * 10 + (uint64_t)(span.s[i] - '0');
	}
	if (n > max)
		return false;
	*ret = (uint32_t)n;
	return true;
}

static int event_format_fail(const struct parser *parser, const char *at, const char *what)
{
	return err_set_at(parser->err, -EINVAL, (uint64_t)(at - parser->text),
			  "invalid event format: %s", what);
}

static bool event_format_next_line(struct parser *parser, struct span *ret)
{
	const char *nl;

	if (parser->p >= parser->end)
		return false;
	nl = memchr(parser->p, '\n', (size_t)(parser->end - parser->p));
	if (!nl)
		nl = parser->end;
	*ret = span_trim((struct span){ parser->p, (size_t)(nl - parser->p) });
	parser->p = nl < parser->end ? nl + 1 : nl;
	return true;
}

/* Takes the part up to the next ';' and skips it. Returns false if there is no ';'. */
static bool event_format_next_part(struct span *line, struct span *ret)
{
	const char *semi = line->len ? memchr(line->s, ';', line->len) : NULL;

	if (!semi)
		return false;
	*ret = span_trim((struct span){ line->s, (size_t)(semi - line->s) });
	*line = span_from(*line, (size_t)(semi - line->s) + 1);
	return true;
}

/* Takes a part "key:number". */
static bool next_number(struct span *line, const char *key, uint32_t max, uint32_t *ret)
{
	struct span part;

	if (!event_format_next_part(line, &part) || !span_begins(part, key))
		return false;
	part = span_from(part, strlen(key));
	if (!span_begins(part, ":"))
		return false;
	return span_number(span_from(part, 1), max, ret);
}

/* Returns the last number between the brackets, or 0 if it is not a number. */
static uint32_t array_count(struct span brackets)
{
	size_t end = brackets.len;
	uint32_t n = 0;

	while (end && (brackets.s[end - 1] < '0' || brackets.s[end - 1] > '9')) {
		if (event_format_is_word(brackets.s[end - 1]))
			return 0;
		end--;
	}
	for (size_t start = end; start; start--)
		if (brackets.s[start - 1] < '0' || brackets.s[start - 1] > '9')
			return span_number((struct span){ brackets.s + start, end - start },
					   FIELD_END_MAX, &n) &&
					       !event_format_is_word(brackets.s[start - 1]) ?
				       n :
				       0;
	return 0;
}

/* Splits "type name", "type name[16]" or "type[] name". */
static bool event_format_split_declaration(struct span decl, struct span *ret_type,
					   struct span *ret_name, struct span *ret_brackets)
{
	size_t end = decl.len;
	size_t start;
	struct span none = { decl.s, 0 };

	*ret_brackets = none;
	if (end && decl.s[end - 1] == ']') {
		const char *open = memchr(decl.s, '[', end);

		if (!open)
			return false;
		*ret_brackets = (struct span){ open, (size_t)(decl.s + end - open) };
		end = (size_t)(open - decl.s);
		while (end && event_format_is_blank(decl.s[end - 1]))
			end--;
	}
	start = end;
	while (start && event_format_is_word(decl.s[start - 1]))
		start--;
	if (start == end || !start)
		return false;
	*ret_name = (struct span){ decl.s + start, end - start };
	*ret_type = span_trim((struct span){ decl.s, start });
	if (!ret_brackets->len && ret_type->len && ret_type->s[ret_type->len - 1] == ']') {
		const char *open = memchr(ret_type->s, '[', ret_type->len);

		if (!open)
			return false;
		*ret_brackets = (struct span){ open, (size_t)(ret_type->s + ret_type->len - open) };
		*ret_type = span_trim((struct span){ ret_type->s, (size_t)(open - ret_type->s) });
	}
	return ret_type->len > 0;
}

static struct span strip_place(struct span type, struct event_field *field)
{
	static const char data_loc[] = "__data_loc";
	static const char rel_loc[] = "__rel_loc";

	if (span_begins(type, data_loc)) {
		field->place = field->size == 2 ? EVENT_PLACE_OFFSET : EVENT_PLACE_DATA_LOC;
		return span_from(type, sizeof(data_loc) - 1);
	}
	if (span_begins(type, rel_loc)) {
		field->place = EVENT_PLACE_REL_LOC;
		return span_from(type, sizeof(rel_loc) - 1);
	}
	return type;
}

static bool is_machine_size(uint32_t size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

static void set_array_kind(struct event_field *field, const struct c_type *type, unsigned long_size)
{
	unsigned size = type->pointers ? long_size : type->size;

	if (!size && field->count && field->size % field->count == 0 &&
	    is_machine_size(field->size / field->count))
		size = field->size / field->count;
	field->elem_size = (uint8_t)size;
	if (type->is_char && !type->pointers)
		field->kind = EVENT_FIELD_STRING;
	else if (size)
		field->kind = EVENT_FIELD_ARRAY;
	else
		field->kind = EVENT_FIELD_BYTES;
	/* "signed" refers to the whole field, which is meaningless for an array. */
	if (type->size != 1)
		field->is_signed = type->is_signed && !type->pointers;
	if (!field->count && field->place == EVENT_PLACE_FIXED && size)
		field->count = field->size / size;
}

/* Many byte arrays are addresses and keys; those of plain `char` are text. */
static bool event_format_is_text(struct span type)
{
	return memmem(type.s, type.len, "char", 4) && !memmem(type.s, type.len, "unsigned", 8);
}

static void set_kind(struct event_field *field, struct span type_text, bool is_array,
		     unsigned long_size)
{
	struct c_type type = c_type_read(type_text.s, type_text.len, long_size);

	if (is_array || field->place != EVENT_PLACE_FIXED) {
		type.is_char = type.is_char && event_format_is_text(type_text);
		set_array_kind(field, &type, long_size);
		if (field->place == EVENT_PLACE_OFFSET)
			field->kind = EVENT_FIELD_STRING;
		if (span_begins(type_text, "cpumask"))
			field->kind = EVENT_FIELD_CPUMASK;
		return;
	}
	if (!is_machine_size(field->size)) {
		field->kind = EVENT_FIELD_BYTES;
		return;
	}
	field->elem_size = (uint8_t)field->size;
	if (type.pointers && field->size == long_size)
		field->kind = EVENT_FIELD_POINTER;
	else if (type.is_bool && field->size == 1)
		field->kind = EVENT_FIELD_BOOL;
	else
		field->kind = EVENT_FIELD_INT;
}

static int add_field(struct parser *parser, const struct event_field *field)
{
	struct event_format *format = parser->format;

	if (format->n_fields == parser->cap) {
		size_t cap = parser->cap ? parser->cap * 2 : 16;
		struct event_field *grown;

		if (cap > EVENT_FORMAT_FIELDS_MAX)
			return event_format_fail(parser, parser->p, "too many fields");
		grown = arena_zalloc(parser->arena, cap, sizeof(*grown));
		if (!grown)
			return err_nomem(parser->err);
		if (format->n_fields)
			memcpy(grown, format->fields, format->n_fields * sizeof(*grown));
		format->fields = grown;
		parser->cap = cap;
	}
	format->fields[format->n_fields++] = *field;
	return 0;
}

/* The type is kept as one string with its brackets, wherever they were in the declaration. */
static char *join_type(struct arena *arena, struct span type, struct span brackets)
{
	char *s = arena_alloc(arena, type.len + brackets.len + 1);

	if (s) {
		memcpy(s, type.s, type.len);
		memcpy(s + type.len, brackets.s, brackets.len);
		s[type.len + brackets.len] = '\0';
	}
	return s;
}

static int event_format_parse_field(struct parser *parser, struct span line)
{
	struct event_field field = { 0 };
	struct span decl, type, name, brackets;
	const char *at = line.s;
	uint32_t is_signed = 0;

	line = span_from(line, strlen("field"));
	if (span_begins(line, "special"))
		line = span_from(line, strlen("special"));
	if (!span_begins(line, ":"))
		return event_format_fail(parser, at, "field without ':'");
	line = span_from(line, 1);
	if (!event_format_next_part(&line, &decl) ||
	    !event_format_split_declaration(decl, &type, &name, &brackets))
		return event_format_fail(parser, at, "field without type and name");
	if (!next_number(&line, "offset", FIELD_END_MAX, &field.offset) ||
	    !next_number(&line, "size", FIELD_END_MAX, &field.size))
		return event_format_fail(parser, at, "field without offset or size");
	if (line.len && !next_number(&line, "signed", 1, &is_signed))
		return event_format_fail(parser, at, "field without 'signed'");
	field.name = arena_strndup(parser->arena, name.s, name.len);
	field.type = join_type(parser->arena, type, brackets);
	if (!field.name || !field.type)
		return err_nomem(parser->err);
	field.is_signed = is_signed;
	field.is_common = span_begins(name, "common_");
	field.count = array_count(brackets);
	type = strip_place(type, &field);
	set_kind(&field, type, brackets.len > 0, parser->format->abi.long_size);
	return add_field(parser, &field);
}

/*
 * Only the print expression shows that longs are a mask, or bytes an address. The name follows the
 * helper's "(".
 */
static void refine_kinds(struct event_format *format)
{
	static const struct {
		const char *helper;
		enum event_field_kind kind;
	} helpers[] = {
		{ "bitmask(", EVENT_FIELD_BITMASK },
		{ "cpumask(", EVENT_FIELD_CPUMASK },
		{ "sockaddr(", EVENT_FIELD_SOCKADDR },
		{ "stacktrace(", EVENT_FIELD_STACK },
	};
	const char *end = format->print + format->print_len;

	for (size_t i = 0; i < sizeof(helpers) / sizeof(helpers[0]); i++) {
		size_t len = strlen(helpers[i].helper);
		const char *p = format->print;

		while ((p = memmem(p, (size_t)(end - p), helpers[i].helper, len))) {
			const char *name = p + len;
			const struct event_field *field;

			for (p = name; p < end && event_format_is_word(*p);)
				p++;
			field = event_field_find_len(format, name, (size_t)(p - name));
			if (field)
				format->fields[field - format->fields].kind =
					(uint8_t)helpers[i].kind;
		}
	}
}

/* Returns whether the print expression converts the field to a pointer, "(void *)REC->ip". */
static bool is_printed_as_pointer(const struct event_format *format,
				  const struct event_field *field)
{
	static const char cast[] = "void *)REC->";
	size_t len = strlen(field->name);
	const char *p = format->print, *end = p ? p + format->print_len : NULL;

	while (p && (p = memmem(p, (size_t)(end - p), cast, sizeof(cast) - 1))) {
		p += sizeof(cast) - 1;
		if ((size_t)(end - p) >= len && memcmp(p, field->name, len) == 0 &&
		    (p + len == end || !event_format_is_word(p[len])))
			return true;
	}
	return false;
}

/* Returns whether fields of this name are addresses in all events of the kernel that have one. */
static bool is_address_name(const char *name)
{
	static const char *const endings[] = { "addr", "address", "ip", "rip", "func", "caller" };
	const char *word = strrchr(name, '_');

	word = word ? word + 1 : name;
	for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++)
		if (str_eq(word, endings[i]))
			return true;
	return str_eq(name, "call_site");
}

/*
 * The kernel declares most addresses as unsigned long; only their names, and how they are printed,
 * distinguish them from numbers.
 */
static void mark_addresses(struct event_format *format)
{
	for (uint32_t i = 0; i < format->n_fields; i++) {
		struct event_field *field = &format->fields[i];

		if ((field->kind == EVENT_FIELD_INT || field->kind == EVENT_FIELD_ARRAY) &&
		    !field->is_signed && !field->is_common &&
		    (field->elem_size == format->abi.long_size || field->elem_size == 8))
			field->is_address = is_address_name(field->name) ||
					    is_printed_as_pointer(format, field);
	}
}

static int parse_print(struct parser *parser, const char *start)
{
	struct event_format *format = parser->format;
	struct span print = { start, (size_t)(parser->end - start) };

	while (print.len && (event_format_is_blank(print.s[print.len - 1]) ||
			     print.s[print.len - 1] == '\n' || print.s[print.len - 1] == '\0'))
		print.len--;
	print = span_trim(print);
	format->print = arena_strndup(parser->arena, print.s, print.len);
	if (!format->print)
		return err_nomem(parser->err);
	format->print_len = strlen(format->print);
	refine_kinds(format);
	parser->p = parser->end;
	return 0;
}

static int event_format_parse_line(struct parser *parser, struct span line)
{
	struct event_format *format = parser->format;
	uint32_t id;

	if (span_begins(line, "field"))
		return event_format_parse_field(parser, line);
	if (span_begins(line, "name:")) {
		line = span_from(line, 5);
		format->name = arena_strndup(parser->arena, line.s, line.len);
		return format->name ? 0 : err_nomem(parser->err);
	}
	if (span_begins(line, "ID:")) {
		if (!span_number(span_from(line, 3), INT32_MAX, &id))
			return event_format_fail(parser, line.s, "invalid ID");
		format->id = (int)id;
		return 0;
	}
	if (span_begins(line, "print fmt:"))
		return parse_print(parser, line.s + strlen("print fmt:"));
	if (line.len && !span_begins(line, "format:"))
		return event_format_fail(parser, line.s, "unexpected line");
	return 0;
}

int event_format_parse(const char *text, size_t len, const char *system, struct event_abi abi,
		       struct arena *arena, struct event_format **ret_format,
		       struct fathom_err *err)
{
	struct parser parser = { .text = text, .p = text, .arena = arena, .err = err };
	struct span line;

	if (len > EVENT_FORMAT_TEXT_MAX)
		return err_set(err, -EFBIG, "event format too long: %zu bytes", len);
	if (abi.long_size != 4 && abi.long_size != 8)
		return err_set(err, -EINVAL, "unsupported size of a long: %u bytes", abi.long_size);
	parser.end = text + strnlen(text, len);
	parser.format = arena_zalloc(arena, 1, sizeof(*parser.format));
	if (!parser.format)
		return err_nomem(err);
	parser.format->id = -1;
	parser.format->abi = abi;
	parser.format->system = arena_strdup(arena, system ? system : "");
	if (!parser.format->system)
		return err_nomem(err);
	while (event_format_next_line(&parser, &line)) {
		int r = event_format_parse_line(&parser, line);

		if (r < 0)
			return r;
	}
	if (!parser.format->name || !parser.format->name[0])
		return event_format_fail(&parser, parser.end, "no name");
	if (parser.format->id < 0)
		return event_format_fail(&parser, parser.end, "no ID");
	mark_addresses(parser.format);
	*ret_format = parser.format;
	return 0;
}

bool event_format_is_message(const struct event_format *format)
{
	return str_eq(format->system, "ftrace") &&
	       (str_eq(format->name, "print") || str_eq(format->name, "bprint") ||
		str_eq(format->name, "bputs"));
}
