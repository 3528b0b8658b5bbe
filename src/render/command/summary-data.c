/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The complete summary as JSON; the screen shows the most important rows. */
#include <errno.h>

#include "base/cleanup.h"
#include "base/errno-name.h"
#include "base/str.h"
#include "render/time/breakdown.h"
#include "render/kit/json-document.h"
#include "render/command/signals.h"
#include "render/command/summary-parts.h"
#include "render/command/summary.h"
#include "render/command/syscalls.h"

static const char *const kinds[TIME_KINDS] = {
	[TIME_USER] = "user_ns",
	[TIME_KERNEL] = "kernel_ns",
	[TIME_WAITING] = "sleeping_ns",
	[TIME_RUNNABLE] = "runnable_ns",
	[TIME_STOLEN] = "interrupt_ns",
	[TIME_UNKNOWN] = "unknown_ns",
	[TIME_MAYBE_USER] = "user_or_other_ns",
	[TIME_MAYBE_KERNEL] = "kernel_or_sleeping_ns",
};

static const struct syscall_sums *summary_data_find_syscall(const struct summary *summary,
							    int64_t number)
{
	for (size_t i = 0; number >= 0 && i < summary->syscalls.n; i++)
		if (summary->syscalls.list[i].number == number)
			return &summary->syscalls.list[i];
	return NULL;
}

/*
 * Kinds of time that the recorded events cannot separate are null; their sum is in another member.
 */
static void summary_data_write_times(const struct summary *summary, const uint64_t sums[TIME_KINDS],
				     struct json *json)
{
	const struct time_account *account = &summary->account;

	for (size_t k = 0; k < TIME_KINDS; k++) {
		bool needs_switches = k == TIME_USER || k == TIME_KERNEL || k == TIME_WAITING ||
				      k == TIME_RUNNABLE;

		if ((needs_switches && !account->has_switches) ||
		    (k == TIME_STOLEN && !account->has_irqs))
			json_null(json, kinds[k]);
		else
			json_u64(json, kinds[k], sums[k]);
	}
}

/* Writes an estimate, or an upper limit, of how long the command takes without tracing. */
static void summary_data_write_untraced(const struct summary *summary, struct json *json)
{
	const struct time_task *task = summary_main_task(summary);
	bool clipped = true;
	uint64_t end = task ? time_account_end(&summary->account, task, &clipped) : 0;
	uint64_t without = clipped ? 0 : summary_untraced(summary, end - task->first);

	if (without)
		json_u64(json, "untraced_ns", without);
	else
		json_null(json, "untraced_ns");
}

/* Lists the events without which the summary is incomplete. */
static void write_missing(const struct summary *summary, struct json *json)
{
	const struct time_account *account = &summary->account;

	json_begin_array(json, "not_recorded");
	if (!account->has_entries || !account->has_exits)
		json_string(json, NULL, "syscalls");
	if (!account->has_switches)
		json_string(json, NULL, "sched_switch");
	if (!account->has_wakes)
		json_string(json, NULL, "sched_waking");
	if (!account->has_irqs)
		json_string(json, NULL, "irq");
	if (!account->has_calls)
		json_string(json, NULL, "functions");
	json_end_array(json);
}

static void write_tasks(const struct summary *summary, const struct summary_about *about,
			struct json *json)
{
	json_begin_array(json, "tasks");
	for (size_t i = 0; i < summary->account.n_tasks; i++) {
		const struct time_task *task = &summary->account.tasks[i];
		const struct process *process =
			processes_find(&summary->processes, task->pid, task->last);

		if (!task->acted)
			continue;
		json_begin_object(json, NULL);
		json_s64(json, "pid", task->pid);
		json_string(json, "comm", tasks_find(summary->tasks, task->pid)->comm);
		json_string(json, "executable", process ? process->program : NULL);
		if (process && process->parent)
			json_s64(json, "parent_pid", process->parent);
		signals_json_ending(json, summary_ending(summary, about, task));
		json_u64(json, "first_time_ns", task->first);
		json_u64(json, "last_time_ns", task->last);
		summary_data_write_times(summary, task->sums, json);
		json_u64(json, "voluntary_switch_count", task->waits);
		json_u64(json, "preemption_count", task->preempted);
		json_u64(json, "migration_count", task->migrations);
		json_end_object(json);
	}
	json_end_array(json);
}

static void write_syscalls(const struct summary *summary, struct json *json)
{
	json_begin_array(json, "syscalls");
	for (size_t i = 0; i < summary->syscalls.n; i++) {
		const struct syscall_sums *sums = &summary->syscalls.list[i];
		const struct breakdown_entry *entry =
			sums->name ?
				breakdown_find(&summary->breakdown, BREAKDOWN_SYSCALL, sums->name) :
				NULL;

		json_begin_object(json, NULL);
		json_string(json, "name", sums->name);
		json_s64(json, "number", sums->number);
		syscalls_json_sums(json, sums);
		if (entry)
			breakdown_json(entry, json);
		json_end_object(json);
	}
	json_end_array(json);
}

