/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/replay/slow-calls.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/replay/replay-parts.h"
#include "base/mem.h"
#include "base/str.h"

/* Keys of parts that are not functions; those of functions are their numbers. */
#define KEY_AWAY  (1ULL << 32)
#define KEY_OTHER (2ULL << 32)

/* A part of the calls that are examined. */
struct slow_part {
	uint64_t key;
	uint64_t total;
	uint32_t node;
};

/* The entry of the task's current system call. */
struct slow_start {
	uint64_t time;
	bool is_open;
};

/* The stack of a slow call. */
struct slow_stack {
	int32_t pid;
	uint64_t start;
	struct user_stack stack;
};

/* Both may be NULL. */
static bool is_equal(const char *a, const char *b)
{
	return a && b ? str_eq(a, b) : a == b;
}

static void step_done(struct slow_step *step)
{
	free(step->name);
}

static void wait_done(struct slow_wait *wait)
{
	free(wait->text);
	free(wait->in);
}

static void call_done(struct slow_call *call)
{
	for (size_t i = 0; i < call->n_steps; i++)
		step_done(&call->steps[i]);
	for (size_t i = 0; i < call->n_waits; i++)
		wait_done(&call->waits[i]);
	free(call->steps);
	free(call->text);
	free(call->name);
}

/* Returns the duration, which for an open call is the time so far. */
static uint64_t slow_calls_took(const struct slow_calls *calls, const struct replay_node *node)
{
	if (!(node->flags & REPLAY_NO_END))
		return node->times.total;
	return calls->last > node->start ? calls->last - node->start : 0;
}

static void slow_calls_gather(struct slow_calls *calls, const struct replay_tree *tree, uint32_t in,
			      size_t *n)
{
	for (uint32_t at = tree->nodes[in].first; at != REPLAY_NONE; at = tree->nodes[at].next) {
		const struct replay_node *node = &tree->nodes[at];
		bool is_call = node->kind == REPLAY_CALL && node->what != FUNC_NONE;

		if (node->kind == REPLAY_GROUP) {
			slow_calls_gather(calls, tree, at, n);
			continue;
		}
		if (mem_reserve(&calls->gathered, &calls->cap_gathered, *n + 1,
				sizeof(*calls->gathered)) < 0) {
			calls->nomem = true;
			return;
		}
		calls->gathered[(*n)++] = (struct slow_part){
			.key = is_call			 ? node->what :
			       node->kind == REPLAY_AWAY ? KEY_AWAY :
							   KEY_OTHER,
			.total = slow_calls_took(calls, node),
			.node = at,
		};
	}
}

static int by_key(const void *a, const void *b)
{
	const struct slow_part *p = a, *q = b;

	return p->key != q->key ? (p->key > q->key) - (p->key < q->key) :
				  (p->node > q->node) - (p->node < q->node);
}

/*
 * Descends one level: replaces the @n parts by the calls of the one function inside them that
 * took longest, if that is at least @half. Returns their number; 0 if there is none, or if it is
 * not a function.
 */
static size_t go_down(struct slow_calls *calls, const struct replay_tree *tree, size_t n,
		      uint64_t half)
{
	size_t in = 0, best = 0, len = 0;
	uint64_t most = 0;

	for (size_t i = 0; i < n; i++)
		slow_calls_gather(calls, tree, calls->parts[i].node, &in);
	if (!in)
		return 0;
	qsort(calls->gathered, in, sizeof(*calls->gathered), by_key);
	for (size_t i = 0, end; i < in; i = end) {
		uint64_t sum = 0;

		for (end = i; end < in && calls->gathered[end].key == calls->gathered[i].key; end++)
			sum += calls->gathered[end].total;
		if (sum > most) {
			most = sum;
			best = i;
			len = end - i;
		}
	}
	if (!most || most < half || calls->gathered[best].key >= KEY_AWAY)
		return 0;
	if (mem_reserve(&calls->parts, &calls->cap_parts, len, sizeof(*calls->parts)) < 0) {
		calls->nomem = true;
		return 0;
	}
	memcpy(calls->parts, calls->gathered + best, len * sizeof(*calls->parts));
	return len;
}

