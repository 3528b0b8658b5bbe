/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/calls/breakdown.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/calls/phases.h"
#include "base/cleanup.h"
#include "base/mem.h"
#include "base/order.h"
#include "base/str.h"

#define NO_ENTRY UINT32_MAX

const char *breakdown_syscall_name(const char *function)
{
	static const char *const prefixes[] = { "__x64_sys_",	"__ia32_sys_",	"__arm64_sys_",
						"__riscv_sys_", "__s390x_sys_", "__se_sys_" };

	for (size_t i = 0; i < ARRAY_SIZE(prefixes); i++) {
		const char *name = str_after(function, prefixes[i]);

		if (name && *name)
			return name;
	}
	return NULL;
}

static bool is_fault(const char *function)
{
	static const char names[] =
		"exc_page_fault asm_exc_page_fault do_page_fault "
		"__do_page_fault do_user_addr_fault handle_mm_fault do_mem_abort";

	return str_has_word(names, " ", function);
}

/* Where a node is counted: an entry, and the phase of the node or of its caller. */
struct place {
	uint32_t entry;
	int phase; /* PHASE_NONE: grouped by name */
	bool noise; /* everything that it calls is noise as well */
};

struct work {
	const struct call_tree *tree;
	const struct phases *phases;
	struct breakdown *breakdown;
	struct place *places; /* by node */
	int *phase_of; /* by function; PHASE_NONE - 1: not determined yet */
};

static uint32_t breakdown_find_entry(struct breakdown *b, enum breakdown_kind kind,
				     const char *name)
{
	for (size_t i = 0; i < b->n; i++)
		if (b->list[i].kind == kind && str_eq(b->list[i].name, name))
			return (uint32_t)i;
	if (mem_reserve(&b->list, &b->cap, b->n + 1, sizeof(*b->list)) < 0)
		return NO_ENTRY;
	b->list[b->n] =
		(struct breakdown_entry){ .kind = kind, .name = arena_strdup(&b->arena, name) };
	return b->list[b->n].name ? (uint32_t)b->n++ : NO_ENTRY;
}

static const char *intern(struct breakdown *b, const struct breakdown_entry *entry, const char *s,
			  size_t len)
{
	for (size_t i = 0; i < entry->n; i++)
		if (strlen(entry->parts[i].name) == len && !memcmp(entry->parts[i].name, s, len))
			return entry->parts[i].name;
	return arena_strndup(&b->arena, s, len);
}

static struct breakdown_part *find_part(const struct work *work, const struct place *place,
					const struct func *func)
{
	struct breakdown_entry *entry = &work->breakdown->list[place->entry];
	bool grouped = place->phase == PHASE_NONE;
	const char *name = "?";
	size_t len = 1;

	if (!grouped)
		name = phases_get(work->phases, place->phase)->name;
	else if (func->name)
		name = phases_prefix(func->name, &len);
	name = intern(work->breakdown, entry, name, grouped ? len : strlen(name));
	if (!name)
		return NULL;
	for (size_t i = 0; i < entry->n; i++)
		if (entry->parts[i].grouped == grouped && str_eq(entry->parts[i].name, name))
			return &entry->parts[i];
	if (mem_reserve(&entry->parts, &entry->cap, entry->n + 1, sizeof(*entry->parts)) < 0)
		return NULL;
	entry->parts[entry->n] =
		(struct breakdown_part){ .name = name, .noise = place->noise, .grouped = grouped };
	return &entry->parts[entry->n++];
}

static int phase_of(const struct work *work, uint32_t func)
{
	const struct func *of = &work->tree->funcs.list[func];
	const char *name = of->flags & FUNC_USER ? NULL : of->name;

	if (work->phase_of[func] < PHASE_NONE)
		work->phase_of[func] = name ? phases_find(work->phases, name) : PHASE_NONE;
	return work->phase_of[func];
}

/* Finds out whether this call enters the kernel. Returns 1 with the entry, 0, or -ENOMEM. */
static int breakdown_enter(const struct work *work, const struct place *above,
			   const struct func *func, uint32_t *ret_entry)
{
	bool known = above->entry != NO_ENTRY &&
		     work->breakdown->list[above->entry].kind != BREAKDOWN_OTHER;
	const char *syscall = func->name && !known ? breakdown_syscall_name(func->name) : NULL;

	*ret_entry = NO_ENTRY;
	if (func->flags & (FUNC_IRQ | FUNC_SOFTIRQ) &&
	    (!known || work->breakdown->list[above->entry].kind != BREAKDOWN_IRQ))
		*ret_entry = breakdown_find_entry(work->breakdown, BREAKDOWN_IRQ, "");
	else if (syscall)
		*ret_entry = breakdown_find_entry(work->breakdown, BREAKDOWN_SYSCALL, syscall);
	else if (!known && func->name && is_fault(func->name))
		*ret_entry = breakdown_find_entry(work->breakdown, BREAKDOWN_FAULT, "");
	else if (above->entry == NO_ENTRY)
		*ret_entry = breakdown_find_entry(work->breakdown, BREAKDOWN_OTHER, "");
	else
		return 0;
	return *ret_entry == NO_ENTRY ? -ENOMEM : 1;
}

