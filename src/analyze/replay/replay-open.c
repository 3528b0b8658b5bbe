/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The open items of tasks, and their positions in the trees. */
#include "analyze/replay/replay-parts.h"
#include "analyze/stream/task-key.h"
#include "base/mem.h"
#include "base/str.h"

/* Shorter noise is dropped, in ns. */
#define NOISE_MIN 10000
/* Maximum number of trees of a task that wait for repetitions. */
#define HELD_MAX (2 * REPLAY_ROW_MAX + 1)

uint32_t replay_task(struct replay *replay, int64_t key)
{
	uint32_t at = u64_map_get(&replay->places, (uint64_t)key);
	struct replay_task task = { .key = key,
				    .pending = REPLAY_NONE,
				    .interrupted = REPLAY_NONE };

	if (at != U64_MAP_NONE)
		return at;
	task.root = replay_tree_add(&replay->tree, REPLAY_NONE, REPLAY_GROUP, 0, 0);
	if (task.root == REPLAY_NONE)
		return REPLAY_NONE;
	if (mem_reserve(&replay->tasks, &replay->cap_tasks, replay->n_tasks + 1,
			sizeof(*replay->tasks)) == 0)
		at = u64_map_put(&replay->places, (uint64_t)key);
	if (at == U64_MAP_NONE) {
		replay->nomem = true;
		replay_tree_remove(&replay->tree, task.root);
		return REPLAY_NONE;
	}
	replay->tasks[replay->n_tasks++] = task;
	return at;
}

int32_t replay_pid(const struct replay_task *task)
{
	return task_key_pid(task->key);
}

void replay_hand_out(struct replay *replay, struct replay_task *task, size_t keep)
{
	struct replay_tree *tree = &replay->tree;
	size_t n = 0;

	for (uint32_t at = tree->nodes[task->root].first; at != REPLAY_NONE;
	     at = tree->nodes[at].next)
		n++;
	for (; n > keep; n--) {
		uint32_t at = tree->nodes[task->root].first;

		if (tree->nodes[at].flags & REPLAY_OPEN)
			return;
		if (!(tree->nodes[at].flags & REPLAY_BEFORE))
			replay->options.take(replay->options.take_data, replay, replay_pid(task),
					     at);
		replay_tree_remove(tree, at);
	}
}

/*
 * Hands out held trees of another task, which cannot be repeated any more once a tree of this task
 * has grown.
 */
static void replay_open_make_room(struct replay *replay, uint32_t task)
{
	if (replay->last != task && replay->last != REPLAY_NONE)
		replay_hand_out(replay, &replay->tasks[replay->last], 0);
	replay->last = task;
	replay->tasks[task].is_active = true;
	replay_hand_out(replay, &replay->tasks[task], HELD_MAX);
}

/* Returns whether outermost items of the task are wanted. */
static bool replay_open_is_chosen(struct replay *replay, struct replay_task *task)
{
	const struct replay_options *options = &replay->options;

	if (!task->n)
		task->is_chosen =
			options->has_task ?
				options->has_task(options->has_task_data, replay_pid(task),
						  replay_task_name(replay, replay_pid(task))) :
				options->idle || replay_pid(task);
	return task->is_chosen;
}

bool replay_is_only(const struct replay *replay, const struct replay_task *task)
{
	const struct instance *only = replay->options.only;

	return only->start == replay->now->event->time && only->pid == replay_pid(task);
}

uint32_t replay_place(struct replay *replay, struct replay_task *task, bool begins,
		      unsigned *ret_level)
{
	const struct replay_options *options = &replay->options;
	const struct open *in = task->n ? &task->open[task->n - 1] : NULL;
	bool chosen = replay_open_is_chosen(replay, task);

	*ret_level = 0;
	if (in && in->node != REPLAY_NONE) {
		/* The depth counts from the outermost kernel function. */
		*ret_level = in->level + !in->is_user;
		return in->is_hidden ? REPLAY_NONE : in->node;
	}
	if (!chosen || ((options->begins || options->only) && !begins))
		return REPLAY_NONE;
	return task->root;
}

struct open replay_open_in(const struct open *in, enum open_kind kind, uint32_t node,
			   unsigned level)
{
	struct open open = { .kind = kind, .node = node, .level = level };

	open.is_shown = node != REPLAY_NONE;
	if (!open.is_shown && in && in->node != REPLAY_NONE) {
		open.node = in->node;
		open.level = in->level;
		open.is_hidden = true;
	}
	return open;
}

