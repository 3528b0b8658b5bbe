/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/count/count-opens.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"

#define SLOTS_MIN 64

/* The open begins of one key. */
struct count_open {
	uint64_t key;
	uint32_t next_free;
	uint32_t n; /* 0: the element is free */
	struct gaps_mark mark; /* of the thread */
	uint64_t n_gaps; /* at the latest begin */
	uint8_t *frames; /* room for @nested; kept when the element is free */
};

static size_t count_opens_frame_size(const struct count_opens *opens)
{
	return sizeof(struct count_frame) + opens->key_size;
}

static struct count_frame *count_opens_frame(const struct count_opens *opens,
					     const struct count_open *open, uint32_t i)
{
	return (struct count_frame *)(open->frames + i * count_opens_frame_size(opens));
}

static size_t count_opens_home(const struct count_opens *opens, uint64_t key)
{
	return hash_bytes(&key, sizeof(key), hash_seed()) & (opens->n_slots - 1);
}

/* Returns the slot of @key, or the free one where it belongs. */
static size_t count_opens_slot(const struct count_opens *opens, uint64_t key)
{
	size_t at = count_opens_home(opens, key);

	while (opens->slots[at] && opens->list[opens->slots[at] - 1].key != key)
		at = (at + 1) & (opens->n_slots - 1);
	return at;
}

static struct count_open *count_opens_find(const struct count_opens *opens, uint64_t key)
{
	uint32_t at = opens->n_slots ? opens->slots[count_opens_slot(opens, key)] : 0;

	return at ? &opens->list[at - 1] : NULL;
}

static int count_opens_reserve(struct count_opens *opens)
{
	size_t n_slots = opens->n_slots ? opens->n_slots * 2 : SLOTS_MIN;
	uint32_t *slots;

	if ((opens->n + 1) * 4 <= opens->n_slots * 3)
		return 0;
	slots = mem_zalloc(n_slots, sizeof(*slots));
	if (!slots)
		return -ENOMEM;
	free(opens->slots);
	opens->slots = slots;
	opens->n_slots = n_slots;
	for (size_t i = 0; i < opens->n_list; i++)
		if (opens->list[i].n)
			slots[count_opens_slot(opens, opens->list[i].key)] = (uint32_t)i + 1;
	return 0;
}

/* Returns a free element with room for frames, or NULL. */
static struct count_open *count_opens_take_free(struct count_opens *opens)
{
	struct count_open *open;

	if (opens->free) {
		open = &opens->list[opens->free - 1];
		opens->free = open->next_free;
		return open;
	}
	if (opens->n_list >= UINT32_MAX - 1 ||
	    mem_reserve(&opens->list, &opens->cap_list, opens->n_list + 1, sizeof(*opens->list)) <
		    0)
		return NULL;
	open = &opens->list[opens->n_list];
	*open = (struct count_open){ .frames = mem_zalloc(opens->nested,
							  count_opens_frame_size(opens)) };
	if (!open->frames)
		return NULL;
	opens->n_list++;
	return open;
}

static struct count_open *count_opens_add(struct count_opens *opens, uint64_t key)
{
	struct count_open *open;

	if (count_opens_reserve(opens) < 0)
		return NULL;
	open = count_opens_take_free(opens);
	if (!open)
		return NULL;
	open->key = key;
	opens->slots[count_opens_slot(opens, key)] = (uint32_t)(open - opens->list) + 1;
	opens->n++;
	return open;
}

/* Frees the element, and moves those that follow to where they can be found without it. */
static void count_opens_remove(struct count_opens *opens, struct count_open *open)
{
	size_t mask = opens->n_slots - 1, hole = count_opens_slot(opens, open->key);

	for (size_t at = (hole + 1) & mask; opens->slots[at]; at = (at + 1) & mask) {
		size_t home = count_opens_home(opens, opens->list[opens->slots[at] - 1].key);

		if (((at - home) & mask) < ((at - hole) & mask))
			continue;
		opens->slots[hole] = opens->slots[at];
		hole = at;
	}
	opens->slots[hole] = 0;
	open->n = 0;
	open->next_free = opens->free;
	opens->free = (uint32_t)(open - opens->list) + 1;
	opens->n--;
}