static char *slow_calls_name_of(struct slow_calls *calls, const struct replay *replay,
				uint32_t what)
{
	const struct func *func = replay_func(replay, what);
	struct strbuf text = { 0 };
	char *name;

	if (!func)
		return NULL;
	func_put_name(func, &text);
	name = strbuf_take(&text);
	calls->nomem |= !name;
	return name;
}

/* Scheduler functions are not informative; it is their callers that wait. */
static bool only_waits(const char *name)
{
	return strstr(name, "schedule") != NULL;
}

static bool add_step(struct slow_calls *calls, const struct replay *replay, size_t n,
		     struct slow_call *call)
{
	const struct replay_tree *tree = replay_tree(replay);
	struct slow_step step = { .name = slow_calls_name_of(calls, replay,
							     (uint32_t)calls->parts[0].key) };

	if (!step.name)
		return false;
	for (size_t i = 0; i < n; i++) {
		const struct replay_node *node = &tree->nodes[calls->parts[i].node];

		step.calls += node->count;
		step.total += calls->parts[i].total;
		step.asleep += node->times.asleep;
	}
	call->steps[call->n_steps++] = step;
	return true;
}

static void find_way(struct slow_calls *calls, const struct replay *replay, uint32_t node,
		     struct slow_call *call)
{
	size_t n = 1;

	call->steps = mem_zalloc(SLOW_STEPS_MAX, sizeof(*call->steps));
	if (!call->steps ||
	    mem_reserve(&calls->parts, &calls->cap_parts, 1, sizeof(*calls->parts)) < 0) {
		calls->nomem = true;
		return;
	}
	calls->parts[0] = (struct slow_part){ .node = node };
	while (call->n_steps < SLOW_STEPS_MAX &&
	       (n = go_down(calls, replay_tree(replay), n, call->total / 2)))
		if (!add_step(calls, replay, n, call))
			break;
	while (call->n_steps && only_waits(call->steps[call->n_steps - 1].name))
		step_done(&call->steps[--call->n_steps]);
}

/* Adds a wait, keeping the longest in order. Takes ownership of @wait. */
static void slow_calls_add_wait(struct slow_call *call, struct slow_wait *wait)
{
	size_t at;

	for (at = 0; at < call->n_waits; at++) {
		struct slow_wait *other = &call->waits[at];

		if (other->state != wait->state || !str_eq(other->text, wait->text) ||
		    !is_equal(other->in, wait->in))
			continue;
		other->count += wait->count;
		other->total += wait->total;
		other->varies |= wait->varies;
		other->goes_on |= wait->goes_on;
		wait_done(wait);
		*wait = *other;
		memmove(other, other + 1, (--call->n_waits - at) * sizeof(*other));
		break;
	}
	for (at = call->n_waits; at && call->waits[at - 1].total < wait->total; at--)
		;
	if (call->n_waits == SLOW_WAITS_MAX) {
		if (at == SLOW_WAITS_MAX) {
			wait_done(wait);
			return;
		}
		wait_done(&call->waits[--call->n_waits]);
	}
	memmove(&call->waits[at + 1], &call->waits[at],
		(call->n_waits++ - at) * sizeof(*call->waits));
	call->waits[at] = *wait;
}

/*
 * Returns the function that waits: the innermost one around the node outside the scheduler.
 */
static char *find_waiting(struct slow_calls *calls, const struct replay *replay, uint32_t at)
{
	const struct replay_tree *tree = replay_tree(replay);

	while ((at = tree->nodes[at].parent) != REPLAY_NONE) {
		const struct replay_node *node = &tree->nodes[at];
		const struct func *func =
			node->kind == REPLAY_CALL ? replay_func(replay, node->what) : NULL;

		if (func && (!func->name || !only_waits(func->name)))
			return slow_calls_name_of(calls, replay, node->what);
	}
	return NULL;
}

static void find_waits(struct slow_calls *calls, const struct replay *replay, uint32_t in,
		       struct slow_call *call)
{
	const struct replay_tree *tree = replay_tree(replay);

