/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Names that events refer to by number. A name gets its number, starting at 1, when it first
 * occurs, and is kept in encoded form until the next bundle is written.
 */
#include "render/export/export-perfetto.h"

#include "base/mem.h"

/* Stores the name, to be written later, and returns its number. */
static uint32_t new_symbol(struct perfetto *perfetto, const char *name)
{
	uint8_t *p = perfetto->symbols + perfetto->symbols_len, *start;

	start = pb_tag(p, INTERNED_KERNEL_SYMBOLS, PB_BYTES) + 2;
	p = pb_number(start, 1, ++perfetto->n_symbols);
	p = pb_bytes(p, 2, name, strnlen(name, PERFETTO_NAME_MAX));
	pb_close2(start, p);
	perfetto->symbols_len = (size_t)(p - perfetto->symbols);
	return perfetto->n_symbols;
}

uint64_t perfetto_symbol(struct perfetto *perfetto, uint64_t address)
{
	const struct kallsyms *kallsyms = perfetto->kallsyms;
	const struct kallsyms_symbol *symbol =
		kallsyms_function(kallsyms, &perfetto->cache, address);
	uint32_t *id;

	if (__builtin_expect(!symbol, 0))
		return address;
	id = &perfetto->symbol_ids[symbol - kallsyms->symbols];
	if (__builtin_expect(!*id, 0))
		*id = new_symbol(perfetto, kallsyms_name(kallsyms, symbol));
	return *id;
}

uint32_t perfetto_frame_symbol(struct perfetto *perfetto, uint32_t frame)
{
	if (mem_reserve(&perfetto->frame_ids, &perfetto->cap_frame_ids, (size_t)frame + 1,
			sizeof(*perfetto->frame_ids)) < 0)
		return 0;
	while (perfetto->n_frame_ids <= frame)
		perfetto->frame_ids[perfetto->n_frame_ids++] = 0;
	if (perfetto->frame_ids[frame])
		return perfetto->frame_ids[frame];
	strbuf_clear(&perfetto->name);
	nest_put_name(&perfetto->slices.nest, frame, &perfetto->name);
	if (perfetto->name.err)
		return 0;
	return perfetto->frame_ids[frame] = new_symbol(perfetto, strbuf_str(&perfetto->name));
}
