/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "symbols/dwarf/source-places.h"

#include <errno.h>

#include <string.h>

const char *source_path_end(const char *path)
{
	for (const char *dots; (dots = strstr(path, "./"));)
		path = dots + 2;
	return path;
}

#ifdef HAVE_LIBDW

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "symbols/dwarf/dwarf-places.h"

/* More probes for one line are not useful. */
#define PLACES_MAX 10000

struct found {
	uint64_t address;
	Dwarf_Die unit;
};

struct search {
	Dwarf *dwarf;
	const char *source;
	uint32_t line;
	const char *last; /* the last file compared, and the result */
	bool last_fits;
	const char *file, *other; /* matching files; more than one is an error */
	uint32_t best; /* line */
	struct found *list;
	size_t n, cap;
	struct nearest nearest;
	bool nomem;
};

static void source_places_search_done(struct search *search)
{
	free(search->list);
	dwarf_end(search->dwarf);
}

/* Returns whether @path ends with @end, at a path component. */
static bool source_places_ends_with(const char *path, const char *end)
{
	size_t len = strlen(path), n = strlen(end);

	return len >= n && str_eq(path + len - n, end) && (len == n || path[len - n - 1] == '/');
}

static bool source_places_is_same(const char *a, const char *b)
{
	a = source_path_end(a);
	b = source_path_end(b);
	return source_places_ends_with(a, b) || source_places_ends_with(b, a);
}

static bool source_places_fits(struct search *search, const char *file)
{
	if (file == search->last)
		return search->last_fits;
	search->last = file;
	search->last_fits = file && source_places_ends_with(file, search->source);
	if (file && !search->last_fits)
		nearest_offer(&search->nearest, str_base_name(file));
	if (!search->last_fits)
		return false;
	if (!search->file)
		search->file = file;
	else if (!source_places_is_same(search->file, file))
		search->other = file;
	return true;
}

static void source_places_add(struct search *search, uint32_t line, uint64_t address,
			      const Dwarf_Die *unit)
{
	if (line < search->best) {
		search->best = line;
		search->n = 0;
	}
	if (search->n >= PLACES_MAX)
		return;
	if (mem_reserve(&search->list, &search->cap, search->n + 1, sizeof(*search->list)) < 0)
		search->nomem = true;
	else
		search->list[search->n++] = (struct found){ address, *unit };
}

/*
 * The table of a unit is sorted by address. Of consecutive rows for one line, one per column or
 * view, the first is its entry.
 */
static void look_at_unit(struct search *search, Dwarf_Die *unit)
{
	Dwarf_Lines *lines;
	int before = 0;
	size_t n;

	if (dwarf_getsrclines(unit, &lines, &n) != 0)
		return;
	for (size_t i = 0; i < n && !search->nomem; i++) {
		Dwarf_Line *row = dwarf_onesrcline(lines, i);
		bool is_end = true, is_statement = false;
		Dwarf_Addr address;
		int line = 0;

		if (!row || dwarf_lineendsequence(row, &is_end) != 0 || is_end ||
		    dwarf_lineno(row, &line) != 0 || dwarf_lineaddr(row, &address) != 0 ||
		    !source_places_fits(search, dwarf_linesrc(row, NULL, NULL))) {
			before = 0;
			continue;
		}
		dwarf_linebeginstatement(row, &is_statement);
		if (line == before || !is_statement)
			continue;
		before = line;
		if (line > 0 && (uint32_t)line >= search->line && (uint32_t)line <= search->best)
			source_places_add(search, (uint32_t)line, address, unit);
	}
}

/* With @own, only examines the units of that file, which is much faster; the others include it. */
static void look_at_units(struct search *search, bool own)
{
	Dwarf_Off at = 0, next;
	size_t head;

	while (dwarf_nextcu(search->dwarf, at, &next, &head, NULL, NULL, NULL) == 0 &&
	       !search->nomem) {
		Dwarf_Die unit;

		if (dwarf_offdie(search->dwarf, at + head, &unit) &&
		    (!own || source_places_fits(search, dwarf_diename(&unit))))
			look_at_unit(search, &unit);
		if (next <= at)
			break;
		at = next;
	}
}

