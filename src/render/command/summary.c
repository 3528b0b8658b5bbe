/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "render/command/summary.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/order.h"
#include "base/quote.h"
#include "base/str.h"
#include "render/kit/amount.h"
#include "render/kit/duration.h"
#include "render/time/breakdown.h"
#include "render/command/signals.h"
#include "render/command/syscalls.h"

#define HOLDERS_SHOWN 3
#define BAR_WIDTH     20
#define CALLS_SHOWN   6
#define UNTRACED_DIFFERS \
	20 /* the estimate is shown if it differs by at least 1/20 of the traced time */
#define DETAILED    3 /* system calls with a line about phases */
#define PARTS_AT    12
#define ROWS_SHOWN  4 /* files, failures, processes, waits */
#define PATHS_SHOWN 3 /* of one kind of failure */
#define LABEL_WIDTH 16
#define ROW_AT	    (LABEL_WIDTH + 9) /* text of a row that begins with a duration or an amount */
#define KIND_WIDTH  14
#define PERMILLE    1000

struct printing {
	struct summary *summary;
	const struct summary_about *about;
	struct out *out;
	struct strbuf line;
	bool nomem;
};

const struct time_task *summary_main_task(const struct summary *summary)
{
	for (size_t i = 0; i < summary->account.n_tasks; i++)
		if (summary->account.tasks[i].acted)
			return &summary->account.tasks[i];
	return NULL;
}

void summary_put_task(const struct summary *summary, int32_t pid, struct strbuf *buf)
{
	if (pid < 0)
		strbuf_adds(buf, "interrupts");
	else if (pid == 0 || tasks_know(summary->tasks, pid))
		quote_adds(buf, pid ? tasks_find(summary->tasks, pid)->comm : "an idle CPU");
	else
		quote_addf(buf, "task %" PRId32, pid);
}

static const struct syscall_sums *summary_find_syscall(const struct summary *summary,
						       int64_t number)
{
	for (size_t i = 0; i < summary->syscalls.n; i++)
		if (summary->syscalls.list[i].number == number)
			return &summary->syscalls.list[i];
	return NULL;
}

void summary_put_wait(const struct summary *summary, const struct time_wait *wait,
		      struct strbuf *buf)
{
	const struct syscall_sums *sums =
		wait->syscall < 0 ? NULL : summary_find_syscall(summary, wait->syscall);

	if (wait->fault)
		strbuf_adds(buf, "in a page fault");
	else if (wait->syscall == TIME_SYSCALL_UNKNOWN)
		strbuf_adds(buf, "in the kernel");
	else if (wait->syscall < 0)
		strbuf_adds(buf, "outside system calls");
	if (wait->syscall >= 0) {
		strbuf_adds(buf, wait->fault ? " in " : "in ");
		if (sums && sums->name)
			quote_adds(buf, sums->name);
		else
			quote_addf(buf, "system call %" PRId64, wait->syscall);
	}
	if (wait->disk)
		strbuf_adds(buf, " (uninterruptible)");
}

/* Prints the line as it is, and clears it. */
static void summary_put_line(struct printing *p, enum out_style style)
{
	if (style != OUT_PLAIN)
		quote_printf(p->out->stream, "%s", out_style(p->out, style));
	if (out_write(p->out, &p->line) < 0)
		p->nomem = true;
	if (style != OUT_PLAIN)
		quote_printf(p->out->stream, "%s", out_style(p->out, OUT_PLAIN));
}

/* Prints the line wrapped, with all lines beginning in column @at, and clears it. */
static void summary_put_words(struct printing *p, unsigned at)
{
	if (p->line.err)
		p->nomem = true;
	out_wrap(p->out, at, at, strbuf_str(&p->line));
	strbuf_clear(&p->line);
}

static void summary_label(struct printing *p, const char *text)
{
	out_printf(p->out, OUT_TITLE, "%-*s", LABEL_WIDTH, text);
}

/* The end of a list whose rows begin with a number: "4 others". */
static void summary_put_others(struct printing *p, size_t n)
{
	quote_addf(&p->line, "%zu %s", n, n == 1 ? "other" : "others");
	summary_put_words(p, ROW_AT);
}

