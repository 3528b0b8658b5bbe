/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What tasks did, and who was on which CPU, since an instant: what is looked back at when a wait
 * is over. Each task has a list of pieces of time that do not overlap; what is between them is
 * not known. Whoever looks back never goes forward again until path_log_reset(), so all of it is
 * walked over once at most, however often tasks change.
 *
 * There is room for a fixed number of pieces. When it is full, all is forgotten and it begins
 * anew at that time, @begin.
 */
#ifndef FATHOM_ANALYZE_WAITS_PATH_LOG_H
#define FATHOM_ANALYZE_WAITS_PATH_LOG_H

#include "analyze/waits/wake-source.h"

/* What a long wait on a busy machine may need; at most 112 bytes each. */
#define PATH_LOG_MAX ((uint32_t)1 << 21)
#define PLACE_NONE   UINT32_MAX

enum piece_kind {
	PIECE_UNKNOWN,
	PIECE_RUN,
	PIECE_HANDLER, /* it was on a CPU, and an interrupt was served there: @number is a source */
	PIECE_QUEUED, /* it waited for a CPU, which is @number; CPU_UNKNOWN: it did not get one yet */
	PIECE_WAIT, /* it waited for something */
};

#define CPU_UNKNOWN UINT32_MAX

enum piece_end {
	END_UNKNOWN, /* WAIT: nobody was seen to end it */
	END_TASK, /* @number is the task that did */
	END_SOURCE, /* @number is a source */
	END_IDLE, /* it was an idle CPU */
	END_OPEN, /* it was not over */
};

struct path_piece {
	uint64_t start, end;
	uint32_t before; /* the one of the same task; + 1 */
	uint32_t number; /* see above */
	uint32_t place; /* where in its code it was, as the user of the log numbers places */
	uint8_t kind, ended_by;
};

/* Somebody's time on a CPU. */
struct path_turn {
	uint64_t start, end;
	uint32_t before; /* the one on the same CPU; + 1 */
	uint32_t task; /* TASK_NONE: nobody, the CPU was idle */
};

struct path_track {
	uint32_t round; /* of the log when this was used; another one: it is empty */
	uint32_t last; /* + 1 */
	uint32_t at; /* where who looks back is, + 1 */
	uint64_t known; /* the end of the last one; when there is none the begin of the log */
};

/* Zero-initialised is empty; it begins with path_log_reset(). */
struct path_log {
	uint32_t max; /* pieces; 0: PATH_LOG_MAX */
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
	bool nomem; /* something is missing */
};

/* Forgets all; what comes is later than @time. */
void path_log_reset(struct path_log *log, uint64_t time);
/*
 * Adds @piece, which is shortened to what lies behind the last one of the task. @source is
 * the one that its number shall be, or NULL.
 */
void path_log_add(struct path_log *log, uint32_t task, const struct path_piece *piece,
		  const struct wake_source *source);
void path_log_add_turn(struct path_log *log, uint32_t cpu, uint32_t task, uint64_t start,
		       uint64_t end);
/* Is there room for one more? */
bool path_log_has_room(const struct path_log *log);
/* The end of what is known of the task. */
uint64_t path_log_end(const struct path_log *log, uint32_t task);
/* The last piece of the task that begins before @time; NULL: none does. */
const struct path_piece *path_log_before(struct path_log *log, uint32_t task, uint64_t time);
/* The last turn on the CPU that begins before @time; NULL: none does. */
const struct path_turn *path_log_turn_before(struct path_log *log, uint32_t cpu, uint64_t time);
void path_log_done(struct path_log *log);

#endif
