/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tui/story-lines.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/order.h"
#include "render/kit/amount.h"
#include "render/time/breakdown.h"
#include "render/kit/duration.h"
#include "render/command/signals.h"
#include "render/command/syscalls.h"
#include "tui/cells.h"

#define ROWS_MAX 12 /* in a section */
#define DETAILED 3 /* system calls with a line about phases */
#define DETAIL	 12 /* column in which that line begins */
#define BAR	 20 /* width of a bar */
#define NARROW	 86 /* the width of a narrow screen, in columns */

/* State while lines are made. */
struct making {
	struct story_lines *lines;
	const struct summary *summary;
	unsigned cols;
};

const char *story_lines_get(const struct story_lines *lines, uint32_t text)
{
	return strbuf_str(&lines->texts) + text;
}

void story_lines_done(struct story_lines *lines)
{
	free(lines->list);
	strbuf_done(&lines->texts);
	*lines = (struct story_lines){ 0 };
}

/* Text is appended where it will stay. */
static struct strbuf *story_lines_text_of(struct making *m)
{
	return &m->lines->texts;
}

/* Starts a line; text appended until story_lines_end() belongs to it. */
static struct story_line *begin_line(struct making *m, unsigned style)
{
	struct story_lines *lines = m->lines;

	if (mem_reserve(&lines->list, &lines->cap, lines->n + 1, sizeof(*lines->list)) < 0) {
		static struct story_line nobody;

		lines->nomem = true;
		return &nobody;
	}
	lines->list[lines->n] = (struct story_line){ .text = (uint32_t)lines->texts.len,
						     .style = (uint8_t)style,
						     .pid = -1 };
	return &lines->list[lines->n++];
}

static void story_lines_end(struct making *m)
{
	strbuf_addc(story_lines_text_of(m), '\0');
	m->lines->nomem |= m->lines->texts.err != 0;
}

static void story_lines_put(struct making *m, unsigned style, const char *text)
{
	begin_line(m, style);
	strbuf_adds(story_lines_text_of(m), text);
	story_lines_end(m);
}

/* Starts a section, after an empty line. */
static void put_heading(struct making *m, const char *text)
{
	story_lines_put(m, CELL_PLAIN, "");
	story_lines_put(m, CELL_HEAD, text);
}

/* Text appended until end_name() is a name. */
static void begin_name(struct making *m, struct story_line *line, unsigned style)
{
	line->name = (uint32_t)story_lines_text_of(m)->len - line->text;
	line->name_style = (uint8_t)style;
}

static void end_name(struct making *m, struct story_line *line)
{
	line->n_name = (uint32_t)story_lines_text_of(m)->len - line->text - line->name;
}

/* Appends words, wrapped at the width of the screen; all lines begin in column @at. */
static void story_lines_put_words(struct making *m, unsigned at, const char *words)
{
	size_t room = m->cols > at + 20 ? m->cols - at : 20;

	while (*words) {
		size_t len = strlen(words), cut = len;

		if (len > room) {
			cut = room;
			while (cut && words[cut] != ' ')
				cut--;
			cut = cut ? cut : room;
		}
		begin_line(m, CELL_DIM);
		strbuf_pad(story_lines_text_of(m), ' ', at);
		strbuf_add(story_lines_text_of(m), words, cut);
		story_lines_end(m);
		words += cut;
		words += *words == ' ';
	}
}

typedef int compare_function(const void *a, const void *b);

/* Selects the first elements in an order, without moving them. */
static size_t story_lines_pick(const void *list, size_t n, size_t size, compare_function *compare,
			       const void *ret_first[ROWS_MAX])
{
	size_t found = 0;

	for (size_t i = 0; i < n; i++) {
		const void *one = (const char *)list + i * size;
		size_t at = found;

		while (at && compare(one, ret_first[at - 1]) < 0)
			at--;
		if (at == ROWS_MAX)
			continue;
		found += found < ROWS_MAX;
		memmove(&ret_first[at + 1], &ret_first[at], (found - at - 1) * sizeof(*ret_first));
		ret_first[at] = one;
	}
	return found;
}

/* Adds "and 7 others", which leads to all of them. */
static void put_others(struct making *m, size_t n, size_t shown, enum story_way way)
{
	if (n <= shown)
		return;
	begin_line(m, CELL_DIM)->way = way;
	strbuf_addf(story_lines_text_of(m), "  and %zu others", n - shown);
	story_lines_end(m);
}