static void summary_put_duration(struct printing *p, uint64_t ns)
{
	char buf[DURATION_SIZE];

	quote_adds(&p->line, duration_text(ns, buf));
}

static void put_amount(struct printing *p, uint64_t bytes)
{
	char buf[AMOUNT_SIZE];

	quote_adds(&p->line, amount_text(bytes, buf));
}

void summary_put_command(const struct summary *summary, const struct summary_about *about,
			 struct strbuf *buf)
{
	const struct time_task *task = summary_main_task(summary);

	if (about->command)
		quote_adds(buf, about->command);
	else if (task)
		summary_put_task(summary, task->pid, buf);
}

struct process_ending summary_ending(const struct summary *summary,
				     const struct summary_about *about,
				     const struct time_task *task)
{
	const struct process *process = processes_find(&summary->processes, task->pid, task->last);
	struct process_ending ending = { 0 };

	if (process)
		ending = process_ending(&summary->processes, process);
	if (ending.how == PROCESS_EXITED ? ending.has_code : ending.signal > 0)
		return ending;
	return process && !process->thread && task->pid == about->ended ? about->ending : ending;
}

/*
 * Appends " while traced, about 3 ms or less without tracing"; nothing if that is unknown or hardly
 * differs.
 */
static void put_untraced(const struct summary *summary, uint64_t took, struct strbuf *buf)
{
	uint64_t without = summary_untraced(summary, took);
	char text[DURATION_SIZE];

	if (without && without < took - took / UNTRACED_DIFFERS)
		quote_addf(buf, " while traced, about %s or less without tracing",
			   duration_text(without, text));
}

void summary_put_ending(const struct summary *summary, const struct summary_about *about,
			struct strbuf *buf)
{
	const struct time_task *task = summary_main_task(summary);
	char text[DURATION_SIZE];
	bool clipped;

	if (task) {
		uint64_t end = time_account_end(&summary->account, task, &clipped);

		quote_addf(buf, clipped ? "%s in this time range" : "%s elapsed",
			   duration_text(end - task->first, text));
		if (!clipped)
			put_untraced(summary, end - task->first, buf);
		signals_put_ending(buf, ", ", summary_ending(summary, about, task));
	}
	if (about->kernel && *about->kernel)
		quote_addf(buf, "%son Linux %s", task ? ", " : "", about->kernel);
}

static void summary_print_head(struct printing *p)
{
	summary_put_command(p->summary, p->about, &p->line);
	strbuf_adds(&p->line, p->line.len ? "\n" : "");
	summary_put_line(p, OUT_TITLE);
	summary_put_ending(p->summary, p->about, &p->line);
	strbuf_adds(&p->line, "\n\n");
	summary_put_line(p, OUT_PLAIN);
}

static uint64_t all_time(const struct summary *summary)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < TIME_KINDS; i++)
		sum += summary->times[i];
	return sum;
}

static void print_time(struct printing *p, enum time_kind kind)
{
	static const char *const blocks[] = { "#", "\u2588" };
	uint64_t ns = p->summary->times[kind], all = all_time(p->summary);
	uint64_t permille = all ? (uint64_t)((double)ns * PERMILLE / (double)all + 0.5) : 0;
	size_t bar = (size_t)(permille * BAR_WIDTH + PERMILLE / 2) / PERMILLE;

	if (!ns)
		return;
	out_printf(p->out, OUT_TITLE, "  %-*s", KIND_WIDTH, summary_kind_name(p->summary, kind));
	duration_put(&p->line, ns);
	quote_addf(&p->line, " %5" PRIu64 ".%" PRIu64 " %%  ", permille / 10, permille % 10);
	for (size_t i = 0; i < BAR_WIDTH; i++)
		quote_adds(&p->line, i < bar ? blocks[p->out->utf8] : " ");
	quote_addf(&p->line, "  %s\n", summary_kind_text(p->summary, kind));
	summary_put_line(p, OUT_PLAIN);
}

/*
 * Names the tasks that last ran on the CPUs for which others waited. An idle CPU takes time to
 * switch.
 */
