/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "actions/plan/plan-args.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "symbols/probe/probe.h"

int plan_args_init(struct plan_args *args, struct fathom_err *err)
{
	if (!args->plan.n && plan_init(&args->plan) < 0)
		return err_nomem(err);
	return 0;
}

void plan_args_done(struct plan_args *args)
{
	plan_done(&args->plan);
	free(args->until);
}

/* Returns the buffer that options apply to; NULL, with a message, if out of memory. */
static struct plan_buffer *plan_args_current(void *args, struct fathom_err *err)
{
	struct plan_args *plan_args = args;

	return plan_args_init(plan_args, err) < 0 ? NULL : plan_last(&plan_args->plan);
}

static struct plan *plan_args_plan_of(void *args, struct fathom_err *err)
{
	struct plan_args *plan_args = args;

	return plan_args_init(plan_args, err) < 0 ? NULL : &plan_args->plan;
}

static int plan_args_number(const char *value, unsigned long max, unsigned long *ret,
			    struct fathom_err *err)
{
	char *end;

	errno = 0;
	*ret = strtoul(value, &end, 10);
	if (errno || end == value || *end || value[0] == '-' || *ret > max)
		return err_set(err, -EINVAL, "invalid number '%s': expected 0 to %lu", value, max);
	return 0;
}

#define WORD_ARG(name, field)                                                      \
	int plan_arg_##name(void *args, const char *value, struct fathom_err *err) \
	{                                                                          \
		struct plan_buffer *buffer = plan_args_current(args, err);         \
                                                                                   \
		if (!buffer || plan_words_add(&buffer->field, value) < 0)          \
			return err_nomem(err);                                     \
		return 0;                                                          \
	}

#define TEXT_ARG(name, field)                                                      \
	int plan_arg_##name(void *args, const char *value, struct fathom_err *err) \
	{                                                                          \
		struct plan_buffer *buffer = plan_args_current(args, err);         \
                                                                                   \
		if (!buffer)                                                       \
			return -ENOMEM;                                            \
		buffer->field = value;                                             \
		return 0;                                                          \
	}

#define KB_ARG(name, field)                                                                        \
	int plan_arg_##name(void *args, const char *value, struct fathom_err *err)                 \
	{                                                                                          \
		struct plan_buffer *buffer = plan_args_current(args, err);                         \
                                                                                                   \
		return buffer ? plan_args_number(value, 1UL << 40, &buffer->field, err) : -ENOMEM; \
	}

#define BUFFER_FLAG(name, field)                                                   \
	int plan_arg_##name(void *args, const char *value, struct fathom_err *err) \
	{                                                                          \
		struct plan_buffer *buffer = plan_args_current(args, err);         \
                                                                                   \
		if (!buffer)                                                       \
			return -ENOMEM;                                            \
		buffer->field = true;                                              \
		return 0;                                                          \
	}

#define PLAN_FLAG(name, field)                                                     \
	int plan_arg_##name(void *args, const char *value, struct fathom_err *err) \
	{                                                                          \
		struct plan *plan = plan_args_plan_of(args, err);                  \
                                                                                   \
		if (!plan)                                                         \
			return -ENOMEM;                                            \
		plan->field = true;                                                \
		return 0;                                                          \
	}

TEXT_ARG(tracer, tracer)
TEXT_ARG(module, module)
TEXT_ARG(clock, clock)
TEXT_ARG(cpumask, cpumask)
WORD_ARG(function, functions)
WORD_ARG(not_function, not_functions)
WORD_ARG(graph, graph_functions)
WORD_ARG(option, options)
WORD_ARG(returns, returns)
WORD_ARG(errors, errors)
WORD_ARG(args, args)
KB_ARG(size, size_kb)
KB_ARG(subbuf, subbuf_kb)
BUFFER_FLAG(stack, stack)
BUFFER_FLAG(func_stack, func_stack)
BUFFER_FLAG(user_stack, user_stack)
PLAN_FLAG(children, children)
PLAN_FLAG(ignore, ignore_missing)
PLAN_FLAG(no_function, no_function_trace)
PLAN_FLAG(no_ftrace, no_ftrace)
PLAN_FLAG(force, force)

int plan_arg_yes(void *args, const char *value, struct fathom_err *err)
{
	struct plan *plan = plan_args_plan_of(args, err);

	if (!plan)
		return -ENOMEM;
	plan->yes = true;
	((struct plan_args *)args)->yes = true;
	return 0;
}

/* The events needed to nest functions by task: forks, execs and context switches. */
static int add_user_events(struct plan *plan, struct fathom_err *err)
{
	static const char *const events[] = { "task:task_newtask", "sched:sched_process_exec",
					      "sched:sched_switch" };

	if (plan->all_user_functions || plan->user_functions.n)
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(events); i++)
		if (plan_add_event(&plan->buffers[0], events[i], false) < 0)
			return err_nomem(err);
	return 0;
}

int plan_arg_all_user_functions(void *args, const char *value, struct fathom_err *err)
{
	struct plan *plan = plan_args_plan_of(args, err);

	if (!plan || add_user_events(plan, err) < 0)
		return -ENOMEM;
	plan->all_user_functions = true;
	return 0;
}

