/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/waits/critical-walk.h"

#include "base/mem.h"

/* Steps to other tasks at the same instant; more of them are a cycle. */
#define STILL_MAX (4 * CRITICAL_LEVELS_MAX)

/* Tasks that wait for one another; the last one waits for none of them. */
struct level {
	uint32_t task;
	uint64_t bound; /* since when the previous one has been waiting for it */
};

struct walk {
	struct critical *critical;
	uint64_t now; /* decreases */
	struct level levels[CRITICAL_LEVELS_MAX];
	uint32_t n;
	unsigned still;
};

static void critical_walk_emit(struct walk *walk, uint64_t start, struct critical_what what)
{
	struct critical *critical = walk->critical;
	struct critical_segment *last = critical->n_back ? &critical->back[critical->n_back - 1] :
							   NULL;
	const struct critical_segment segment = {
		.start = start, .end = walk->now, .what = what, .level = walk->n - 1
	};

	if (start >= walk->now)
		return;
	walk->now = start;
	walk->still = 0;
	if (last && last->level == segment.level && critical_what_eq(&last->what, &what)) {
		last->start = start;
		return;
	}
	if (mem_reserve(&critical->back, &critical->cap_back, critical->n_back + 1,
			sizeof(segment)) < 0) {
		critical->nomem = true;
		return;
	}
	critical->back[critical->n_back++] = segment;
}

static struct critical_what make_what(const struct walk *walk, enum critical_kind kind,
				      uint32_t place)
{
	return (struct critical_what){ .kind = kind,
				       .task = walk->levels[walk->n - 1].task,
				       .place = place,
				       .other = TASK_NONE,
				       .number = WAKER_NO_NUMBER };
}

static void emit_unknown(struct walk *walk, uint64_t start, uint32_t place,
			 enum critical_reason reason)
{
	struct critical_what what = make_what(walk, CRITICAL_UNKNOWN, place);

	what.reason = reason;
	critical_walk_emit(walk, start, what);
}

static void emit_source(struct walk *walk, uint64_t start, enum critical_kind kind, uint32_t place,
			const struct wake_source *source)
{
	struct critical_what what = make_what(walk, kind, place);

	if (kind == CRITICAL_HANDLER)
		what.task = TASK_NONE;
	what.source = source->kind;
	/* The individual timer does not matter. */
	what.number = source->kind == SOURCE_TIMER ? WAKER_NO_NUMBER : source->number;
	what.operation = source->operation;
	critical_walk_emit(walk, start, what);
}

uint32_t critical_place(const struct critical *critical, uint32_t task, int64_t syscall)
{
	uint32_t func = task < critical->n_lives ? critical->lives[task].func : FUNC_NONE;

	if (syscall >= 0 && syscall < PLACE_FUNC)
		return (uint32_t)syscall;
	if (func < PLACE_FUNC)
		return PLACE_FUNC | func;
	return syscall == SYSCALL_NONE && critical->has_all_calls ? PLACE_OUTSIDE : PLACE_NONE;
}

/* Adds the current state of the task to the log. */
static void critical_walk_settle(struct walk *walk, uint32_t task)
{
	struct critical *critical = walk->critical;
	const struct critical_life *life = &critical->lives[task];
	struct path_piece piece = { .end = critical->now, .place = PLACE_NONE };
	struct wake_source handler;
	struct task_span span;

	if (path_log_end(&critical->log, task) >= critical->now ||
	    !path_log_has_room(&critical->log))
		return;
	if (!task_states_now(&critical->states, task, critical->now, &span)) {
		/* It has been running since the beginning. */
		if (!life->has_acted || life->is_seen || critical->has_lost)
			return;
		piece.kind = PIECE_RUN;
		piece.place = critical_place(critical, task, critical->states.tasks[task]->syscall);
		path_log_add(&critical->log, task, &piece, NULL);
		return;
	}
	piece.start = span.start;
	piece.place = critical_place(critical, task, span.syscall);
	handler = wake_sources_handler(&critical->sources, span.cpu);
	if (span.quality == SPAN_DOUBTFUL) {
		piece.kind = PIECE_UNKNOWN;
	} else if (span.state == TASK_STATE_RUNNING) {
		piece.kind = handler.kind ? PIECE_HANDLER : PIECE_RUN;
	} else if (span.state == TASK_STATE_RUNNABLE) {
		piece.kind = PIECE_QUEUED;
		piece.number = CPU_UNKNOWN;
	} else {
		piece.kind = PIECE_WAIT;
		piece.ended_by = END_OPEN;
	}
	path_log_add(&critical->log, task, &piece, piece.kind == PIECE_HANDLER ? &handler : NULL);
}

/* From here on, the path is that of @task, back to @bound. */
static bool critical_walk_push(struct walk *walk, uint32_t task, uint64_t bound)
{
	if (walk->n >= CRITICAL_LEVELS_MAX || task >= walk->critical->n_lives)
		return false;
	walk->levels[walk->n++] = (struct level){ task, bound };
	critical_walk_settle(walk, task);
	return true;
}

/*
 * Skips a hole in the log: the last task is unknown immediately before now, but perhaps known
 * before @end.
 */
static void go_over_hole(struct walk *walk, uint64_t end)
{
	struct level *level = &walk->levels[walk->n - 1];
	const struct critical_life *life = &walk->critical->lives[level->task];

	if (life->is_born && walk->now <= life->born && life->parent < walk->critical->n_lives) {
		level->task = life->parent;
		critical_walk_settle(walk, level->task);
		return;
	}
	if (life->is_born && life->born > end && life->born < walk->now)
		end = life->born;
	emit_unknown(walk, end, PLACE_NONE, REASON_NOT_SEEN);
}