static void summary_print_holders(struct printing *p)
{
	const struct cpu_holders *holders = &p->summary->account.holders;
	char time[DURATION_SIZE];
	uint64_t idle = 0;
	size_t shown = 0;

	for (size_t i = 0; i < holders->n; i++) {
		const struct cpu_holder *holder = &holders->list[i];

		if (!holder->pid) {
			idle = holder->time;
			continue;
		}
		if (shown == HOLDERS_SHOWN)
			continue;
		quote_adds(&p->line, shown++ ? ", " : "previous task on the CPU: ");
		if (holder->recorder)
			strbuf_adds(&p->line, "the recorder");
		else if (*holder->name)
			quote_adds(&p->line, holder->name);
		else
			quote_addf(&p->line, "pid %" PRId32, holder->pid);
		quote_addf(&p->line, " %s", duration_text(holder->time, time));
	}
	if (idle)
		quote_addf(&p->line, "%sidle CPUs took %s to switch", shown ? "; " : "",
			   duration_text(idle, time));
	if (!shown && !idle)
		return;
	out_printf(p->out, OUT_PLAIN, "%*s", LABEL_WIDTH, "");
	summary_put_words(p, LABEL_WIDTH);
}

static void print_times(struct printing *p)
{
	size_t acted = 0;

	for (size_t i = 0; i < p->summary->account.n_tasks; i++)
		acted += p->summary->account.tasks[i].acted;
	if (acted > 1) {
		quote_addf(&p->line, "Where the time went (%zu tasks, ", acted);
		summary_put_duration(p, all_time(p->summary));
		strbuf_adds(&p->line, " in total)\n");
	} else {
		strbuf_adds(&p->line, "Where the time went\n");
	}
	summary_put_line(p, OUT_TITLE);
	for (size_t i = 0; i < TIME_KINDS; i++) {
		print_time(p, summary_order[i]);
		if (summary_order[i] == TIME_RUNNABLE && p->summary->times[TIME_RUNNABLE])
			summary_print_holders(p);
	}
	out_printf(p->out, OUT_PLAIN, "\n");
}

int summary_compare_calls(const void *pa, const void *pb)
{
	const struct syscall_sums *a = pa, *b = pb;

	return order_falling(syscall_sums_shown(a).seen, syscall_sums_shown(b).seen) ?:
		       order_falling(syscall_sums_calls(a), syscall_sums_calls(b))   ?:
		       strcmp(a->name ?: "", b->name ?: "");
}

void summary_put_numbers(const struct syscall_sums *sums, struct strbuf *buf)
{
	struct syscall_times times = syscall_sums_shown(sums);

	syscalls_put_time(buf, times.seen, times.median_below);
	syscalls_put_asleep(buf, sums);
	quote_addf(buf, " %7" PRIu64, syscall_sums_calls(sums));
	syscalls_put_time(buf, times.median, times.median_below);
	syscalls_put_time(buf, times.max, times.max_below);
}

void summary_put_name(const struct syscall_sums *sums, struct strbuf *buf)
{
	if (sums->name)
		quote_adds(buf, sums->name);
	else
		quote_addf(buf, "system call %" PRId64, sums->number);
}

void summary_put_failures(const struct syscall_sums *sums, struct strbuf *buf)
{
	for (size_t i = 0; i < sums->errors.n; i++) {
		quote_addf(buf, "%s%" PRIu64 " ", i ? ", " : "  ", sums->errors.list[i].count);
		syscalls_put_error(buf, sums->errors.list[i].code);
	}
	syscalls_put_notes(buf, sums);
}

static void summary_print_call(struct printing *p, const struct syscall_sums *sums, bool detailed)
{
	const struct breakdown_entry *entry =
		sums->name ? breakdown_find(&p->summary->breakdown, BREAKDOWN_SYSCALL, sums->name) :
			     NULL;

	summary_put_numbers(sums, &p->line);
	quote_addf(&p->line, "  %s", out_style(p->out, OUT_NAME));
	summary_put_name(sums, &p->line);
	quote_adds(&p->line, out_style(p->out, OUT_PLAIN));
	summary_put_failures(sums, &p->line);
	strbuf_addc(&p->line, '\n');
	summary_put_line(p, OUT_PLAIN);
	if (detailed && entry && breakdown_print(entry, PARTS_AT, p->out) < 0)
		p->nomem = true;
}

