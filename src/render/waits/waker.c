/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "render/waits/waker.h"

#include <inttypes.h>

#include "base/quote.h"
#include "analyze/devices/irqs.h"

const char *state_word(enum task_state state)
{
	static const char *const words[TASK_STATES] = {
		[TASK_STATE_UNKNOWN] = "unknown",   [TASK_STATE_RUNNING] = "running",
		[TASK_STATE_RUNNABLE] = "runnable", [TASK_STATE_SLEEPING] = "sleeping",
		[TASK_STATE_BLOCKED] = "blocked",   [TASK_STATE_IDLE] = "idle",
		[TASK_STATE_STOPPED] = "stopped",   [TASK_STATE_DEAD] = "dead",
	};

	return words[state];
}

const char *waker_word(enum waker_kind kind)
{
	static const char *const words[] = {
		[WAKER_TASK] = "task",	       [WAKER_IDLE] = "idle",
		[WAKER_HARDIRQ] = "interrupt", [WAKER_VECTOR] = "vector",
		[WAKER_SOFTIRQ] = "softirq",
	};

	return words[kind];
}

void task_put(struct strbuf *buf, const struct task_states_task *task)
{
	quote_addf(buf, "%s-%" PRId32, *task->name ? task->name : "<...>", task->pid);
}

void wait_put(struct strbuf *buf, const struct task_states *states, enum task_state state,
	      int64_t syscall)
{
	const char *name = task_states_syscall(states, syscall);

	quote_adds(buf, state_word(state));
	if (name)
		quote_addf(buf, " in %s", name);
	else if (syscall >= 0)
		quote_addf(buf, " in system call %" PRId64, syscall);
	else if (syscall == SYSCALL_NONE)
		strbuf_adds(buf, " outside recorded system calls");
}

void waker_put(struct strbuf *buf, const struct task_states *states, struct waker waker)
{
	switch (waker.kind) {
	case WAKER_TASK:
		strbuf_adds(buf, "woken by ");
		task_put(buf, states->tasks[waker.number]);
		break;
	case WAKER_IDLE:
		strbuf_adds(buf, "woken by an idle CPU");
		break;
	case WAKER_HARDIRQ:
		strbuf_adds(buf, "woken by an interrupt");
		if (waker.number != WAKER_NO_NUMBER)
			quote_addf(buf, ", number %" PRIu32, waker.number);
		break;
	case WAKER_VECTOR:
		quote_addf(buf, "woken by an interrupt, vector %" PRIu32, waker.number);
		break;
	case WAKER_SOFTIRQ:
		strbuf_adds(buf, "woken by a softirq");
		if (irqs_softirq_name(waker.number))
			quote_addf(buf, ", %s", irqs_softirq_name(waker.number));
		break;
	case WAKER_UNKNOWN:
		strbuf_adds(buf, "waker unknown");
		break;
	}
}

#define FOLLOWED_SHOWN 3

static const char *waker_switches(uint64_t n)
{
	return n == 1 ? "context switch is" : "context switches are";
}

void followed_put(struct strbuf *buf, const struct task_states *states)
{
	const struct followed *followed = states->followed;

	if (followed && followed->some_cpus)
		strbuf_adds(buf, "\nrecording limited to some CPUs: waits, and what tasks did on "
				 "other CPUs, are unknown\n");
	if (states->missing)
		quote_addf(buf,
			   "\n%" PRIu64 " %s missing, although no events were lost: the recording "
			   "seems to be limited to some tasks; times of other tasks may be wrong\n",
			   states->missing, waker_switches(states->missing));
	if (!task_states_is_limited(states))
		return;
	if (followed->missing)
		quote_addf(buf,
			   "\n%" PRIu64 " %s missing, although no events were lost; recording "
			   "apparently",
			   followed->missing, waker_switches(followed->missing));
	else
		strbuf_adds(buf, "\nrecording");
	quote_addf(buf, " limited to %s",
		   followed->n == 1 ? "task " :
		   followed->n	    ? "tasks " :
				      "some tasks");
	for (size_t i = 0; i < followed->n && i < FOLLOWED_SHOWN; i++)
		quote_addf(buf, "%s%" PRId32, i ? ", " : "", followed->pids[i]);
	if (followed->n > FOLLOWED_SHOWN)
		quote_addf(buf, " and %zu more", followed->n - FOLLOWED_SHOWN);
	if (followed->children)
		strbuf_adds(buf, followed->n == 1 ? " and its children" : " and their children");
	strbuf_adds(buf, ": times of other tasks are unknown\n");
}

void followed_write(struct json *json, const struct task_states *states)
{
	const struct followed *followed = states->followed;

	json_bool(json, "some_cpus", followed && followed->some_cpus);
	json_u64(json, "missing_switch_count",
		 followed && followed->missing ? followed->missing : states->missing);
	if (!task_states_is_limited(states)) {
		json_null(json, "followed");
		json_bool(json, "followed_children", false);
		return;
	}
	json_begin_array(json, "followed");
	for (size_t i = 0; i < followed->n; i++)
		json_s64(json, NULL, followed->pids[i]);
	json_end_array(json);
	json_bool(json, "followed_children", followed->children);
}