struct open *replay_push(struct replay *replay, uint32_t at, enum open_kind kind, uint32_t node,
			 unsigned level)
{
	struct replay_task *task = &replay->tasks[at];
	const struct open *in = task->n ? &task->open[task->n - 1] : NULL;
	struct open open = replay_open_in(in, kind, node, level);

	open.away = task->away;
	if (mem_reserve(&task->open, &task->cap, task->n + 1, sizeof(*task->open)) < 0) {
		replay->nomem = true;
		if (open.is_shown)
			replay_tree_remove(&replay->tree, node);
		return NULL;
	}
	task->open[task->n++] = open;
	return &task->open[task->n - 1];
}

uint32_t replay_add(struct replay *replay, uint32_t in, enum replay_kind kind, uint32_t what,
		    uint64_t start)
{
	const struct clip *clip = &replay->options.clip;
	uint32_t node = in == REPLAY_NONE || (clip->to && start > clip->to) ?
				REPLAY_NONE :
				replay_tree_add(&replay->tree, in, kind, what, start);

	if (node != REPLAY_NONE)
		replay->tree.nodes[node].cpu = replay->now ? replay->now->event->cpu : 0;
	return node;
}

void replay_keep_event(struct replay *replay, uint32_t node)
{
	const struct fathom_event *event = replay->now->event;

	if (node == REPLAY_NONE)
		return;
	if (replay->now->kind == DECODED_CALL && replay->now->call.more)
		event = replay->now->call.more;
	replay_tree_set_bytes(&replay->tree, node, event->data, event->size);
	replay->tree.nodes[node].id = event->id;
}

/*
 * Returns whether to keep the item. Short calls are dropped, and empty ones without a name or an
 * end.
 */
static bool replay_open_is_kept(const struct replay *replay, const struct replay_node *node)
{
	if (node->kind != REPLAY_CALL && node->kind != REPLAY_NOISE)
		return true;
	if (node->what == FUNC_NONE && node->kind == REPLAY_CALL && node->first == REPLAY_NONE)
		return false;
	if (node->kind == REPLAY_NOISE && node->times.total < NOISE_MIN)
		return false;
	return node->flags & REPLAY_NO_END || node->times.total >= replay->options.min;
}

static bool is_exit(const struct replay *replay, const struct replay_node *node)
{
	const char *name = replay_syscall_name(replay, node->what);

	return name && (str_eq(name, "exit") || str_eq(name, "exit_group"));
}

/* Returns the time until which a node without an end may have lasted. */
static uint64_t replay_open_find_last(const struct replay *replay, const struct replay_task *task,
				      const struct replay_node *node)
{
	uint32_t known = task_states_find(&replay->states, replay_pid(task));
	bool is_known = known != TASK_NONE &&
			replay->states.tasks[known]->state != TASK_STATE_UNKNOWN;

	if (node->start <= task->gone)
		return task->gone;
	if (replay->now)
		return replay->now->event->time;
	/* After the last event. The end of the task may not have been recorded. */
	if (is_known)
		return UINT64_MAX;
	return node->kind == REPLAY_SYSCALL && !is_exit(replay, node) ? UINT64_MAX : task->seen;
}

/* Returns whether it ended before the part to keep. */
static bool replay_open_is_before(const struct replay *replay, const struct replay_task *task,
				  const struct replay_node *node)
{
	uint64_t from = replay->options.clip.from;

	if (node->start >= from)
		return false;
	return (node->flags & REPLAY_NO_END ? replay_open_find_last(replay, task, node) :
					      node->start + node->times.total) < from;
}

/*
 * Returns whether anything inside the node is open, such as the function in which a system call
 * ends. Other nodes end after all their children.
 */
static bool replay_open_has(const struct replay *replay, const struct replay_task *task,
			    uint32_t node)
{
	if (replay->tree.nodes[node].kind != REPLAY_SYSCALL)
		return false;
	for (size_t i = 0; i < task->n; i++)
		for (uint32_t at = task->open[i].node; at != REPLAY_NONE;
		     at = replay->tree.nodes[at].parent)
			if (at == node)
				return true;
	return false;
}