static uint64_t count_open_left(const struct count_opens *opens, const struct count_open *open)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < open->n; i++)
		n += !count_opens_frame(opens, open, i)->rejected;
	return n;
}

void count_opens_note(struct count_opens *opens, const struct decoded_event *decoded)
{
	gaps_note(&opens->gaps, decoded);
	opens->n_gaps += decoded_has_gap(decoded);
}

/* Returns whether the begins of @open are uncertain at @event. */
static bool count_opens_doubts(const struct count_opens *opens, struct count_open *open,
			       const struct fathom_event *event)
{
	if (opens->by_thread)
		return gaps_crossed(&opens->gaps, &open->mark, event->cpu, event->time);
	return open->n_gaps != opens->n_gaps;
}

static void count_opens_see(const struct count_opens *opens, struct count_open *open,
			    const struct fathom_event *event)
{
	open->mark = (struct gaps_mark){ .cpu = event->cpu,
					 .count = gaps_at(&opens->gaps, event->cpu).count,
					 .time = event->time };
	open->n_gaps = opens->n_gaps;
}

struct count_frame *count_opens_begin(struct count_opens *opens, uint64_t key,
				      const struct fathom_event *event)
{
	struct count_open *open = count_opens_find(opens, key);

	if (open && count_opens_doubts(opens, open, event)) {
		opens->forgotten += count_open_left(opens, open);
		open->n = 0;
	}
	if (!open)
		open = count_opens_add(opens, key);
	if (!open)
		return NULL;
	count_opens_see(opens, open, event);
	if (open->n == opens->nested) {
		opens->not_begun += opens->nested > 1;
		open->n = 0;
	}
	return count_opens_frame(opens, open, open->n++);
}

const struct count_frame *count_opens_end(struct count_opens *opens, uint64_t key,
					  const struct fathom_event *event)
{
	struct count_open *open = count_opens_find(opens, key);
	const struct count_frame *frame;

	if (!open)
		return NULL;
	if (count_opens_doubts(opens, open, event)) {
		opens->forgotten += count_open_left(opens, open);
		count_opens_remove(opens, open);
		return NULL;
	}
	frame = count_opens_frame(opens, open, --open->n);
	if (!open->n)
		count_opens_remove(opens, open);
	return frame;
}

void count_opens_forget(struct count_opens *opens, uint64_t key)
{
	struct count_open *open = count_opens_find(opens, key);

	if (!open)
		return;
	opens->forgotten += count_open_left(opens, open);
	count_opens_remove(opens, open);
}

void count_opens_move(struct count_opens *opens, uint64_t from, uint64_t to)
{
	struct count_open *open, *moved;
	struct count_open copy;

	count_opens_forget(opens, to);
	open = count_opens_find(opens, from);
	if (!open)
		return;
	copy = *open;
	count_opens_remove(opens, open);
	/* It is the element that was just freed: there is memory. */
	moved = count_opens_add(opens, to);
	if (!moved)
		return;
	*moved = copy;
	moved->key = to;
}

uint64_t count_opens_left(const struct count_opens *opens)
{
	uint64_t n = opens->forgotten;

	for (size_t i = 0; i < opens->n_list; i++)
		n += count_open_left(opens, &opens->list[i]);
	return n;
}

void count_opens_done(struct count_opens *opens)
{
	for (size_t i = 0; i < opens->n_list; i++)
		free(opens->list[i].frames);
	free(opens->list);
	free(opens->slots);
	gaps_done(&opens->gaps);
	*opens = (struct count_opens){ .nested = opens->nested, .by_thread = opens->by_thread };
}
