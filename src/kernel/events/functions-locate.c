/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Resolves the addresses of functions that share a name.
 *
 * /proc/kallsyms may list more functions of a name than can be traced, and lists the symbols of a
 * module unsorted. But the list of traceable functions is sorted by address, in the kernel and in
 * each module, so a function is between its neighbors in that list, and neighbors with unique names
 * have known addresses. A function gets an address only if no other one is possible.
 */
#include "kernel/events/functions.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/order.h"
#include "base/str.h"

/* How far to look for a neighbor with a unique name. */
#define NEIGHBOURS 8
/* The kernel's list has the address of the traced instruction, at most this far after the start. */
#define ENTRY_MAX 32
/* Few of the 500,000 symbols are wanted; a bit test is faster than a search. */
#define FILTER_BITS 131072

/* A line of kallsyms whose name is wanted. */
struct symbol {
	uint32_t wanted; /* index in locator.wanted */
	uint64_t addr;
};

struct locator {
	struct functions *functions;
	uint32_t *by_order; /* index in the kernel's list -> index in functions->list */
	unsigned char *need; /* by index in functions->list */
	uint32_t *wanted; /* indexes in functions->list, sorted by name and module, unique */
	size_t n_wanted;
	uint64_t seen[FILTER_BITS / 64]; /* Bloom filter of the wanted names */
	struct symbol *symbols; /* sorted by wanted, then address */
	size_t n_symbols, cap_symbols;
};

static void locator_done(struct locator *l)
{
	free(l->by_order);
	free(l->need);
	free(l->wanted);
	free(l->symbols);
}

static uint32_t hash_name(const char *name)
{
	uint32_t hash = 2166136261U;

	for (; *name; name++)
		hash = (hash ^ (unsigned char)*name) * 16777619U;
	return hash % FILTER_BITS;
}

static int compare_modules(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "");
}

static int compare_to_wanted(const struct locator *l, const char *name, const char *module,
			     size_t i)
{
	const struct function *f = &l->functions->list[l->wanted[i]];
	int r = strcmp(name, f->name);

	return r ? r : compare_modules(module, f->module);
}

static int compare_wanted(const void *a, const void *b, void *arg)
{
	const struct function *list = arg;
	const struct function *f = &list[*(const uint32_t *)a], *g = &list[*(const uint32_t *)b];
	int r = strcmp(f->name, g->name);

	return r ? r : compare_modules(f->module, g->module);
}

/* Returns the index in @wanted of this name and module, or -1. */
static ssize_t wanted_find(const struct locator *l, const char *name, const char *module)
{
	size_t lo = 0, hi = l->n_wanted;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		int r = compare_to_wanted(l, name, module, mid);

		if (r == 0)
			return (ssize_t)mid;
		if (r < 0)
			hi = mid;
		else
			lo = mid + 1;
	}
	return -1;
}

/* Marks functions with ambiguous names, and their neighbors. */
static void mark_needed(struct locator *l)
{
	const struct functions *f = l->functions;

	for (size_t i = 0; i < f->n; i++) {
		size_t order = f->list[i].order;
		size_t from, to;

		if (f->list[i].same == 1)
			continue;
		from = order > NEIGHBOURS ? order - NEIGHBOURS : 0;
		to = order + NEIGHBOURS < f->n ? order + NEIGHBOURS : f->n - 1;
		/* If the kernel's list has addresses, neighbors are not needed. */
		if (f->has_addrs)
			from = to = order;
		for (size_t o = from; o <= to; o++)
			l->need[l->by_order[o]] = 1;
	}
}

static int locator_init(struct locator *l)
{
	const struct functions *f = l->functions;
	size_t n = 0;

	l->by_order = mem_zalloc(f->n, sizeof(*l->by_order));
	l->need = mem_zalloc(f->n, 1);
	l->wanted = mem_zalloc(f->n, sizeof(*l->wanted));
	if (!l->by_order || !l->need || !l->wanted)
		return -ENOMEM;
	for (size_t i = 0; i < f->n; i++)
		l->by_order[f->list[i].order] = (uint32_t)i;
	mark_needed(l);
	for (size_t i = 0; i < f->n; i++)
		if (l->need[i])
			l->wanted[n++] = (uint32_t)i;
	if (n)
		qsort_r(l->wanted, n, sizeof(*l->wanted), compare_wanted, f->list);
	for (size_t i = 0; i < n; i++)
		if (!i || compare_wanted(&l->wanted[i], &l->wanted[i - 1], f->list) != 0)
			l->wanted[l->n_wanted++] = l->wanted[i];
	for (size_t i = 0; i < l->n_wanted; i++) {
		uint32_t hash = hash_name(f->list[l->wanted[i]].name);

		l->seen[hash / 64] |= UINT64_C(1) << hash % 64;
	}
	return 0;
}