static void story_lines_make_head(struct making *m, const struct summary_about *about)
{
	_cleanup_strbuf_ struct strbuf ending = { 0 };

	begin_line(m, CELL_STRONG);
	summary_put_command(m->summary, about, story_lines_text_of(m));
	story_lines_end(m);
	summary_put_ending(m->summary, about, &ending);
	story_lines_put(m, CELL_PLAIN, strbuf_str(&ending));
	if (!about->lost && !about->lost_unknown)
		return;
	begin_line(m, CELL_WARN);
	strbuf_addf(story_lines_text_of(m),
		    "lost %" PRIu64 " events%s: the numbers below are too low", about->lost,
		    about->lost_unknown ? " and more" : "");
	story_lines_end(m);
}

/* Returns the longest wait, or NULL if there was none. */
static const struct time_wait *story_lines_longest_wait(const struct summary *summary)
{
	const struct time_account *account = &summary->account;
	const struct time_wait *longest = NULL;

	for (size_t i = 0; i < account->n_waits; i++)
		if (!longest || account->waits[i].max > longest->max)
			longest = &account->waits[i];
	return longest;
}

static void lead_to_wait(struct story_line *line, const struct time_wait *wait)
{
	if (!wait || !wait->longest_time)
		return;
	line->way = STORY_REPLAY;
	line->from = wait->longest_time;
	line->to = wait->longest_time + wait->max;
	line->pid = wait->longest_pid;
}

static void lead_to_kept_off(struct story_line *line, const struct time_account *account)
{
	line->way = STORY_REPLAY;
	line->from = account->kept_off.start;
	line->to = account->kept_off.start + account->kept_off.total;
	line->pid = account->kept_off.pid;
}

static void make_time(struct making *m, enum time_kind kind, uint64_t ns, uint64_t all)
{
	struct story_line *line;
	size_t room = m->cols < NARROW ? BAR / 2 : BAR;
	size_t bar = (size_t)((double)ns * (double)room / (double)all + 0.5);

	if (!ns)
		return;
	line = begin_line(m, CELL_PLAIN);
	strbuf_addf(story_lines_text_of(m), "  %-14s", summary_kind_name(m->summary, kind));
	duration_put(story_lines_text_of(m), ns);
	strbuf_addf(story_lines_text_of(m), " %5.1f %%  ", 100.0 * (double)ns / (double)all);
	begin_name(m, line, kind == TIME_WAITING || kind == TIME_RUNNABLE ? CELL_WARN : CELL_GOOD);
	strbuf_pad(story_lines_text_of(m), '#', bar);
	end_name(m, line);
	strbuf_pad(story_lines_text_of(m), ' ', room - bar);
	strbuf_addf(story_lines_text_of(m), "  %s", summary_kind_text(m->summary, kind));
	if (kind == TIME_WAITING)
		lead_to_wait(line, story_lines_longest_wait(m->summary));
	else if (kind == TIME_RUNNABLE && m->summary->account.kept_off.total)
		lead_to_kept_off(line, &m->summary->account);
	else if (kind == TIME_KERNEL && m->summary->n_calls)
		line->way = STORY_FUNCTIONS;
	story_lines_end(m);
}

static void make_times(struct making *m)
{
	const struct time_account *account = &m->summary->account;
	uint64_t sums[TIME_KINDS] = { 0 }, all = 0;
	size_t acted = 0;

	for (size_t i = 0; i < account->n_tasks; i++) {
		acted += account->tasks[i].acted;
		for (size_t k = 0; k < TIME_KINDS && account->tasks[i].acted; k++) {
			sums[k] += account->tasks[i].sums[k];
			all += account->tasks[i].sums[k];
		}
	}
	if (!all)
		return;
	put_heading(m, acted > 1 ? "where the time went, all tasks" : "where the time went");
	for (size_t i = 0; i < TIME_KINDS; i++)
		make_time(m, summary_order[i], sums[summary_order[i]], all);
}

