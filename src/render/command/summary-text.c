/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Words and lines that several parts of the summary screen use. */
#include <inttypes.h>

#include "base/quote.h"
#include "render/command/summary-parts.h"
#include "render/kit/duration.h"

#define WORDS_MIN 24 /* on narrower screens, lines after the first are less indented: */
#define NARROW_AT 4

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

void summary_put_wait_place(const struct summary *summary, const struct time_wait *wait,
			    struct strbuf *buf)
{
	const struct syscall_sums *sums =
		wait->syscall < 0 ? NULL : summary_find_syscall(summary, wait->syscall);

	if (wait->fault)
		strbuf_adds(buf, wait->syscall < 0 ? "page fault" : "page fault in ");
	else if (wait->syscall == TIME_SYSCALL_UNKNOWN)
		strbuf_adds(buf, "in the kernel");
	else if (wait->syscall < 0)
		strbuf_adds(buf, "outside system calls");
	if (wait->syscall < 0)
		return;
	if (sums && sums->name)
		quote_adds(buf, sums->name);
	else
		quote_addf(buf, "system call %" PRId64, wait->syscall);
}

void summary_put_wait_in(const struct summary *summary, const struct time_wait *wait,
			 struct strbuf *buf)
{
	strbuf_adds(buf, wait->fault ? "in a " : wait->syscall >= 0 ? "in " : "");
	summary_put_wait_place(summary, wait, buf);
}

void summary_put_wait(const struct summary *summary, const struct time_wait *wait,
		      struct strbuf *buf)
{
	summary_put_wait_in(summary, wait, buf);
	if (wait->disk)
		strbuf_adds(buf, " (uninterruptible)");
}

void summary_put_line(struct summary_printing *p, enum out_style style)
{
	if (style != OUT_PLAIN)
		quote_printf(p->out->stream, "%s", out_style(p->out, style));
	if (out_write(p->out, &p->line) < 0)
		p->nomem = true;
	if (style != OUT_PLAIN)
		quote_printf(p->out->stream, "%s", out_style(p->out, OUT_PLAIN));
}

void summary_put_words(struct summary_printing *p, unsigned at)
{
	if (p->line.err)
		p->nomem = true;
	out_wrap(p->out, at, p->out->width < at + WORDS_MIN && at > NARROW_AT ? NARROW_AT : at,
		 strbuf_str(&p->line));
	strbuf_clear(&p->line);
}

void summary_put_duration(struct summary_printing *p, uint64_t ns)
{
	char buf[DURATION_SIZE];

	quote_adds(&p->line, duration_text(ns, buf));
}
