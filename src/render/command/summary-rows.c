/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The rows below the tables of the screen, each with a label. */
#include "render/command/summary-parts.h"

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

#define ROWS_SHOWN  4 /* files, failures, processes, waits */
#define PATHS_SHOWN 3 /* of one kind of failure */
#define LABEL_WIDTH 16
#define ROW_AT	    (LABEL_WIDTH + 9) /* text of a row that begins with a duration or an amount */

static void summary_label(struct summary_printing *p, const char *text)
{
	out_printf(p->out, OUT_TITLE, "%-*s", LABEL_WIDTH, text);
}

/* The end of a list whose rows begin with a number: "4 others". */
static void summary_put_others(struct summary_printing *p, size_t n)
{
	amount_put_count(&p->line, n, "other", "others");
	summary_put_words(p, ROW_AT);
}

static void put_amount(struct summary_printing *p, uint64_t bytes)
{
	char buf[AMOUNT_SIZE];

	quote_adds(&p->line, amount_text(bytes, buf));
}

/* Prints the longest of all waits, and its waker. */
static void summary_print_longest(struct summary_printing *p)
{
	const struct time_account *account = &p->summary->account;
	const struct time_wait *longest = &account->waits[0];
	char text[DURATION_SIZE];

	for (size_t i = 1; i < account->n_waits; i++)
		if (account->waits[i].max > longest->max)
			longest = &account->waits[i];
	out_printf(p->out, OUT_PLAIN, "  %-*s%7s  ", LABEL_WIDTH - 2, "longest",
		   duration_text(longest->max, text));
	signals_put_task(&p->line, p->summary, longest->longest_pid);
	strbuf_addc(&p->line, ' ');
	summary_put_wait_in(p->summary, longest, &p->line);
	if (longest->longest_waker == TIME_WAKER_INTERRUPT)
		strbuf_adds(&p->line, ", woken by an interrupt");
	else if (longest->longest_waker == 0)
		strbuf_adds(&p->line, ", woken by an idle CPU");
	else if (longest->longest_waker > 0) {
		strbuf_adds(&p->line, ", woken by ");
		signals_put_task(&p->line, p->summary, longest->longest_waker);
	}
	summary_put_words(p, ROW_AT);
}

static void print_waits(struct summary_printing *p)
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
		summary_put_wait_place(p->summary, wait, &p->line);
		if (wait->count != 1)
			quote_addf(&p->line, ", %" PRIu64 " times", wait->count);
		strbuf_adds(&p->line, wait->disk ? ", uninterruptible" : "");
		summary_put_words(p, ROW_AT);
	}
	if (account->n_waits > ROWS_SHOWN) {
		summary_label(p, "");
		out_printf(p->out, OUT_PLAIN, "%7s  ", duration_text(others, text));
		summary_put_others(p, account->n_waits - ROWS_SHOWN);
	}
	if (account->n_waits)
		summary_print_longest(p);
}

static void summary_print_wakers(struct summary_printing *p)
{
	const struct time_account *account = &p->summary->account;

	if (!account->n_wakers)
		return;
	summary_label(p, "");
	for (size_t i = 0; i < account->n_wakers && i < ROWS_SHOWN; i++) {
		strbuf_adds(&p->line, i ? ", " : "wakeups by ");
		summary_put_task(p->summary, account->wakers[i].pid, &p->line);
		quote_addf(&p->line, " %" PRIu64, account->wakers[i].count);
	}
	summary_put_words(p, LABEL_WIDTH);
}

static void print_switches(struct summary_printing *p)
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
	amount_put_count(&p->line, waits, "voluntary switch", "voluntary switches");
	strbuf_adds(&p->line, ", ");
	amount_put_count(&p->line, preempted, "preemption", "preemptions");
	if (migrations) {
		strbuf_adds(&p->line, ", ");
		amount_put_count(&p->line, migrations, "migration", "migrations");
	}
	summary_put_words(p, LABEL_WIDTH);
	summary_print_wakers(p);
}

/* Lists user functions. Kernel functions are shown as phases of system calls. */
static void summary_print_functions(struct summary_printing *p)
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

static void print_faults(struct summary_printing *p)
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

static void summary_put_opens(struct summary_printing *p, const struct files *files)
{
	size_t n = summary_files_opened(files);

	if (files->failed)
		quote_addf(&p->line, "%" PRIu64 " successful and %" PRIu64 " failed opens",
			   files->opened, files->failed);
	else
		amount_put_count(&p->line, files->opened, "open", "opens");
	if (!n)
		return;
	strbuf_adds(&p->line, files->failed ? "; " : " of ");
	amount_put_count(&p->line, n, "file", "files");
	if (files->failed)
		strbuf_adds(&p->line, " opened");
}