static void write_ways(const struct summary *summary, struct json *json)
{
	static const char *const names[] = { [BREAKDOWN_FAULT] = "page_faults",
					     [BREAKDOWN_IRQ] = "interrupts",
					     [BREAKDOWN_OTHER] = "other" };

	json_begin_object(json, "kernel_entries");
	for (size_t i = 0; i < summary->breakdown.n; i++) {
		const struct breakdown_entry *entry = &summary->breakdown.list[i];

		if (entry->kind == BREAKDOWN_SYSCALL)
			continue;
		json_begin_object(json, names[entry->kind]);
		json_u64(json, "call_count", entry->calls);
		json_u64(json, "total_ns", entry->total);
		breakdown_json(entry, json);
		json_end_object(json);
	}
	json_end_object(json);
}

/* Omitted if no function was recorded. */
static void summary_data_write_functions(const struct summary *summary, struct json *json)
{
	if (!summary->n_functions)
		return;
	json_begin_array(json, "functions");
	for (size_t i = 0; i < summary->n_functions; i++) {
		const struct summary_function *function = &summary->functions[i];
		const struct func *func = &summary->tree->funcs.list[function->func];

		json_begin_object(json, NULL);
		json_string(json, "name", func->name);
		json_string(json, "file", func->module);
		json_u64(json, "call_count", function->calls);
		json_u64(json, "self_ns", function->own);
		json_end_object(json);
	}
	json_end_array(json);
}

/* Names the source of a wakeup, and the task if it was one. */
static void summary_data_write_waker(struct json *json, int32_t waker)
{
	json_string(json, "longest_waker_source",
		    waker > 0			  ? "task" :
		    waker == 0			  ? "idle" :
		    waker == TIME_WAKER_INTERRUPT ? "interrupt" :
						    NULL);
	if (waker > 0)
		json_s64(json, "longest_waker_pid", waker);
	else
		json_null(json, "longest_waker_pid");
}

static void write_waits(const struct summary *summary, struct json *json)
{
	json_begin_array(json, "waits");
	for (size_t i = 0; i < summary->account.n_waits; i++) {
		const struct time_wait *wait = &summary->account.waits[i];
		const struct syscall_sums *sums = summary_data_find_syscall(summary, wait->syscall);

		json_begin_object(json, NULL);
		json_string(json, "syscall", sums ? sums->name : NULL);
		if (wait->syscall < 0)
			json_null(json, "syscall_number");
		else
			json_s64(json, "syscall_number", wait->syscall);
		json_bool(json, "syscall_known", wait->syscall != TIME_SYSCALL_UNKNOWN);
		json_bool(json, "uninterruptible", wait->disk);
		json_bool(json, "is_page_fault", wait->fault);
		json_u64(json, "count", wait->count);
		json_u64(json, "total_ns", wait->total);
		json_u64(json, "max_ns", wait->max);
		json_u64(json, "longest_time_ns", wait->longest_time);
		json_s64(json, "longest_pid", wait->longest_pid);
		summary_data_write_waker(json, wait->longest_waker);
		json_end_object(json);
	}
	json_end_array(json);
	json_begin_array(json, "wakers");
	for (size_t i = 0; i < summary->account.n_wakers; i++) {
		const struct time_waker *waker = &summary->account.wakers[i];

		json_begin_object(json, NULL);
		json_string(json, "source",
			    waker->pid > 0  ? "task" :
			    waker->pid == 0 ? "idle" :
					      "interrupt");
		if (waker->pid > 0)
			json_s64(json, "pid", waker->pid);
		else
			json_null(json, "pid");
		json_string(json, "comm",
			    waker->pid > 0 ? tasks_find(summary->tasks, waker->pid)->comm : NULL);
		json_u64(json, "count", waker->count);
		json_end_object(json);
	}
	json_end_array(json);
}

static void write_files(const struct summary *summary, struct json *json)
{
	const struct files *files = &summary->files;

	json_begin_array(json, "files");
	for (size_t i = 0; i < files->n; i++) {
		json_begin_object(json, NULL);
		json_string(json, "path", files->list[i].path);
		json_u64(json, "open_count", files->list[i].opened);
		json_u64(json, "lookup_count", files->list[i].looked_for);
		json_u64(json, "failed_count", files->list[i].failed);
		json_u64(json, "read_bytes", files->list[i].read);
		json_u64(json, "written_bytes", files->list[i].written);
		json_end_object(json);
	}
	json_end_array(json);
	json_u64(json, "read_bytes", files->read);
	json_u64(json, "written_bytes", files->written);
	json_begin_array(json, "failed_syscalls");
	for (size_t i = 0; i < files->n_errors; i++) {
		const struct file_error *error = &files->errors[i];

		json_begin_object(json, NULL);
		json_string(json, "syscall", error->name);
		json_string(json, "error", errno_name((int)error->code));
		json_s64(json, "errno", error->code);
		json_string(json, "path",
			    error->file == FILE_NONE ? NULL : files->list[error->file].path);
		json_u64(json, "count", error->count);
		json_u64(json, "first_time_ns", error->first_time);
		json_end_object(json);
	}
	json_end_array(json);
}

