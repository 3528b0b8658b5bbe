/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Common parts of event renderers: access to fields, symbols, times, and function arguments. */
#include "render/report/event-renderer.h"

#include <string.h>

#include "base/quote.h"
#include "render/report/report-parts.h"

bool rendering_number_slow(const struct rendering *rendering, const struct event_field *field,
			   uint64_t *ret_value)
{
	const struct fathom_event *event = rendering->event;

	if (field->offset > event->size || field->size > event->size - field->offset ||
	    (field->size != 8 && field->size != 4 && field->size != 2 && field->size != 1))
		return false;
	*ret_value = event_read_number(rendering->plan->entry->format->abi,
				       (const unsigned char *)event->data + field->offset,
				       field->size);
	return true;
}

bool rendering_find(const struct rendering *rendering, unsigned i, uint64_t *ret_value)
{
	if (rendering_number(rendering, i, ret_value))
		return true;
	text_str(rendering->text, "<CANT FIND FIELD ");
	text_str(rendering->text, rendering->plan->renderer->fields[i]);
	text_char(rendering->text, '>');
	return false;
}

bool rendering_need_slow(const struct rendering *rendering, unsigned i, uint64_t *ret_value)
{
	struct text *text = rendering->text;
	const char *name = rendering->plan->renderer->fields[i];

	if (rendering_number(rendering, i, ret_value))
		return true;
	if (rendering->plan->fields[i]) {
		text_char(text, ' ');
		text_str(text, name);
		text_str(text, "=INVALID!");
	} else {
		text_str(text, "<CANT FIND FIELD ");
		text_str(text, name);
		text_str(text, ">!");
	}
	return false;
}

bool rendering_show(const struct rendering *rendering, unsigned i, uint64_t *ret_value)
{
	if (rendering_number(rendering, i, ret_value))
		return true;
	text_str(rendering->text, "CAN'T FIND FIELD \"");
	text_str(rendering->text, rendering->plan->renderer->fields[i]);
	text_char(rendering->text, '"');
	return false;
}

const char *rendering_symbol(const struct rendering *rendering, uint64_t address,
			     uint64_t *ret_start)
{
	return report_symbol(rendering->report, address, ret_start);
}

void rendering_time(const struct rendering *rendering, uint64_t time)
{
	report_time_text(rendering->report, rendering->event->buffer, time, rendering->text);
}

void *rendering_keep(const struct rendering *rendering, size_t size)
{
	return arena_zalloc(&rendering->report->arena, 1, size);
}

/* Arguments of a call in the record. */
struct words {
	const unsigned char *bytes;
	unsigned size; /* of a word, in bytes */
	unsigned n;
	unsigned at; /* the next one */
	struct event_abi abi;
};

static uint64_t event_renderer_next_word(struct words *words)
{
	return event_read_number(words->abi, words->bytes + (size_t)words->at++ * words->size,
				 words->size);
}

static void event_renderer_put_hex(struct text *text, uint64_t value)
{
	text_bytes(text, "0x", 2);
	text_hex(text, value);
}

/* Appends a struct passed by value, as the words that it consists of. */
static void put_struct(struct text *text, const struct parameter *parameter, struct words *words,
		       uint64_t first)
{
	text_char(text, '(');
	quote_text_str(text, parameter->kind_name);
	text_str(text, ")[");
	event_renderer_put_hex(text, first);
	for (uint32_t x = words->size; x < parameter->size; x += words->size) {
		text_char(text, ':');
		if (words->at == words->n) {
			text_str(text, "...");
			break;
		}
		event_renderer_put_hex(text, event_renderer_next_word(words));
	}
	text_char(text, ']');
}

static void put_parameter(struct text *text, const struct parameter *parameter, struct words *words)
{
	uint64_t value = event_renderer_next_word(words);

	quote_text_str(text, parameter->name);
	text_char(text, '=');
	switch (parameter->kind) {
	case PARAMETER_NONE:
		break;
	case PARAMETER_UNKNOWN:
		text_char(text, '?');
		event_renderer_put_hex(text, value);
		break;
	case PARAMETER_POINTER:
		event_renderer_put_hex(text, value);
		break;
	case PARAMETER_INT:
		value >>= parameter->shift;
		if (parameter->bits < 64)
			value &= (1ULL << parameter->bits) - 1;
		/*
		 * The upper bits of a narrow signed number are undefined: mask them, don't
		 * sign-extend.
		 */
		if (parameter->is_signed && parameter->bits && parameter->bits < 64 &&
		    value >> (parameter->bits - 1))
			value |= ~0ULL << parameter->bits;
		if (parameter->is_signed)
			text_s64(text, (int64_t)value);
		else
			event_renderer_put_hex(text, value);
		break;
	case PARAMETER_ENUM:
		text_s64(text, (int64_t)value);
		break;
	case PARAMETER_OTHER:
		put_struct(text, parameter, words, value);
		break;
	}
}

static void event_renderer_put_parameters(const struct rendering *rendering, uint32_t function,
					  struct words *words)
{
	const struct parameters *parameters = &rendering->report->parameters;
	uint32_t n = parameters_count(parameters, function);

	for (uint32_t i = 0; i < n; i++) {
		struct parameter parameter;

		if (i)
			text_bytes(rendering->text, ", ", 2);
		if (words->at == words->n) {
			text_str(rendering->text, "...");
			return;
		}
		parameter = parameters_get(parameters, function, i);
		put_parameter(rendering->text, &parameter, words);
	}
}

void rendering_arguments(const struct rendering *rendering, uint32_t from, const char *function)
{
	const struct parameters *parameters = &rendering->report->parameters;
	struct words words = { .abi = rendering->plan->entry->format->abi };
	const struct fathom_event *event = rendering->event;
	uint32_t known = 0;

	if (from >= event->size)
		return;
	words.bytes = (const unsigned char *)event->data + from;
	words.size = words.abi.long_size == 4 ? 4 : 8;
	words.n = (event->size - from) / words.size;
	if (function && parameters->n_functions) {
		known = parameters_find(parameters, function, strlen(function));
		/* Clones made by the compiler have a suffix: "name.isra.0". */
		if (!known && strchr(function, '.'))
			known = parameters_find(parameters, function, strcspn(function, "."));
	}
	if (known) {
		event_renderer_put_parameters(rendering, known, &words);
		return;
	}
	while (words.at < words.n) {
		text_hex(rendering->text, event_renderer_next_word(&words));
		if (words.at < words.n)
			text_bytes(rendering->text, ", ", 2);
	}
}
