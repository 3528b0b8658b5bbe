/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The head of a line: task, CPU, flags, time and name. Written for every event, so parts that
 * rarely change from line to line (the task on a CPU, the second) are cached as text.
 */
#include <string.h>

#include "base/quote.h"
#include "render/report/report-parts.h"

/* Bits of common_flags. */
enum {
	FLAG_IRQS_OFF = 0x01,
	FLAG_NEED_RESCHED_LAZY =
		0x02, /* before Linux 6.14: the architecture does not report disabled interrupts */
	FLAG_NEED_RESCHED = 0x04,
	FLAG_HARDIRQ = 0x08,
	FLAG_SOFTIRQ = 0x10,
};

/* Longer names are not cached. */
#define WHO_COMM_MAX 32

/* Appends "comm-pid [cpu]", with the name right-aligned in 16 columns or, for -l, cut to 8. */
static void write_who(const struct report *report, const struct task *task, int32_t pid,
		      uint32_t cpu, struct text *text)
{
	bool latency = report->options->latency;
	size_t width = latency ? 8 : 16;
	size_t len = latency && task->len > width ? width : task->len;
	size_t start = text_len(text);

	quote_text(text, task->comm, len);
	text_pad(text, start, width, false);
	text_char(text, '-');
	start = text_len(text);
	text_s64(text, pid);
	text_pad(text, start, 5, true);
	if (latency) {
		text_char(text, ' ');
		start = text_len(text);
		text_u64(text, cpu);
		text_pad(text, start, 3, false);
		return;
	}
	text_bytes(text, " [", 2);
	if (cpu < 100)
		text_char(text, '0');
	if (cpu < 10)
		text_char(text, '0');
	text_u64(text, cpu);
	text_char(text, ']');
}

/* Returns the cached text for the task of the event, or NULL if it is too long. */
static const struct report_who *get_who(struct report *report, const struct fathom_event *event)
{
	struct report_cpu *cpu = report_cpu(report, event->cpu);
	const struct task *task;
	struct text kept;

	if (!cpu)
		return NULL;
	if (__builtin_expect(cpu->who.len && cpu->who.pid == event->pid &&
				     cpu->who.tasks == report->tasks.n,
			     1))
		return &cpu->who;
	task = tasks_find(&report->tasks, event->pid);
	if (task->len > WHO_COMM_MAX || quote_plain(task->comm, task->len) < task->len)
		return NULL;
	text_init(&kept, cpu->who.text, sizeof(cpu->who.text));
	write_who(report, task, event->pid, event->cpu, &kept);
	cpu->who.len = (uint32_t)text_len(&kept);
	cpu->who.pid = event->pid;
	cpu->who.tasks = report->tasks.n;
	return &cpu->who;
}

static void put_who(struct report *report, const struct fathom_event *event, struct text *text)
{
	const struct report_who *who = get_who(report, event);

	if (who)
		text_bytes(text, who->text, who->len);
	else
		write_who(report, tasks_find(&report->tasks, event->pid), event->pid, event->cpu,
			  text);
}

static unsigned byte_at(const struct fathom_event *event, uint32_t offset)
{
	return offset < event->size ? ((const unsigned char *)event->data)[offset] : 0;
}

static char hex_digit(unsigned n)
{
	return "0123456789abcdef"[n & 15];
}

static char report_line_resched_letter(const struct report *report, unsigned flags)
{
	if (flags & FLAG_NEED_RESCHED)
		return 'N';
	return flags & FLAG_NEED_RESCHED_LAZY && !report->options->compat_31 ? 'L' : '.';
}

static char report_line_irqs_letter(const struct report *report, unsigned flags)
{
	if (flags & FLAG_IRQS_OFF)
		return 'd';
	return flags & FLAG_NEED_RESCHED_LAZY && report->options->compat_31 ? 'X' : '.';
}

void report_line_init(struct report *report)
{
	for (unsigned i = 0; i < 256; i++) {
		bool hard = i & FLAG_HARDIRQ, soft = i & FLAG_SOFTIRQ;

		report->flag_letters[i][0] = report_line_irqs_letter(report, i);
		report->flag_letters[i][1] = report_line_resched_letter(report, i);
		report->flag_letters[i][2] = hard && soft ? 'H' : hard ? 'h' : soft ? 's' : '.';
		report->preempt_letters[i][0] = i & 0xf ? hex_digit(i) : '.';
		report->preempt_letters[i][1] = i & 0xf0 ? hex_digit(i >> 4) : '.';
	}
}

/* Appends "dNh1.": interrupts off, reschedule, in interrupt, preemption depth, migration off. */
static void report_line_put_flags(const struct report *report, const struct event_plan *plan,
				  const struct fathom_event *event, struct text *text)
{
	unsigned flags = byte_at(event, plan->flags);
	unsigned preempt = byte_at(event, plan->preempt);

	text_bytes(text, report->flag_letters[flags], 3);
	text_bytes(text, report->preempt_letters[preempt], 2);
	if (plan->migrate != UINT32_MAX)
		text_u64(text, byte_at(event, plan->migrate));
	if (plan->lock_depth != UINT32_MAX) {
		int depth = (int)(byte_at(event, plan->lock_depth) ^ 0x80) - 0x80;

		if (depth < 0)
			text_char(text, '.');
		else
			text_s64(text, depth);
	}
}

static void report_line_put_digits(struct text *text, uint64_t n, unsigned digits)
{
	char s[20];

	for (unsigned i = digits; i-- > 0; n /= 10)
		s[i] = (char)('0' + n % 10);
	text_bytes(text, s, digits);
}