static void close_node(struct replay *replay, const struct replay_task *task, uint32_t node)
{
	uint32_t parent = replay->tree.nodes[node].parent;
	bool is_tree = parent == task->root;
	bool before = replay_open_is_before(replay, task, &replay->tree.nodes[node]);

	if (before && !replay_open_has(replay, task, node)) {
		if (replay->tree.nodes[node].kind == REPLAY_CALL && !is_tree)
			replay->tree.nodes[parent].hidden += 1 + replay->tree.nodes[node].hidden;
		replay_tree_remove(&replay->tree, node);
		return;
	}
	if (before)
		replay->tree.nodes[node].flags |= REPLAY_BEFORE;
	replay_tree_close(&replay->tree, node,
			  !replay->options.no_collapse && !(replay->options.each && is_tree));
}

void replay_close_pending(struct replay *replay, uint32_t at)
{
	struct replay_task *task = &replay->tasks[at];

	if (task->pending == REPLAY_NONE)
		return;
	if (task->pending == task->interrupted) {
		task->pending = REPLAY_NONE;
		return;
	}
	close_node(replay, task, task->pending);
	task->pending = REPLAY_NONE;
	replay_open_make_room(replay, at);
}

void replay_close_held(struct replay *replay, uint32_t at, uint32_t node)
{
	struct replay_task *task = &replay->tasks[at];

	if (task->pending == node)
		return;
	close_node(replay, task, node);
	replay_open_make_room(replay, at);
}

void replay_pop(struct replay *replay, uint32_t at)
{
	struct replay_task *task = &replay->tasks[at];
	struct open open = task->open[--task->n];
	struct replay_tree *tree = &replay->tree;
	struct replay_node *node;
	uint32_t parent;

	task->users -= open.is_user;
	if (open.node == REPLAY_NONE)
		return;
	node = &tree->nodes[open.node];
	if (task->n)
		task->open[task->n - 1].child += open.is_shown ? node->times.total : open.child;
	if (!open.is_shown) {
		node->hidden += open.is_hidden;
	} else {
		parent = node->parent;
		if (replay_open_is_kept(replay, node)) {
			close_node(replay, task, open.node);
		} else {
			if (node->kind != REPLAY_NOISE)
				tree->nodes[parent].hidden += 1 + node->hidden;
			replay_tree_remove(tree, open.node);
		}
		if (parent == task->root)
			replay_open_make_room(replay, at);
	}
	if (task->n == task->users)
		replay_close_pending(replay, at);
}

uint32_t replay_add_leaf(struct replay *replay, uint32_t at, enum replay_kind kind, uint32_t what,
			 uint64_t start)
{
	unsigned level;
	uint32_t in = replay_place(replay, &replay->tasks[at], false, &level);

	return level < replay->options.depth ? replay_add(replay, in, kind, what, start) :
					       REPLAY_NONE;
}

void replay_close_leaf(struct replay *replay, uint32_t at, uint32_t node)
{
	uint32_t parent = replay->tree.nodes[node].parent;

	close_node(replay, &replay->tasks[at], node);
	if (parent == replay->tasks[at].root)
		replay_open_make_room(replay, at);
}

/* Moves the open nodes of the task to its tree. */
static void move_open(struct replay *replay, const struct replay_task *from,
		      const struct replay_task *to)
{
	for (size_t i = 0; i < to->n; i++)
		if (to->open[i].is_shown &&
		    replay->tree.nodes[to->open[i].node].parent == from->root)
			replay_tree_move(&replay->tree, to->open[i].node, to->root);
}

void replay_exchange(struct replay *replay, uint32_t a, uint32_t b)
{
	struct replay_task *one = &replay->tasks[a], *other = &replay->tasks[b];
	struct replay_task before;

	replay_close_pending(replay, a);
	replay_close_pending(replay, b);
	before = *one;
	one->open = other->open;
	one->n = other->n;
	one->cap = other->cap;
	one->users = other->users;
	one->away = other->away;
	one->is_chosen = other->is_chosen;
	other->open = before.open;
	other->n = before.n;
	other->cap = before.cap;
	other->users = before.users;
	other->away = before.away;
	other->is_chosen = before.is_chosen;
	move_open(replay, other, one);
	move_open(replay, one, other);
}