/* Parses "ADDRESS TYPE NAME[\t[MODULE]]". */
static int functions_locate_add_symbol(struct locator *l, char *line)
{
	const char *p = line;
	uint64_t addr = str_hex(&p);
	char *name, *module = NULL;
	ssize_t wanted;
	uint32_t hash;

	line += p - line;
	if (line[0] != ' ' || !line[1] || line[2] != ' ' || !strchr("tTwW", line[1]))
		return 0;
	name = line + 3;
	line = name + strcspn(name, "\t ");
	if (*line) {
		*line++ = '\0';
		module = strchr(line, '[');
		if (module) {
			module++;
			module[strcspn(module, "]")] = '\0';
		}
	}
	hash = hash_name(name);
	if (!(l->seen[hash / 64] >> hash % 64 & 1))
		return 0;
	wanted = wanted_find(l, name, module);
	if (wanted < 0)
		return 0;
	if (mem_reserve(&l->symbols, &l->cap_symbols, l->n_symbols + 1, sizeof(*l->symbols)) < 0)
		return -ENOMEM;
	l->symbols[l->n_symbols++] = (struct symbol){ .wanted = (uint32_t)wanted, .addr = addr };
	return 0;
}

static int compare_symbols(const void *a, const void *b)
{
	const struct symbol *s = a, *t = b;

	if (s->wanted != t->wanted)
		return s->wanted < t->wanted ? -1 : 1;
	return (s->addr > t->addr) - (s->addr < t->addr);
}

/* Sorts the symbols and removes duplicates. Returns false if the kernel hides addresses. */
static bool settle_symbols(struct locator *l)
{
	bool visible = false;
	size_t n = 0;

	if (l->n_symbols)
		qsort(l->symbols, l->n_symbols, sizeof(*l->symbols), compare_symbols);
	for (size_t i = 0; i < l->n_symbols; i++) {
		visible |= l->symbols[i].addr != 0;
		if (!n || compare_symbols(&l->symbols[n - 1], &l->symbols[i]) != 0)
			l->symbols[n++] = l->symbols[i];
	}
	l->n_symbols = n;
	return visible;
}

static int functions_locate_compare_wanted(const void *wanted, const void *symbol)
{
	const uint32_t *key = wanted;
	const struct symbol *other = symbol;

	return (*key > other->wanted) - (*key < other->wanted);
}

/* Returns the *@ret_n symbols with the name and module of @f. */
static const struct symbol *symbols_of(const struct locator *l, const struct function *f,
				       size_t *ret_n)
{
	ssize_t wanted = wanted_find(l, f->name, f->module);
	size_t place, end;
	uint32_t key;

	*ret_n = 0;
	if (wanted < 0 || !l->n_symbols)
		return NULL;
	key = (uint32_t)wanted;
	place = order_place(&key, l->symbols, l->n_symbols, sizeof(*l->symbols),
			    functions_locate_compare_wanted);
	for (end = place; end < l->n_symbols && l->symbols[end].wanted == key; end++)
		;
	*ret_n = end - place;
	return &l->symbols[place];
}

/*
 * Returns whether no other function has this name. Unlike @same, this does not change while
 * functions are located.
 */
static bool functions_locate_is_unique(const struct locator *l, size_t order)
{
	size_t i = l->by_order[order];
	const struct function *list = l->functions->list;

	return (i == 0 || !str_eq(list[i].name, list[i - 1].name)) &&
	       (i + 1 == l->functions->n || !str_eq(list[i].name, list[i + 1].name));
}

/*
 * Returns the address of the function at @order if it is certain and in the module of @f, else 0.
 */