	for (uint32_t at = tree->nodes[in].first; at != REPLAY_NONE; at = tree->nodes[at].next) {
		const struct replay_node *node = &tree->nodes[at];
		struct slow_wait wait = { .state = (enum task_state)node->what,
					  .varies = node->flags & REPLAY_VARIES,
					  .goes_on = node->flags & REPLAY_NO_END,
					  .count = node->count,
					  .total = slow_calls_took(calls, node) };

		if (node->kind != REPLAY_AWAY) {
			find_waits(calls, replay, at, call);
			continue;
		}
		if (wait.state == TASK_STATE_RUNNABLE)
			call->runnable += wait.total;
		else
			call->asleep += wait.total;
		wait.text = mem_strndup(replay_tree_bytes(tree, node), node->len);
		if (!wait.text) {
			calls->nomem = true;
			return;
		}
		/* A task can wait for a CPU in any function. */
		if (wait.state != TASK_STATE_RUNNABLE)
			wait.in = find_waiting(calls, replay, at);
		slow_calls_add_wait(call, &wait);
	}
}

static bool slow_calls_is_same(const struct slow_call *a, const struct slow_call *b)
{
	if (a->pid != b->pid || a->result != b->result || a->fate != b->fate || a->goes_on ||
	    b->goes_on || a->n_steps != b->n_steps || !str_eq(a->text, b->text))
		return false;
	for (size_t i = 0; i < a->n_steps; i++)
		if (!str_eq(a->steps[i].name, b->steps[i].name))
			return false;
	return true;
}

/* Adds the times of @from, and releases it. */
static void slow_calls_merge(struct slow_call *to, struct slow_call *from)
{
	to->count += from->count;
	to->total += from->total;
	to->min = from->min < to->min ? from->min : to->min;
	to->max = from->max > to->max ? from->max : to->max;
	to->asleep += from->asleep;
	to->runnable += from->runnable;
	to->stolen += from->stolen;
	for (size_t i = 0; i < to->n_steps; i++) {
		to->steps[i].calls += from->steps[i].calls;
		to->steps[i].total += from->steps[i].total;
		to->steps[i].asleep += from->steps[i].asleep;
	}
	for (size_t i = 0; i < from->n_waits; i++)
		slow_calls_add_wait(to, &from->waits[i]);
	from->n_waits = 0;
	call_done(from);
}

static void slow_calls_keep(struct slow_calls *calls, struct slow_call *call)
{
	size_t least = 0;

	for (size_t i = 0; i < calls->n; i++) {
		if (slow_calls_is_same(&calls->found[i], call)) {
			slow_calls_merge(&calls->found[i], call);
			return;
		}
		if (calls->found[i].total < calls->found[least].total)
			least = i;
	}
	if (calls->n == SLOW_CALLS_MAX) {
		if (calls->found[least].total >= call->total) {
			call_done(call);
			return;
		}
		call_done(&calls->found[least]);
		calls->found[least] = *call;
		return;
	}
	if (mem_reserve(&calls->found, &calls->cap, calls->n + 1, sizeof(*calls->found)) < 0) {
		calls->nomem = true;
		call_done(call);
		return;
	}
	calls->found[calls->n++] = *call;
}

/*
 * Returns whether a call without an exit is still running. It may also have ended with its task, or
 * its exit may be lost.
 */
static bool slow_calls_goes_on(const struct slow_calls *calls, const struct replay *replay,
			       int32_t pid, const struct replay_node *node)
{
	const struct task_states *states = &replay->states;
	uint32_t task = task_states_find(states, pid);

	return calls->at_end && node->next == REPLAY_NONE &&
	       (task == TASK_NONE || states->tasks[task]->state != TASK_STATE_DEAD);
}

static bool is_slow(const struct slow_calls *calls, const struct replay *replay, int32_t pid,
		    const struct replay_node *node)
{
	const char *name;

	if (node->kind != REPLAY_SYSCALL || node->flags & REPLAY_NO_START ||
	    slow_calls_took(calls, node) < calls->min)
		return false;
	if (node->flags & REPLAY_NO_END && !slow_calls_goes_on(calls, replay, pid, node))
		return false;
	name = replay_syscall_name(replay, node->what);
	if (node->flags & REPLAY_NO_END && (is_equal(name, "exit") || is_equal(name, "exit_group")))
		return false;
	return !calls->wanted || calls->wanted(calls->wanted_data, name,
					       !(node->flags & REPLAY_HAS_RESULT), node->result);
}