static void print_syscalls(struct printing *p)
{
	struct syscalls *syscalls = &p->summary->syscalls;
	uint64_t total = 0, count = 0;
	size_t i;

	if (!syscalls->n)
		return;
	out_printf(p->out, OUT_TITLE, SUMMARY_CALLS_HEAD "\n");
	for (i = 0; i < syscalls->n && i < CALLS_SHOWN; i++)
		summary_print_call(p, &syscalls->list[i], i < DETAILED);
	for (; i < syscalls->n; i++) {
		total += syscall_sums_shown(&syscalls->list[i]).seen;
		count += syscall_sums_calls(&syscalls->list[i]);
	}
	if (syscalls->n > CALLS_SHOWN) {
		duration_put(&p->line, total);
		quote_addf(&p->line, "           %7" PRIu64 "                      (%zu others)\n",
			   count, syscalls->n - CALLS_SHOWN);
		summary_put_line(p, OUT_FAINT);
	}
	if (syscalls->list[0].shows_untraced)
		out_printf(p->out, OUT_FAINT, "            (" SYSCALLS_UNTRACED_NOTE ")\n");
	out_printf(p->out, OUT_PLAIN, "\n");
}

int summary_compare_waits(const void *pa, const void *pb)
{
	const struct time_wait *a = pa, *b = pb;

	return order_falling(a->total, b->total) ?: order_falling(a->count, b->count);
}

static void print_waits(struct printing *p)
{
	struct time_account *account = &p->summary->account;
	char text[DURATION_SIZE];
	uint64_t others = 0;

	for (size_t i = 0; i < account->n_waits; i++) {
		const struct time_wait *wait = &account->waits[i];

		if (i >= ROWS_SHOWN) {
			others += wait->total;
			continue;
		}
		summary_label(p, i ? "" : "Waits");
		out_printf(p->out, OUT_PLAIN, "%7s  ", duration_text(wait->total, text));
		summary_put_wait(p->summary, wait, &p->line);
		if (wait->count != 1)
			quote_addf(&p->line, ", %" PRIu64 " times", wait->count);
		summary_put_words(p, ROW_AT);
	}
	if (account->n_waits <= ROWS_SHOWN)
		return;
	summary_label(p, "");
	out_printf(p->out, OUT_PLAIN, "%7s  ", duration_text(others, text));
	summary_put_others(p, account->n_waits - ROWS_SHOWN);
}

static int compare_wakers(const void *pa, const void *pb)
{
	const struct time_waker *a = pa, *b = pb;

	return order_falling(a->count, b->count) ?: a->pid - b->pid;
}

static void print_switches(struct printing *p)
{
	const struct time_account *account = &p->summary->account;
	uint64_t waits = 0, preempted = 0, migrations = 0;

	for (size_t i = 0; i < account->n_tasks; i++) {
		if (!account->tasks[i].acted)
			continue;
		waits += account->tasks[i].waits;
		preempted += account->tasks[i].preempted;
		migrations += account->tasks[i].migrations;
	}
	if (!waits && !preempted)
		return;
	summary_label(p, "Scheduling");
	quote_addf(&p->line, "%" PRIu64 " voluntary %s, %" PRIu64 " %s", waits,
		   waits == 1 ? "switch" : "switches", preempted,
		   preempted == 1 ? "preemption" : "preemptions");
	if (migrations)
		quote_addf(&p->line, ", %" PRIu64 " %s", migrations,
			   migrations == 1 ? "migration" : "migrations");
	for (size_t i = 0; i < account->n_wakers && i < ROWS_SHOWN; i++) {
		strbuf_adds(&p->line, i ? ", " : "; woken by ");
		summary_put_task(p->summary, account->wakers[i].pid, &p->line);
		quote_addf(&p->line, " (%" PRIu64 ")", account->wakers[i].count);
	}
	summary_put_words(p, LABEL_WIDTH);
}