static uint64_t anchor(const struct locator *l, const struct function *f, size_t order)
{
	const struct function *g = &l->functions->list[l->by_order[order]];
	const struct symbol *symbols;
	size_t n;

	if (!functions_locate_is_unique(l, order) || compare_modules(f->module, g->module) != 0)
		return 0;
	symbols = symbols_of(l, g, &n);
	return n == 1 ? symbols[0].addr : 0;
}

/* Returns the only symbol of @f between its nearest neighbors with known addresses, or 0. */
static uint64_t locate_between(const struct locator *l, const struct function *f)
{
	uint64_t low = 0, high = UINT64_MAX, found = 0;
	const struct symbol *symbols;
	size_t n;

	for (size_t d = 1; d <= NEIGHBOURS && d <= f->order && !low; d++)
		low = anchor(l, f, f->order - d);
	for (size_t d = 1; d <= NEIGHBOURS && f->order + d < l->functions->n; d++) {
		uint64_t addr = anchor(l, f, f->order + d);

		if (addr) {
			high = addr;
			break;
		}
	}
	symbols = symbols_of(l, f, &n);
	for (size_t i = 0; i < n; i++) {
		if (symbols[i].addr <= low || symbols[i].addr >= high)
			continue;
		if (found)
			return 0;
		found = symbols[i].addr;
	}
	return found;
}

/* The kernel's list has the address of an instruction near the start. Returns the start. */
static uint64_t locate_start(const struct locator *l, const struct function *f)
{
	uint64_t best = f->addr;
	const struct symbol *symbols;
	size_t n;

	symbols = symbols_of(l, f, &n);
	for (size_t i = 0; i < n && symbols[i].addr <= f->addr; i++)
		if (f->addr - symbols[i].addr <= ENTRY_MAX)
			best = symbols[i].addr;
	return best;
}

/* Returns how many functions have the name and module of @f, and the index of @f among them. */
static size_t count_in_module(const struct function *f, size_t *ret_place)
{
	const struct function *first = f - (f->nth - 1);
	size_t n = 0;

	for (const struct function *g = first; g < first + f->same; g++) {
		if (compare_modules(g->module, f->module) != 0)
			continue;
		if (g == f)
			*ret_place = n;
		n++;
	}
	return n;
}

static uint64_t locate_one(const struct locator *l, const struct function *f)
{
	const struct symbol *symbols;
	size_t n, place = 0;

	if (f->addr)
		return locate_start(l, f);
	symbols = symbols_of(l, f, &n);
	if (n && n == count_in_module(f, &place))
		return symbols[place].addr;
	return locate_between(l, f);
}

/* Two functions cannot share an address: the later entry is code whose symbol was dropped. */
static bool mark_dropped(struct function *group, size_t n)
{
	uint32_t real = 0;
	bool all = true;

	for (size_t i = 0; i < n; i++) {
		group[i].dropped = i && group[i].addr && group[i].addr == group[i - 1].addr;
		if (!group[i].dropped)
			group[i].nth = ++real;
		all &= group[i].addr != 0;
	}
	for (size_t i = 0; i < n; i++)
		group[i].same = real;
	return all;
}

int functions_locate(struct functions *functions, char *kallsyms)
{
	_cleanup_(locator_done) struct locator l = { .functions = functions };
	bool all = true;

	if (!functions->n)
		return FUNCTIONS_LOCATED;
	if (locator_init(&l) < 0)
		return -ENOMEM;
	if (!l.n_wanted)
		return FUNCTIONS_LOCATED;
	for (char *line; (line = str_next_line(&kallsyms));)
		if (functions_locate_add_symbol(&l, line) < 0)
			return -ENOMEM;
	if (!settle_symbols(&l) && !functions->has_addrs)
		return FUNCTIONS_ADDRS_HIDDEN;
	for (size_t i = 0, n; i < functions->n; i += n) {
		struct function *group = &functions->list[i];

		for (n = 1; i + n < functions->n && str_eq(group[n].name, group->name); n++)
			;
		if (n == 1)
			continue;
		/*
		 * Locate the whole group before renumbering it: locate_one() uses the numbers of
		 * the others.
		 */
		for (size_t k = 0; k < n; k++)
			group[k].addr = locate_one(&l, &group[k]);
		all &= mark_dropped(group, n);
	}
	return all ? FUNCTIONS_LOCATED : FUNCTIONS_LOCATED_PARTLY;
}
