/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Memory allocations: prepends the name of the calling function to the kernel's own text. */
#include "base/quote.h"
#include "render/report/report-parts.h"

enum {
	CALL_SITE
};

static bool print_call_site(const struct rendering *r)
{
	uint64_t address, start;
	const char *name;

	if (!rendering_number(r, CALL_SITE, &address))
		return true;
	name = rendering_symbol(r, address, &start);
	if (!name)
		return true;
	text_char(r->text, '(');
	quote_text_str(r->text, name);
	text_str(r->text, "+0x");
	text_hex(r->text, (uint32_t)(address - start));
	text_bytes(r->text, ") ", 2);
	return true;
}

const struct event_renderer event_kmem_renderers[] = {
	{ "kmem", "kfree", { "call_site" }, print_call_site },
	{ "kmem", "kmalloc", { "call_site" }, print_call_site },
	{ "kmem", "kmalloc_node", { "call_site" }, print_call_site },
	{ "kmem", "kmem_cache_alloc", { "call_site" }, print_call_site },
	{ "kmem", "kmem_cache_alloc_node", { "call_site" }, print_call_site },
	{ "kmem", "kmem_cache_free", { "call_site" }, print_call_site },
	{ 0 },
};