/* Lists user functions. Kernel functions are shown as phases of system calls. */
static void summary_print_functions(struct printing *p)
{
	const struct summary *summary = p->summary;

	if (!summary->n_functions)
		return;
	summary_label(p, "Functions");
	for (size_t i = 0; i < summary->n_functions && i < ROWS_SHOWN; i++) {
		const struct summary_function *function = &summary->functions[i];

		strbuf_adds(&p->line, i ? "; " : "");
		summary_put_duration(p, function->own);
		strbuf_adds(&p->line, i ? " " : " self in ");
		func_put_name(&summary->tree->funcs.list[function->func], &p->line);
		if (function->calls != 1)
			quote_addf(&p->line, ", %" PRIu64 " times", function->calls);
	}
	if (summary->n_functions > ROWS_SHOWN)
		quote_addf(&p->line, "; and %zu others", summary->n_functions - ROWS_SHOWN);
	summary_put_words(p, LABEL_WIDTH);
}

static void print_faults(struct printing *p)
{
	const struct breakdown_entry *entry =
		breakdown_find(&p->summary->breakdown, BREAKDOWN_FAULT, "");

	if (!p->summary->faults && !entry)
		return;
	summary_label(p, "Page faults");
	quote_addf(&p->line, "%" PRIu64, p->summary->faults ?: entry->calls);
	if (entry) {
		strbuf_adds(&p->line, ", ");
		summary_put_duration(p, entry->total);
		strbuf_adds(&p->line, ": ");
		if (!breakdown_put(entry, false, &p->line))
			strbuf_adds(&p->line, "no dominant phase");
	}
	summary_put_words(p, LABEL_WIDTH);
}

/* The number of different files that were opened; 0 if the path of one is unknown. */
static size_t summary_files_opened(const struct files *files)
{
	uint64_t opened = 0;
	size_t n = 0;

	for (size_t i = 0; i < files->n; i++) {
		opened += files->list[i].opened;
		n += files->list[i].opened > 0;
	}
	return opened == files->opened ? n : 0;
}

static void summary_put_opens(struct printing *p, const struct files *files)
{
	size_t n = summary_files_opened(files);

	if (files->failed)
		quote_addf(&p->line, "%" PRIu64 " successful and %" PRIu64 " failed opens",
			   files->opened, files->failed);
	else
		quote_addf(&p->line, "%" PRIu64 " %s", files->opened,
			   files->opened == 1 ? "open" : "opens");
	if (n && files->failed)
		quote_addf(&p->line, "; %zu %s opened", n, n == 1 ? "file" : "files");
	else if (n)
		quote_addf(&p->line, " of %zu %s", n, n == 1 ? "file" : "files");
}

static void print_files(struct printing *p)
{
	const struct files *files = &p->summary->files;
	char amount[AMOUNT_SIZE];
	size_t shown = 0, others = 0;

	if (!files->opened && !files->failed && !files->read && !files->written)
		return;
	summary_label(p, "Files");
	summary_put_opens(p, files);
	strbuf_adds(&p->line, "; ");
	put_amount(p, files->read);
	strbuf_adds(&p->line, " read, ");
	put_amount(p, files->written);
	strbuf_adds(&p->line, " written");
	summary_put_words(p, LABEL_WIDTH);
	for (size_t i = 0; i < files->n; i++) {
		const struct file_sums *file = &files->list[i];
		uint64_t bytes = file->read + file->written;

		if (!file->opened && !bytes)
			continue;
		if (shown++ >= ROWS_SHOWN) {
			others++;
			continue;
		}
		summary_label(p, "");
		out_printf(p->out, OUT_PLAIN, "%7s  ", bytes ? amount_text(bytes, amount) : "-");
		quote_adds(&p->line, file->path);
		summary_put_words(p, ROW_AT);
	}
	if (!others)
		return;
	out_printf(p->out, OUT_PLAIN, "%*s", ROW_AT, "");
	summary_put_others(p, others);
}

