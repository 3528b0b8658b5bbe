/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "symbols/dwarf/source-lines.h"

#include <errno.h>

bool source_lines_supported(void)
{
#ifdef HAVE_LIBDW
	return true;
#else
	return false;
#endif
}

#ifdef HAVE_LIBDW

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <libelf.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/order.h"
#include "symbols/dwarf/dwarf-places.h"

/* Limit for all units together. */
#define RANGES_MAX ((size_t)1 << 22)

/* A range of code, and the unit that contains it. */
struct unit_range {
	uint64_t start, end;
	Dwarf_Off unit;
};

struct source_lines {
	Elf *elf;
	Dwarf *dwarf;
	struct unit_range *ranges; /* sorted by start */
	size_t n, cap;
};

static int add_range(struct source_lines *lines, uint64_t start, uint64_t end, Dwarf_Off unit)
{
	if (start >= end || lines->n >= RANGES_MAX)
		return 0;
	if (mem_reserve(&lines->ranges, &lines->cap, lines->n + 1, sizeof(*lines->ranges)) < 0)
		return -ENOMEM;
	lines->ranges[lines->n++] = (struct unit_range){ start, end, unit };
	return 0;
}

static int source_lines_compare_ranges(const void *a, const void *b)
{
	const struct unit_range *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

/* Not all compilers emit an address table of the units. */
static int index_units(struct source_lines *lines)
{
	Dwarf_Off at = 0, next;
	size_t header;
	int r = 0;

	while (r == 0 && dwarf_nextcu(lines->dwarf, at, &next, &header, NULL, NULL, NULL) == 0) {
		Dwarf_Addr base, start, end;
		ptrdiff_t i = 0;
		Dwarf_Die unit;

		if (next <= at)
			break;
		if (dwarf_offdie(lines->dwarf, at + header, &unit))
			while (r == 0 && (i = dwarf_ranges(&unit, i, &base, &start, &end)) > 0)
				r = add_range(lines, start, end, at + header);
		at = next;
	}
	if (lines->n)
		qsort(lines->ranges, lines->n, sizeof(*lines->ranges), source_lines_compare_ranges);
	return r;
}

int source_lines_new(void *image, size_t size, struct source_lines **ret_lines)
{
	struct source_lines *lines = mem_zalloc(1, sizeof(*lines));
	int r;

	if (!lines)
		return -ENOMEM;
	elf_version(EV_CURRENT);
	lines->elf = elf_memory(image, size);
	if (lines->elf)
		lines->dwarf = dwarf_begin_elf(lines->elf, DWARF_C_READ, NULL);
	r = lines->dwarf ? index_units(lines) : -ENODATA;
	if (r == 0 && !lines->n)
		r = -ENODATA;
	if (r < 0) {
		source_lines_free(lines);
		return r;
	}
	*ret_lines = lines;
	return 0;
}

void source_lines_free(struct source_lines *lines)
{
	if (!lines)
		return;
	dwarf_end(lines->dwarf);
	elf_end(lines->elf);
	free(lines->ranges);
	free(lines);
}

static bool source_lines_find_unit(const struct source_lines *lines, uint64_t address,
				   Dwarf_Die *ret_unit)
{
	size_t low = order_count_upto(lines->ranges, lines->n, sizeof(*lines->ranges),
				      offsetof(struct unit_range, start), address);

	return low && address < lines->ranges[low - 1].end &&
	       dwarf_offdie(lines->dwarf, lines->ranges[low - 1].unit, ret_unit);
}

static uint32_t source_lines_number_of(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attribute;
	Dwarf_Word value;

	if (!dwarf_attr_integrate(die, name, &attribute) ||
	    dwarf_formudata(&attribute, &value) != 0 || value > UINT32_MAX)
		return 0;
	return (uint32_t)value;
}

/* Prefers the linkage name, which is more specific, to the source name. */
static const char *source_lines_name_of(Dwarf_Die *die)
{
	Dwarf_Attribute attribute;
	const char *name = NULL;

	if (dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute))
		name = dwarf_formstring(&attribute);
	return name ? name : dwarf_diename(die);
}

/* Sets the location of the call of an inlined function. */
static void set_call(Dwarf_Die *unit, Dwarf_Die *inlined, struct source_frame *frame)
{
	Dwarf_Files *files;
	size_t n;
	uint32_t file = source_lines_number_of(inlined, DW_AT_call_file);

	frame->line = source_lines_number_of(inlined, DW_AT_call_line);
	if (dwarf_getsrcfiles(unit, &files, &n) == 0 && file < n)
		frame->file = dwarf_filesrc(files, file, NULL, NULL);
}

static void set_line(Dwarf_Die *unit, uint64_t address, struct source_frame *frame)
{
	Dwarf_Line *line = dwarf_getsrc_die(unit, address);
	int number;

	if (!line)
		return;
	frame->file = dwarf_linesrc(line, NULL, NULL);
	if (dwarf_lineno(line, &number) == 0 && number > 0)
		frame->line = (uint32_t)number;
}

size_t source_lines_find(struct source_lines *lines, uint64_t address,
			 struct source_frame frames[SOURCE_FRAMES_MAX])
{
	Dwarf_Die unit, *scopes = NULL;
	size_t n = 0;
	int n_scopes;

	if (!source_lines_find_unit(lines, address, &unit))
		return 0;
	frames[0] = (struct source_frame){ 0 };
	set_line(&unit, address, &frames[0]);
	n_scopes = dwarf_scopes_at(&unit, address, &scopes);
	for (int i = 0; i < n_scopes && n < SOURCE_FRAMES_MAX; i++) {
		int tag = dwarf_tag(&scopes[i]);

		if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_subprogram)
			continue;
		frames[n++].function = source_lines_name_of(&scopes[i]);
		if (tag == DW_TAG_subprogram)
			break;
		if (n < SOURCE_FRAMES_MAX) {
			frames[n] = (struct source_frame){ 0 };
			set_call(&unit, &scopes[i], &frames[n]);
		}
	}
	free(scopes);
	return n ?: (frames[0].file ? 1 : 0);
}

bool source_lines_function(struct source_lines *lines, uint64_t address, const char **ret_file,
			   uint32_t *ret_line)
{
	Dwarf_Die unit;

	return source_lines_find_unit(lines, address, &unit) &&
	       dwarf_declared_at(&unit, address, ret_file, ret_line);
}

#else

int source_lines_new(void *image, size_t size, struct source_lines **ret_lines)
{
	return -ENOTSUP;
}

void source_lines_free(struct source_lines *lines)
{
}

size_t source_lines_find(struct source_lines *lines, uint64_t address,
			 struct source_frame frames[SOURCE_FRAMES_MAX])
{
	return 0;
}

bool source_lines_function(struct source_lines *lines, uint64_t address, const char **ret_file,
			   uint32_t *ret_line)
{
	return false;
}

#endif
