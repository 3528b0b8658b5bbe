/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "render/waits/critical-words.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/order.h"
#include "base/quote.h"
#include "render/kit/device.h"
#include "render/waits/waker.h"

uint32_t critical_task(const struct critical *critical)
{
	return critical->n_followed ? critical->followed[critical->n_followed - 1] : TASK_NONE;
}

const char *critical_cause_word(enum critical_cause cause)
{
	static const char *const words[CAUSES] = {
		[CAUSE_SELF] = "self",	     [CAUSE_TASK] = "task",
		[CAUSE_CPU] = "cpu",	     [CAUSE_DEVICE] = "device",
		[CAUSE_TIMER] = "timer",     [CAUSE_INTERRUPT] = "interrupt",
		[CAUSE_UNKNOWN] = "unknown",
	};

	return words[cause];
}

const char *critical_cause_title(enum critical_cause cause)
{
	static const char *const titles[CAUSES] = {
		[CAUSE_SELF] = "own work",
		[CAUSE_TASK] = "work of other tasks",
		[CAUSE_CPU] = "waiting for a CPU",
		[CAUSE_DEVICE] = "waiting for devices",
		[CAUSE_TIMER] = "waiting for timers",
		[CAUSE_INTERRUPT] = "interrupts",
		[CAUSE_UNKNOWN] = "unknown",
	};

	return titles[cause];
}

void critical_place_put(struct strbuf *buf, const struct critical *critical, uint32_t place)
{
	uint32_t number = place & ~PLACE_KIND;
	const char *name;

	if (place == PLACE_NONE || place == PLACE_OUTSIDE)
		return;
	if ((place & PLACE_KIND) == PLACE_FUNC) {
		if (number < critical->funcs.n)
			func_put_name(&critical->funcs.list[number], buf);
		return;
	}
	name = task_states_syscall(&critical->states, number);
	if (name)
		quote_adds(buf, name);
	else
		quote_addf(buf, "system call %" PRIu32, number);
}

static void put_in(struct strbuf *buf, const struct critical *critical, uint32_t place)
{
	if (place == PLACE_NONE || place == PLACE_OUTSIDE)
		return;
	strbuf_adds(buf, " in ");
	critical_place_put(buf, critical, place);
}

static void critical_words_put_task(struct strbuf *buf, const struct critical *critical,
				    uint32_t task)
{
	if (task < critical->states.n_tasks)
		task_put(buf, critical->states.tasks[task]);
	else
		strbuf_adds(buf, "<...>");
}

static void critical_words_put_source(struct strbuf *buf, const struct critical *critical,
				      const struct critical_what *what)
{
	const struct irqs *irqs = &critical->sources.irqs;
	const char *name = NULL;

	switch (what->source) {
	case SOURCE_TIMER:
		strbuf_adds(buf, "a timer");
		return;
	case SOURCE_BLOCK:
		strbuf_adds(buf, "block device ");
		device_put(buf, what->number);
		quote_addf(buf, ", %s", device_operation(what->operation));
		return;
	case SOURCE_SOFTIRQ:
		name = what->number == WAKER_NO_NUMBER ? NULL : irqs_softirq_name(what->number);
		quote_addf(buf, "softirq%s%s", name ? " " : "", name ?: "");
		return;
	case SOURCE_VECTOR:
		quote_addf(buf, "vector %" PRIu32, what->number);
		name = irqs_name(irqs, IRQ_VECTOR, what->number);
		break;
	case SOURCE_IRQ:
		if (what->number == WAKER_NO_NUMBER) {
			strbuf_adds(buf, "an interrupt");
			return;
		}
		quote_addf(buf, "interrupt %" PRIu32, what->number);
		name = irqs_name(irqs, IRQ_DEVICE, what->number);
		break;
	case SOURCE_NONE:
		strbuf_adds(buf, "something");
		break;
	}
	if (name)
		quote_addf(buf, " (%s)", name);
}

