/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A log of the activity of tasks, and of the tasks that occupied CPUs, since an instant, for
 * walking back at the end of a wait. Each task has a list of intervals without overlap; between
 * them, its state is unknown. A walk only moves back until the next path_log_reset(), so that the
 * whole log is traversed at most once, no matter how often the walk changes tasks.
 *
 * The number of pieces is limited. When the log is full, it is dropped, and starts again at that
 * time, @begin. If memory is exhausted, @nomem is set, and pieces are missing. Pointers to pieces
 * are valid until one is added. Times are in ns. Not thread-safe.
 */
#ifndef FATHOM_ANALYZE_WAITS_PATH_LOG_H
#define FATHOM_ANALYZE_WAITS_PATH_LOG_H

#include "analyze/waits/wake-source.h"

/* Enough for a long wait on a busy machine; at most 112 bytes each. */
#define PATH_LOG_MAX ((uint32_t)1 << 21)
#define PLACE_NONE   UINT32_MAX

enum piece_kind {
	PIECE_UNKNOWN,
	PIECE_RUN,
	PIECE_HANDLER, /* on a CPU that handled an interrupt: @number is a source */
	PIECE_QUEUED, /* waited for the CPU @number; CPU_UNKNOWN: did not get one yet */
	PIECE_WAIT, /* waited for something else */
};

#define CPU_UNKNOWN UINT32_MAX

enum piece_end {
	END_UNKNOWN, /* WAIT: no wakeup was recorded */
	END_TASK, /* @number is the waker */
	END_SOURCE, /* @number is a source */
	END_IDLE, /* woken by an idle CPU */
	END_OPEN, /* the wait has not ended */
};

struct path_piece {
	uint64_t start, end;
	uint32_t before; /* the previous one of the task, + 1 */
	uint32_t number; /* see above */
	uint32_t place; /* place in its code, in the numbering of the caller */
	uint8_t kind, ended_by;
};

/* A task's run on a CPU. */
struct path_turn {
	uint64_t start, end;
	uint32_t before; /* the previous one on the CPU, + 1 */
	uint32_t task; /* TASK_NONE: the CPU was idle */
};

struct path_track;

/* Empty when zero-initialized. Call path_log_reset() before anything else. */
struct path_log {
	uint32_t max; /* maximum number of pieces; 0: PATH_LOG_MAX */
	uint32_t round;
	uint64_t begin;
	struct path_piece *pieces;
	size_t n_pieces, cap_pieces;
	struct path_turn *turns;
	size_t n_turns, cap_turns;
	struct wake_source *sources;
	size_t n_sources, cap_sources;
	struct path_track *tasks, *cpus;
	size_t n_tasks, cap_tasks, n_cpus, cap_cpus;
	bool nomem; /* pieces are missing */
};

/* Drops everything. Pieces added from now on must be later than @time. */
void path_log_reset(struct path_log *log, uint64_t time);
/*
 * Adds @piece, cut to the part after the last piece of the task. If @source is not NULL, the piece
 * gets the number of a copy of that.
 */
void path_log_add(struct path_log *log, uint32_t task, const struct path_piece *piece,
		  const struct wake_source *source);
void path_log_add_turn(struct path_log *log, uint32_t cpu, uint32_t task, uint64_t start,
		       uint64_t end);
/* Returns whether a piece can be added without dropping the log. */
bool path_log_has_room(const struct path_log *log);
/* Returns the end of the last piece of the task. */
uint64_t path_log_end(const struct path_log *log, uint32_t task);
/*
 * Returns the last piece of the task that begins before @time, or NULL. @time must not increase
 * between calls.
 */
const struct path_piece *path_log_before(struct path_log *log, uint32_t task, uint64_t time);
/* Returns the last run on the CPU that begins before @time, or NULL. @time as above. */
const struct path_turn *path_log_turn_before(struct path_log *log, uint32_t cpu, uint64_t time);
void path_log_done(struct path_log *log);

#endif
