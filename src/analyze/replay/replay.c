/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/calls/phases.h"
#include "analyze/replay/replay-parts.h"
#include "analyze/stream/task-key.h"
#include "base/mem.h"
#include "base/str.h"

/* Returns the current system call of the task, or NULL. */
static struct open *replay_find_syscall(struct replay_task *task)
{
	return task->n > task->users && task->open[task->users].kind == OPEN_SYSCALL ?
		       &task->open[task->users] :
		       NULL;
}

/* Charges interrupts in the innermost open item, directly inside a system call, to that call. */
static void add_stolen(struct replay *replay, struct replay_task *task, uint64_t stolen)
{
	const struct open *open = replay_find_syscall(task);

	if (open && open->is_shown && task->n == task->users + 2)
		replay->tree.nodes[open->node].times.stolen += stolen;
}

/* @pid: at the entry. */
static void replay_put_call(struct replay *replay, int32_t pid, uint32_t node)
{
	const struct replay_options *options = &replay->options;

	if (!options->put_call)
		return;
	strbuf_clear(&replay->text);
	options->put_call(options->put_call_data, pid, &replay->text);
	replay->nomem |= replay->text.err != 0;
	replay_tree_set_bytes(&replay->tree, node, strbuf_str(&replay->text), replay->text.len);
}

/* Resolves the interrupted system call, if there is one. */
static void replay_settle(struct replay *replay, uint32_t at, enum restart_fate fate)
{
	struct replay_task *task = &replay->tasks[at];
	uint32_t place = task->interrupted;
	struct replay_node *node;

	if (place == REPLAY_NONE)
		return;
	task->interrupted = REPLAY_NONE;
	/* The arguments may have become known only now. */
	if (!replay->tree.nodes[place].len)
		replay_put_call(replay, replay_pid(task), place);
	node = &replay->tree.nodes[place];
	node->fate = syscall_fate_of(fate);
	if (fate == RESTART_EINTR) {
		node->result = -EINTR;
		node->flags |= REPLAY_HAS_RESULT;
	}
	replay_close_held(replay, at, place);
}

/* Determines how a call without an exit ended. */
static enum syscall_fate find_fate(const struct replay *replay, const struct replay_task *task,
				   uint32_t number)
{
	const struct task_states *states = &replay->states;
	uint32_t known = task_states_find(states, replay_pid(task));

	if (restarts_is_return(replay_syscall_name(replay, number)))
		return SYSCALL_NO_EXIT;
	return known != TASK_NONE && states->tasks[known]->state == TASK_STATE_DEAD ?
		       SYSCALL_ENDED :
		       SYSCALL_RETURNED;
}

/* Sets the result from @end, unless it is not known yet how the call ended. */
static void set_result(struct replay *replay, uint32_t at, uint32_t place,
		       const struct decoded_event *end)
{
	struct replay_node *node = &replay->tree.nodes[place];
	int64_t result = end->call_number.result;

	if (end->call_number.number < 0) {
		node->fate = SYSCALL_NO_EXIT;
	} else if (restarts_is_interrupted(result)) {
		replay->tasks[at].interrupted = place;
	} else {
		node->result = result;
		node->flags |= REPLAY_HAS_RESULT;
	}
}

static void end_syscall(struct replay *replay, uint32_t at, const struct decoded_event *end)
{
	struct replay_task *task = &replay->tasks[at];
	struct open *place = &task->open[task->users], open = *place;
	int32_t old_pid = end ? end->call_number.old_pid : 0;
	struct replay_node *node;

	/* The function in which the exit event occurred continues, inside the call. */
	memmove(place, place + 1, (--task->n - task->users) * sizeof(*place));
	if (!open.is_shown)
		return;
	replay_put_call(replay, old_pid ?: replay_pid(task), open.node);
	node = &replay->tree.nodes[open.node];
	if (end) {
		node->times.total = end->event->time - node->start;
		node->times.asleep = task->away - open.away;
		node->times.own = node->times.total > open.child ? node->times.total - open.child :
								   0;
		set_result(replay, at, open.node, end);
	} else {
		node->flags |= REPLAY_NO_END;
		node->fate = find_fate(replay, task, open.number);
	}
	task->pending = open.node;
	if (task->n == task->users)
		replay_close_pending(replay, at);
}