static void write_signals(const struct summary *summary, struct json *json)
{
	const struct processes *processes = &summary->processes;

	json_begin_array(json, "signal_counts");
	for (size_t i = 0; i < processes->n_signals; i++)
		if (!process_signal_is_of_child(&processes->signals[i]) ||
		    processes->list[processes->signals[i].process].acted)
			signals_json(json, summary, &processes->signals[i]);
	json_end_array(json);
}

static void summary_data_write_holders(const struct summary *summary, struct json *json)
{
	json_begin_array(json, "cpu_from");
	for (size_t i = 0; i < summary->account.holders.n; i++) {
		const struct cpu_holder *holder = &summary->account.holders.list[i];

		json_begin_object(json, NULL);
		json_s64(json, "pid", holder->pid);
		json_string(json, "comm", *holder->name ? holder->name : NULL);
		json_bool(json, "is_recorder", holder->recorder);
		json_u64(json, "total_ns", holder->time);
		json_end_object(json);
	}
	json_end_array(json);
}

/* Without page fault events or functions, it is unknown whether there were any. */
static void write_faults(const struct summary *summary, struct json *json)
{
	const struct breakdown_entry *entry =
		breakdown_find(&summary->breakdown, BREAKDOWN_FAULT, "");

	if (summary->faults || summary->account.has_faults)
		json_u64(json, "page_fault_count", summary->faults);
	else if (entry)
		json_u64(json, "page_fault_count", entry->calls);
	else
		json_null(json, "page_fault_count");
}

/* The members of their rows, in the order of SUMMARY_TABLES. */
static const struct {
	const char *table, *columns;
} tables[] = {
	{ "syscalls", "name number call_count count incomplete_count begun_before_count "
		      "open_at_end_count throughout_count not_returned_count failed_count "
		      "restarted_count interrupted_count no_exit_count total_ns incomplete_ns "
		      "not_returned_ns sleeping_ns runnable_ns median_ns max_ns total_untraced_ns "
		      "min_untraced_ns median_untraced_ns p99_untraced_ns max_untraced_ns "
		      "untraced_below_count" },
	{ "tasks", "pid comm executable parent_pid ended exit_code signal core_dumped "
		   "first_time_ns last_time_ns user_ns kernel_ns sleeping_ns runnable_ns "
		   "interrupt_ns unknown_ns user_or_other_ns kernel_or_sleeping_ns "
		   "voluntary_switch_count preemption_count migration_count" },
	{ "time_by_state", "user_ns kernel_ns sleeping_ns runnable_ns interrupt_ns "
			   "unknown_ns user_or_other_ns kernel_or_sleeping_ns" },
	{ "functions", "name file call_count self_ns" },
	{ "waits", "syscall syscall_number syscall_known uninterruptible is_page_fault count "
		   "total_ns max_ns longest_time_ns longest_pid longest_waker_source "
		   "longest_waker_pid" },
	{ "wakers", "source pid comm count" },
	{ "files", "path open_count lookup_count failed_count read_bytes written_bytes" },
	{ "failed_syscalls", "syscall error errno path count first_time_ns" },
	{ "signal_counts",
	  "signal number pid comm from sender count terminated_count handled_count "
	  "ignored_count stopped_count merged_count not_queued_count "
	  "not_delivered_count" },
	{ "cpu_from", "pid comm is_recorder total_ns" },
};

bool summary_table_find(const char *name, unsigned *ret_table)
{
	for (unsigned i = 0; i < ARRAY_SIZE(tables); i++) {
		if (!str_eq(name, tables[i].table))
			continue;
		*ret_table = i;
		return true;
	}
	return false;
}

int summary_print_json(struct summary *summary, const struct summary_about *about, struct out *out)
{
	_cleanup_json_csv_ struct json_csv table = { .member = tables[about->table].table,
						     .columns = tables[about->table].columns };
	struct strbuf buf = { 0 };
	struct json json;
	int r;

	summary_sort(summary);
	json_document_begin_csv(&json, &buf, about->csv ? &table : NULL);
	json_string(&json, "command", about->command);
	json_string(&json, "kernel_release", about->kernel);
	json_string(&json, "file", about->path);
	json_u64(&json, "event_count", summary->n_events);
	json_begin_object(&json, "time_by_state");
	summary_data_write_times(summary, summary->times, &json);
	json_end_object(&json);
	summary_data_write_untraced(summary, &json);
	write_missing(summary, &json);
	write_tasks(summary, about, &json);
	write_syscalls(summary, &json);
	write_ways(summary, &json);
	summary_data_write_functions(summary, &json);
	write_waits(summary, &json);
	write_files(summary, &json);
	write_faults(summary, &json);
	json_u64(&json, "signal_count", summary_signals(summary));
	write_signals(summary, &json);
	json_u64(&json, "block_request_count", summary->disk.count);
	json_u64(&json, "block_bytes", summary->disk.bytes);
	json_bool(&json, "block_partial", summary->disk.is_part);
	summary_data_write_holders(summary, &json);
	json_document_end(&json, &out->completeness);
	r = out_write(out, &buf);
	strbuf_done(&buf);
	return r ? -ENOMEM : 0;
}
