/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The options that say what to trace, which several commands have. They are trace-cmd's,
 * and apply to the buffer that was named last, as there. A command's arguments begin with
 * a struct plan_args, and its table with PLAN_OPTIONS.
 */
#ifndef FATHOM_CLI_PLAN_PLAN_OPTIONS_H
#define FATHOM_CLI_PLAN_PLAN_OPTIONS_H

#include "actions/plan/plan-args.h"
#include "cli/kit/option.h"

/* For those that run a command. */
#define USER_FUNCTION_OPTIONS                                                                     \
	OPT_CALL('U', NULL, NULL, plan_arg_all_user_functions,                                    \
		 "record also when each function of the command's program begins and ends"),      \
		OPT_CALL(0, "user-functions", "[FILE:]GLOB,...", plan_arg_user_functions,         \
			 "the same for these functions of the program, or of a library or other " \
			 "program, as libc:write,fsync")

/* What comes with calls: their results and arguments, of which there can be too many. */
#define PLAN_VALUE_OPTIONS                                                                    \
	OPT_CALL(0, "returns", "FUNCTION", plan_arg_returns,                                  \
		 "record what functions of this name, or that fit this glob, return"),        \
		OPT_CALL(0, "args", "FUNCTION", plan_arg_args,                                \
			 "record with what arguments they are called"),                       \
		OPT_CALL(0, "budget", "PERCENT", plan_arg_budget,                             \
			 "what probes at many functions may cost, in percent of a CPU; 5 by " \
			 "default"),                                                          \
		OPT_CALL(0, "yes", NULL, plan_arg_yes,                                        \
			 "make probes however many there are and whatever they cost, and "    \
			 "start function tracers without a question"),                        \
		OPT_CALL(0, "vmlinux", "FILE", plan_arg_vmlinux,                              \
			 "the kernel's file with debug information, for probes at lines of "  \
			 "its source")

#define PLAN_OPTIONS                                                                               \
	OPT_CALL('p', NULL, "TRACER", plan_arg_tracer,                                             \
		 "use this tracer, such as function or function_graph"),                           \
		OPT_CALL('e', NULL, "EVENT", plan_arg_event,                                       \
			 "trace this event: EVENT, SYSTEM, SYSTEM:EVENT, globs of these, or all; " \
			 "or make this probe, as k:FUNCTION(ARGUMENT,...), see fathom-probes(7); " \
			 "in record, watch memory: mem:[FILE:]VARIABLE"),                          \
		OPT_CALL('f', NULL, "FILTER", plan_arg_filter,                                     \
			 "let the kernel filter the event given before, as 'prev_pid == 7'"),      \
		OPT_CALL('R', NULL, "TRIGGER", plan_arg_trigger,                                   \
			 "add this trigger to the event given before"),                            \
		OPT_CALL('v', NULL, NULL, plan_arg_off, "leave out the events that follow"),       \
		OPT_CALL('l', NULL, "FUNCTION", plan_arg_function,                                 \
			 "trace only functions with this name, a glob, or with ^ or $ a regular "  \
			 "expression"),                                                            \
		OPT_CALL('n', NULL, "FUNCTION", plan_arg_not_function,                             \
			 "do not trace these functions"),                                          \
		OPT_CALL('g', NULL, "FUNCTION", plan_arg_graph,                                    \
			 "function_graph: trace this function and what it calls"),                 \
		OPT_CALL(0, "max-graph-depth", "DEPTH", plan_arg_depth,                            \
			 "function_graph: go this deep, 1 shows entries to the kernel only"),      \
		OPT_CALL(0, "module", "MODULE", plan_arg_module,                                   \
			 "take functions of this module only"),                                    \
		PLAN_VALUE_OPTIONS,                                                                \
		OPT_CALL('O', NULL, "OPTION", plan_arg_option,                                     \
			 "set a trace option, or clear it with 'no' in front of it"),              \
		OPT_CALL('T', NULL, NULL, plan_arg_stack, "record a stack with each event"),       \
		OPT_CALL(0, "user-stack", NULL, plan_arg_user_stack,                               \
			 "record with each event where in the program it is"),                     \
		OPT_CALL(0, "func-stack", NULL, plan_arg_func_stack,                               \
			 "record a stack with each function; needs -l"),                           \
		OPT_CALL('P', NULL, "PID", plan_arg_pid,                                           \
			 "trace only this process, or several with commas between"),               \
		OPT_CALL('c', NULL, NULL, plan_arg_children,                                       \
			 "with -F or -P: trace also what these start"),                            \
		OPT_CALL('B', NULL, "BUFFER", plan_arg_buffer,                                     \
			 "what follows is for this buffer, an instance"),                          \
		OPT_CALL('b', NULL, "KB", plan_arg_size, "size of the ring of each CPU"),          \
		OPT_CALL(0, "subbuf-size", "KB", plan_arg_subbuf,                                  \
			 "size of the pieces that the ring consists of"),                          \
		OPT_CALL('C', NULL, "CLOCK", plan_arg_clock, "take time from this clock"),         \
		OPT_CALL('M', NULL, "MASK", plan_arg_cpumask,                                      \
			 "trace these CPUs only, a hexadecimal mask; -1 is all"),                  \
		OPT_CALL(0, "cmdlines-size", "N", plan_arg_cmdlines,                               \
			 "let the kernel remember the names of this many tasks"),                  \
		OPT_CALL('i', NULL, NULL, plan_arg_ignore,                                         \
			 "go on when the kernel does not have an event"),                          \
		OPT_CALL('d', NULL, NULL, plan_arg_no_function,                                    \
			 "keep latency tracers from tracing functions"),                           \
		OPT_CALL('D', NULL, NULL, plan_arg_no_ftrace,                                      \
			 "the same, and for all users of this machine"),                           \
		OPT_CALL(0, "force", NULL, plan_arg_force,                                         \
			 "put aside what somebody else traces at the top level meanwhile")

#endif
