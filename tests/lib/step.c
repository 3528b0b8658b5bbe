/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "step.h"

static void step_set_signal(const struct step *step, struct decoded_event *decoded)
{
	decoded->signal.number = step->depth;
	decoded->signal.has_action = true;
	decoded->signal.handler = 0x401000;
	decoded->signal.flags = step->what;
}

static void step_set_call(const struct step *step, struct decoded_event *decoded)
{
	decoded->call.func = step->what;
	decoded->call.depth = step->depth;
	decoded->call.duration = step->duration;
	decoded->call.result = step->result;
	decoded->call.has_more = step->result != 0;
}

void step_decode(const struct step *step, struct fathom_event *event,
		 struct decoded_event *ret_decoded)
{
	struct decoded_event *decoded = ret_decoded;

	*event = (struct fathom_event){
		.time = step->time, .pid = step->pid, .cpu = step->cpu, .missed = step->missed
	};
	*decoded = (struct decoded_event){ .kind = step->kind, .event = event };
	switch (step->kind) {
	case DECODED_SWITCH:
		decoded->sched.prev_pid = step->pid;
		decoded->sched.next_pid = (int32_t)step->what;
		decoded->sched.prev = (enum task_state)step->depth;
		break;
	case DECODED_SIGNAL:
		step_set_signal(step, decoded);
		break;
	case DECODED_EXEC:
		decoded->path.old_pid = (int32_t)step->what;
		break;
	case DECODED_WAKING:
	case DECODED_WAKEUP:
	case DECODED_TASK_EXIT:
		decoded->task.pid = (int32_t)step->what;
		break;
	case DECODED_FUNCTION:
	case DECODED_CALL:
	case DECODED_RETURN:
		step_set_call(step, decoded);
		break;
	default:
		decoded->call_number.number = (int64_t)step->what;
		decoded->call_number.result = step->depth;
		if (step->kind == DECODED_SYSCALL_EXIT)
			decoded->call_number.old_pid = (int32_t)step->duration;
		break;
	}
}
