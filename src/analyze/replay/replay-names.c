/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Names of functions, tasks and system calls, and properties derived from a function's name. */
#include <string.h>

#include "analyze/calls/breakdown.h"
#include "analyze/calls/phases.h"
#include "analyze/replay/replay-parts.h"
#include "base/mem.h"
#include "base/str.h"

const struct func *replay_func(const struct replay *replay, uint32_t func)
{
	return func == FUNC_NONE ? NULL : &calls_funcs(replay->calls)->list[func];
}

const struct func_traits *replay_traits(struct replay *replay, uint32_t func)
{
	static const struct func_traits none = { .noise = PHASE_NONE };
	struct func_traits *traits;
	const char *name;

	if (func == FUNC_NONE)
		return &none;
	if (func >= replay->n_traits) {
		if (mem_reserve(&replay->traits, &replay->cap_traits, func + (size_t)1,
				sizeof(*replay->traits)) < 0) {
			replay->nomem = true;
			return &none;
		}
		memset(replay->traits + replay->n_traits, 0,
		       (func + (size_t)1 - replay->n_traits) * sizeof(*replay->traits));
		replay->n_traits = func + (size_t)1;
	}
	traits = &replay->traits[func];
	if (traits->known)
		return traits;
	*traits = (struct func_traits){ .known = true, .noise = PHASE_NONE };
	name = calls_funcs(replay->calls)->list[func].name;
	if (!name)
		return traits;
	traits->is_user = calls_funcs(replay->calls)->list[func].flags & FUNC_USER;
	traits->is_syscall = !traits->is_user &&
			     (breakdown_syscall_name(name) || str_eq(name, "x64_sys_call"));
	if (replay->options.begins)
		traits->begins = replay->options.begins(replay->options.begins_data, name, false);
	if (replay->options.phases && !traits->is_user) {
		int phase = phases_find(replay->options.phases, name);

		if (phase != PHASE_NONE && phases_get(replay->options.phases, phase)->noise)
			traits->noise = phase;
	}
	return traits;
}

const char *replay_task_name(const struct replay *replay, int32_t pid)
{
	uint32_t at = u64_map_get(&replay->states.pids, (uint64_t)pid);
	const struct task *known;

	if (at != U64_MAP_NONE && *replay->states.tasks[replay->states.current[at]]->name)
		return replay->states.tasks[replay->states.current[at]]->name;
	known = replay->options.tasks ? tasks_find(replay->options.tasks, pid) : NULL;
	return known ? known->comm : "";
}

const char *replay_syscall_name(const struct replay *replay, uint32_t number)
{
	return task_states_syscall(&replay->states, number);
}
