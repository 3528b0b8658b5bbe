/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/stream/probe-join.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/stream/task-key.h"
#include "base/mem.h"
#include "base/str.h"
#include "format/event/return-event.h"
#include "format/event/sample-event.h"

/* Bits for the kinds of events seen of a function. */
#define SEEN(kind) (1u << (kind_bit(kind)))

enum held_fate {
	HELD_AS_IT_IS,
	HELD_JOINED, /* merged into a call */
	HELD_WITH_MORE, /* a call with its arguments in @more */
	HELD_WITH_RESULT,
};

struct held_event {
	struct fathom_event event; /* @event.data points to a copy */
	struct fathom_event more;
	void *data, *more_data;
	size_t cap_data, cap_more;
	enum decoded_kind kind;
	enum held_fate fate;
	uint64_t func;
	int64_t result;
	int depth;
	bool has_result;
	bool waits; /* for the other event of its pair */
};

static unsigned kind_bit(enum decoded_kind kind)
{
	switch (kind) {
	case DECODED_CALL:
		return 0;
	case DECODED_PROBE:
		return 1;
	case DECODED_RETURN:
		return 2;
	default:
		return 3;
	}
}

static bool is_pair_kind(enum decoded_kind kind)
{
	return kind == DECODED_CALL || kind == DECODED_RETURN || kind == DECODED_PROBE ||
	       kind == DECODED_PROBE_RETURN;
}

static enum decoded_kind mate_of(enum decoded_kind kind)
{
	switch (kind) {
	case DECODED_CALL:
		return DECODED_PROBE;
	case DECODED_PROBE:
		return DECODED_CALL;
	case DECODED_RETURN:
		return DECODED_PROBE_RETURN;
	default:
		return DECODED_RETURN;
	}
}

static bool is_same_task(const struct fathom_event *a, const struct fathom_event *b)
{
	return task_key_of(a) == task_key_of(b);
}

static struct held_event *held_at(const struct probe_join *join, size_t i)
{
	return &join->held[(join->first + i) % PROBE_JOIN_MAX];
}

bool probe_join_is_needed(const struct event_table *table)
{
	static const char field[] = " __probe_";

	for (size_t i = 0; i < table->n; i++) {
		const struct fathom_format_text *text = table->entries[i].text;

		if (memmem(text->text, text->size, field, sizeof(field) - 1))
			return true;
	}
	return false;
}

bool probe_join_is_sparse(const struct event_table *table)
{
	static const char name[] = "name: " RETURN_EVENT_NAME "\n";

	for (size_t i = 0; i < table->n; i++)
		if (str_eq(table->entries[i].text->system, SAMPLE_SYSTEM) &&
		    table->entries[i].text->size >= sizeof(name) - 1 &&
		    memcmp(table->entries[i].text->text, name, sizeof(name) - 1) == 0)
			return true;
	return false;
}

static int copy_event(const struct fathom_event *event, struct fathom_event *ret_copy, void **data,
		      size_t *cap)
{
	if (mem_reserve((char **)data, cap, event->size, 1) < 0)
		return -1;
	*ret_copy = *event;
	if (event->size)
		memcpy(*data, event->data, event->size);
	/* NULL would mean that the event has no known format; an empty event has one. */
	ret_copy->data = event->data ? *data : NULL;
	return 0;
}

/* Records the kind of the event. Returns the kinds seen before. */
static uint8_t probe_join_note(struct probe_join *join, const struct decoded_event *decoded)
{
	uint8_t *seen = u64_map_element(&join->funcs, decoded->call.func, &join->seen,
					&join->n_seen, &join->cap_seen, sizeof(*seen));
	uint8_t before;

	if (!seen) {
		join->nomem = true;
		return 0;
	}
	before = *seen;
	*seen |= (uint8_t)SEEN(decoded->kind);
	return before;
}

/*
 * Returns whether @now shows that the pair of @held will not arrive. Interrupts can occur between
 * any two events, so the start of a call is inconclusive, unless it is the same function at the
 * same depth: then the next result is that of the new call.
 */
static bool probe_join_is_over(const struct held_event *held, const struct decoded_event *now)
{
	if (now->kind == DECODED_SYSCALL_ENTRY || now->kind == DECODED_SYSCALL_EXIT)
		return true;
	if (now->kind == held->kind && now->call.func == held->func &&
	    (held->kind == DECODED_PROBE || held->kind == DECODED_PROBE_RETURN))
		return true;
	if (now->kind == DECODED_CALL && held->kind == DECODED_RETURN)
		return now->call.func == held->func && now->call.depth == held->depth;
	if (now->kind != DECODED_RETURN)
		return false;
	if (held->kind == DECODED_RETURN)
		return now->call.depth < held->depth ||
		       (now->call.depth == held->depth && now->call.func == held->func);
	return held->kind == DECODED_CALL && now->call.depth <= held->depth;
}

static void stop_waiting(struct probe_join *join, struct held_event *held)
{
	join->waiting -= held->waits;
	held->waits = false;
}

/*
 * Stops waiting for pairs that cannot arrive after @now. If a function is known not to have the
 * other event of a pair, any event of a pair in its task ends the wait.
 */
