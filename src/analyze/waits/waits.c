/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/waits/waits.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* The parts of a key. Task numbers have at most 22 bits. */
#define STATE_SHIFT    22
#define SYSCALL_SHIFT  25
#define SYSCALL_PLACES 4094 /* two more for none and unknown */
#define WAKER_SHIFT    37
#define WAKER_PLACES   ((1U << 24) - 1)

_Static_assert(TASKS_MAX <= 1U << STATE_SHIFT, "a task has its place in the key");
_Static_assert(TASK_STATES <= 1U << (SYSCALL_SHIFT - STATE_SHIFT), "so has a state");

/* Calls or wakers beyond the capacity of the key are not distinguished. */
static uint64_t waits_make_key(struct waits *waits, struct wait_sums *sums)
{
	uint32_t syscall = 0, waker = 0;

	if (sums->syscall >= 0) {
		syscall = u64_map_put(&waits->syscalls, (uint64_t)sums->syscall);
		if (syscall == U64_MAP_NONE)
			waits->nomem = true;
		if (syscall >= SYSCALL_PLACES)
			sums->syscall = SYSCALL_UNKNOWN;
	}
	if (sums->waker.kind != WAKER_UNKNOWN) {
		waker = u64_map_put(&waits->wakers,
				    (uint64_t)sums->waker.kind << 32 | sums->waker.number);
		if (waker == U64_MAP_NONE)
			waits->nomem = true;
		if (waker >= WAKER_PLACES)
			sums->waker.kind = WAKER_UNKNOWN;
	}
	syscall = sums->syscall >= 0 ? syscall + 2 : (uint32_t)-sums->syscall - 1;
	waker = sums->waker.kind == WAKER_UNKNOWN ? 0 : waker + 1;
	return sums->task | (uint64_t)sums->state << STATE_SHIFT |
	       (uint64_t)syscall << SYSCALL_SHIFT | (uint64_t)waker << WAKER_SHIFT;
}

static struct wait_sums *waits_find_sums(struct waits *waits, const struct task_span *span)
{
	struct wait_sums sums = { .task = span->task,
				  .state = span->state,
				  .syscall = span->syscall,
				  .waker = span->waker };
	size_t n = waits->n;
	struct wait_sums *known = u64_map_element(&waits->keys, waits_make_key(waits, &sums),
						  &waits->list, &waits->n, &waits->cap,
						  sizeof(*waits->list));

	if (!known)
		waits->nomem = true;
	else if (waits->n > n)
		*known = sums;
	return known;
}

static void waits_count(struct waits *waits, const struct task_span *span)
{
	struct wait_sums *sums;

	if (span->quality == SPAN_DOUBTFUL) {
		waits->doubtful++;
		return;
	}
	sums = waits_find_sums(waits, span);
	if (!sums)
		return;
	sums->begun += span->quality == SPAN_CLIPPED;
	sums->open += span->quality == SPAN_CUT;
	if (span->quality != SPAN_WHOLE)
		sums->tally.partial += task_span_has_time(span) ? span->end - span->start : 0;
	else if (tally_add(&sums->tally, span->start, span->end - span->start) < 0)
		waits->nomem = true;
}

static struct wait_chain **waits_find_last(struct waits *waits, uint32_t task)
{
	if (mem_reserve(&waits->last, &waits->cap_last, task + (size_t)1, sizeof(void *)) < 0) {
		waits->nomem = true;
		return NULL;
	}
	for (; waits->n_last <= task; waits->n_last++)
		waits->last[waits->n_last] = NULL;
	return &waits->last[task];
}

static void waits_forget(struct waits *waits, uint32_t task)
{
	if (task >= waits->n_last)
		return;
	free(waits->last[task]);
	waits->last[task] = NULL;
}

/* Makes a chain of the wait and of the waits of its waker. */
static void make_chain(const struct waits *waits, const struct task_span *span,
		       struct wait_chain *chain)
{
	const struct wait_chain *more = NULL;

	chain->n = 1;
	chain->links[0] = (struct wait_link){ .task = span->task,
					      .state = span->state,
					      .syscall = span->syscall,
					      .waker = span->waker,
					      .start = span->start,
					      .end = span->end };
	if (span->waker.kind == WAKER_TASK && span->waker.number != span->task &&
	    span->waker.number < waits->n_last)
		more = waits->last[span->waker.number];
	for (size_t i = 0; more && i < more->n && chain->n < WAIT_LINKS_MAX; i++) {
		if (more->links[i].end <= span->start)
			break;
		chain->links[chain->n++] = more->links[i];
	}
}

static uint64_t waits_length(const struct wait_chain *chain)
{
	return chain->links[0].end - chain->links[0].start;
}

/* Keeps the chain if it is among the longest. */
static void waits_keep(struct waits *waits, const struct wait_chain *chain)
{
	size_t at = waits->n_chains;

	while (at && waits_length(&waits->chains[at - 1]) < waits_length(chain))
		at--;
	if (at >= waits->max_chains)
		return;
	if (waits->n_chains < waits->max_chains) {
		if (mem_reserve(&waits->chains, &waits->cap_chains, waits->n_chains + 1,
				sizeof(*waits->chains)) < 0) {
			waits->nomem = true;
			return;
		}
		waits->n_chains++;
	}
	memmove(&waits->chains[at + 1], &waits->chains[at],
		(waits->n_chains - at - 1) * sizeof(*waits->chains));
	waits->chains[at] = *chain;
}

static void link_up(struct waits *waits, const struct task_span *span)
{
	struct wait_chain **last;

	if (span->quality != SPAN_WHOLE && span->quality != SPAN_CLIPPED) {
		waits_forget(waits, span->task);
		return;
	}
	last = waits_find_last(waits, span->task);
	if (!last)
		return;
	if (!*last)
		*last = mem_zalloc(1, sizeof(**last));
	if (!*last) {
		waits->nomem = true;
		return;
	}
	make_chain(waits, span, *last);
	if (!span->unwanted && span->state != TASK_STATE_IDLE)
		waits_keep(waits, *last);
}

void waits_take(void *data, const struct task_states *states, const struct task_span *span)
{
	struct waits *waits = data;

	if (span->task == TASK_NONE)
		return;
	if (span->state == TASK_STATE_RUNNING) {
		if (span->next == TASK_STATE_DEAD)
			waits_forget(waits, span->task);
		return;
	}
	if (waits->max_chains && task_state_waits(span->state))
		link_up(waits, span);
	if (!span->unwanted)
		waits_count(waits, span);
}

void waits_done(struct waits *waits)
{
	for (size_t i = 0; i < waits->n; i++)
		tally_done(&waits->list[i].tally);
	for (size_t i = 0; i < waits->n_last; i++)
		free(waits->last[i]);
	u64_map_done(&waits->keys);
	u64_map_done(&waits->syscalls);
	u64_map_done(&waits->wakers);
	free(waits->list);
	free(waits->last);
	free(waits->chains);
	memset(waits, 0, sizeof(*waits));
}