/* Ends the items inside the innermost call that have no events of their own. */
static void pop_to_call(struct replay *replay, uint32_t at)
{
	struct replay_task *task = &replay->tasks[at];

	while (task->n && task->open[task->n - 1].kind != OPEN_CALL &&
	       task->open[task->n - 1].kind != OPEN_SYSCALL) {
		const struct open *open = &task->open[task->n - 1];

		if (open->is_shown)
			replay->tree.nodes[open->node].flags |= REPLAY_NO_END;
		replay_pop(replay, at);
	}
}

/* A user function begins or ends: all kernel activity of the task has ended. */
static void leave_kernel(struct replay *replay, uint32_t at)
{
	struct replay_task *task = &replay->tasks[at];

	pop_to_call(replay, at);
	if (task->n == task->users + 1 && replay_find_syscall(task))
		end_syscall(replay, at, NULL);
}

static void replay_call_began(void *data, int64_t key, uint32_t func, uint64_t time)
{
	struct replay *replay = data;
	const struct func_traits *traits = replay_traits(replay, func);
	uint32_t at = replay_task(replay, key), in, node = REPLAY_NONE;
	struct replay_task *task;
	const struct open *above;
	struct open *open;
	unsigned level;

	if (at == REPLAY_NONE)
		return;
	if (traits->is_user) {
		leave_kernel(replay, at);
		/*
		 * The program runs, so its call was not restarted at once; nothing else is known.
		 */
		replay_settle(replay, at, RESTART_UNKNOWN);
	}
	task = &replay->tasks[at];
	above = task->n ? &task->open[task->n - 1] : NULL;
	if (traits->is_syscall && above && !above->is_hidden && above->node != REPLAY_NONE &&
	    replay->tree.nodes[above->node].kind == REPLAY_SYSCALL) {
		/* The system call is shown already: its function is not, but the callees are. */
		open = replay_push(replay, at, OPEN_CALL, REPLAY_NONE, 0);
		if (open)
			open->is_hidden = false;
		return;
	}
	in = replay_place(replay, task,
			  replay->options.only ? func != FUNC_NONE && replay_is_only(replay, task) :
						 traits->begins,
			  &level);
	if (level < replay->options.depth)
		node = traits->noise == PHASE_NONE || traits->begins ?
			       replay_add(replay, in, REPLAY_CALL, func, time) :
			       replay_add(replay, in, REPLAY_NOISE, (uint32_t)traits->noise, time);
	if (node != REPLAY_NONE && replay->now && replay->now->kind == DECODED_CALL &&
	    func != FUNC_NONE && replay->now->call.has_more &&
	    replay->tree.nodes[node].kind == REPLAY_CALL) {
		replay_keep_event(replay, node);
		/*
		 * The user requested values recorded by a probe; function_graph records whatever it
		 * can.
		 */
		if (replay->now->call.more ||
		    (replay->now->entry && !str_eq(replay->now->entry->format->system, "ftrace")))
			replay->tree.nodes[node].flags |= REPLAY_EXACT;
	}
	open = replay_push(replay, at, OPEN_CALL, node, level);
	if (open && traits->is_user) {
		open->is_user = true;
		replay->tasks[at].users++;
	}
	if (open && node != REPLAY_NONE && replay->tree.nodes[node].kind == REPLAY_NOISE)
		open->is_hidden = true;
}

/* Names a call whose function may have become known only now. */
static void name_call(struct replay *replay, struct replay_node *node, uint32_t func)
{
	const struct func_traits *traits;

	if (node->kind != REPLAY_CALL)
		return;
	node->what = func;
	traits = replay_traits(replay, func);
	if (traits->noise != PHASE_NONE && !traits->begins && node->first == REPLAY_NONE) {
		node->kind = REPLAY_NOISE;
		node->what = (uint32_t)traits->noise;
	}
}