static void probe_join_give_up(struct probe_join *join, const struct decoded_event *now)
{
	bool is_pair = is_pair_kind(now->kind);

	if (!is_pair && now->kind != DECODED_SYSCALL_ENTRY && now->kind != DECODED_SYSCALL_EXIT &&
	    !decoded_has_gap(now))
		return;
	for (size_t i = 0; i < join->n && join->waiting; i++) {
		struct held_event *held = held_at(join, i);
		uint32_t at;

		if (!held->waits)
			continue;
		at = u64_map_get(&join->funcs, held->func);
		if (decoded_has_gap(now) || (is_same_task(&held->event, now->event) &&
					     (probe_join_is_over(held, now) ||
					      (is_pair && at != U64_MAP_NONE &&
					       !(join->seen[at] & SEEN(mate_of(held->kind)))))))
			stop_waiting(join, held);
	}
}

/* Returns the latest event that waits for @now as its pair, or NULL. */
static struct held_event *find_mate(struct probe_join *join, const struct decoded_event *now)
{
	enum decoded_kind wanted = mate_of(now->kind);

	for (size_t i = join->n; i-- > 0 && join->waiting;) {
		struct held_event *held = held_at(join, i);

		if (held->waits && held->kind == wanted && held->func == now->call.func &&
		    is_same_task(&held->event, now->event))
			return held;
	}
	return NULL;
}

/* Returns NULL if memory is exhausted; then the event is passed on unheld. */
static struct held_event *probe_join_hold(struct probe_join *join,
					  const struct decoded_event *decoded)
{
	struct held_event *held;

	if (!join->held)
		join->held = mem_zalloc(PROBE_JOIN_MAX, sizeof(*join->held));
	held = join->held ? held_at(join, join->n) : NULL;
	if (!held || copy_event(decoded->event, &held->event, &held->data, &held->cap_data) < 0) {
		join->nomem = true;
		return NULL;
	}
	held->kind = decoded->kind;
	held->fate = HELD_AS_IT_IS;
	held->waits = false;
	if (is_pair_kind(decoded->kind)) {
		held->func = decoded->call.func;
		held->depth = decoded->call.depth;
		held->has_result = decoded->kind == DECODED_PROBE_RETURN && decoded->call.has_more;
		held->result = held->has_result ? decoded->call.result : 0;
	}
	join->n++;
	return held;
}

static void join_pair(struct probe_join *join, struct held_event *call, struct held_event *probe)
{
	probe->fate = HELD_JOINED;
	if (probe->kind == DECODED_PROBE_RETURN) {
		call->fate = probe->has_result ? HELD_WITH_RESULT : HELD_AS_IT_IS;
		call->result = probe->result;
	} else if (copy_event(&probe->event, &call->more, &call->more_data, &call->cap_more) < 0) {
		join->nomem = true;
	} else {
		call->fate = HELD_WITH_MORE;
	}
}

static bool is_probe(const struct held_event *held)
{
	return held->kind == DECODED_PROBE || held->kind == DECODED_PROBE_RETURN;
}

bool probe_join_put(struct probe_join *join, const struct decoded_event *decoded)
{
	struct held_event *mate = NULL, *held;
	bool is_pair = is_pair_kind(decoded->kind), waits = false;

	if (join->waiting) {
		/* Leaves room for this event after those that are held. */
		if (join->n == PROBE_JOIN_MAX - 1)
			probe_join_end(join);
		if (is_pair)
			mate = find_mate(join, decoded);
		if (!mate)
			probe_join_give_up(join, decoded);
	}
	if (is_pair) {
		uint8_t before = probe_join_note(join, decoded);

		waits = !mate &&
			(!(before & SEEN(decoded->kind)) || before & SEEN(mate_of(decoded->kind)) ||
			 (join->sparse && decoded->kind == DECODED_RETURN));
	}
	if (!join->n && !waits)
		return false;
	held = probe_join_hold(join, decoded);
	if (!held)
		return false;
	if (mate) {
		stop_waiting(join, mate);
		join_pair(join, is_probe(held) ? mate : held, is_probe(held) ? held : mate);
	} else if (waits) {
		held->waits = true;
		join->waiting++;
	}
	return true;
}

bool probe_join_next(struct probe_join *join, struct decoded_event *ret_decoded)
{
	struct held_event *held = join->n ? held_at(join, 0) : NULL;

	if (!held || held->waits)
		return false;
	join->first = (join->first + 1) % PROBE_JOIN_MAX;
	join->n--;
	event_decoder_read(join->reader, &held->event, ret_decoded);
	switch (held->fate) {
	case HELD_JOINED:
		ret_decoded->kind = DECODED_OTHER;
		ret_decoded->joined = true;
		break;
	case HELD_WITH_MORE:
		ret_decoded->call.has_more = true;
		ret_decoded->call.more = &held->more;
		break;
	case HELD_WITH_RESULT:
		ret_decoded->call.has_more = true;
		ret_decoded->call.result = held->result;
		break;
	case HELD_AS_IT_IS:
		break;
	}
	return true;
}

void probe_join_end(struct probe_join *join)
{
	for (size_t i = 0; i < join->n; i++)
		held_at(join, i)->waits = false;
	join->waiting = 0;
}

void probe_join_done(struct probe_join *join)
{
	for (size_t i = 0; join->held && i < PROBE_JOIN_MAX; i++) {
		free(join->held[i].data);
		free(join->held[i].more_data);
	}
	free(join->held);
	free(join->seen);
	u64_map_done(&join->funcs);
	*join = (struct probe_join){ .reader = join->reader, .sparse = join->sparse };
}