/* Writes microseconds below a million as six digits. */
static inline void write_micros(char *s, uint32_t n)
{
	text_pair_at(s, n / 10000);
	text_pair_at(s + 2, n / 100 % 100);
	text_pair_at(s + 4, n % 100);
}

/* Caches the text of the second and its point, at least five columns wide. */
static inline void keep_seconds(struct report *report, uint64_t seconds)
{
	struct text kept;

	if (__builtin_expect(report->seconds_len && seconds == report->seconds, 1))
		return;
	text_init(&kept, report->seconds_text, sizeof(report->seconds_text));
	text_u64(&kept, seconds);
	text_pad(&kept, 0, 5, false);
	text_char(&kept, '.');
	report->seconds_len = (uint32_t)text_len(&kept);
	report->seconds = seconds;
}

static void put_seconds(struct report *report, uint64_t seconds, struct text *text)
{
	keep_seconds(report, seconds);
	text_bytes(text, report->seconds_text, report->seconds_len);
}

void report_time_text(struct report *report, size_t buffer, uint64_t time, struct text *text)
{
	size_t start = text_len(text);
	char micros[6];

	if (!report_in_nanoseconds(report, buffer)) {
		text_u64(text, time);
		text_pad(text, start, 12, false);
	} else if (report->options->nanoseconds) {
		put_seconds(report, time / 1000000000, text);
		report_line_put_digits(text, time % 1000000000, 9);
	} else {
		time = (time + 500) / 1000;
		put_seconds(report, time / 1000000, text);
		write_micros(micros, (uint32_t)(time % 1000000));
		text_bytes(text, micros, sizeof(micros));
	}
}

static uint64_t shown_time(struct report *report, uint64_t time)
{
	switch (report->options->time) {
	case REPORT_TIME_RELATIVE:
		if (!report->has_first)
			report->first_time = time;
		report->has_first = true;
		return time - report->first_time;
	case REPORT_TIME_DELTA:
		if (!report->has_first)
			report->first_time = time;
		report->has_first = true;
		{
			uint64_t delta = time - report->first_time;

			report->first_time = time;
			return (int64_t)delta < 0 ? 0 : delta;
		}
	default:
		return time;
	}
}

/* Appends " (+123)", the time since the line before. */
static void put_diff(struct report *report, const struct fathom_event *event, struct text *text)
{
	uint64_t time = event->time;
	size_t start;

	if (report_in_nanoseconds(report, event->buffer) && !report->options->nanoseconds)
		time = (time + 500) / 1000;
	text_char(text, ' ');
	start = text_len(text);
	if (report->last_time) {
		text_bytes(text, "(+", 2);
		text_s64(text, (int64_t)(time - report->last_time));
		text_char(text, ')');
	}
	text_pad(text, start, 8, true);
	report->last_time = time;
}

static void report_line_put_name(const struct report *report, const struct event_plan *plan,
				 struct text *text)
{
	const struct report_options *options = report->options;

	if (!options->color_name) {
		text_bytes(text, plan->head, plan->head_len);
		return;
	}
	text_str(text, options->color_name);
	text_bytes(text, plan->head, plan->head_len);
	text_str(text, options->color_end);
}

/* The fast path: builds the head from cached texts. Returns false if that is impossible. */
static bool put_usual(struct report *report, const struct event_plan *plan,
		      const struct fathom_event *event, struct text *text)
{
	const struct report_who *who;
	uint64_t micros = (event->time + 500) / 1000;
	char *p = text->p;

	if (!report->is_usual || !report_in_nanoseconds(report, event->buffer) || !plan->is_usual ||
	    text_room(text) < WHO_SIZE + FLAGS_SIZE + SECONDS_SIZE + HEAD_SIZE + 16)
		return false;
	who = get_who(report, event);
	if (!who)
		return false;
	memcpy(p, who->text, WHO_SIZE);
	p += who->len;
	if (!report->options->compat_31) {
		*p++ = ' ';
		memcpy(p, report->flag_letters[byte_at(event, plan->flags)], 4);
		memcpy(p + 3, report->preempt_letters[byte_at(event, plan->preempt)], 2);
		p += FLAGS_SIZE;
	}
	*p++ = ' ';
	keep_seconds(report, micros / 1000000);
	memcpy(p, report->seconds_text, SECONDS_SIZE);
	p += report->seconds_len;
	write_micros(p, (uint32_t)(micros % 1000000));
	p[6] = ':';
	memcpy(p + 7, plan->head, HEAD_SIZE);
	text->p = p + 7 + plan->head_len;
	return true;
}

void report_line_head(struct report *report, const struct event_plan *plan,
		      const struct fathom_event *event, struct text *text)
{
	const struct report_options *options = report->options;

	if (put_usual(report, plan, event, text))
		return;
	put_who(report, event, text);
	if (options->raw && (!options->compat_31 || options->latency)) {
		text_bytes(text, "-0x", 3);
		text_hex(text, byte_at(event, plan->flags));
	} else if (options->latency) {
		report_line_put_flags(report, plan, event, text);
	} else if (!options->compat_31) {
		text_char(text, ' ');
		report_line_put_flags(report, plan, event, text);
	}
	if (report_in_nanoseconds(report, event->buffer))
		text_char(text, ' ');
	report_time_text(report, event->buffer, shown_time(report, event->time), text);
	text_char(text, ':');
	if (options->time_diff)
		put_diff(report, event, text);
	report_line_put_name(report, plan, text);
}