/* Formats an amount as short as those with a unit prefix. */
static const char *summary_amount(uint64_t bytes, char buf[AMOUNT_SIZE])
{
	if (bytes >= 1000)
		return amount_text(bytes, buf);
	snprintf(buf, AMOUNT_SIZE, bytes ? "%" PRIu64 " B" : "-", bytes);
	return buf;
}

static void print_files(struct summary_printing *p)
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
		out_printf(p->out, OUT_PLAIN, "%7s  ", summary_amount(bytes, amount));
		quote_adds(&p->line, file->path);
		summary_put_words(p, ROW_AT);
	}
	if (!others)
		return;
	out_printf(p->out, OUT_PLAIN, "%*s", ROW_AT, "");
	summary_put_others(p, others);
}

static void print_disk(struct summary_printing *p)
{
	const struct disk_requests *disk = &p->summary->disk;

	if (!disk->count)
		return;
	summary_label(p, "Block I/O");
	strbuf_adds(&p->line, disk->is_part ? "at least " : "");
	amount_put_count(&p->line, disk->count, "request", "requests");
	strbuf_adds(&p->line, " of ");
	put_amount(p, disk->bytes);
	if (disk->is_part)
		strbuf_adds(&p->line, "; requests queued by kernel threads were not recorded");
	summary_put_words(p, LABEL_WIDTH);
}

static bool summary_is_started(const struct process *process)
{
	return process->started && !process->thread;
}

static bool summary_same_ending(const struct process_ending *a, const struct process_ending *b)
{
	return a->how == b->how && a->has_code == b->has_code && a->code == b->code &&
	       a->signal == b->signal && a->dump == b->dump;
}

/* Returns how many processes the task started; @ret_same: all of them ended in the same way. */
static size_t summary_children(const struct processes *processes, int32_t parent, bool *ret_same)
{
	struct process_ending first = { 0 };
	size_t n = 0;

	*ret_same = true;
	for (size_t i = 0; i < processes->n; i++) {
		const struct process *process = &processes->list[i];
		struct process_ending ending;

		if (!summary_is_started(process) || process->parent != parent)
			continue;
		ending = process_ending(processes, process);
		if (!n++)
			first = ending;
		*ret_same &= summary_same_ending(&first, &ending);
	}
	return n;
}

/* Prints "sh-195 started seq-200, sort-201 and wc-202; exit status 0 each". */
static void summary_print_started(struct summary_printing *p, int32_t parent)
{
	const struct processes *processes = &p->summary->processes;
	struct process_ending ending = { 0 };
	size_t shown = 0;
	bool same;
	size_t n = summary_children(processes, parent, &same);

	signals_put_task(&p->line, p->summary, parent);
	strbuf_adds(&p->line, " started ");
	for (size_t i = 0; i < processes->n && shown < ROWS_SHOWN; i++) {
		const struct process *process = &processes->list[i];

		if (!summary_is_started(process) || process->parent != parent)
			continue;
		ending = process_ending(processes, process);
		strbuf_adds(&p->line, !shown ? "" : shown + 1 == n ? " and " : ", ");
		signals_put_task(&p->line, p->summary, process->pid);
		shown++;
		if ((!same || n == 1) && signals_put_ending(&p->line, " (", ending))
			strbuf_addc(&p->line, ')');
	}
	if (n > shown)
		quote_addf(&p->line, " and %zu %s", n - shown, n - shown == 1 ? "other" : "others");
	if (same && n > 1 && signals_put_ending(&p->line, "; ", ending))
		strbuf_adds(&p->line, " each");
	summary_put_words(p, LABEL_WIDTH);
}

/* Returns whether an earlier process has the same parent. */
static bool summary_parent_seen(const struct processes *processes, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (summary_is_started(&processes->list[i]) &&
		    processes->list[i].parent == processes->list[at].parent)
			return true;
	return false;
}

