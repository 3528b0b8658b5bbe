/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "render/command/summary-parts.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/order.h"
#include "base/quote.h"
#include "base/str.h"
#include "render/kit/duration.h"
#include "render/kit/fit.h"
#include "render/time/breakdown.h"
#include "render/command/signals.h"
#include "render/command/syscalls.h"

#define HOLDERS_SHOWN 3
#define BAR_WIDTH     20 /* of all time */
#define CALLS_SHOWN   6
#define UNTRACED_DIFFERS \
	20 /* the estimate is shown if it differs by at least 1/20 of the traced time */
#define DETAILED    3 /* system calls with a line about phases */
#define PARTS_AT    12
#define HOLDERS_AT  16
#define KIND_WIDTH  13
#define TIMES_WIDTH 34 /* of a row without bar and description */
#define TEXT_WIDTH  30 /* of most descriptions */
#define BAR_MIN	    6
#define PERMILLE    1000
#define HINTS_MAX   6
#define HINT_AT	    48 /* descriptions of hints begin here at most, unless a command is longer */

const struct time_task *summary_main_task(const struct summary *summary)
{
	for (size_t i = 0; i < summary->account.n_tasks; i++)
		if (summary->account.tasks[i].acted)
			return &summary->account.tasks[i];
	return NULL;
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
 * Appends " while traced, about 3 ms or less without tracing"; appends nothing if that is unknown
 * or nearly the same.
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

static void summary_print_head(struct summary_printing *p)
{
	summary_put_command(p->summary, p->about, &p->line);
	if (p->line.len) {
		out_printf(p->out, OUT_PLAIN, "%s", out_style(p->out, OUT_TITLE));
		summary_put_words(p, 0);
		out_printf(p->out, OUT_PLAIN, "%s", out_style(p->out, OUT_PLAIN));
	}
	summary_put_ending(p->summary, p->about, &p->line);
	summary_put_words(p, 0);
	out_printf(p->out, OUT_PLAIN, "\n");
}

static uint64_t all_time(const struct summary *summary)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < TIME_KINDS; i++)
		sum += summary->times[i];
	return sum;
}

/*
 * Returns the width of bars: the space left beside the descriptions, the longest of which are
 * wrapped; 0: no bars.
 */
static unsigned summary_bar_room(const struct out *out)
{
	unsigned taken = TIMES_WIDTH + 2 + TEXT_WIDTH;

	if (out->width < taken + 2 + BAR_MIN)
		return 0;
	return out->width - taken - 2 < BAR_WIDTH ? out->width - taken - 2 : BAR_WIDTH;
}

/* Returns the share of a kind of time in thousandths. */
static uint64_t summary_share(const struct summary *summary, enum time_kind kind)
{
	uint64_t ns = summary->times[kind], all = all_time(summary);

	return all ? (uint64_t)((double)ns * PERMILLE / (double)all + 0.5) : 0;
}

/* Returns the length of a bar for the whole time at which the longest actual bar fits. */
static uint64_t summary_bar_scale(const struct summary *summary, unsigned room)
{
	uint64_t most = 1, scale;

	for (size_t i = 0; i < TIME_KINDS; i++)
		if (summary_share(summary, i) > most)
			most = summary_share(summary, i);
	scale = (uint64_t)room * PERMILLE / most;
	return scale < BAR_WIDTH ? scale : BAR_WIDTH;
}

static void summary_put_bar(struct summary_printing *p, uint64_t permille, unsigned room)
{
	static const char *const blocks[] = { "#", "\u2588" };
	uint64_t scale = summary_bar_scale(p->summary, room);
	uint64_t bar = (permille * scale + PERMILLE / 2) / PERMILLE;

	strbuf_adds(&p->line, "  ");
	for (unsigned i = 0; i < room; i++)
		quote_adds(&p->line, i < bar ? blocks[p->out->utf8] : " ");
}

static void print_time(struct summary_printing *p, enum time_kind kind)
{
	uint64_t ns = p->summary->times[kind], permille = summary_share(p->summary, kind);
	unsigned room = summary_bar_room(p->out), at = TIMES_WIDTH + 2 + (room ? room + 2 : 0);

	if (!ns)
		return;
	out_printf(p->out, OUT_TITLE, "  %-*s", KIND_WIDTH, summary_kind_name(p->summary, kind));
	duration_put(&p->line, ns);
	quote_addf(&p->line, " %4" PRIu64 ".%" PRIu64 " %%", permille / 10, permille % 10);
	if (room)
		summary_put_bar(p, permille, room);
	strbuf_adds(&p->line, at + TEXT_WIDTH <= p->out->width ? "  " : "\n");
	summary_put_line(p, OUT_PLAIN);
	if (at + TEXT_WIDTH > p->out->width) {
		at = 4;
		out_printf(p->out, OUT_PLAIN, "%*s", (int)at, "");
	}
	quote_adds(&p->line, summary_kind_text(p->summary, kind));
	summary_put_words(p, at);
}

