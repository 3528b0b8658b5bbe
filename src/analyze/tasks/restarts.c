/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/tasks/restarts.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>

#include "analyze/tasks/signals.h"
#include "base/errno-name.h"
#include "base/str.h"

#define RESTARTS_ALLOWED 0x10000000 /* SA_RESTART */
#define ERROR_MAX	 4095

/* Internal to the kernel, from <linux/errno.h>. */
#define ERESTARTSYS    512 /* restarted unless a handler without SA_RESTART runs */
#define ERESTARTNOINTR 513 /* always restarted */

struct restart_task {
	int32_t pid;
	int32_t code; /* ERESTART...; 0: no undecided call */
	int64_t number;
	uint16_t id; /* of the exit event */
	uint64_t losses;
};

bool restarts_is_interrupted(int64_t result)
{
	return result < 0 && result >= -ERROR_MAX && errno_is_restart((int)-result);
}

bool restarts_is_return(const char *name)
{
	return name && (str_eq(name, "rt_sigreturn") || str_eq(name, "sigreturn"));
}

static struct restart_task *open_task(const struct restarts *restarts, int32_t pid)
{
	uint32_t place;

	if (!restarts->open)
		return NULL;
	place = u64_map_get(&restarts->pids, (uint32_t)pid);
	return place < restarts->n && restarts->tasks[place].code ? &restarts->tasks[place] : NULL;
}

static void restarts_settle(struct restarts *restarts, struct restart_task *task,
			    enum restart_fate fate, int32_t signal)
{
	struct restart restart = {
		.pid = task->pid, .number = task->number, .fate = fate, .signal = signal
	};

	task->code = 0;
	restarts->open--;
	for (size_t i = 0; i < restarts->n_takers; i++)
		restarts->takers[i].take(restarts->takers[i].data, &restart);
}

static void restarts_feed_delivery(struct restarts *restarts, const struct decoded_event *decoded)
{
	struct restart_task *task = open_task(restarts, decoded->event->pid);
	int32_t number = decoded->signal.number;
	bool restarts_it;

	restarts->has_deliveries = true;
	if (!task)
		return;
	switch (signal_delivered(decoded)) {
	case SIGNAL_HANDLED:
		restarts_it =
			task->code == ERESTARTNOINTR ||
			(task->code == ERESTARTSYS && decoded->signal.flags & RESTARTS_ALLOWED);
		restarts_settle(restarts, task, restarts_it ? RESTART_RESTARTED : RESTART_EINTR,
				number);
		break;
	case SIGNAL_TERMINATES:
	case SIGNAL_DUMPS:
		restarts_settle(restarts, task, RESTART_ENDED, 0);
		break;
	case SIGNAL_ACTION_UNKNOWN:
		restarts_settle(restarts, task, number == SIGKILL ? RESTART_ENDED : RESTART_UNKNOWN,
				0);
		break;
	case SIGNAL_IGNORED:
	case SIGNAL_STOPS:
		break;
	}
}

/* The task enters another call. Was it restarted by the kernel? */
static enum restart_fate restarts_conclude(const struct restarts *restarts,
					   const struct restart_task *task,
					   const struct decoded_event *decoded)
{
	const char *name = decoded_syscall_name(decoded);
	bool same = decoded->call_number.number == task->number;

	if (task->losses != restarts->losses)
		return RESTART_UNKNOWN;
	/* No handler ran, so the call is restarted in any case. */
	if (restarts->has_deliveries || task->code == ERESTARTNOINTR ||
	    (name && str_eq(name, "restart_syscall")))
		return RESTART_RESTARTED;
	/* No handler returned in between, which would have been recorded. */
	if (same)
		return restarts->has_returns ? RESTART_RESTARTED : RESTART_UNKNOWN;
	/* A different call, made by a handler or to return from it. */
	return task->code == ERESTARTSYS ? RESTART_UNKNOWN : RESTART_EINTR;
}

static void restarts_feed_entry(struct restarts *restarts, const struct decoded_event *decoded)
{
	struct restart_task *task = open_task(restarts, decoded->event->pid);

	if (restarts_is_return(decoded_syscall_name(decoded)))
		restarts->has_returns = true;
	if (task)
		restarts_settle(restarts, task, restarts_conclude(restarts, task, decoded), 0);
}

static void restarts_end_task(struct restarts *restarts, int32_t pid)
{
	struct restart_task *task = open_task(restarts, pid);

	if (task)
		restarts_settle(restarts, task, RESTART_ENDED, 0);
}

static void restarts_feed_exit(struct restarts *restarts, const struct decoded_event *decoded)
{
	int32_t pid = decoded->event->pid;
	int64_t number = decoded->call_number.number;
	struct restart_task *task = open_task(restarts, pid);

	/* The second event of the same exit. */
	if (task && task->number == number && task->id != decoded->event->id)
		return;
	if (task)
		restarts_settle(restarts, task, RESTART_UNKNOWN, 0);
	if (!restarts_is_interrupted(decoded->call_number.result))
		return;
	task = u64_map_element(&restarts->pids, (uint32_t)pid, &restarts->tasks, &restarts->n,
			       &restarts->cap, sizeof(*restarts->tasks));
	if (!task) {
		restarts->nomem = true;
		return;
	}
	*task = (struct restart_task){ .pid = pid,
				       .code = (int32_t)-decoded->call_number.result,
				       .number = number,
				       .id = decoded->event->id,
				       .losses = restarts->losses };
	restarts->open++;
}

void restarts_listen(struct restarts *restarts, restarts_taker *take, void *data)
{
	if (restarts->n_takers == RESTARTS_TAKERS) {
		restarts->nomem = true;
		return;
	}
	restarts->takers[restarts->n_takers].take = take;
	restarts->takers[restarts->n_takers++].data = data;
}

void restarts_feed(struct restarts *restarts, const struct decoded_event *decoded)
{
	if (decoded_has_gap(decoded))
		restarts->losses++;
	/* The interrupted task has ended: its pid went to a thread that executed a program. */
	if (decoded_old_pid(decoded))
		restarts_end_task(restarts, decoded->event->pid);
	switch (decoded->kind) {
	case DECODED_SIGNAL:
		restarts_feed_delivery(restarts, decoded);
		break;
	case DECODED_SYSCALL_ENTRY:
		restarts_feed_entry(restarts, decoded);
		break;
	case DECODED_SYSCALL_EXIT:
		restarts_feed_exit(restarts, decoded);
		break;
	case DECODED_TASK_EXIT:
		restarts_end_task(restarts, decoded->task.pid);
		break;
	case DECODED_SWITCH:
		if (decoded->sched.prev == TASK_STATE_DEAD)
			restarts_end_task(restarts, decoded->sched.prev_pid);
		break;
	default:
		break;
	}
}

int restarts_finish(struct restarts *restarts)
{
	for (size_t i = 0; i < restarts->n && restarts->open; i++)
		if (restarts->tasks[i].code)
			restarts_settle(restarts, &restarts->tasks[i], RESTART_UNKNOWN, 0);
	return restarts->nomem ? -ENOMEM : 0;
}

void restarts_done(struct restarts *restarts)
{
	u64_map_done(&restarts->pids);
	free(restarts->tasks);
	*restarts = (struct restarts){ 0 };
}
