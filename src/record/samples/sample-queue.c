/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "record/samples/sample-queue.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "format/bytes.h"
#include "record/unwind/unwinder.h"
#include "symbols/dwarf/stack-unwind.h"

/* The limit of pending samples; beyond it, the first one is late. */
#define WAITING_MAX 2048
/*
 * At the end, an unwinder that is silent for this long has hung. Reading files over a network takes
 * seconds.
 */
#define SILENCE_MS 10000

struct waiting {
	size_t cpu;
	uint64_t time;
	uint64_t lost; /* not a sample, but a gap of this many lost ones */
	uint32_t size;
	uint32_t number; /* of the question */
	bool is_asked;
	uint8_t event[SAMPLE_SIZE_MAX];
};

struct sample_queue {
	struct event_pages *pages;
	struct unwinder *unwinder;
	size_t first, n; /* the ring buffer below */
	uint32_t asked; /* questions so far */
	uint64_t ends[SAMPLE_ENDS];
	uint64_t failed; /* of late samples */
	struct waiting waiting[WAITING_MAX];
};

int sample_queue_new(struct event_pages *pages, struct unwinder *unwinder,
		     struct sample_queue **ret_queue)
{
	struct sample_queue *queue = mem_zalloc(1, sizeof(*queue));

	if (!queue)
		return -ENOMEM;
	queue->pages = pages;
	queue->unwinder = unwinder;
	*ret_queue = queue;
	return 0;
}

void sample_queue_free(struct sample_queue *queue)
{
	free(queue);
}

uint64_t sample_queue_count(const struct sample_queue *queue, enum sample_end end)
{
	return queue->ends[end];
}

static struct waiting *first_of(struct sample_queue *queue)
{
	return &queue->waiting[queue->first];
}

static int write_first(struct sample_queue *queue)
{
	const struct waiting *one = first_of(queue);

	queue->first = (queue->first + 1) % WAITING_MAX;
	queue->n--;
	return one->lost ?
		       event_pages_lose(queue->pages, one->cpu, one->time, one->lost) :
		       event_pages_put(queue->pages, one->cpu, one->time, one->event, one->size);
}

uint64_t sample_queue_failed(const struct sample_queue *queue)
{
	return queue->failed;
}

/* Keeps the call chain of the kernel. */
static void sample_queue_end_as(struct sample_queue *queue, struct waiting *one,
				enum sample_end end)
{
	one->is_asked = false;
	sample_event_set_end(one->event, end, BYTES_HOST_BIG);
	queue->ends[end]++;
}

/* Gives up waiting for an answer. */
static void end_late(struct sample_queue *queue, struct waiting *one)
{
	queue->failed += unwinder_failed(queue->unwinder);
	sample_queue_end_as(queue, one, SAMPLE_END_LATE);
}

static int write_done(struct sample_queue *queue)
{
	int r = 0;

	while (r == 0 && queue->n && !first_of(queue)->is_asked)
		r = write_first(queue);
	return r;
}

static enum sample_end sample_queue_end_of(uint32_t end)
{
	static const enum sample_end ends[] = {
		[UNWIND_WHOLE] = SAMPLE_END_WHOLE,	 [UNWIND_COPY] = SAMPLE_END_COPY,
		[UNWIND_NO_RULES] = SAMPLE_END_NO_RULES, [UNWIND_NO_FILE] = SAMPLE_END_NO_FILE,
		[UNWIND_NOWHERE] = SAMPLE_END_NOWHERE,	 [UNWIND_ROOM] = SAMPLE_END_ROOM,
	};

	return end < sizeof(ends) / sizeof(ends[0]) ? ends[end] : SAMPLE_END_NOWHERE;
}

/*
 * Answers arrive in the order of questions. One that was given up has no answer, or one to be
 * ignored.
 */
static void sample_queue_put_answer(struct sample_queue *queue, const struct unwind_answer *answer)
{
	for (size_t i = 0; i < queue->n; i++) {
		struct waiting *one = &queue->waiting[(queue->first + i) % WAITING_MAX];
		enum sample_end end = sample_queue_end_of(answer->end);

		if (!one->is_asked || one->number != answer->number)
			continue;
		one->is_asked = false;
		one->size = sample_event_set_frames(one->event, answer->frames, answer->n, end,
						    BYTES_HOST_BIG);
		queue->ends[end]++;
		return;
	}
}

int sample_queue_take(struct sample_queue *queue, bool all)
{
	struct unwind_answer answer;
	int r = write_done(queue);

	while (r == 0 && queue->n &&
	       unwinder_answer(queue->unwinder, all ? SILENCE_MS : 0, &answer)) {
		sample_queue_put_answer(queue, &answer);
		r = write_done(queue);
	}
	while (r == 0 && queue->n && (all || unwinder_failed(queue->unwinder))) {
		if (first_of(queue)->is_asked)
			end_late(queue, first_of(queue));
		r = write_first(queue);
	}
	return r;
}

/* Makes room for a sample, by giving up the first one if necessary. */
static int sample_queue_make_room(struct sample_queue *queue)
{
	int r = queue->n == WAITING_MAX ? sample_queue_take(queue, false) : 0;

	if (r < 0 || queue->n < WAITING_MAX)
		return r;
	end_late(queue, first_of(queue));
	return write_done(queue);
}

static struct waiting *sample_queue_add(struct sample_queue *queue, size_t cpu, uint64_t time)
{
	struct waiting *one = &queue->waiting[(queue->first + queue->n++) % WAITING_MAX];

	one->cpu = cpu;
	one->time = time;
	one->lost = 0;
	one->is_asked = false;
	return one;
}

/* Fills in the question. Returns false if there is none to ask, with the reason in @ret_end. */
static bool make_question(const struct perf_layout *layout, const struct perf_record *record,
			  struct unwind_question *question, enum sample_end *ret_end)
{
	*ret_end = SAMPLE_END_FRAME_POINTERS;
	if (!record->regs_abi)
		return false;
	*ret_end = SAMPLE_END_OTHER_ABI;
	if (record->regs_abi != PERF_SAMPLE_REGS_ABI_64 || layout->n_regs != unwind_machine.n_perf)
		return false;
	question->pid = record->pid;
	question->time = record->time;
	for (unsigned i = 0; i < unwind_machine.n; i++)
		question->regs[i] = perf_record_reg(layout, record, unwind_machine.place[i]);
	return true;
}

int sample_queue_put(struct sample_queue *queue, const struct perf_layout *layout,
		     const struct perf_record *record, size_t cpu, const uint8_t *event,
		     uint32_t size)
{
	struct unwind_question question = { .number = queue->asked };
	struct waiting *one;
	enum sample_end end;
	int r = sample_queue_make_room(queue);

	if (r < 0)
		return r;
	one = sample_queue_add(queue, cpu, record->time);
	one->size = size;
	memcpy(one->event, event, size);
	if (!make_question(layout, record, &question, &end)) {
		sample_queue_end_as(queue, one, end);
	} else if (unwinder_ask(queue->unwinder, &question, record->stack, record->stack_size)) {
		one->is_asked = true;
		one->number = queue->asked++;
	} else {
		end_late(queue, one);
	}
	return write_done(queue);
}

int sample_queue_lose(struct sample_queue *queue, size_t cpu, uint64_t time, uint64_t lost)
{
	int r = sample_queue_make_room(queue);

	if (r < 0 || !lost)
		return r;
	sample_queue_add(queue, cpu, time)->lost = lost;
	return write_done(queue);
}