/*
 * Names the tasks that last ran on the CPUs for which others waited. An idle CPU needs time to
 * switch.
 */
static void summary_print_holders(struct summary_printing *p)
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
	out_printf(p->out, OUT_PLAIN, "%*s", HOLDERS_AT, "");
	summary_put_words(p, HOLDERS_AT);
}

static void print_times(struct summary_printing *p)
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
	syscalls_put_off_cpu(buf, sums);
	quote_addf(buf, " %7" PRIu64, syscall_sums_calls(sums));
	syscalls_put_typical(buf, sums);
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

static void summary_print_call(struct summary_printing *p, const struct fit *fit,
			       const struct syscall_sums *sums, bool detailed)
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
	p->nomem |= fit_write(fit, &p->line) < 0;
	if (detailed && entry && breakdown_print(entry, PARTS_AT, p->out) < 0)
		p->nomem = true;
}

/* The sums of the calls that have no row of their own. */
static void summary_print_other_calls(struct summary_printing *p, const struct fit *fit)
{
	const struct syscalls *syscalls = &p->summary->syscalls;
	uint64_t total = 0, off_cpu = 0, count = 0;

	for (size_t i = CALLS_SHOWN; i < syscalls->n; i++) {
		total += syscall_sums_shown(&syscalls->list[i]).seen;
		off_cpu += syscall_sums_off_cpu(&syscalls->list[i]);
		count += syscall_sums_calls(&syscalls->list[i]);
	}
	quote_adds(&p->line, out_style(p->out, OUT_FAINT));
	duration_put(&p->line, total);
	if (syscalls->list[0].knows_sleep)
		duration_put(&p->line, off_cpu);
	else
		quote_addf(&p->line, " %9s", "?");
	quote_addf(&p->line, " %7" PRIu64 " %9s %9s  %zu %s%s\n", count, "", "",
		   syscalls->n - CALLS_SHOWN, syscalls->n - CALLS_SHOWN == 1 ? "other" : "others",
		   out_style(p->out, OUT_PLAIN));
	p->nomem |= fit_write(fit, &p->line) < 0;
}

static void print_syscalls(struct summary_printing *p)
{
	static const struct fit_column columns[] = {
		{ 10, 0 }, { 20, 2 }, { 28, 1 }, { 38, 4 }, { 48, 3 }
	};
	struct syscalls *syscalls = &p->summary->syscalls;
	struct fit fit;

	if (!syscalls->n)
		return;
	out_printf(p->out, OUT_TITLE, "System calls, by total time\n");
	fit_init(&fit, p->out, columns, ARRAY_SIZE(columns), FIT_TEXT);
	quote_addf(&p->line, "%s" SUMMARY_CALLS_HEAD "name%s\n", out_style(p->out, OUT_TITLE),
		   out_style(p->out, OUT_PLAIN));
	p->nomem |= fit_write_head(&fit, &p->line) < 0;
	for (size_t i = 0; i < syscalls->n && i < CALLS_SHOWN; i++)
		summary_print_call(p, &fit, &syscalls->list[i], i < DETAILED);
	if (syscalls->n > CALLS_SHOWN)
		summary_print_other_calls(p, &fit);
	if (syscalls->list[0].shows_untraced)
		out_printf(p->out, OUT_FAINT, "            (" SYSCALLS_UNTRACED_NOTE ")\n");
	out_printf(p->out, OUT_PLAIN, "\n");
}

int summary_compare_waits(const void *pa, const void *pb)
{
	const struct time_wait *a = pa, *b = pb;

	return order_falling(a->total, b->total) ?: order_falling(a->count, b->count);
}

static int compare_wakers(const void *pa, const void *pb)
{
	const struct time_waker *a = pa, *b = pb;

	return order_falling(a->count, b->count) ?: a->pid - b->pid;
}

/* Appends the text, with the name in the place of "%s". */
static void summary_put_about(struct strbuf *buf, const char *text, const char *name)
{
	const char *at = strstr(text, "%s");

	quote_add(buf, text, at ? (size_t)(at - text) : strlen(text));
	if (!at)
		return;
	quote_adds(buf, name);
	quote_adds(buf, at + 2);
}

/* Returns whether the name is a single word for a shell, and no pattern. */
static bool summary_is_plain(const char *name)
{
	return *name && *name != '-' &&
	       !name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				  "._-+:@")];
}