static void story_lines_make_calls(struct making *m)
{
	const struct syscalls *syscalls = &m->summary->syscalls;
	const void *first[ROWS_MAX];
	size_t n = story_lines_pick(syscalls->list, syscalls->n, sizeof(*syscalls->list),
				    summary_compare_calls, first);

	if (!n)
		return;
	put_heading(m, SUMMARY_CALLS_HEAD "system call");
	for (size_t i = 0; i < n; i++) {
		const struct syscall_sums *sums = first[i];
		const struct breakdown_entry *entry =
			sums->name ? breakdown_find(&m->summary->breakdown, BREAKDOWN_SYSCALL,
						    sums->name) :
				     NULL;
		struct story_line *line = begin_line(m, CELL_PLAIN);
		_cleanup_strbuf_ struct strbuf words = { 0 };

		summary_put_numbers(sums, story_lines_text_of(m));
		strbuf_adds(story_lines_text_of(m), "  ");
		begin_name(m, line, sums->failed ? CELL_WARN : CELL_NAME);
		summary_put_name(sums, story_lines_text_of(m));
		end_name(m, line);
		summary_put_failures(sums, story_lines_text_of(m));
		if (sums->slowest_time) {
			line->way = STORY_REPLAY;
			line->from = sums->slowest_time;
			line->to = sums->slowest_time + sums->max;
			line->pid = sums->slowest_pid;
		} else {
			line->way = STORY_SYSCALLS;
		}
		story_lines_end(m);
		if (i < DETAILED && entry && breakdown_put(entry, false, &words))
			story_lines_put_words(m, DETAIL, strbuf_str(&words));
	}
	put_others(m, syscalls->n, n, STORY_SYSCALLS);
}

static void make_waits(struct making *m)
{
	const struct time_account *account = &m->summary->account;
	const void *first[ROWS_MAX];
	size_t n = story_lines_pick(account->waits, account->n_waits, sizeof(*account->waits),
				    summary_compare_waits, first);

	if (!n)
		return;
	put_heading(m, "     total   count   longest  waits");
	for (size_t i = 0; i < n; i++) {
		const struct time_wait *wait = first[i];
		struct story_line *line = begin_line(m, CELL_PLAIN);

		duration_put(story_lines_text_of(m), wait->total);
		strbuf_addf(story_lines_text_of(m), " %7" PRIu64, wait->count);
		duration_put(story_lines_text_of(m), wait->max);
		strbuf_adds(story_lines_text_of(m), "  ");
		begin_name(m, line, CELL_NAME);
		summary_put_wait(m->summary, wait, story_lines_text_of(m));
		end_name(m, line);
		lead_to_wait(line, wait);
		story_lines_end(m);
	}
	put_others(m, account->n_waits, n, STORY_NOWHERE);
}

/* Latest first: these explain most. */
static int story_lines_compare_errors(const void *pa, const void *pb)
{
	const struct file_error *a = pa, *b = pb;

	return order_falling(a->first_time, b->first_time);
}

static void make_errors(struct making *m)
{
	const struct files *files = &m->summary->files;
	const void *first[ROWS_MAX];
	size_t n = story_lines_pick(files->errors, files->n_errors, sizeof(*files->errors),
				    story_lines_compare_errors, first);

	if (!n)
		return;
	put_heading(m, "   count  failed calls, latest first");
	for (size_t i = 0; i < n; i++) {
		const struct file_error *error = first[i];
		struct story_line *line = begin_line(m, CELL_PLAIN);

		strbuf_addf(story_lines_text_of(m), " %7" PRIu64 "  ", error->count);
		begin_name(m, line, CELL_ERROR);
		strbuf_addf(story_lines_text_of(m), "%s ", error->name ?: "a call");
		syscalls_put_error(story_lines_text_of(m), error->code);
		end_name(m, line);
		if (error->file != FILE_NONE && error->file < files->n)
			strbuf_addf(story_lines_text_of(m), "  %s", files->list[error->file].path);
		/*
		 * The time is that of the return; go to a moment before it, when the call was open.
		 */
		line->way = STORY_REPLAY;
		line->failed = true;
		line->from = line->to = error->first_time - (error->first_time > 0);
		line->pid = error->first_pid;
		story_lines_end(m);
	}
	put_others(m, files->n_errors, n, STORY_SYSCALLS);
}

/* Files are only sorted once the summary is finished. */
static void make_files(struct making *m)
{
	const struct files *files = &m->summary->files;
	char amount[AMOUNT_SIZE];
	size_t shown = 0, touched = 0;

	for (size_t i = 0; i < files->n; i++)
		touched += files->list[i].opened || files->list[i].read || files->list[i].written;
	if (!touched)
		return;
	put_heading(m, "      read   written   opens  file");
	for (size_t i = 0; i < files->n && shown < ROWS_MAX; i++) {
		const struct file_sums *file = &files->list[i];
		struct story_line *line;

		if (!file->opened && !file->read && !file->written)
			continue;
		shown++;
		line = begin_line(m, CELL_PLAIN);
		strbuf_addf(story_lines_text_of(m), " %9s",
			    file->read ? amount_text(file->read, amount) : ".");
		strbuf_addf(story_lines_text_of(m), " %9s",
			    file->written ? amount_text(file->written, amount) : ".");
		strbuf_addf(story_lines_text_of(m), " %7" PRIu64 "  ", file->opened);
		begin_name(m, line, CELL_NAME);
		strbuf_adds(story_lines_text_of(m), file->path);
		end_name(m, line);
		line->way = STORY_TEXT;
		story_lines_end(m);
	}
	put_others(m, touched, shown, STORY_NOWHERE);
}

