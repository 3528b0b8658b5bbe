/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "actions/why/why-symbols.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "actions/plan/run-probes.h"
#include "actions/why/why-cache.h"
#include "base/cleanup.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/quote.h"
#include "base/str.h"
#include "record/file/kernel-lists.h"
#include "symbols/kernel/kallsyms.h"

#define FILE_NAME ".why-symbols"

struct wanted {
	char *text; /* the text of the names */
	const char **names; /* sorted */
	size_t n, cap;
};

static void why_symbols_wanted_done(struct wanted *wanted)
{
	free(wanted->text);
	free(wanted->names);
}

static int why_symbols_compare(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Splits the text into names, one per line. Returns 0 or -ENOMEM. */
static int wanted_init(struct wanted *wanted, const char *lines)
{
	char *rest = wanted->text = mem_strdup(lines);

	if (!rest)
		return -ENOMEM;
	for (char *line; (line = str_next_line(&rest));) {
		if (mem_reserve(&wanted->names, &wanted->cap, wanted->n + 1,
				sizeof(*wanted->names)) < 0)
			return -ENOMEM;
		wanted->names[wanted->n++] = line;
	}
	if (wanted->n)
		qsort(wanted->names, wanted->n, sizeof(*wanted->names), why_symbols_compare);
	return 0;
}

static bool why_symbols_is_wanted(const struct wanted *wanted, const char *name)
{
	return wanted->n && bsearch(&name, wanted->names, wanted->n, sizeof(*wanted->names),
				    why_symbols_compare);
}

static uint32_t group_end(const struct kallsyms *all, uint32_t i)
{
	uint64_t address = all->symbols[i].address;

	while (i < all->n && all->symbols[i].address == address)
		i++;
	return i;
}

/*
 * Of the symbols from @i to @end, which have the same address, returns the wanted one that comes
 * next in the text after @last.
 */
static const struct kallsyms_symbol *why_symbols_next_wanted(const struct kallsyms *all,
							     const struct wanted *wanted,
							     uint32_t i, uint32_t end,
							     uint32_t last)
{
	const struct kallsyms_symbol *next = NULL;

	for (; i < end; i++) {
		const struct kallsyms_symbol *symbol = &all->symbols[i];

		if (symbol->name > last && (!next || symbol->name < next->name) &&
		    why_symbols_is_wanted(wanted, all->text + symbol->name))
			next = symbol;
	}
	return next;
}

static void why_symbols_add(const struct kallsyms *all, const struct wanted *wanted,
			    struct strbuf *text)
{
	bool is_open = false; /* the symbol added last has no end yet */

	for (uint32_t i = 0, end; i < all->n; i = end) {
		const struct kallsyms_symbol *symbol = NULL;
		uint64_t address = all->symbols[i].address;
		uint32_t last = 0;

		end = group_end(all, i);
		while ((symbol = why_symbols_next_wanted(all, wanted, i, end, last))) {
			last = symbol->name;
			quote_addf(text, "%016" PRIx64 " t %s", address, all->text + last);
			if (symbol->module)
				quote_addf(text, "\t[%s]", all->text + symbol->module);
			strbuf_adds(text, "\n");
		}
		if (is_open && !last)
			strbuf_addf(text, "%016" PRIx64 " t " WHY_NOT_RECORDED "\n", address);
		is_open = last;
	}
}

/*
 * Selects them from all kernel symbols. Returns 0 or a negative errno; -ENODATA: addresses are
 * hidden.
 */
static int read_symbols(const struct session_env *env, const char *names, struct strbuf *text)
{
	_cleanup_(why_symbols_wanted_done) struct wanted wanted = { 0 };
	_cleanup_strbuf_ struct strbuf kallsyms = { 0 };
	struct kallsyms all;
	int r = kernel_lists_symbols(env, false, &kallsyms);

	if (r == 0)
		r = wanted_init(&wanted, names);
	if (r < 0)
		return r;
	if (!kallsyms_start(strbuf_str(&kallsyms)))
		return -ENODATA;
	r = kallsyms_init(&all, strbuf_str(&kallsyms), kallsyms.len);
	if (r < 0)
		return r;
	why_symbols_add(&all, &wanted, text);
	kallsyms_done(&all);
	return text->err;
}

int why_symbols(struct session_env *env, const char *names, struct strbuf *text)
{
	_cleanup_strbuf_ struct strbuf wanted = { 0 }, symbols = { 0 };
	struct why_cache cache = { .name = FILE_NAME };
	int r;

	strbuf_add(&wanted, names, strlen(names));
	run_probes_functions(&wanted);
	for (const char *const *name = kallsyms_marks; *name; name++)
		quote_addf(&wanted, "%s\n", *name);
	if (wanted.err)
		return -ENOMEM;
	cache.of = hash_bytes(wanted.s, wanted.len, 0);
	r = why_cache_read(env, &cache, &symbols);
	if (r == 0) {
		r = read_symbols(env, strbuf_str(&wanted), &symbols);
		if (r == 0)
			why_cache_write(env, &cache, strbuf_str(&symbols));
	}
	if (r < 0)
		return r == -ENOMEM ? r : 0;
	strbuf_add(text, strbuf_str(&symbols), symbols.len);
	return text->err;
}