static void replay_call_ended(void *data, int64_t key, const struct call_end *end)
{
	struct replay *replay = data;
	uint32_t at = replay_task(replay, key);
	struct replay_task *task;
	struct replay_node *node;
	const struct open *open;

	if (at == REPLAY_NONE)
		return;
	pop_to_call(replay, at);
	task = &replay->tasks[at];
	if (task->users)
		leave_kernel(replay, at);
	open = task->n ? &task->open[task->n - 1] : NULL;
	if (!open || open->kind != OPEN_CALL)
		return;
	if (open->is_user)
		replay_settle(replay, at, RESTART_UNKNOWN);
	if (open->is_shown) {
		node = &replay->tree.nodes[open->node];
		node->times = end->times;
		name_call(replay, node, end->func);
		node->flags |= (end->no_start ? REPLAY_NO_START : 0) |
			       (end->no_end ? REPLAY_NO_END : 0) |
			       (end->has_times ? 0 : REPLAY_NO_TIMES);
		if (end->no_start && !end->no_end && replay->now)
			node->start = replay->now->event->time - end->times.total;
		if (!end->no_end && replay->now && replay->now->kind == DECODED_RETURN &&
		    replay->now->call.has_more && node->kind == REPLAY_CALL) {
			node->flags |= REPLAY_HAS_RESULT;
			node->result = replay->now->call.result;
		}
	}
	add_stolen(replay, task, end->is_interrupt ? end->times.total : end->times.stolen);
	replay_pop(replay, at);
}

static void replay_pids_exchanged(void *data, int64_t task, int64_t now)
{
	struct replay *replay = data;
	uint32_t from = replay_task(replay, task), to = replay_task(replay, now);

	if (from == REPLAY_NONE || to == REPLAY_NONE)
		return;
	replay_exchange(replay, from, to);
	replay->tasks[to].took_pid = true;
}

static void replay_take_span(void *data, const struct task_states *states,
			     const struct task_span *span)
{
	struct replay *replay = data;
	bool is_cut = span->quality != SPAN_WHOLE;
	uint32_t at, node;

	if (span->task == TASK_NONE || span->state == TASK_STATE_RUNNING ||
	    span->state == TASK_STATE_UNKNOWN || span->state == TASK_STATE_DEAD ||
	    (is_cut && !span->at_end))
		return;
	at = u64_map_get(&replay->places, (uint64_t)states->tasks[span->task]->pid);
	if (at == U64_MAP_NONE)
		return;
	if (!is_cut)
		replay->tasks[at].away += span->end - span->start;
	if (!replay->tasks[at].n && !replay->tasks[at].is_active)
		return;
	node = replay_add_leaf(replay, at, REPLAY_AWAY, span->state, span->start);
	if (node == REPLAY_NONE)
		return;
	if (replay->options.put_wait) {
		strbuf_clear(&replay->text);
		replay->options.put_wait(&replay->text, states, span);
		replay->nomem |= replay->text.err != 0;
		replay_tree_set_bytes(&replay->tree, node, strbuf_str(&replay->text),
				      replay->text.len);
	}
	if (is_cut)
		replay->tree.nodes[node].flags |= REPLAY_NO_END;
	else
		replay->tree.nodes[node].times.total = span->end - span->start;
	replay->tree.nodes[node].cpu = span->cpu;
	replay_close_leaf(replay, at, node);
}

/* Returns whether it is the second event of the current call. */
static bool is_twin(const struct replay *replay, const struct open *open,
		    const struct decoded_event *decoded)
{
	const struct replay_node *node;

	if (!open || !open->is_shown)
		return false;
	node = &replay->tree.nodes[open->node];
	return node->what == (uint32_t)decoded->call_number.number && !node->hidden &&
	       node->first == REPLAY_NONE && node->start + 1000000 > decoded->event->time;
}

/*
 * Adds a node for the system call, around all open items. Returns REPLAY_NONE if it is not wanted.
 */