/* It waited for a CPU, that is, for whatever ran on the CPU that it got. */
static void go_over_queue(struct walk *walk, uint64_t start, uint32_t cpu)
{
	while (walk->now > start) {
		const struct path_turn *turn =
			cpu == CPU_UNKNOWN ?
				NULL :
				path_log_turn_before(&walk->critical->log, cpu, walk->now);
		struct critical_what what = make_what(walk, CRITICAL_QUEUE, PLACE_NONE);
		uint64_t begin;

		if (turn && turn->end >= walk->now) {
			what.other = turn->task;
			begin = turn->start;
		} else {
			what.kind = CRITICAL_QUEUE_UNKNOWN;
			begin = turn ? turn->end : start;
		}
		critical_walk_emit(walk, begin > start ? begin : start, what);
	}
}

static void go_over_source(struct walk *walk, uint64_t start, uint32_t place,
			   const struct wake_source *source)
{
	uint64_t served = source->served > start ? source->served : start;
	uint64_t issued = source->issued > start ? source->issued : start;

	emit_source(walk, served, CRITICAL_HANDLER, PLACE_NONE, source);
	if (source->kind != SOURCE_BLOCK) {
		emit_source(walk, start, CRITICAL_AWAIT, place, source);
		return;
	}
	emit_source(walk, issued, CRITICAL_AWAIT, place, source);
	/* Before the request was issued, it waited for the issuer. */
	if (walk->now > start && (source->issuer == walk->levels[walk->n - 1].task ||
				  !critical_walk_push(walk, source->issuer, start)))
		emit_unknown(walk, start, place, REASON_BEFORE_REQUEST);
}

static void go_over_wait(struct walk *walk, const struct path_piece *piece, uint64_t start)
{
	uint32_t place = piece->place;

	if (piece->ended_by == END_OPEN) {
		/* While waiting, it cannot have done work for which others waited. */
		emit_unknown(walk, start, place,
			     walk->n == 1 && walk->now == walk->critical->now ? REASON_NOT_OVER :
										REASON_NOT_SEEN);
		return;
	}
	if (piece->end > walk->now) {
		emit_unknown(walk, start, place, REASON_NOT_SEEN);
		return;
	}
	switch ((enum piece_end)piece->ended_by) {
	case END_TASK:
		if (piece->number == walk->levels[walk->n - 1].task)
			emit_unknown(walk, start, place, REASON_NO_WAKER);
		else if (!critical_walk_push(walk, piece->number, start))
			emit_unknown(walk, start, place, REASON_DEEP);
		break;
	case END_SOURCE:
		go_over_source(walk, start, place, &walk->critical->log.sources[piece->number]);
		break;
	case END_IDLE:
		emit_unknown(walk, start, place, REASON_IDLE_WAKER);
		break;
	default:
		emit_unknown(walk, start, place, REASON_NO_WAKER);
		break;
	}
}

static void critical_walk_step(struct walk *walk)
{
	struct path_log *log = &walk->critical->log;
	const struct level *level = &walk->levels[walk->n - 1];
	uint64_t low = level->bound > log->begin ? level->bound : log->begin;
	const struct path_piece *found = path_log_before(log, level->task, walk->now);
	struct path_piece piece;
	uint64_t start;

	if (!found || found->end < walk->now) {
		go_over_hole(walk, found && found->end > low ? found->end : low);
		return;
	}
	/* The log may move. */
	piece = *found;
	start = piece.start > low ? piece.start : low;
	switch ((enum piece_kind)piece.kind) {
	case PIECE_RUN:
		critical_walk_emit(walk, start, make_what(walk, CRITICAL_RUN, piece.place));
		break;
	case PIECE_HANDLER:
		emit_source(walk, start, CRITICAL_HANDLER, PLACE_NONE, &log->sources[piece.number]);
		break;
	case PIECE_QUEUED:
		go_over_queue(walk, start, piece.number);
		break;
	case PIECE_WAIT:
		go_over_wait(walk, &piece, start);
		break;
	case PIECE_UNKNOWN:
		emit_unknown(walk, start, PLACE_NONE, REASON_NOT_SEEN);
		break;
	}
}

static void add_clipped(struct critical *critical, struct critical_segment *segment)
{
	if (segment->start < critical->clip)
		segment->start = critical->clip;
	critical_path_add(&critical->path, segment);
}

void critical_walk(struct critical *critical, uint32_t task)
{
	struct walk walk = { .critical = critical,
			     .now = critical->now,
			     .levels = { { task, critical->to } },
			     .n = 1 };

	critical->n_back = 0;
	if (task >= critical->n_lives)
		return;
	critical_walk_settle(&walk, task);
	while (walk.now > critical->to) {
		if (walk.now <= critical->log.begin) {
			walk.n = 1;
			emit_unknown(&walk, critical->to, PLACE_NONE, REASON_FORGOTTEN);
		} else if (walk.now <= walk.levels[walk.n - 1].bound) {
			walk.n--;
		} else if (walk.still++ > STILL_MAX) {
			emit_unknown(&walk, walk.levels[walk.n - 1].bound, PLACE_NONE, REASON_DEEP);
		} else {
			critical_walk_step(&walk);
		}
	}
	while (critical->n_back)
		add_clipped(critical, &critical->back[--critical->n_back]);
	critical->to = critical->now;
	path_log_reset(&critical->log, critical->now);
}