static void print_disk(struct printing *p)
{
	const struct disk_requests *disk = &p->summary->disk;

	if (!disk->count)
		return;
	summary_label(p, "Block I/O");
	quote_addf(&p->line, "%s%" PRIu64 " %s of ", disk->is_part ? "at least " : "", disk->count,
		   disk->count == 1 ? "request" : "requests");
	put_amount(p, disk->bytes);
	if (disk->is_part)
		strbuf_adds(&p->line, "; requests queued by kernel threads were not recorded");
	summary_put_words(p, LABEL_WIDTH);
}

static void summary_print_processes(struct printing *p)
{
	const struct processes *processes = &p->summary->processes;
	size_t started = 0, threads = 0, shown = 0;

	for (size_t i = 0; i < processes->n; i++) {
		started += processes->list[i].started && !processes->list[i].thread;
		threads += processes->list[i].started && processes->list[i].thread;
	}
	if (!started && !threads)
		return;
	summary_label(p, "Started");
	quote_addf(&p->line, "%zu %s", started, started == 1 ? "process" : "processes");
	if (threads)
		quote_addf(&p->line, ", %zu %s", threads, threads == 1 ? "thread" : "threads");
	for (size_t i = 0; i < processes->n && shown < ROWS_SHOWN; i++) {
		const struct process *process = &processes->list[i];

		if (!process->started || process->thread)
			continue;
		strbuf_adds(&p->line, shown++ ? ", " : ": ");
		if (process->program)
			quote_adds(&p->line, process->program);
		else
			summary_put_task(p->summary, process->pid, &p->line);
		if (signals_put_ending(&p->line, " (", process_ending(processes, process)))
			strbuf_addc(&p->line, ')');
	}
	summary_put_words(p, LABEL_WIDTH);
}

/* Failures of one system call with one error. */
struct failure {
	const struct file_error *last; /* the latest one */
	uint64_t count;
	size_t kinds;
};

static int compare_failures(const void *pa, const void *pb)
{
	const struct failure *a = pa, *b = pb;

	return order_falling(a->count, b->count) ?:
		       order_falling(a->last->first_time, b->last->first_time);
}

/* The latest error of this failure with a path, before the time @before; NULL: none. */
static const struct file_error *summary_path_before(const struct files *files,
						    const struct failure *failure, uint64_t before)
{
	const struct file_error *latest = NULL;

	for (size_t i = 0; i < files->n_errors; i++) {
		const struct file_error *error = &files->errors[i];

		if (error->syscall == failure->last->syscall &&
		    error->code == failure->last->code && error->file != FILE_NONE &&
		    error->first_time < before &&
		    (!latest || error->first_time > latest->first_time))
			latest = error;
	}
	return latest;
}

static bool failure_has_path(const struct files *files, const struct failure *failure)
{
	return summary_path_before(files, failure, UINT64_MAX);
}

/* Appends the paths of a failure, the latest first: they explain most. */
static void put_failed_paths(struct printing *p, const struct failure *failure)
{
	const struct files *files = &p->summary->files;
	const struct file_error *error = NULL;

	for (size_t shown = 0; shown < PATHS_SHOWN; shown++) {
		error = summary_path_before(files, failure, error ? error->first_time : UINT64_MAX);
		if (!error)
			return;
		quote_addf(&p->line, "%s%s", shown ? ", " : "", files->list[error->file].path);
	}
	if (failure->kinds > PATHS_SHOWN)
		strbuf_adds(&p->line, ", ...");
}

static void add_failure(struct failure *list, size_t *n, const struct file_error *error)
{
	for (size_t i = 0; i < *n; i++) {
		struct failure *failure = &list[i];

		if (failure->last->syscall != error->syscall || failure->last->code != error->code)
			continue;
		failure->count += error->count;
		failure->kinds++;
		if (error->first_time > failure->last->first_time)
			failure->last = error;
		return;
	}
	list[(*n)++] = (struct failure){ .last = error, .count = error->count, .kinds = 1 };
}

/* "ENOENT", and how many characters that is. */
static size_t summary_put_error(struct printing *p, const struct failure *failure)
{
	size_t before = p->line.len;

	syscalls_put_error(&p->line, failure->last->code);
	return p->line.len - before;
}