static uint32_t add_syscall(struct replay *replay, struct replay_task *task,
			    const struct decoded_event *decoded, unsigned *ret_level)
{
	const struct replay_options *options = &replay->options;
	uint32_t number = (uint32_t)decoded->call_number.number;
	const char *name = decoded_syscall_name(decoded) ?: replay_syscall_name(replay, number);
	size_t n = task->n;
	uint32_t in, node;
	bool begins;

	begins = options->only	 ? replay_is_only(replay, task) :
		 options->begins ? options->begins(options->begins_data, name ?: "", true) :
				   false;
	task->n = task->users;
	in = replay_place(replay, task, begins, ret_level);
	task->n = n;
	if (*ret_level >= options->depth)
		return REPLAY_NONE;
	node = replay_add(replay, in, REPLAY_SYSCALL, number, decoded->event->time);
	if (node == REPLAY_NONE)
		return node;
	replay->tree.nodes[node].flags |= REPLAY_EXACT;
	return node;
}

static void begin_syscall(struct replay *replay, uint32_t at, const struct decoded_event *decoded)
{
	struct replay_task *task = &replay->tasks[at];
	struct open *open = replay_find_syscall(task), made;
	uint32_t node;
	unsigned level;

	if (is_twin(replay, open, decoded))
		return;
	if (open)
		end_syscall(replay, at, NULL);
	replay_close_pending(replay, at);
	node = add_syscall(replay, task, decoded, &level);
	open = replay_push(replay, at, OPEN_SYSCALL, node, level);
	if (!open)
		return;
	/* The function in which the entry event occurred was open before. */
	open = &task->open[task->users];
	made = replay_open_in(task->users ? open - 1 : NULL, OPEN_SYSCALL, node, level);
	made.away = task->away;
	made.number = (uint32_t)decoded->call_number.number;
	memmove(open + 1, open, (task->n - task->users - 1) * sizeof(*open));
	*open = made;
}

static void replay_add_event(struct replay *replay, uint32_t at,
			     const struct decoded_event *decoded)
{
	const struct fathom_event *event = decoded->event;
	uint32_t node = replay->options.no_events || decoded->joined ?
				REPLAY_NONE :
				replay_add_leaf(replay, at, REPLAY_EVENT, event->id, event->time);

	if (node == REPLAY_NONE)
		return;
	replay_keep_event(replay, node);
	/* Messages are distinguished by text, other events by kind. */
	if (decoded->entry && event_format_is_message(decoded->entry->format))
		replay->tree.nodes[node].flags |= REPLAY_EXACT;
	replay_close_leaf(replay, at, node);
}

/*
 * An interrupt does not occur while it is being handled: if it is open, exits are not recorded, and
 * nothing is known to be inside.
 */
static bool has_ends(struct replay *replay, uint32_t at, uint32_t number, enum open_kind kind)
{
	bool *no_ends = kind == OPEN_IRQ ? &replay->no_irq_ends : &replay->no_softirq_ends;
	struct replay_task *task = &replay->tasks[at];

	for (size_t i = 0; i < task->n && !*no_ends; i++)
		*no_ends = task->open[i].kind == kind && task->open[i].number == number;
	if (*no_ends)
		pop_to_call(replay, at);
	return !*no_ends;
}

static void begin_irq(struct replay *replay, uint32_t at, const struct decoded_event *decoded,
		      enum open_kind kind)
{
	uint32_t number = (uint32_t)decoded->call_number.number, in, node = REPLAY_NONE;
	struct open *open;
	unsigned level;

	if (!has_ends(replay, at, number, kind)) {
		replay_add_event(replay, at, decoded);
		return;
	}
	in = replay_place(replay, &replay->tasks[at], false, &level);
	if (level < replay->options.depth)
		node = replay_add(replay, in, kind == OPEN_IRQ ? REPLAY_IRQ : REPLAY_SOFTIRQ,
				  number, decoded->event->time);
	replay_keep_event(replay, node);
	open = replay_push(replay, at, kind, node, level);
	if (open)
		open->number = number;
}

static void end_irq(struct replay *replay, uint32_t at, const struct decoded_event *decoded,
		    enum open_kind kind)
{
	struct replay_task *task = &replay->tasks[at];
	const struct open *open = task->n ? &task->open[task->n - 1] : NULL;
	struct replay_node *node;