int plan_arg_user_functions(void *args, const char *value, struct fathom_err *err)
{
	struct plan *plan = plan_args_plan_of(args, err);

	if (!plan || add_user_events(plan, err) < 0)
		return -ENOMEM;
	return plan_words_add(&plan->user_functions, value) < 0 ? err_nomem(err) : 0;
}

static int add_watch(struct plan_args *args, const char *what, struct fathom_err *err)
{
	if (args->off)
		return err_set(err, -EINVAL, "-v cannot be applied to mem: events");
	return plan_words_add(&args->plan.watches, what) < 0 ? err_nomem(err) : 0;
}

int plan_arg_event(void *args, const char *value, struct fathom_err *err)
{
	struct plan_args *plan_args = args;
	struct plan_buffer *buffer = plan_args_current(args, err);

	if (!buffer)
		return -ENOMEM;
	if (str_after(value, "mem:"))
		return add_watch(plan_args, str_after(value, "mem:"), err);
	if (probe_is_one(value)) {
		if (plan_args->off)
			return err_set(err, -EINVAL, "-v cannot be applied to probes");
		return plan_add_expression(&plan_args->plan, value, err);
	}
	return plan_add_event(buffer, value, plan_args->off) < 0 ? err_nomem(err) : 0;
}

/* Returns the event that -f and -R apply to. */
static struct plan_event *plan_args_last_event(void *args, const char *option,
					       struct fathom_err *err)
{
	struct plan_buffer *buffer = plan_args_current(args, err);

	if (buffer && buffer->n_events)
		return &buffer->events[buffer->n_events - 1];
	if (buffer)
		err_set(err, -EINVAL, "%s requires a preceding -e", option);
	return NULL;
}

int plan_arg_filter(void *args, const char *value, struct fathom_err *err)
{
	struct plan_event *event = plan_args_last_event(args, "-f", err);

	if (!event)
		return -EINVAL;
	if (event->filter)
		return err_set(err, -EINVAL,
			       "event '%s' already has a filter: combine them "
			       "with &&",
			       event->name);
	event->filter = value;
	return 0;
}

int plan_arg_trigger(void *args, const char *value, struct fathom_err *err)
{
	struct plan_event *event = plan_args_last_event(args, "-R", err);

	if (!event)
		return -EINVAL;
	return plan_words_add(&event->triggers, value) < 0 ? err_nomem(err) : 0;
}

int plan_arg_off(void *args, const char *value, struct fathom_err *err)
{
	((struct plan_args *)args)->off = true;
	return 0;
}

int plan_arg_depth(void *args, const char *value, struct fathom_err *err)
{
	struct plan *plan = plan_args_plan_of(args, err);

	if (!plan)
		return -ENOMEM;
	plan->has_depth = true;
	return plan_args_number(value, 1000, &plan->depth, err);
}

int plan_arg_budget(void *args, const char *value, struct fathom_err *err)
{
	struct plan *plan = plan_args_plan_of(args, err);
	char *end;

	if (!plan)
		return -ENOMEM;
	plan->budget = strtod(value, &end);
	if (end == value || (*end && !str_eq(end, "%")) || !(plan->budget > 0) ||
	    plan->budget > 1e6)
		return err_set(err, -EINVAL,
			       "invalid percentage '%s': expected a value such as "
			       "5%%",
			       value);
	return 0;
}

int plan_arg_vmlinux(void *args, const char *value, struct fathom_err *err)
{
	struct plan *plan = plan_args_plan_of(args, err);

	if (!plan)
		return -ENOMEM;
	plan->vmlinux = value;
	return 0;
}

int plan_arg_cmdlines(void *args, const char *value, struct fathom_err *err)
{
	struct plan *plan = plan_args_plan_of(args, err);

	return plan ? plan_args_number(value, 1UL << 22, &plan->cmdlines, err) : -ENOMEM;
}

int plan_arg_command_only(void *args, const char *value, struct fathom_err *err)
{
	((struct plan_args *)args)->filter_command = true;
	return plan_args_init(args, err);
}

int plan_arg_pid(void *args, const char *value, struct fathom_err *err)
{
	_cleanup_free_ char *copy = mem_strdup(value);
	struct plan *plan = plan_args_plan_of(args, err);
	char *rest = copy;
	size_t n = 0;

	if (!copy || !plan)
		return err_nomem(err);
	for (char *word; (word = str_next_word(&rest, ", ")); n++) {
		unsigned long pid;

		if (plan_args_number(word, INT32_MAX, &pid, NULL) < 0 || !pid)
			return err_set(err, -EINVAL, "invalid PID '%s': expected a number", word);
		if (plan_add_pid(plan, (pid_t)pid) < 0)
			return err_nomem(err);
	}
	return n ? 0 : err_set(err, -EINVAL, "-P requires a PID");
}

int plan_arg_buffer(void *args, const char *value, struct fathom_err *err)
{
	struct plan *plan = plan_args_plan_of(args, err);

	if (!plan)
		return -ENOMEM;
	for (size_t i = 1; i < plan->n; i++)
		if (str_eq(plan->buffers[i].name, value))
			return err_set(err, -EINVAL, "duplicate buffer '%s'", value);
	if (!*value)
		return err_set(err, -EINVAL, "-B requires the name of a buffer");
	((struct plan_args *)args)->off = false;
	return plan_add_buffer(plan, value) < 0 ? err_nomem(err) : 0;
}