static int count_node(const struct work *work, uint32_t at)
{
	const struct call_node *node = &work->tree->nodes[at];
	const struct func *func = &work->tree->funcs.list[node->func];
	const struct place *above = &work->places[node->parent];
	struct place *place = &work->places[at];
	struct breakdown_part *part;
	uint32_t entry;
	int r;

	/* Kernel activity inside a user function is a separate entry. */
	if (func->flags & FUNC_USER) {
		*place = (struct place){ .entry = NO_ENTRY, .phase = PHASE_NONE };
		return 0;
	}
	r = breakdown_enter(work, above, func, &entry);
	if (r < 0)
		return r;
	*place = *above;
	if (r > 0)
		*place = (struct place){ .entry = entry, .phase = PHASE_NONE };
	if (!place->noise) {
		int phase = phase_of(work, node->func);

		place->phase = phase == PHASE_NONE ? place->phase : phase;
		place->noise = phase != PHASE_NONE && phases_get(work->phases, phase)->noise;
	}
	part = find_part(work, place, func);
	if (!part)
		return -ENOMEM;
	part->own += node->times.own;
	part->calls += node->count;
	if (r > 0) {
		struct breakdown_entry *way = &work->breakdown->list[entry];

		way->calls += node->count;
		way->total += node->times.total;
		way->asleep += node->times.asleep;
		/*
		 * Functions without a phase are grouped by name, apart from the system call itself.
		 */
		if (!place->noise && way->kind == BREAKDOWN_SYSCALL)
			place->phase = PHASE_NONE;
	}
	return 0;
}

static int compare_parts(const void *pa, const void *pb)
{
	const struct breakdown_part *a = pa, *b = pb;

	if (a->noise != b->noise)
		return a->noise ? 1 : -1;
	return order_falling(a->own, b->own) ?: strcmp(a->name, b->name);
}

static int compare_entries(const void *pa, const void *pb)
{
	const struct breakdown_entry *a = pa, *b = pb;

	return order_falling(a->total, b->total) ?: strcmp(a->name, b->name);
}

static int breakdown_walk(const struct work *work)
{
	const struct call_node *nodes = work->tree->nodes;
	uint32_t at = nodes[CALL_ROOT].child;

	while (at != CALL_NONE && at != CALL_ROOT) {
		int r = count_node(work, at);

		if (r < 0)
			return r;
		if (nodes[at].child != CALL_NONE) {
			at = nodes[at].child;
			continue;
		}
		while (at != CALL_ROOT && nodes[at].sibling == CALL_NONE)
			at = nodes[at].parent;
		if (at != CALL_ROOT)
			at = nodes[at].sibling;
	}
	return 0;
}

int breakdown_make(const struct call_tree *tree, const struct phases *phases,
		   struct breakdown *ret_breakdown)
{
	_cleanup_free_ struct place *places = mem_zalloc(tree->n, sizeof(*places));
	_cleanup_free_ int *phase_numbers = mem_zalloc(tree->funcs.n + 1, sizeof(int));
	struct work work = { tree, phases, ret_breakdown, places, phase_numbers };
	int r;

	*ret_breakdown = (struct breakdown){ 0 };
	if (!places || !phase_numbers)
		return -ENOMEM;
	for (size_t i = 0; i < tree->funcs.n; i++)
		phase_numbers[i] = PHASE_NONE - 1;
	places[CALL_ROOT] = (struct place){ .entry = NO_ENTRY, .phase = PHASE_NONE };
	r = breakdown_walk(&work);
	if (r < 0) {
		breakdown_done(ret_breakdown);
		return r;
	}
	for (size_t i = 0; i < ret_breakdown->n; i++)
		if (ret_breakdown->list[i].n)
			qsort(ret_breakdown->list[i].parts, ret_breakdown->list[i].n,
			      sizeof(struct breakdown_part), compare_parts);
	if (ret_breakdown->n)
		qsort(ret_breakdown->list, ret_breakdown->n, sizeof(struct breakdown_entry),
		      compare_entries);
	return 0;
}

void breakdown_done(struct breakdown *breakdown)
{
	for (size_t i = 0; i < breakdown->n; i++)
		free(breakdown->list[i].parts);
	free(breakdown->list);
	arena_done(&breakdown->arena);
	*breakdown = (struct breakdown){ 0 };
}

const struct breakdown_entry *breakdown_find(const struct breakdown *breakdown,
					     enum breakdown_kind kind, const char *name)
{
	for (size_t i = 0; i < breakdown->n; i++)
		if (breakdown->list[i].kind == kind && str_eq(breakdown->list[i].name, name))
			return &breakdown->list[i];
	return NULL;
}