	/* Its entry was not seen, or it is not properly nested. */
	if (!open || open->kind != kind)
		return;
	if (open->is_shown) {
		node = &replay->tree.nodes[open->node];
		node->times.total = decoded->event->time - node->start;
		add_stolen(replay, task, node->times.total);
	}
	replay_pop(replay, at);
}

static void replay_add_function(struct replay *replay, uint32_t at,
				const struct decoded_event *decoded)
{
	uint32_t func = calls_func(replay->calls, decoded->call.func);
	const struct func_traits *traits = replay_traits(replay, func);
	uint32_t node;

	if (traits->noise != PHASE_NONE)
		return;
	node = replay_add_leaf(replay, at, REPLAY_FUNCTION, func, decoded->event->time);
	if (node != REPLAY_NONE)
		replay_close_leaf(replay, at, node);
}

static void replay_add_lost(struct replay *replay, uint32_t at, const struct fathom_event *event)
{
	uint32_t node = replay_add_leaf(replay, at, REPLAY_LOST, 0, event->time);

	if (node == REPLAY_NONE)
		return;
	replay->tree.nodes[node].result =
		event->missed == FATHOM_MISSED_UNKNOWN ? 0 : (int64_t)event->missed;
	replay_close_leaf(replay, at, node);
}

static void exit_syscall(struct replay *replay, uint32_t at, const struct decoded_event *decoded)
{
	const struct open *open = replay_find_syscall(&replay->tasks[at]);
	int64_t number = decoded->call_number.number;
	const char *name = open ? replay_syscall_name(replay, open->number) : NULL;

	/* The return of a handler restores the registers, and with them another call number. */
	if (!open || (number < 0 && name && !restarts_is_return(name)))
		return;
	/* The exit of another call: that of this one was lost. */
	end_syscall(replay, at, number < 0 || open->number == (uint32_t)number ? decoded : NULL);
}

/* A thread that executes a program takes over the pid of the first thread. */
static void follow_exec(struct replay *replay, uint32_t at, const struct decoded_event *decoded)
{
	int32_t old_pid = decoded_old_pid(decoded);
	uint32_t from;

	if (old_pid && !replay->tasks[at].took_pid) {
		from = u64_map_get(&replay->places, (uint64_t)old_pid);
		if (from != U64_MAP_NONE && replay_find_syscall(&replay->tasks[from])) {
			replay_exchange(replay, from, at);
			replay->tasks[at].took_pid = true;
		}
	}
	if (decoded->kind == DECODED_SYSCALL_EXIT)
		replay->tasks[at].took_pid = false;
}

/* Handles all events but function calls and switches. */
static void feed_other(struct replay *replay, uint32_t at, const struct decoded_event *decoded)
{
	struct replay_task *task = &replay->tasks[at];

	switch (decoded->kind) {
	case DECODED_SYSCALL_ENTRY:
		begin_syscall(replay, at, decoded);
		break;
	case DECODED_SYSCALL_EXIT:
		exit_syscall(replay, at, decoded);
		break;
	case DECODED_IRQ_ENTRY:
		begin_irq(replay, at, decoded, OPEN_IRQ);
		break;
	case DECODED_IRQ_EXIT:
		end_irq(replay, at, decoded, OPEN_IRQ);
		break;
	case DECODED_SOFTIRQ_ENTRY:
		begin_irq(replay, at, decoded, OPEN_SOFTIRQ);
		break;
	case DECODED_SOFTIRQ_EXIT:
		end_irq(replay, at, decoded, OPEN_SOFTIRQ);
		break;
	case DECODED_FUNCTION:
		replay_add_function(replay, at, decoded);
		break;
	case DECODED_WAKEUP:
		/* The waking event was added already. */
		if (task->waking == decoded->task.pid)
			break;
		__attribute__((fallthrough));
	case DECODED_WAKING:
		task->waking = decoded->task.pid;
		replay_add_event(replay, at, decoded);
		break;
	case DECODED_PATH: /* an argument of the system call */
	case DECODED_USER: /* becomes a call */
		break;
	default:
		replay_add_event(replay, at, decoded);
		break;
	}
}

