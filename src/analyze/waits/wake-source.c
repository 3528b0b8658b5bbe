/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/waits/wake-source.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"

#define CPUS_MAX 65536

enum {
	SOFTIRQ_TIMER = 1,
	SOFTIRQ_HRTIMER = 8,
};

struct wake_source_cpu {
	struct wake_source hard, soft; /* handlers; SOURCE_NONE: none */
	bool in_timer; /* a timer callback is running */
	/* The block request completed last; SOURCE_NONE: not by the current handler. */
	struct wake_source done;
};

static const struct wake_source nothing = { .number = WAKER_NO_NUMBER, .issuer = TASK_NONE };

static struct wake_source_cpu *wake_source_find_cpu(struct wake_sources *sources, uint32_t cpu)
{
	if (cpu < sources->n_cpus)
		return &sources->cpus[cpu];
	if (cpu >= CPUS_MAX || mem_reserve(&sources->cpus, &sources->cap_cpus, cpu + (size_t)1,
					   sizeof(*sources->cpus)) < 0) {
		sources->nomem = true;
		return NULL;
	}
	for (; sources->n_cpus <= cpu; sources->n_cpus++)
		sources->cpus[sources->n_cpus] = (struct wake_source_cpu){ .hard = nothing,
									   .soft = nothing,
									   .done = nothing };
	return &sources->cpus[cpu];
}

struct wake_source wake_sources_handler(const struct wake_sources *sources, uint32_t cpu)
{
	if (cpu >= sources->n_cpus)
		return nothing;
	if (sources->cpus[cpu].hard.kind)
		return sources->cpus[cpu].hard;
	return sources->cpus[cpu].soft;
}

static bool is_timer(const struct wake_sources *sources, const struct wake_source *source)
{
	const char *name;

	if (source->kind == SOURCE_SOFTIRQ)
		return source->number == SOFTIRQ_TIMER || source->number == SOFTIRQ_HRTIMER;
	name = source->number == WAKER_NO_NUMBER ?
		       NULL :
		       irqs_name(&sources->irqs,
				 source->kind == SOURCE_VECTOR ? IRQ_VECTOR : IRQ_DEVICE,
				 source->number);
	/* "local_timer" on x86, "arch_timer" on arm64, "riscv-timer", "timer". */
	return name && strlen(name) >= strlen("timer") &&
	       str_eq(name + strlen(name) - strlen("timer"), "timer");
}

struct wake_source wake_sources_find(const struct wake_sources *sources,
				     const struct fathom_event *event, struct waker waker,
				     bool is_now)
{
	const struct wake_source_cpu *cpu =
		is_now && event->cpu < sources->n_cpus ? &sources->cpus[event->cpu] : NULL;
	struct wake_source source = nothing, handler = nothing;

	if (cpu) {
		if (cpu->done.kind && (waker.kind == WAKER_HARDIRQ || waker.kind == WAKER_VECTOR ||
				       waker.kind == WAKER_SOFTIRQ))
			return cpu->done;
		handler = waker.kind == WAKER_SOFTIRQ ? cpu->soft : cpu->hard;
	}
	if (waker.kind == WAKER_SOFTIRQ)
		source.kind = SOURCE_SOFTIRQ;
	else if (waker.kind == WAKER_VECTOR)
		source.kind = SOURCE_VECTOR;
	else if (waker.kind == WAKER_HARDIRQ)
		source.kind = SOURCE_IRQ;
	else
		return nothing;
	source.number = waker.number;
	source.served = handler.kind ? handler.served : event->time;
	if (is_timer(sources, &source) || (cpu && cpu->in_timer))
		source.kind = SOURCE_TIMER;
	return source;
}

static void feed_handler(struct wake_source_cpu *cpu, const struct decoded_event *decoded)
{
	bool is_soft = decoded->kind == DECODED_SOFTIRQ_ENTRY ||
		       decoded->kind == DECODED_SOFTIRQ_EXIT;
	bool begins = decoded->kind == DECODED_SOFTIRQ_ENTRY || decoded->kind == DECODED_IRQ_ENTRY;
	const struct event_format *format = decoded->entry ? decoded->entry->format : NULL;
	struct wake_source source = nothing;

	if (begins) {
		source.kind = is_soft					      ? SOURCE_SOFTIRQ :
			      format && str_eq(format->system, "irq_vectors") ? SOURCE_VECTOR :
										SOURCE_IRQ;
		source.number = (uint32_t)decoded->call_number.number;
		source.served = decoded->event->time;
	}
	if (is_soft)
		cpu->soft = source;
	else
		cpu->hard = source;
	cpu->done = nothing;
	cpu->in_timer = false;
}

static void wake_source_feed_complete(struct wake_sources *sources, struct wake_source_cpu *cpu,
				      const struct task_states *states,
				      const struct decoded_event *decoded)
{
	const struct io_request *request = io_find(&sources->io, decoded);

	cpu->done = nothing;
	if (!request)
		return;
	cpu->done =
		(struct wake_source){ .kind = SOURCE_BLOCK,
				      .number = request->key.device,
				      .operation = request->key.operation,
				      .served = decoded->event->time,
				      .issued = request->issued_at,
				      .issuer = request->by_interrupt || request->pid <= 0 ?
							TASK_NONE :
							task_states_find(states, request->pid) };
}

void wake_sources_feed(struct wake_sources *sources, const struct task_states *states,
		       const struct decoded_event *decoded)
{
	struct wake_source_cpu *cpu = wake_source_find_cpu(sources, decoded->event->cpu);

	if (!cpu)
		return;
	if (decoded_has_gap(decoded))
		*cpu = (struct wake_source_cpu){ .hard = nothing,
						 .soft = nothing,
						 .done = nothing };
	switch (decoded->kind) {
	case DECODED_IRQ_ENTRY:
	case DECODED_IRQ_EXIT:
	case DECODED_SOFTIRQ_ENTRY:
	case DECODED_SOFTIRQ_EXIT:
		feed_handler(cpu, decoded);
		irqs_feed(&sources->irqs, decoded);
		break;
	case DECODED_TIMER_ENTRY:
	case DECODED_TIMER_EXIT:
		cpu->in_timer = decoded->kind == DECODED_TIMER_ENTRY;
		break;
	case DECODED_BLOCK_COMPLETE:
		wake_source_feed_complete(sources, cpu, states, decoded);
		break;
	case DECODED_SWITCH:
		/* No handler runs across a switch. */
		cpu->hard = cpu->soft = nothing;
		cpu->in_timer = false;
		__attribute__((fallthrough));
	case DECODED_SYSCALL_ENTRY:
	case DECODED_SYSCALL_EXIT:
		cpu->done = nothing;
		break;
	default:
		break;
	}
	io_feed(&sources->io, decoded);
	sources->nomem |= sources->irqs.nomem || sources->io.nomem;
}

void wake_sources_done(struct wake_sources *sources)
{
	irqs_done(&sources->irqs);
	io_done(&sources->io);
	free(sources->cpus);
	memset(sources, 0, sizeof(*sources));
}
