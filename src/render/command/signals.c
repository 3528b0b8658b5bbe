/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "render/command/signals.h"

#include <inttypes.h>
#include <signal.h>

#include "analyze/tasks/signals.h"
#include "base/quote.h"

bool signals_put_ending(struct strbuf *buf, const char *before, struct process_ending ending)
{
	char name[SIGNAL_NAME_SIZE];

	if (ending.how == PROCESS_END_UNKNOWN)
		return false;
	quote_adds(buf, before);
	if (ending.how == PROCESS_EXITED && ending.has_code)
		quote_addf(buf, "exit status %" PRId32, ending.code);
	else if (ending.how == PROCESS_EXITED)
		strbuf_adds(buf, "unknown exit status");
	else if (ending.signal)
		quote_addf(buf, "killed by %s", signal_name(ending.signal, name));
	else
		strbuf_adds(buf, "killed by an unknown signal");
	if (ending.how == PROCESS_KILLED && ending.dump == PROCESS_DUMPED)
		strbuf_adds(buf, ", core dumped");
	return true;
}

void signals_json_ending(struct json *json, struct process_ending ending)
{
	char name[SIGNAL_NAME_SIZE];

	if (ending.how == PROCESS_END_UNKNOWN)
		return;
	json_string(json, "ended", ending.how == PROCESS_EXITED ? "exited" : "killed");
	if (ending.how == PROCESS_EXITED) {
		if (ending.has_code)
			json_s64(json, "exit_code", ending.code);
		else
			json_null(json, "exit_code");
		return;
	}
	json_string(json, "signal", ending.signal ? signal_name(ending.signal, name) : NULL);
	if (ending.dump == PROCESS_DUMP_UNKNOWN)
		json_null(json, "core_dumped");
	else
		json_bool(json, "core_dumped", ending.dump == PROCESS_DUMPED);
}

void signals_put_task(struct strbuf *buf, const struct summary *summary, int32_t pid)
{
	if (tasks_know(summary->tasks, pid))
		quote_addf(buf, "%s-%" PRId32, tasks_find(summary->tasks, pid)->comm, pid);
	else
		quote_addf(buf, "pid %" PRId32, pid);
}

static void put_sender(struct strbuf *buf, const struct summary *summary,
		       const struct process_signal *signal, int32_t target)
{
	strbuf_adds(buf, " from ");
	if (signal->sender == SENDER_KERNEL)
		strbuf_adds(buf, "the kernel");
	else if (signal->sender == SENDER_SEVERAL)
		strbuf_adds(buf, "several senders");
	else if (signal->sender == SENDER_UNKNOWN)
		strbuf_adds(buf, "an unknown sender");
	else if (signal->sender == target)
		strbuf_adds(buf, "itself");
	else
		signals_put_task(buf, summary, signal->sender);
}

/* Appends ", handled", with a number if that is not all of them: ", 3 handled, 1 merged". */
static void put_effect(struct strbuf *buf, const char *what, uint64_t n, uint64_t all)
{
	if (!n)
		return;
	strbuf_adds(buf, ", ");
	if (n != all)
		quote_addf(buf, "%" PRIu64 " ", n);
	quote_adds(buf, what);
}

void signals_put(struct strbuf *buf, const struct summary *summary,
		 const struct process_signal *signal)
{
	int32_t target = summary->processes.list[signal->process].pid;
	uint64_t n = signal->count;
	char name[SIGNAL_NAME_SIZE];

	if (n != 1)
		quote_addf(buf, "%" PRIu64 " ", n);
	quote_addf(buf, "%s to ", signal_name(signal->number, name));
	signals_put_task(buf, summary, target);
	put_sender(buf, summary, signal, target);
	put_effect(buf, "terminated it", signal->terminated, n);
	put_effect(buf, "handled", signal->handled, n);
	/* SIGCONT resumes the process even if it has no handler. */
	put_effect(buf, signal->number == SIGCONT ? "without a handler" : "ignored",
		   signal->ignored, n);
	put_effect(buf, "stopped it", signal->stopped, n);
	put_effect(buf, "merged with a pending one", signal->merged, n);
	put_effect(buf, "not queued", signal->failed, n);
	put_effect(buf, "not seen to be delivered", signal->pending, n);
}

static void json_known(struct json *json, const char *key, int32_t pid)
{
	if (pid > 0)
		json_s64(json, key, pid);
	else
		json_null(json, key);
}

void signals_json(struct json *json, const struct summary *summary,
		  const struct process_signal *signal)
{
	int32_t target = summary->processes.list[signal->process].pid;
	char name[SIGNAL_NAME_SIZE];
	const char *from = "task";

	if (signal->sender == SENDER_KERNEL)
		from = "kernel";
	else if (signal->sender == SENDER_SEVERAL)
		from = "several";
	else if (signal->sender == SENDER_UNKNOWN)
		from = NULL;
	json_begin_object(json, NULL);
	json_string(json, "signal", signal_name(signal->number, name));
	json_s64(json, "number", signal->number);
	json_s64(json, "pid", target);
	json_string(json, "comm",
		    tasks_know(summary->tasks, target) ? tasks_find(summary->tasks, target)->comm :
							 NULL);
	json_string(json, "from", from);
	json_known(json, "sender", signal->sender);
	json_u64(json, "count", signal->count);
	json_u64(json, "terminated_count", signal->terminated);
	json_u64(json, "handled_count", signal->handled);
	json_u64(json, "ignored_count", signal->ignored);
	json_u64(json, "stopped_count", signal->stopped);
	json_u64(json, "merged_count", signal->merged);
	json_u64(json, "not_queued_count", signal->failed);
	json_u64(json, "not_delivered_count", signal->pending);
	json_end_object(json);
}