/* Takes the stack that belongs to the tree. */
static struct user_stack slow_calls_take_stack(struct slow_calls *calls, int32_t pid,
					       const struct replay_node *node)
{
	for (size_t i = 0; i < calls->n_kept; i++)
		if (calls->kept[i].pid == pid && calls->kept[i].start == node->start) {
			struct user_stack stack = calls->kept[i].stack;

			calls->kept[i] = calls->kept[--calls->n_kept];
			return stack;
		}
	if (node->flags & REPLAY_NO_END && calls->at_end)
		return user_stacks_get(&calls->stacks, pid);
	return (struct user_stack){ 0 };
}

void slow_calls_take(void *data, const struct replay *replay, int32_t pid, uint32_t at)
{
	struct slow_calls *calls = data;
	const struct replay_tree *tree = replay_tree(replay);
	const struct replay_node *node = &tree->nodes[at];
	const char *name = replay_syscall_name(replay, node->what);
	struct slow_call call = { .pid = pid,
				  .stack = slow_calls_take_stack(calls, pid, node),
				  .goes_on = node->flags & REPLAY_NO_END,
				  .fate = node->fate,
				  .result = node->result,
				  .start = node->start,
				  .count = node->count,
				  .total = slow_calls_took(calls, node),
				  .stolen = node->times.stolen };

	if (!is_slow(calls, replay, pid, node))
		return;
	calls->n_slow++;
	call.min = call.max = call.total;
	snprintf(call.task, sizeof(call.task), "%s", replay_task_name(replay, pid));
	call.text = node->len ? mem_strndup(replay_tree_bytes(tree, node), node->len) :
				mem_printf("%s(?)", name ?: "?");
	call.name = name ? mem_strdup(name) : NULL;
	if (!call.text || (name && !call.name)) {
		calls->nomem = true;
		call_done(&call);
		return;
	}
	find_way(calls, replay, at, &call);
	find_waits(calls, replay, at, &call);
	slow_calls_keep(calls, &call);
}

static void keep_stack(struct slow_calls *calls, int32_t pid, uint64_t start)
{
	struct user_stack stack = user_stacks_get(&calls->stacks, pid);

	if (!stack.n)
		return;
	if (mem_reserve(&calls->kept, &calls->cap_kept, calls->n_kept + 1, sizeof(*calls->kept)) <
	    0) {
		calls->nomem = true;
		return;
	}
	calls->kept[calls->n_kept++] = (struct slow_stack){ pid, start, stack };
}

void slow_calls_feed(struct slow_calls *calls, const struct decoded_event *decoded)
{
	const struct fathom_event *event = decoded->event;
	struct slow_start *start;

	calls->last = event->time;
	if (decoded->kind == DECODED_SYSCALL_ENTRY || decoded->kind == DECODED_SYSCALL_EXIT) {
		start = u64_map_element(&calls->start_pids, (uint32_t)event->pid, &calls->starts,
					&calls->n_starts, &calls->cap_starts, sizeof(*start));
		if (!start)
			calls->nomem = true;
		else if (decoded->kind == DECODED_SYSCALL_ENTRY)
			*start = (struct slow_start){ event->time, true };
		else if (start->is_open && event->time - start->time >= calls->min)
			keep_stack(calls, event->pid, start->time);
		if (start && decoded->kind == DECODED_SYSCALL_EXIT)
			start->is_open = false;
	}
	user_stacks_feed(&calls->stacks, decoded);
}

static int longest_first(const void *a, const void *b)
{
	const struct slow_call *p = a, *q = b;

	return p->total != q->total ? (p->total < q->total) - (p->total > q->total) :
				      (p->start > q->start) - (p->start < q->start);
}

int slow_calls_finish(struct slow_calls *calls)
{
	if (calls->n)
		qsort(calls->found, calls->n, sizeof(*calls->found), longest_first);
	return calls->nomem || calls->stacks.nomem ? -ENOMEM : 0;
}

void slow_calls_done(struct slow_calls *calls)
{
	for (size_t i = 0; i < calls->n; i++)
		call_done(&calls->found[i]);
	free(calls->found);
	free(calls->parts);
	free(calls->gathered);
	free(calls->starts);
	free(calls->kept);
	u64_map_done(&calls->start_pids);
	user_stacks_done(&calls->stacks);
}

uint64_t slow_call_running(const struct slow_call *call)
{
	uint64_t other = call->asleep + call->runnable + call->stolen;

	return call->total > other ? call->total - other : 0;
}
