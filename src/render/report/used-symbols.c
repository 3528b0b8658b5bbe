/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "render/report/used-symbols.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <fathom/cursor.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/mem.h"
#include "format/event/event-format.h"
#include "symbols/kernel/kallsyms.h"

DEFINE_CLEANUP(struct fathom_cursor, fathom_cursor_free);

/* Lower values are numbers rather than addresses on 64-bit machines. */
#define LOW_64 ((uint64_t)1 << 32)

enum use {
	UNUSED,
	USED_AS_END, /* only as the end of the one before */
	USED,
};

struct marking {
	struct kallsyms kallsyms;
	struct kallsyms_cache cache;
	uint8_t *uses; /* by index of the symbol */
};

/* Marks all symbols with the address of the one at @at. Returns the index of the next address. */
static size_t mark_names(struct marking *marking, size_t at, enum use use)
{
	const struct kallsyms *kallsyms = &marking->kallsyms;
	uint64_t address = kallsyms->symbols[at].address;

	while (at && kallsyms->symbols[at - 1].address == address)
		at--;
	for (; at < kallsyms->n && kallsyms->symbols[at].address == address; at++)
		if (marking->uses[at] < use)
			marking->uses[at] = (uint8_t)use;
	return at;
}

/* The next symbol is also needed, because it is the end of this one. */
static void used_symbols_mark(struct marking *marking, uint64_t address)
{
	const struct kallsyms *kallsyms = &marking->kallsyms;
	const struct kallsyms_symbol *symbol = kallsyms_find(kallsyms, &marking->cache, address);
	size_t next;

	if (!symbol || marking->uses[symbol - kallsyms->symbols] == USED)
		return;
	next = mark_names(marking, (size_t)(symbol - kallsyms->symbols), USED);
	if (next < kallsyms->n)
		mark_names(marking, next, USED_AS_END);
}

static void used_symbols_mark_event(struct marking *marking, struct event_abi abi,
				    const struct fathom_event *event)
{
	const unsigned char *bytes = event->data;
	unsigned size = abi.long_size == 4 ? 4 : 8;

	for (uint32_t at = 0; at + size <= event->size; at += 4) {
		uint64_t word = event_read_number(abi, bytes + at, size);

		if (size == 4 ? word != 0 : word >= LOW_64)
			used_symbols_mark(marking, word);
	}
}

static int mark_events(struct marking *marking, struct fathom_trace *trace, struct fathom_err *err)
{
	const struct fathom_trace_info *info = fathom_trace_info(trace);
	struct event_abi abi = { .big_endian = info->big_endian,
				 .long_size = (uint8_t)info->kernel_long_size };
	_cleanup_(fathom_cursor_free_p) struct fathom_cursor *cursor = NULL;
	struct fathom_event event;
	int r = fathom_cursor_new(trace, NULL, &cursor, err);

	if (r < 0)
		return r;
	while ((r = fathom_cursor_next(cursor, &event)) > 0)
		used_symbols_mark_event(marking, abi, &event);
	return r < 0 ? err_nomem(err) : 0;
}

/* Copies the lines of the symbols that are used. The bytes end with a NUL. */
static void used_symbols_put_lines(const struct marking *marking, const char *bytes, size_t size,
				   struct strbuf *text)
{
	const struct kallsyms *kallsyms = &marking->kallsyms;
	const char *end = bytes + size;

	while (bytes < end) {
		const char *line_end = memchr(bytes, '\n', (size_t)(end - bytes)) ?: end;
		/* On an empty line, strtoull() would parse a number on a line below. */
		uint64_t address = line_end > bytes && *bytes > ' ' ? strtoull(bytes, NULL, 16) : 0;
		const struct kallsyms_symbol *symbol = kallsyms_find(kallsyms, NULL, address);

		if (line_end > bytes && symbol && symbol->address == address &&
		    marking->uses[symbol - kallsyms->symbols]) {
			strbuf_add(text, bytes, (size_t)(line_end - bytes));
			strbuf_addc(text, '\n');
		}
		bytes = line_end < end ? line_end + 1 : end;
	}
}

int used_symbols(struct fathom_trace *trace, struct strbuf *text, struct fathom_err *err)
{
	_cleanup_free_ struct marking *marking = mem_zalloc(1, sizeof(*marking));
	_cleanup_free_ char *copy = NULL;
	const char *bytes;
	size_t size;
	int r = fathom_trace_section(trace, FATHOM_SECTION_KALLSYMS, &bytes, &size, err);

	if (r == -ENOENT)
		return 0;
	if (r < 0)
		return r;
	copy = mem_strndup(bytes, size);
	if (!marking || !copy || kallsyms_init(&marking->kallsyms, bytes, size) < 0)
		return err_nomem(err);
	marking->uses = mem_zalloc(marking->kallsyms.n + (size_t)1, sizeof(*marking->uses));
	r = marking->uses ? 0 : err_nomem(err);
	for (const char *const *name = kallsyms_marks; r == 0 && *name; name++) {
		uint64_t address;

		if (kallsyms_address(&marking->kallsyms, *name, &address))
			used_symbols_mark(marking, address);
	}
	if (r == 0 && marking->kallsyms.n)
		r = mark_events(marking, trace, err);
	if (r == 0)
		used_symbols_put_lines(marking, copy, strlen(copy), text);
	free(marking->uses);
	kallsyms_done(&marking->kallsyms);
	return r == 0 && text->err ? err_nomem(err) : r;
}