static void summary_print_processes(struct summary_printing *p)
{
	const struct processes *processes = &p->summary->processes;
	size_t threads = 0, parents = 0, others = 0;

	for (size_t i = 0; i < processes->n; i++) {
		const struct process *process = &processes->list[i];

		threads += process->started && process->thread;
		if (!summary_is_started(process) || summary_parent_seen(processes, i))
			continue;
		if (parents++ >= ROWS_SHOWN) {
			others++;
			continue;
		}
		summary_label(p, parents == 1 ? "Processes" : "");
		summary_print_started(p, process->parent);
	}
	if (others) {
		summary_label(p, "");
		quote_addf(&p->line, "%zu other %s started more", others,
			   others == 1 ? "process" : "processes");
		summary_put_words(p, LABEL_WIDTH);
	}
	if (!threads)
		return;
	summary_label(p, "Threads");
	quote_addf(&p->line, "%zu started", threads);
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

/*
 * Appends the paths of a failure that fit in a line from column @at on, the latest first, because
 * these are the most informative.
 */
static void put_failed_paths(struct summary_printing *p, const struct failure *failure, unsigned at)
{
	const struct files *files = &p->summary->files;
	const struct file_error *error = NULL;
	size_t left = failure->kinds;

	for (size_t shown = 0; shown < PATHS_SHOWN; shown++) {
		size_t used = quote_columns(strbuf_str(&p->line));

		error = summary_path_before(files, failure, error ? error->first_time : UINT64_MAX);
		if (!error)
			return;
		used += at + strlen(", ") + quote_columns(files->list[error->file].path);
		if (shown &&
		    used + strlen(failure->kinds > shown + 1 ? ", ..." : "") > p->out->width)
			break;
		quote_addf(&p->line, "%s%s", shown ? ", " : "", files->list[error->file].path);
		left--;
	}
	if (left)
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
static size_t summary_put_error(struct summary_printing *p, const struct failure *failure)
{
	size_t before = p->line.len;

	syscalls_put_error(&p->line, failure->last->code);
	return p->line.len - before;
}

/* "3 others  wait4 ECHILD, lseek ESPIPE" */
static void summary_put_more_errors(struct summary_printing *p, const struct failure *list,
				    size_t n, int counts, int names)
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
static void summary_put_errors(struct summary_printing *p, const struct failure *list, size_t n)
{
	int counts = 1, names = (int)strlen("others"), errors = 0;
	unsigned at;

	for (uint64_t most = list[0].count; most > 9; most /= 10)
		counts++;
	for (size_t i = 0; i < n && i < ROWS_SHOWN; i++) {
		int name = (int)strlen(list[i].last->name ?: "a call");
		int error = (int)summary_put_error(p, &list[i]);

		strbuf_clear(&p->line);
		names = name > names ? name : names;
		errors = error > errors ? error : errors;
	}
	at = (unsigned)(LABEL_WIDTH + counts + 1 + names + 2 + errors + 2);
	for (size_t i = 0; i < n && i < ROWS_SHOWN; i++) {
		int pad;

		summary_label(p, "");
		quote_addf(&p->line, "%*" PRIu64 " %-*s  ", counts, list[i].count, names,
			   list[i].last->name ?: "a call");
		pad = errors - (int)summary_put_error(p, &list[i]);
		if (failure_has_path(&p->summary->files, &list[i]))
			quote_addf(&p->line, "%*s  ", pad, "");
		summary_put_line(p, OUT_PLAIN);
		put_failed_paths(p, &list[i], at);
		summary_put_words(p, at);
	}
	if (n > ROWS_SHOWN)
		summary_put_more_errors(p, list + ROWS_SHOWN, n - ROWS_SHOWN, counts, names);
}

static void print_errors(struct summary_printing *p)
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

/* Signals that terminated a process come first, because they are the most informative. */
static void print_signals(struct summary_printing *p)
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

/* Returns the time that the kernel spent on tracing according to its functions; 0: unknown. */
static uint64_t summary_tracing_time(const struct breakdown *breakdown)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < breakdown->n; i++) {
		const struct breakdown_entry *entry = &breakdown->list[i];

		/* Interrupts have a separate row above. */
		for (size_t k = 0; entry->kind != BREAKDOWN_IRQ && k < entry->n; k++)
			if (str_eq(entry->parts[k].name, "tracing"))
				sum += entry->parts[k].own;
	}
	return sum;
}

static void summary_print_tracing(struct summary_printing *p)
{
	const struct summary_about *about = p->about;
	uint64_t time = summary_tracing_time(&p->summary->breakdown), n = p->summary->n_events;
	char text[DURATION_SIZE];

	summary_label(p, "Tracing");
	amount_put_count(&p->line, n, "event", "events");
	strbuf_adds(&p->line, ", ");
	if (about->lost || about->lost_unknown)
		quote_addf(&p->line,
			   "%" PRIu64 "%s lost: numbers above are too small; use a larger -b or a "
			   "smaller --depth",
			   about->lost, about->lost_unknown ? " or more" : "");
	else
		strbuf_adds(&p->line, "none lost");
	/* The hooks of the function graph do not trace themselves. */
	if (time)
		quote_addf(&p->line,
			   ". Tracing accounts for at least %s of the kernel time; --no-functions "
			   "costs less and shows less.",
			   duration_text(time, text));
	summary_put_words(p, LABEL_WIDTH);
}

static void print_missing(struct summary_printing *p)
{
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

void summary_print_rows(struct summary_printing *p)
{
	print_waits(p);
	summary_print_functions(p);
	print_faults(p);
	print_files(p);
	print_errors(p);
	print_disk(p);
	summary_print_processes(p);
	print_signals(p);
	print_switches(p);
	summary_print_tracing(p);
	print_missing(p);
}
