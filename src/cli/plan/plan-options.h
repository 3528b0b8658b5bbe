/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The options that select what to trace, shared by several commands. They are trace-cmd's, and as
 * there they apply to the buffer named last. A command's arguments start with a struct plan_args.
 */
#ifndef FATHOM_CLI_PLAN_PLAN_OPTIONS_H
#define FATHOM_CLI_PLAN_PLAN_OPTIONS_H

#include "actions/plan/plan-args.h"
#include "cli/kit/option.h"

/* For commands that run another one. */
#define USER_FUNCTION_OPTIONS                                                               \
	OPT_CALL('U', NULL, NULL, plan_arg_all_user_functions,                              \
		 "trace all functions of the program"),                                     \
		OPT_CALL(0, "user-functions", "[FILE:]GLOB,...", plan_arg_user_functions,   \
			 "trace matching functions of the program or of FILE, for example " \
			 "libc:write,fsync")

/* Return values and arguments of calls, with probes. */
#define PLAN_VALUE_OPTIONS                                                 \
	OPT_CALL(0, "returns", "GLOB", plan_arg_returns,                   \
		 "record return values of matching kernel functions"),     \
		OPT_CALL(0, "args", "GLOB", plan_arg_args,                 \
			 "record arguments of matching kernel functions"), \
		OPT_CALL(0, "vmlinux", "FILE", plan_arg_vmlinux,           \
			 "kernel image with debug information, for probes on source lines")

/* Limits on these probes. */
#define PLAN_LIMIT_OPTIONS                                                     \
	OPT_CALL(0, "budget", "PERCENT", plan_arg_budget,                      \
		 "maximum overhead of function probes, in percent of one CPU " \
		 "(default: 5)"),                                              \
		OPT_CALL(0, "yes", NULL, plan_arg_yes,                         \
			 "place probes and trace functions regardless of number and overhead")

/* Which events and functions. */
#define PLAN_EVENT_OPTIONS                                                                        \
	OPT_CALL('e', "event", "EVENT", plan_arg_event,                                           \
		 "trace matching events: EVENT, SYSTEM or SYSTEM:EVENT, with globs, "             \
		 "or all; or place a probe, for example k:FUNCTION(ARGUMENT,...), see "           \
		 "fathom-probes(7); or watch memory with mem:[FILE:]VARIABLE (record "            \
		 "only)"),                                                                        \
		OPT_CALL('f', NULL, "FILTER", plan_arg_filter,                                    \
			 "filter the preceding -e in the kernel, for example 'prev_pid == 7'"),   \
		OPT_CALL('R', NULL, "TRIGGER", plan_arg_trigger,                                  \
			 "add TRIGGER to the preceding -e"),                                      \
		OPT_CALL('v', NULL, NULL, plan_arg_off,                                           \
			 "exclude the events of each -e that "                                    \
			 "follows"),                                                              \
		OPT_CALL('i', NULL, NULL, plan_arg_ignore,                                        \
			 "ignore events that the kernel does not have"),                          \
		OPT_CALL('p', NULL, "TRACER", plan_arg_tracer,                                    \
			 "use TRACER, for example function or function_graph"),                   \
		OPT_CALL('l', NULL, "FUNCTION", plan_arg_function,                                \
			 "trace only matching functions: a name, a glob, or with ^ or $ a "       \
			 "regular expression"),                                                   \
		OPT_CALL('n', NULL, "FUNCTION", plan_arg_not_function,                            \
			 "don't trace matching functions"),                                       \
		OPT_CALL('g', NULL, "FUNCTION", plan_arg_graph,                                   \
			 "function_graph: trace only FUNCTION and its callees"),                  \
		OPT_CALL(0, "max-graph-depth", "DEPTH", plan_arg_depth,                           \
			 "function_graph: trace DEPTH levels of calls (1: only kernel entries)"), \
		OPT_CALL(0, "module", "MODULE", plan_arg_module,                                  \
			 "trace only functions of MODULE"),                                       \
		OPT_CALL('d', NULL, NULL, plan_arg_no_function,                                   \
			 "don't trace functions in latency tracers"),                             \
		OPT_CALL('D', NULL, NULL, plan_arg_no_ftrace,                                     \
			 "like -d, and disable function tracing on the whole machine")

/* Which tasks and CPUs. */
#define PLAN_TASK_OPTIONS                                                           \
	OPT_CALL('P', NULL, "PID,...", plan_arg_pid, "trace only these processes"), \
		OPT_CALL('c', NULL, NULL, plan_arg_children,                        \
			 "with -F or -P: also trace child processes"),              \
		OPT_CALL('M', NULL, "MASK", plan_arg_cpumask,                       \
			 "trace only the CPUs in this hexadecimal mask (-1: all)")

/* Stack traces with events. */
#define PLAN_STACK_OPTIONS                                             \
	OPT_CALL('T', "stack", NULL, plan_arg_stack,                   \
		 "record a kernel stack trace with each "              \
		 "event"),                                             \
		OPT_CALL(0, "user-stack", NULL, plan_arg_user_stack,   \
			 "record a user stack trace with each event"), \
		OPT_CALL(0, "func-stack", NULL, plan_arg_func_stack,   \
			 "record a kernel stack trace with each traced function; requires -l")

/* The kernel's buffers. */
#define PLAN_BUFFER_OPTIONS                                                               \
	OPT_CALL('B', "buffer", "BUFFER", plan_arg_buffer,                                \
		 "apply the options that follow to BUFFER, an instance"),                 \
		OPT_CALL('b', "buffer-size", "KB", plan_arg_size, "buffer size per CPU"), \
		OPT_CALL(0, "subbuf-size", "KB", plan_arg_subbuf, "sub-buffer size"),     \
		OPT_CALL('C', NULL, "CLOCK", plan_arg_clock, "clock for timestamps"),     \
		OPT_CALL('O', NULL, "OPTION", plan_arg_option,                            \
			 "set a trace option, or clear it with the prefix 'no'"),         \
		OPT_CALL(0, "cmdlines-size", "N", plan_arg_cmdlines,                      \
			 "number of task names that the kernel remembers"),               \
		OPT_CALL(0, "force", NULL, plan_arg_force,                                \
			 "take over the top-level buffer; restore its settings on exit")

#endif