/*
 * Returns whether the function keeps its parameters on the stack, as unoptimized code does after
 * its prologue.
 */
static bool is_unoptimised(Dwarf_Die *function)
{
	Dwarf_Attribute attribute;
	Dwarf_Die child;
	Dwarf_Op *ops;
	size_t n;

	if (dwarf_child(function, &child) != 0)
		return false;
	do {
		if (dwarf_tag(&child) == DW_TAG_formal_parameter &&
		    dwarf_attr(&child, DW_AT_location, &attribute) &&
		    dwarf_getlocation(&attribute, &ops, &n) == 0 && n == 1 &&
		    ops[0].atom == DW_OP_fbreg)
			return true;
	} while (dwarf_siblingof(&child, &child) == 0);
	return false;
}

/*
 * At the first line of a function, parameters have not been stored yet, so use the end of the
 * prologue.
 */
static uint64_t behind_prologue(struct found *found)
{
	uint64_t address = found->address;
	Dwarf_Addr entry, *behind = NULL;
	Dwarf_Die *scopes = NULL;
	int n = dwarf_scopes_at(&found->unit, address, &scopes);

	for (int i = 0; i < n; i++) {
		if (dwarf_tag(&scopes[i]) != DW_TAG_subprogram)
			continue;
		if (dwarf_entrypc(&scopes[i], &entry) == 0 && entry == address &&
		    is_unoptimised(&scopes[i]) && dwarf_entry_breakpoints(&scopes[i], &behind) > 0)
			address = behind[0];
		break;
	}
	free(behind);
	free(scopes);
	return address;
}

static int source_places_compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static int source_places_hand_out(struct search *search, struct arena *arena,
				  struct source_places *ret, struct fathom_err *err)
{
	struct source_places places = { arena_zalloc(arena, search->n, sizeof(uint64_t)), 0,
					search->best };
	size_t n = 0;

	if (!places.addresses)
		return err_nomem(err);
	for (size_t i = 0; i < search->n; i++)
		places.addresses[i] = behind_prologue(&search->list[i]);
	qsort(places.addresses, search->n, sizeof(uint64_t), source_places_compare);
	for (size_t i = 0; i < search->n; i++)
		if (!i || places.addresses[i] != places.addresses[n - 1])
			places.addresses[n++] = places.addresses[i];
	places.n = n;
	*ret = places;
	return 0;
}

static int source_places_complain(const struct search *search, struct fathom_err *err)
{
	const char *hint = nearest_pick(&search->nearest);

	if (search->other)
		return err_set(err, -ENOENT,
			       "ambiguous source file '%.60s': matches '%.80s' and '%.80s'",
			       search->source, search->file, search->other);
	if (search->file)
		return err_set(err, -ENOENT, "no code at or after line %u of '%.80s'", search->line,
			       search->file);
	if (hint)
		return err_set(
			err, -ENOENT,
			"no source file '%.60s' in the debug information; did you mean '%.60s'?",
			search->source, hint);
	return err_set(err, -ENOENT, "no source file '%.60s' in the debug information",
		       search->source);
}

int source_places_find(int fd, const char *source, uint32_t line, struct arena *arena,
		       struct source_places *ret_places, struct fathom_err *err)
{
	_cleanup_(source_places_search_done) struct search search = {
		.dwarf = dwarf_begin(fd, DWARF_C_READ),
		.source = source,
		.line = line,
		.best = UINT32_MAX,
		.nearest = { .wanted = str_base_name(source) },
	};

	if (!search.dwarf)
		return -ENODATA;
	look_at_units(&search, true);
	if (!search.n && !search.nomem)
		look_at_units(&search, false);
	if (search.nomem)
		return err_nomem(err);
	if (!search.n || search.other)
		return source_places_complain(&search, err);
	return source_places_hand_out(&search, arena, ret_places, err);
}

#else

int source_places_find(int fd, const char *source, uint32_t line, struct arena *arena,
		       struct source_places *ret_places, struct fathom_err *err)
{
	return -ENOTSUP;
}

#endif