void replay_feed(struct replay *replay, const struct decoded_event *decoded)
{
	const struct fathom_event *event = decoded->event;
	uint32_t at;

	replay->now = decoded;
	task_states_feed(&replay->states, decoded);
	restarts_feed(&replay->restarts, decoded);
	at = event->data ? replay_task(replay, task_key_of(event)) : REPLAY_NONE;
	if (at != REPLAY_NONE && event->missed && !decoded->unwanted)
		replay_add_lost(replay, at, event);
	if (at != REPLAY_NONE) {
		replay->tasks[at].seen = event->time;
		follow_exec(replay, at, decoded);
	}
	switch (decoded->kind) {
	case DECODED_CALL:
	case DECODED_RETURN:
		if (!decoded->unwanted)
			calls_feed(replay->calls, decoded);
		break;
	case DECODED_SWITCH:
		calls_feed(replay->calls, decoded);
		if (at != REPLAY_NONE && decoded->sched.prev == TASK_STATE_DEAD)
			replay->tasks[at].gone = event->time;
		break;
	default:
		calls_feed(replay->calls, decoded);
		if (at != REPLAY_NONE && !decoded->unwanted)
			feed_other(replay, at, decoded);
		break;
	}
	replay->now = NULL;
}

static void replay_take_restart(void *data, const struct restart *restart)
{
	struct replay *replay = data;
	uint32_t at = u64_map_get(&replay->places, (uint64_t)restart->pid);

	if (at != U64_MAP_NONE)
		replay_settle(replay, at, restart->fate);
}

int replay_new(const struct replay_options *options, struct replay **ret_replay)
{
	struct calls_options calls = { .kallsyms = options->kallsyms, .tasks = options->tasks };
	struct replay *replay = mem_zalloc(1, sizeof(*replay));

	if (!replay)
		return -ENOMEM;
	replay->options = *options;
	replay->last = REPLAY_NONE;
	replay->watch = (struct calls_watch){ .began = replay_call_began,
					      .ended = replay_call_ended,
					      .exchanged = replay_pids_exchanged,
					      .data = replay };
	calls.watch = &replay->watch;
	replay->states.take = replay_take_span;
	replay->states.data = replay;
	replay->states.known = options->tasks;
	replay->states.followed = &replay->followed;
	restarts_listen(&replay->restarts, replay_take_restart, replay);
	if ((options->trace && followed_read(options->trace, &replay->followed) < 0) ||
	    calls_new(&calls, &replay->calls) < 0) {
		replay_free(replay);
		return -ENOMEM;
	}
	*ret_replay = replay;
	return 0;
}

int replay_finish(struct replay *replay)
{
	const struct call_tree *tree;
	int r = task_states_finish(&replay->states);

	replay->nomem |= r < 0;
	replay->nomem |= calls_finish(replay->calls, &tree) < 0;
	for (uint32_t i = 0; i < replay->n_tasks; i++) {
		pop_to_call(replay, i);
		if (replay_find_syscall(&replay->tasks[i]))
			end_syscall(replay, i, NULL);
	}
	replay->nomem |= restarts_finish(&replay->restarts) < 0;
	for (size_t i = 0; i < replay->n_tasks; i++)
		replay_hand_out(replay, &replay->tasks[i], 0);
	return replay->nomem || replay->tree.nomem ? -ENOMEM : 0;
}

void replay_free(struct replay *replay)
{
	if (!replay)
		return;
	for (size_t i = 0; i < replay->n_tasks; i++)
		free(replay->tasks[i].open);
	calls_free(replay->calls);
	task_states_done(&replay->states);
	followed_done(&replay->followed);
	restarts_done(&replay->restarts);
	replay_tree_done(&replay->tree);
	u64_map_done(&replay->places);
	strbuf_done(&replay->text);
	free(replay->tasks);
	free(replay->traits);
	free(replay);
}

const struct replay_tree *replay_tree(const struct replay *replay)
{
	return &replay->tree;
}

const struct replay_options *replay_options(const struct replay *replay)
{
	return &replay->options;
}
