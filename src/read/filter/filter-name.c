/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Resolves names for one event format. The facts about a record (task, CPU, time) have names of
 * their own. Without events before the condition, such a name means the fact even if an event has a
 * field of that name, because a filter like "pid == 5" must mean the same for all events. After
 * "EVENTS:", it means the field if any of those events has it, as in trace-cmd. EVENT.FIELD always
 * means the field.
 */
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "read/filter/filter-compile.h"

enum fact {
	FACT_COMM,
	FACT_PID,
	FACT_TGID,
	FACT_CPU,
	FACT_TIME,
	FACT_TIMESTAMP,
	FACT_EVENT,
	FACT_SYSTEM,
	FACT_BUFFER,
	FACT_FUNC,
	FACT_DUR,
	FACT_DEPTH,
	FACT_RET,
};

static const struct {
	const char *name;
	uint8_t fact;
	bool of_record; /* takes precedence over a field of that name */
} facts[] = {
	{ "comm", FACT_COMM, true },
	{ "pid", FACT_PID, true },
	{ "tgid", FACT_TGID, true },
	{ "cpu", FACT_CPU, true },
	{ "time", FACT_TIME, true },
	{ "event", FACT_EVENT, true },
	{ "system", FACT_SYSTEM, true },
	{ "buffer", FACT_BUFFER, true },
	{ "func", FACT_FUNC, false },
	{ "dur", FACT_DUR, false },
	{ "depth", FACT_DEPTH, false },
	{ "ret", FACT_RET, false },
	{ "COMM", FACT_COMM, false },
	{ "CPU", FACT_CPU, false },
	{ "TIMESTAMP", FACT_TIMESTAMP, false },
};

static int find_fact(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(facts); i++)
		if (str_eq(facts[i].name, name))
			return (int)i;
	return -1;
}

bool filter_name_is_fact(const char *name)
{
	return find_fact(name) >= 0;
}

void filter_name_offer_facts(struct nearest *nearest)
{
	for (size_t i = 0; i < ARRAY_SIZE(facts); i++)
		nearest_offer(nearest, facts[i].name);
}