static int story_lines_compare_tasks(const void *pa, const void *pb)
{
	const struct time_task *a = pa, *b = pb;

	return order_falling(a->acted, b->acted) ?: order_falling(b->first, a->first);
}

/* Unknown without sched_switch; 0 then. */
static uint64_t ran_of(const struct summary *summary, const struct time_task *task)
{
	return task->sums[TIME_USER] + task->sums[TIME_KERNEL] +
	       (summary->account.has_switches ? task->sums[TIME_MAYBE_USER] : 0);
}

static void make_task(struct making *m, const struct time_task *task)
{
	const struct process *process =
		processes_find(&m->summary->processes, task->pid, task->last);
	struct story_line *line = begin_line(m, CELL_PLAIN);

	duration_put(story_lines_text_of(m), task->last - task->first);
	duration_put(story_lines_text_of(m), ran_of(m->summary, task));
	duration_put(story_lines_text_of(m), task->sums[TIME_WAITING]);
	duration_put(story_lines_text_of(m), task->sums[TIME_RUNNABLE]);
	strbuf_adds(story_lines_text_of(m), "  ");
	begin_name(m, line, CELL_TASK);
	summary_put_task(m->summary, task->pid, story_lines_text_of(m));
	strbuf_addf(story_lines_text_of(m), "-%" PRId32, task->pid);
	end_name(m, line);
	if (process && process->program)
		strbuf_addf(story_lines_text_of(m), "  %s", process->program);
	if (process)
		signals_put_ending(story_lines_text_of(m), ", ",
				   process_ending(&m->summary->processes, process));
	line->way = STORY_TASK;
	line->from = task->first;
	line->to = task->last;
	line->pid = task->pid;
	story_lines_end(m);
}

static void make_tasks(struct making *m)
{
	const struct time_account *account = &m->summary->account;
	const void *first[ROWS_MAX];
	size_t n = story_lines_pick(account->tasks, account->n_tasks, sizeof(*account->tasks),
				    story_lines_compare_tasks, first);
	size_t acted = 0;

	for (size_t i = 0; i < account->n_tasks; i++)
		acted += account->tasks[i].acted;
	if (!acted)
		return;
	put_heading(m, "  duration   running  sleeping runnable   task");
	for (size_t i = 0; i < n && i < acted; i++)
		make_task(m, first[i]);
	put_others(m, acted, n, STORY_NOWHERE);
}

static void make_rest(struct making *m)
{
	const struct summary *summary = m->summary;
	const struct breakdown_entry *entry =
		breakdown_find(&summary->breakdown, BREAKDOWN_FAULT, "");
	_cleanup_strbuf_ struct strbuf words = { 0 };
	char text[DURATION_SIZE], amount[AMOUNT_SIZE];
	uint64_t signals = summary_signals(summary);

	if (summary->faults || entry)
		strbuf_addf(&words, "%" PRIu64 " page faults",
			    summary->faults ? summary->faults : entry->calls);
	if (entry) {
		strbuf_addf(&words, " in %s: ", duration_text(entry->total, text));
		if (!breakdown_put(entry, false, &words))
			strbuf_adds(&words, "no dominant phase");
	}
	if (summary->disk.count) {
		strbuf_adds(&words, words.len ? "; " : "");
		amount_put_count(&words, summary->disk.count, "block request", "block requests");
		strbuf_addf(&words, ", %s", amount_text(summary->disk.bytes, amount));
	}
	if (signals) {
		strbuf_adds(&words, words.len ? "; " : "");
		amount_put_count(&words, signals, "signal", "signals");
	}
	if (!words.len)
		return;
	put_heading(m, "other");
	story_lines_put_words(m, 2, strbuf_str(&words));
}

void story_lines_make(struct story_lines *lines, const struct summary *summary,
		      const struct summary_about *about, bool finished, unsigned cols)
{
	struct making making = { .lines = lines, .summary = summary, .cols = cols };

	lines->n = 0;
	lines->nomem = false;
	strbuf_clear(&lines->texts);
	story_lines_make_head(&making, about);
	make_times(&making);
	story_lines_make_calls(&making);
	make_waits(&making);
	make_errors(&making);
	make_tasks(&making);
	if (finished) {
		make_files(&making);
		make_rest(&making);
	}
}