/* "3 others  wait4 ECHILD, lseek ESPIPE" */
static void summary_put_more_errors(struct printing *p, const struct failure *list, size_t n,
				    int counts, int names)
{
	uint64_t count = 0;

	for (size_t i = 0; i < n; i++)
		count += list[i].count;
	summary_label(p, "");
	out_printf(p->out, OUT_PLAIN, "%*" PRIu64 " %-*s  ", counts, count, names,
		   count == 1 ? "other" : "others");
	for (size_t i = 0; i < n && i < ROWS_SHOWN; i++) {
		quote_addf(&p->line, "%s%s ", i ? ", " : "", list[i].last->name ?: "a call");
		summary_put_error(p, &list[i]);
	}
	strbuf_adds(&p->line, n > ROWS_SHOWN ? ", ..." : "");
	summary_put_words(p, (unsigned)(LABEL_WIDTH + counts + 1 + names + 2));
}

/* "9 newfstatat  ENOENT  /usr/sbin/wc", in columns. */
static void summary_put_errors(struct printing *p, const struct failure *list, size_t n)
{
	int counts = 1, names = (int)strlen("others"), errors = 0;

	for (uint64_t most = list[0].count; most > 9; most /= 10)
		counts++;
	for (size_t i = 0; i < n && i < ROWS_SHOWN; i++) {
		int name = (int)strlen(list[i].last->name ?: "a call");
		int error = (int)summary_put_error(p, &list[i]);

		strbuf_clear(&p->line);
		names = name > names ? name : names;
		errors = error > errors ? error : errors;
	}
	for (size_t i = 0; i < n && i < ROWS_SHOWN; i++) {
		int pad;

		summary_label(p, "");
		quote_addf(&p->line, "%*" PRIu64 " %-*s  ", counts, list[i].count, names,
			   list[i].last->name ?: "a call");
		pad = errors - (int)summary_put_error(p, &list[i]);
		if (failure_has_path(&p->summary->files, &list[i]))
			quote_addf(&p->line, "%*s  ", pad, "");
		summary_put_line(p, OUT_PLAIN);
		put_failed_paths(p, &list[i]);
		summary_put_words(p, (unsigned)(LABEL_WIDTH + counts + 1 + names + 2 + errors + 2));
	}
	if (n > ROWS_SHOWN)
		summary_put_more_errors(p, list + ROWS_SHOWN, n - ROWS_SHOWN, counts, names);
}

static void print_errors(struct printing *p)
{
	const struct files *files = &p->summary->files;
	_cleanup_free_ struct failure *list = mem_zalloc(files->n_errors, sizeof(*list));
	uint64_t count = 0;
	size_t n = 0;

	if (!list)
		p->nomem = files->n_errors > 0;
	if (!list || !files->n_errors)
		return;
	for (size_t i = 0; i < files->n_errors; i++) {
		add_failure(list, &n, &files->errors[i]);
		count += files->errors[i].count;
	}
	qsort(list, n, sizeof(*list), compare_failures);
	summary_label(p, "Failed calls");
	quote_addf(&p->line, "%" PRIu64, count);
	summary_put_words(p, LABEL_WIDTH);
	summary_put_errors(p, list, n);
}

/* Signals that terminated a process come first: they explain most. */
static void print_signals(struct printing *p)
{
	const struct processes *processes = &p->summary->processes;
	size_t kinds = 0, shown = 0;

	if (!summary_signals(p->summary))
		return;
	for (size_t i = 0; i < processes->n_signals; i++)
		kinds += process_signal_matters(processes, &processes->signals[i]);
	summary_label(p, "Signals");
	if (kinds > 1)
		quote_addf(&p->line, "%" PRIu64 ": ", summary_signals(p->summary));
	for (int fatal = 1; fatal >= 0; fatal--)
		for (size_t i = 0; i < processes->n_signals; i++) {
			const struct process_signal *signal = &processes->signals[i];

			if (!process_signal_matters(processes, signal) ||
			    (signal->terminated > 0) != fatal || shown == ROWS_SHOWN)
				continue;
			strbuf_adds(&p->line, shown++ ? "; " : "");
			signals_put(&p->line, p->summary, signal);
		}
	if (kinds > shown)
		quote_addf(&p->line, "; and %zu more kinds", kinds - shown);
	summary_put_words(p, LABEL_WIDTH);
}

