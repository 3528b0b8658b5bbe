/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fuzzes filters. The first byte says how the rest is split: the text of a filter, then the bytes
 * of a record. The filter is parsed, bound and evaluated on the record as each of the events,
 * complete and truncated. A filter and its negation never match both.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../filter/formats.h"
#include "read/filter.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct arena format_arena;
static struct event_format *formats[FILTER_FORMATS];

static void parse_formats(void)
{
	const struct event_abi abi = { .long_size = 8 };

	for (int i = 0; i < FILTER_FORMATS; i++)
		if (event_format_parse(filter_formats[i].text, strlen(filter_formats[i].text),
				       filter_formats[i].system, abi, &format_arena, &formats[i],
				       NULL) < 0)
			abort();
}

static size_t ranges(void *arg, const char *name, struct filter_range *found, size_t max)
{
	for (size_t i = 0; i < max && i < 2; i++)
		found[i] = (struct filter_range){ 0x100 * (2 - i), 0x100 * (3 - i) };
	return name[0] == 'v' ? 2 : 0;
}

static const char *name_of(void *arg, uint64_t address)
{
	return address & 1 ? "vfs_read" : NULL;
}

static void each(void *arg, bool (*fn)(void *fn_arg, const char *name), void *fn_arg)
{
	fn(fn_arg, "vfs_read");
}

static const char *comm_of(void *arg, const struct filter_event *event)
{
	return event->pid & 1 ? "bash" : NULL;
}

static const struct filter_env env = { .function_ranges = ranges,
				       .function_name = name_of,
				       .function_each = each,
				       .comm = comm_of };

static struct filter *make(struct arena *arena, const char *text)
{
	struct fathom_err err = { 0 };
	struct filter *filter;

	if (filter_parse(text, arena, &filter, &err) < 0 ||
	    filter_bind(filter, (const struct event_format *const *)formats, FILTER_FORMATS, &env,
			&err) < 0) {
		/* Every error has a message and a position in the text. */
		if (!err.message[0] || err.offset > strlen(text))
			abort();
		return NULL;
	}
	return filter;
}

static void ask(const struct filter *filter, const struct filter *opposite, const uint8_t *record,
		size_t size)
{
	const size_t sizes[] = { size, size / 2, size / 3, 0 };

	for (int i = 0; i < 4 * (FILTER_FORMATS + 1); i++) {
		struct filter_event event = {
			.cpu = 1, .pid = i, .time = size, .data = record, .size = sizes[i % 4]
		};

		if (i / 4 < FILTER_FORMATS)
			event.format = formats[i / 4];
		if (filter_match(filter, &event) && opposite && filter_match(opposite, &event))
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena arena = { 0 };
	struct filter *filter, *opposite = NULL;
	size_t len = size ? size - 1 - data[0] % size : 0;
	char *text = malloc(len + 7);

	if (!text)
		abort();
	if (!formats[0])
		parse_formats();
	memcpy(text, "not (", 5);
	if (len)
		memcpy(text + 5, data + 1, len);
	text[5 + len] = '\0';
	filter = make(&arena, text + 5);
	if (filter) {
		len = strlen(text);
		memcpy(text + len, ")", 2);
		opposite = make(&arena, text);
		len -= 5;
		ask(filter, opposite, data + 1 + len, size - 1 - len);
	}
	arena_done(&arena);
	free(text);
	return 0;
}