/* Suggested commands, each with a description. */
struct hints {
	struct {
		struct strbuf command, what;
	} list[HINTS_MAX];
	size_t n;
};

/*
 * Adds a command, "critical %s", and its description, "what kept %s from finishing"; @name replaces
 * %s in both.
 */
static void summary_hint(struct summary_printing *p, struct hints *hints, const char *command,
			 const char *what, const char *name)
{
	struct strbuf *to = &hints->list[hints->n].command;

	strbuf_adds(to, "  fathom ");
	summary_put_about(to, command, name);
	if (!str_eq(p->about->path, "trace.dat"))
		quote_addf(to, " %s", p->about->path);
	summary_put_about(&hints->list[hints->n++].what, what, name);
}

static void summary_put_hints(struct summary_printing *p, struct hints *hints)
{
	size_t widest = 0;

	for (size_t i = 0; i < hints->n; i++) {
		size_t columns = quote_columns(strbuf_str(&hints->list[i].command));

		if (columns > widest && columns < HINT_AT)
			widest = columns;
	}
	for (size_t i = 0; i < hints->n; i++) {
		const char *command = strbuf_str(&hints->list[i].command);
		const char *what = strbuf_str(&hints->list[i].what);
		size_t columns = quote_columns(command), at = columns < widest ? widest : columns;

		out_printf(p->out, OUT_PLAIN, "%s", command);
		if (at + 1 + strlen(what) <= p->out->width)
			out_printf(p->out, OUT_PLAIN, "%*s", (int)(at + 1 - columns), "");
		else if (columns + 2 + strlen(what) <= p->out->width)
			out_printf(p->out, OUT_PLAIN, "  ");
		else
			out_printf(p->out, OUT_PLAIN, "\n%6s", "");
		out_printf(p->out, OUT_FAINT, "%s", what);
		out_printf(p->out, OUT_PLAIN, "\n");
		p->nomem |= hints->list[i].command.err || hints->list[i].what.err;
		strbuf_done(&hints->list[i].command);
		strbuf_done(&hints->list[i].what);
	}
}

/* Returns the system call whose slowest calls are worth a look, or NULL. */
static const char *summary_slow_call(const struct syscalls *syscalls)
{
	return syscalls->n && syscalls->list[0].count ? syscalls->list[0].name : NULL;
}

static void print_hints(struct summary_printing *p)
{
	const struct syscalls *syscalls = &p->summary->syscalls;
	const struct time_account *account = &p->summary->account;
	const struct time_task *task = summary_main_task(p->summary);
	struct hints hints = { 0 };

	if (!p->about->hints)
		return;
	quote_addf(&p->line, "Recorded in %s. Next:", p->about->path);
	out_printf(p->out, OUT_PLAIN, "\n");
	summary_put_words(p, 0);
	if (task && account->has_switches && account->has_wakes &&
	    tasks_know(p->summary->tasks, task->pid) &&
	    summary_is_plain(tasks_find(p->summary->tasks, task->pid)->comm))
		summary_hint(p, &hints, "critical %s", "what kept %s from finishing sooner",
			     tasks_find(p->summary->tasks, task->pid)->comm);
	if (account->n_waits)
		summary_hint(p, &hints, "offcpu", "where tasks slept, what woke them", "");
	if (summary_slow_call(syscalls))
		summary_hint(p, &hints, "replay --slowest %s", "what the slowest %s calls did",
			     summary_slow_call(syscalls));
	if (syscalls->n)
		summary_hint(p, &hints, "syscalls --list", "every system call, as strace does", "");
	if (p->summary->n_calls)
		summary_hint(p, &hints, "flame", "flame graph for a web browser", "");
	summary_hint(p, &hints, "tui", "browse everything above", "");
	summary_put_hints(p, &hints);
}

void summary_sort(struct summary *summary)
{
	struct time_account *account = &summary->account;

	if (summary->syscalls.n)
		qsort(summary->syscalls.list, summary->syscalls.n, sizeof(struct syscall_sums),
		      summary_compare_calls);
	if (account->n_waits)
		qsort(account->waits, account->n_waits, sizeof(*account->waits),
		      summary_compare_waits);
	if (account->n_wakers)
		qsort(account->wakers, account->n_wakers, sizeof(*account->wakers), compare_wakers);
}

int summary_print(struct summary *summary, const struct summary_about *about, struct out *out)
{
	struct summary_printing p = { .summary = summary, .about = about, .out = out };

	summary_sort(summary);
	summary_print_head(&p);
	print_times(&p);
	print_syscalls(&p);
	summary_print_rows(&p);
	print_hints(&p);
	strbuf_done(&p.line);
	return p.nomem ? -ENOMEM : 0;
}