static void print_missing(struct printing *p)
{
	if (p->about->lost || p->about->lost_unknown) {
		summary_label(p, "Lost events");
		quote_addf(&p->line,
			   "%" PRIu64
			   "%s: numbers above are too small; use a larger -b or a smaller "
			   "--depth",
			   p->about->lost, p->about->lost_unknown ? " or more" : "");
		summary_put_words(p, LABEL_WIDTH);
	}
	if (!p->summary->n_calls && !p->summary->account.has_calls) {
		summary_label(p, "Not recorded");
		strbuf_adds(&p->line, "kernel functions: no breakdown inside system calls and page "
				      "faults");
		summary_put_words(p, LABEL_WIDTH);
	}
	if (!p->summary->account.has_switches) {
		summary_label(p, p->summary->n_calls ? "Not recorded" : "");
		strbuf_adds(&p->line,
			    "sched_switch: running, sleeping and runnable tasks cannot be "
			    "told apart");
		summary_put_words(p, LABEL_WIDTH);
	}
}

static void summary_hint(struct printing *p, const char *what, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static void summary_hint(struct printing *p, const char *what, const char *fmt, ...)
{
	va_list ap;
	size_t len;

	strbuf_adds(&p->line, "  fathom ");
	va_start(ap, fmt);
	quote_vaddf(&p->line, fmt, ap);
	va_end(ap);
	if (!str_eq(p->about->path, "trace.dat"))
		quote_addf(&p->line, " %s", p->about->path);
	len = p->line.len;
	strbuf_pad(&p->line, ' ', len < 44 ? 44 - len : 1);
	out_printf(p->out, OUT_PLAIN, "%s %s%s%s\n", strbuf_str(&p->line),
		   out_style(p->out, OUT_FAINT), what, out_style(p->out, OUT_PLAIN));
	strbuf_clear(&p->line);
}

static void print_hints(struct printing *p)
{
	const struct syscalls *syscalls = &p->summary->syscalls;
	const struct time_account *account = &p->summary->account;

	if (!p->about->hints)
		return;
	out_printf(p->out, OUT_PLAIN, "\nRecorded in '%s'. Next:\n", p->about->path);
	if (p->summary->n_calls && syscalls->n && syscalls->list[0].name)
		summary_hint(p, "where the first system call spent its time", "tree -g '*_sys_%s'",
			     syscalls->list[0].name);
	if (syscalls->n)
		summary_hint(p, "all system calls, by total time", "syscalls");
	if (p->summary->n_calls)
		summary_hint(p, "flame graph for a web browser", "flame");
	if (account->n_waits)
		summary_hint(p, "where tasks slept, what woke them", "offcpu");
	if (account->n_waits)
		summary_hint(p, "what happened in the longest wait",
			     "replay --around %" PRIu64 ".%09" PRIu64,
			     account->waits[0].longest_time / 1000000000,
			     account->waits[0].longest_time % 1000000000);
	summary_hint(p, "what each task did, in time order", "replay");
	summary_hint(p, "every event", "report");
}

int summary_print(struct summary *summary, const struct summary_about *about, struct out *out)
{
	struct printing p = { .summary = summary, .about = about, .out = out };
	struct time_account *account = &summary->account;

	if (summary->syscalls.n)
		qsort(summary->syscalls.list, summary->syscalls.n, sizeof(struct syscall_sums),
		      summary_compare_calls);
	if (account->n_waits)
		qsort(account->waits, account->n_waits, sizeof(*account->waits),
		      summary_compare_waits);
	if (account->n_wakers)
		qsort(account->wakers, account->n_wakers, sizeof(*account->wakers), compare_wakers);
	summary_print_head(&p);
	print_times(&p);
	print_syscalls(&p);
	print_waits(&p);
	summary_print_functions(&p);
	print_faults(&p);
	print_files(&p);
	print_errors(&p);
	print_disk(&p);
	print_switches(&p);
	summary_print_processes(&p);
	print_signals(&p);
	print_missing(&p);
	print_hints(&p);
	strbuf_done(&p.line);
	return p.nomem ? -ENOMEM : 0;
}
