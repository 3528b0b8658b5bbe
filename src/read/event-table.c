/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "read/event-table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"

/* Returns the number after "ID:" at the start of a line, or -1 if there is none. */
static int event_table_read_id(const char *text, size_t size)
{
	const char *end = text + size;

	for (const char *line = text; line < end;) {
		const char *eol = memchr(line, '\n', (size_t)(end - line));
		const char *p = line + 3;
		int id = 0, digits = 0;

		if (!eol)
			eol = end;
		if (eol - line > 3 && memcmp(line, "ID:", 3) == 0) {
			while (p < eol && *p == ' ')
				p++;
			for (; p < eol && *p >= '0' && *p <= '9' && digits < 6; p++, digits++)
				id = id * 10 + (*p - '0');
			return digits && id < EVENT_TABLE_IDS ? id : -1;
		}
		line = eol + 1;
	}
	return -1;
}

static int event_table_fill(struct event_table *table, const struct fathom_format_text *texts,
			    size_t n)
{
	table->by_id = mem_zalloc(EVENT_TABLE_IDS, sizeof(void *));
	table->entries = mem_zalloc(n ? n : 1, sizeof(*table->entries));
	if (!table->by_id || !table->entries)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		struct event_entry *entry = &table->entries[i];

		entry->text = &texts[i];
		entry->id = event_table_read_id(texts[i].text, texts[i].size);
		if (entry->id >= 0 && !table->by_id[entry->id])
			table->by_id[entry->id] = entry;
	}
	table->n = n;
	return 0;
}

int event_table_init(struct event_table *table, struct fathom_trace *trace, struct fathom_err *err)
{
	const struct fathom_trace_info *info = fathom_trace_info(trace);
	const struct fathom_format_text *texts;
	size_t n;
	int r;

	memset(table, 0, sizeof(*table));
	table->abi.long_size = (uint8_t)info->kernel_long_size;
	table->abi.big_endian = info->big_endian;
	r = fathom_trace_formats(trace, &texts, &n, err);
	if (r < 0)
		return r;
	r = event_table_fill(table, texts, n);
	if (r < 0) {
		event_table_done(table);
		return err_nomem(err);
	}
	return 0;
}

void event_table_done(struct event_table *table)
{
	free(table->by_id);
	free(table->entries);
	arena_done(&table->arena);
	memset(table, 0, sizeof(*table));
}

const struct event_format *event_table_format(struct event_table *table, struct event_entry *entry,
					      struct fathom_err *err)
{
	struct event_format *format;
	int r;

	/* Parse an invalid format again if the caller asks for the reason. */
	if (entry->format_state == EVENT_READ || (entry->format_state == EVENT_FAILED && !err))
		return entry->format;
	entry->format_state = EVENT_FAILED;
	r = event_format_parse(entry->text->text, entry->text->size, entry->text->system,
			       table->abi, &table->arena, &format, err);
	table->nomem |= r == -ENOMEM;
	if (r < 0)
		return NULL;
	entry->format = format;
	entry->format_state = EVENT_READ;
	return format;
}

const struct print_program *event_table_program(struct event_table *table,
						struct event_entry *entry, struct fathom_err *err)
{
	int r;

	if (entry->program_state == EVENT_READ || (entry->program_state == EVENT_FAILED && !err))
		return entry->program;
	if (!event_table_format(table, entry, err))
		return NULL;
	entry->program_state = EVENT_FAILED;
	r = event_print_compile(entry->format, NULL, &table->arena, &entry->program, err);
	table->nomem |= r == -ENOMEM;
	if (r < 0)
		return NULL;
	entry->program_state = EVENT_READ;
	return entry->program;
}

struct event_entry *event_table_find(struct event_table *table, unsigned id)
{
	struct event_entry *entry = id < EVENT_TABLE_IDS ? table->by_id[id] : NULL;

	return entry && event_table_format(table, entry, NULL) ? entry : NULL;
}

/* Returns whether the text begins with "name: NAME", to avoid parsing the others. */
static bool event_table_has_name(const struct fathom_format_text *text, const char *name)
{
	size_t len = strlen(name);

	return text->size > 6 + len && memcmp(text->text, "name: ", 6) == 0 &&
	       memcmp(text->text + 6, name, len) == 0 && text->text[6 + len] == '\n';
}

struct event_entry *event_table_find_name(struct event_table *table, const char *system,
					  const char *name)
{
	for (size_t i = 0; i < table->n; i++) {
		struct event_entry *entry = &table->entries[i];

		if (event_table_has_name(entry->text, name) &&
		    (!system || str_eq(entry->text->system, system)) &&
		    event_table_format(table, entry, NULL))
			return entry;
	}
	return NULL;
}
