/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/calls/sample-tree.h"

#include <string.h>

#include "base/str.h"
#include "format/event/sample-event.h"

#define UNKNOWN "[unknown]"

int sample_tree_init(struct sample_tree *samples, const struct kallsyms *kallsyms,
		     const struct tasks *tasks, struct user_symbols *users)
{
	*samples = (struct sample_tree){ .tasks = tasks, .users = users };
	return call_tree_init(&samples->tree, kallsyms, false);
}

void sample_tree_done(struct sample_tree *samples)
{
	if (samples->tree.nodes)
		call_tree_done(&samples->tree);
}

/* Functions with the same name in the same file are one, wherever the file is mapped. */
static uint32_t find_user(struct sample_tree *samples, const struct sample_stack *stack,
			  uint64_t address)
{
	struct func func = { .name = UNKNOWN, .flags = FUNC_USER };
	struct user_symbol symbol = { 0 };

	if (samples->users)
		user_symbols_find(samples->users, stack->process, stack->time, address, &symbol);
	if (symbol.name)
		func.name = symbol.name;
	if (symbol.path)
		func.module = str_base_name(symbol.path);
	return func_table_named(&samples->tree.funcs, &func);
}

static uint32_t sample_tree_find_kernel(struct sample_tree *samples, uint64_t address)
{
	struct func_table *funcs = &samples->tree.funcs;
	uint32_t func = func_table_find(funcs, address);

	if (func != FUNC_NONE)
		funcs->list[func].flags |= FUNC_KERNEL;
	return func;
}

/*
 * Returns the function of frame @i. All frames but the innermost ones of the program and of the
 * kernel are return addresses, which may be after the end of the calling function.
 */
static uint32_t sample_tree_find_frame(struct sample_tree *samples,
				       const struct sample_stack *stack, size_t i)
{
	uint64_t address = stack->frames[i];

	if (i && i != stack->kernel)
		address--;
	return i < stack->kernel ? sample_tree_find_kernel(samples, address) :
				   find_user(samples, stack, address);
}

static uint32_t sample_tree_find_task(struct sample_tree *samples, int32_t pid)
{
	struct func func = { .name = UNKNOWN };

	if (samples->tasks)
		func.name = tasks_find(samples->tasks, pid)->comm;
	return func_table_named(&samples->tree.funcs, &func);
}

static uint32_t sample_tree_find_end(struct sample_tree *samples, const char *text)
{
	struct func func = { .name = text, .flags = FUNC_USER };

	return func_table_named(&samples->tree.funcs, &func);
}

/* Adds @func below *@at, and moves *@at there. */
static void descend(struct sample_tree *samples, uint32_t func, uint64_t ns, bool is_innermost,
		    uint32_t *at)
{
	const struct call_times times = { .total = ns, .own = is_innermost ? ns : 0 };
	uint32_t node = func == FUNC_NONE || *at == CALL_NONE ?
				CALL_NONE :
				call_tree_child(&samples->tree, *at, func);

	*at = node;
	if (node == CALL_NONE)
		samples->nomem = true;
	else
		call_tree_add(&samples->tree, node, &times);
}

void sample_tree_add(struct sample_tree *samples, const struct sample_stack *stack)
{
	const char *end = sample_end_text(stack->end);
	uint32_t at = CALL_ROOT;

	samples->n++;
	descend(samples, sample_tree_find_task(samples, stack->pid), stack->weight, stack->n == 0,
		&at);
	if (end)
		descend(samples, sample_tree_find_end(samples, end), stack->weight, stack->n == 0,
			&at);
	for (size_t i = stack->n; i-- > 0;)
		descend(samples, sample_tree_find_frame(samples, stack, i), stack->weight, i == 0,
			&at);
	samples->nomem |= samples->tree.nomem || (samples->users && samples->users->nomem);
}

void sample_tree_feed(struct sample_tree *samples, const struct decoded_event *decoded)
{
	struct sample_stack stack;

	if (decoded->kind != DECODED_SAMPLE || decoded->unwanted)
		return;
	stack.pid = decoded->event->pid;
	stack.process = decoded->sample.process;
	stack.time = decoded->event->time;
	stack.weight = decoded->sample.ns;
	stack.kernel = decoded->sample.kernel;
	stack.end = decoded->sample.end;
	stack.n = 0;
	while (stack.n < SAMPLE_STACK_MAX &&
	       decoded_frame(decoded, stack.n, &stack.frames[stack.n]))
		stack.n++;
	sample_tree_add(samples, &stack);
}