static void critical_words_put_unknown(struct strbuf *buf, const struct critical *critical,
				       const struct critical_what *what)
{
	static const char *const texts[] = {
		[REASON_NOT_SEEN] = "not recorded, or lost",
		[REASON_NOT_OVER] = "waits%s, still waiting at the end",
		[REASON_NO_WAKER] = "waits%s, waker unknown",
		[REASON_IDLE_WAKER] = "waits%s, woken by an idle CPU",
		[REASON_BEFORE_REQUEST] = "waits%s for a block request not issued yet",
		[REASON_DEEP] = "waits%s, chain of tasks too long",
		[REASON_FORGOTTEN] = "too many events during one wait",
	};
	const char *text = texts[what->reason], *mark;

	critical_words_put_task(buf, critical, what->task);
	strbuf_adds(buf, ": ");
	for (mark = text; *mark && *mark != '%'; mark++)
		strbuf_addc(buf, *mark);
	if (!*mark)
		return;
	put_in(buf, critical, what->place);
	quote_adds(buf, mark + 2);
}

void critical_what_put(struct strbuf *buf, const struct critical *critical,
		       const struct critical_what *what)
{
	switch (what->kind) {
	case CRITICAL_RUN:
		critical_words_put_task(buf, critical, what->task);
		strbuf_adds(buf, " runs");
		put_in(buf, critical, what->place);
		if (what->place == PLACE_OUTSIDE)
			strbuf_adds(buf, " outside system calls");
		break;
	case CRITICAL_QUEUE:
	case CRITICAL_QUEUE_UNKNOWN:
		critical_words_put_task(buf, critical, what->task);
		strbuf_adds(buf, " waits for a CPU");
		if (what->kind == CRITICAL_QUEUE && what->other == TASK_NONE) {
			strbuf_adds(buf, " that is idle (wakeup latency)");
		} else if (what->kind == CRITICAL_QUEUE) {
			strbuf_adds(buf, " occupied by ");
			critical_words_put_task(buf, critical, what->other);
		}
		break;
	case CRITICAL_AWAIT:
		critical_words_put_task(buf, critical, what->task);
		strbuf_adds(buf, " waits");
		put_in(buf, critical, what->place);
		strbuf_adds(buf, " for ");
		critical_words_put_source(buf, critical, what);
		break;
	case CRITICAL_HANDLER:
		critical_words_put_source(buf, critical, what);
		strbuf_adds(buf, " is handled");
		break;
	case CRITICAL_UNKNOWN:
		critical_words_put_unknown(buf, critical, what);
		break;
	}
}

static int critical_words_compare_sums(const void *a, const void *b)
{
	const struct critical_sum *p = *(const struct critical_sum *const *)a;
	const struct critical_sum *q = *(const struct critical_sum *const *)b;
	int order = order_falling(p->total, q->total);

	/* Equal sums keep their order, so that the output is deterministic. */
	return order ? order : p < q ? -1 : p > q;
}

static int critical_words_compare_groups(const void *a, const void *b)
{
	const struct critical_group *p = a, *q = b;
	int order = order_falling(p->total, q->total);

	return order ? order : (int)p->cause - (int)q->cause;
}

int critical_table_init(struct critical_table *table, const struct critical *critical)
{
	const struct critical_path *path = &critical->path;
	size_t n = 0;

	*table = (struct critical_table){ 0 };
	table->sums = mem_zalloc(path->n_sums ? path->n_sums : 1, sizeof(void *));
	if (!table->sums)
		return -ENOMEM;
	for (int cause = 0; cause < CAUSES; cause++) {
		struct critical_group group = { .cause = (enum critical_cause)cause,
						.sums = table->sums + n };

		for (size_t i = 0; i < path->n_sums; i++) {
			if (critical_cause_of(&path->sums[i].what, critical_task(critical)) !=
			    group.cause)
				continue;
			table->sums[n++] = &path->sums[i];
			group.total += path->sums[i].total;
			group.n++;
		}
		if (!group.n)
			continue;
		qsort(group.sums, group.n, sizeof(void *), critical_words_compare_sums);
		table->groups[table->n++] = group;
	}
	qsort(table->groups, table->n, sizeof(table->groups[0]), critical_words_compare_groups);
	return 0;
}

void critical_table_done(struct critical_table *table)
{
	free(table->sums);
}