static bool is_host_order(const struct event_format *format)
{
	return format->abi.big_endian == (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
}

static bool filter_name_is_number_size(unsigned size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

static bool filter_name_is_number(const struct event_field *field)
{
	return (field->kind == EVENT_FIELD_INT || field->kind == EVENT_FIELD_BOOL ||
		field->kind == EVENT_FIELD_POINTER) &&
	       field->place == EVENT_PLACE_FIXED && filter_name_is_number_size(field->elem_size) &&
	       field->size == field->elem_size;
}

static struct filter_value filter_name_fixed_value(const struct event_format *format,
						   const struct event_field *field)
{
	bool is_signed = field->is_signed && field->kind != EVENT_FIELD_POINTER;

	return (struct filter_value){
		.source = SOURCE_FIXED,
		.size = field->elem_size,
		.is_signed = is_signed,
		.wide = !is_signed && field->elem_size == 8,
		.swap = !is_host_order(format),
		.offset = field->offset,
	};
}

static struct filter_operand filter_name_misfit(const char *why)
{
	return (struct filter_operand){ .kind = OPERAND_MISFIT, .misfit = why };
}

static struct filter_operand filter_name_absent(void)
{
	return (struct filter_operand){ .kind = OPERAND_ABSENT };
}

static struct filter_operand element_operand(const struct event_field *field, uint32_t index)
{
	if ((field->kind != EVENT_FIELD_ARRAY && field->kind != EVENT_FIELD_STACK) ||
	    !filter_name_is_number_size(field->elem_size))
		return filter_name_misfit("is not an array of numbers");
	return (struct filter_operand){
		.kind = OPERAND_NUMBER,
		.address = field->kind == EVENT_FIELD_STACK || strstr(field->type, "long"),
		.value = { .source = SOURCE_ELEMENT,
			   .field = field,
			   .offset = index,
			   .wide = !field->is_signed && field->elem_size == 8 },
	};
}

static struct filter_operand field_operand(const struct event_format *format,
					   const struct event_field *field)
{
	if (field->kind == EVENT_FIELD_STRING)
		return (struct filter_operand){ .kind = OPERAND_TEXT,
						.text = TEXT_FIELD,
						.field = field };
	if (field->kind == EVENT_FIELD_ARRAY || field->kind == EVENT_FIELD_STACK)
		return filter_name_misfit("is an array: select an element, as in NAME[0]");
	if (!filter_name_is_number(field))
		return filter_name_misfit("is neither a number nor text");
	return (struct filter_operand){
		.kind = OPERAND_NUMBER,
		.address = field->kind == EVENT_FIELD_POINTER || strstr(field->type, "long"),
		.value = filter_name_fixed_value(format, field),
	};
}

bool filter_name_function(const struct event_format *format, struct filter_value *ret)
{
	const struct event_field *field;

	if (!format || !str_eq(format->system, "ftrace"))
		return false;
	field = event_field_find(format, str_eq(format->name, "function") ? "ip" : "func");
	if (!field || !filter_name_is_number(field))
		return false;
	*ret = filter_name_fixed_value(format, field);
	return true;
}

static struct filter_operand func_operand(const struct event_format *format)
{
	struct filter_operand operand = { .kind = OPERAND_NUMBER, .address = true };

	return filter_name_function(format, &operand.value) ? operand : filter_name_absent();
}

static struct filter_operand dur_operand(const struct filter_compiler *compiler)
{
	struct filter_operand operand = { .kind = OPERAND_NUMBER, .unit = OPERAND_NEEDS_UNIT };
	const struct event_format *format = compiler->format;
	const struct event_field *start = format ? event_field_find(format, "calltime") : NULL;
	const struct event_field *end = format ? event_field_find(format, "rettime") : NULL;

	if (start && end && filter_name_is_number(start) && filter_name_is_number(end) &&
	    start->size == 8 && end->size == 8) {
		operand.value = filter_name_fixed_value(format, start);
		operand.value.source = SOURCE_SPAN;
		operand.value.offset_end = end->offset;
		operand.value.wide = true;
		return operand;
	}
	if (!compiler->filter->env.duration)
		return filter_name_absent();
	operand.value = (struct filter_value){ .source = SOURCE_DURATION, .wide = true };
	return operand;
}

/* The return value of a function, if function_graph recorded it. */
static struct filter_operand ret_operand(const struct event_format *format)
{
	const struct event_field *field = format ? event_field_find(format, "retval") : NULL;
	struct filter_operand operand = { .kind = OPERAND_NUMBER, .address = true };

	if (!field || !filter_name_is_number(field) || !str_eq(format->system, "ftrace"))
		return filter_name_absent();
	operand.value = filter_name_fixed_value(format, field);
	operand.value.is_signed = true;
	operand.value.wide = false;
	return operand;
}

static struct filter_operand word_operand(const char *word)
{
	if (!word)
		return filter_name_absent();
	return (struct filter_operand){ .kind = OPERAND_WORD, .word = word };
}

static struct filter_operand source_operand(enum filter_source source,
					    enum filter_operand_unit unit)
{
	return (struct filter_operand){
		.kind = OPERAND_NUMBER,
		.unit = (uint8_t)unit,
		.value = { .source = (uint8_t)source, .wide = source == SOURCE_TIME },
	};
}

static struct filter_operand text_operand(enum filter_text_source source)
{
	return (struct filter_operand){ .kind = OPERAND_TEXT, .text = (uint8_t)source };
}

static struct filter_operand fact_operand(const struct filter_compiler *compiler, enum fact fact)
{
	const struct event_format *format = compiler->format;
	const struct filter_env *env = &compiler->filter->env;

	switch (fact) {
	case FACT_COMM:
		return env->comm ? text_operand(TEXT_COMM) : filter_name_absent();
	case FACT_BUFFER:
		return text_operand(TEXT_BUFFER);
	case FACT_EVENT:
		return word_operand(format ? format->name : NULL);
	case FACT_SYSTEM:
		return word_operand(format ? format->system : NULL);
	case FACT_PID:
		return source_operand(SOURCE_PID, OPERAND_PLAIN);
	case FACT_TGID:
		return env->tgid ? source_operand(SOURCE_TGID, OPERAND_PLAIN) :
				   filter_name_absent();
	case FACT_CPU:
		return source_operand(SOURCE_CPU, OPERAND_PLAIN);
	case FACT_TIME:
		return source_operand(SOURCE_TIME, OPERAND_SECONDS);
	case FACT_TIMESTAMP:
		return source_operand(SOURCE_TIME, OPERAND_PLAIN);
	case FACT_FUNC:
		return func_operand(format);
	case FACT_DUR:
		return dur_operand(compiler);
	case FACT_RET:
		return ret_operand(format);
	default:
		return filter_name_absent();
	}
}

/* Parses "NAME[3]": the length of NAME, and the index. False: there is no index. */
static bool split_index(const char *name, size_t *ret_len, uint32_t *ret_index)
{
	const char *open = strchr(name, '[');
	uint32_t index = 0;
	const char *p;

	if (!open || open == name)
		return false;
	for (p = open + 1; *p >= '0' && *p <= '9' && index < 1000000; p++)
		index = index * 10 + (uint32_t)(*p - '0');
	if (p == open + 1 || p[0] != ']' || p[1])
		return false;
	*ret_len = (size_t)(open - name);
	*ret_index = index;
	return true;
}

/* Finds a field of the event, by name or by name and index. */
static bool filter_name_find_field(const struct event_format *format, const char *name,
				   struct filter_operand *ret)
{
	const struct event_field *field;
	uint32_t index;
	size_t len;

	if (!format)
		return false;
	field = event_field_find(format, name);
	if (field) {
		*ret = field_operand(format, field);
		return true;
	}
	if (!split_index(name, &len, &index))
		return false;
	field = event_field_find_len(format, name, len);
	if (!field)
		return false;
	*ret = element_operand(field, index);
	return true;
}

/* Resolves "FIELD.function" or "EVENT.FIELD". */
static bool find_dotted(struct filter_compiler *compiler, const char *name,
			struct filter_operand *ret)
{
	const struct event_format *format = compiler->format;
	const char *dot = strrchr(name, '.');
	const struct event_field *field;

	if (!format || !dot)
		return false;
	if (str_eq(dot, ".function")) {
		field = event_field_find_len(format, name, (size_t)(dot - name));
		if (field && filter_name_is_number(field)) {
			*ret = field_operand(format, field);
			ret->address = true;
			return true;
		}
	}
	/* Only the complete name: a glob would look like support for patterns here. */
	if (strlen(format->name) != (size_t)(dot - name) ||
	    memcmp(format->name, name, (size_t)(dot - name)) != 0)
		return false;
	return filter_name_find_field(format, dot + 1, ret);
}

struct filter_operand filter_name_resolve(struct filter_compiler *compiler,
					  struct filter_node *node)
{
	int at = find_fact(node->text);
	bool record_first = at >= 0 && facts[at].of_record && !compiler->filter->prefixed;
	struct filter_operand operand = filter_name_absent();

	if (record_first || !(filter_name_find_field(compiler->format, node->text, &operand) ||
			      find_dotted(compiler, node->text, &operand))) {
		if (at < 0 || node->only_field)
			return filter_name_absent();
		operand = fact_operand(compiler, facts[at].fact);
	}
	if (operand.kind != OPERAND_ABSENT)
		node->found = true;
	return operand;
}
