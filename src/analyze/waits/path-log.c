/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/waits/path-log.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define CPUS_MAX 65536

struct path_track {
	uint32_t round; /* that of the log when this was last used; otherwise it is empty */
	uint32_t last; /* + 1 */
	uint32_t at; /* position of the walk, + 1 */
	uint64_t known; /* end of the last piece, or @begin of the log */
};

void path_log_reset(struct path_log *log, uint64_t time)
{
	/* A reused round would make old tracks look current. */
	if (++log->round == 0) {
		for (size_t i = 0; i < log->n_tasks; i++)
			log->tasks[i].round = 0;
		for (size_t i = 0; i < log->n_cpus; i++)
			log->cpus[i].round = 0;
		log->round = 1;
	}
	log->begin = time;
	log->n_pieces = log->n_turns = log->n_sources = 0;
}

static struct path_track *find_track(struct path_log *log, struct path_track **tracks, size_t *n,
				     size_t *cap, uint32_t number)
{
	struct path_track *track;

	if (number >= *n) {
		if (mem_reserve(tracks, cap, number + (size_t)1, sizeof(**tracks)) < 0) {
			log->nomem = true;
			return NULL;
		}
		memset(*tracks + *n, 0, (number + (size_t)1 - *n) * sizeof(**tracks));
		*n = number + (size_t)1;
	}
	track = &(*tracks)[number];
	if (track->round != log->round)
		*track = (struct path_track){ .round = log->round, .known = log->begin };
	return track;
}

static struct path_track *path_log_find_task(struct path_log *log, uint32_t task)
{
	return task >= TASKS_MAX ?
		       NULL :
		       find_track(log, &log->tasks, &log->n_tasks, &log->cap_tasks, task);
}

static struct path_track *path_log_find_cpu(struct path_log *log, uint32_t cpu)
{
	return cpu >= CPUS_MAX ? NULL :
				 find_track(log, &log->cpus, &log->n_cpus, &log->cap_cpus, cpu);
}

static uint32_t path_log_add_source(struct path_log *log, const struct wake_source *source)
{
	if (mem_reserve(&log->sources, &log->cap_sources, log->n_sources + 1,
			sizeof(*log->sources)) < 0) {
		log->nomem = true;
		return UINT32_MAX;
	}
	log->sources[log->n_sources] = *source;
	return (uint32_t)log->n_sources++;
}

/* Extends the last piece if the same state continues. */
static bool path_log_extend(struct path_log *log, const struct path_track *track,
			    const struct path_piece *piece)
{
	struct path_piece *last = track->last ? &log->pieces[track->last - 1] : NULL;

	if (!last || last->end != piece->start || last->kind != piece->kind ||
	    last->place != piece->place ||
	    (piece->kind != PIECE_RUN && piece->kind != PIECE_UNKNOWN))
		return false;
	last->end = piece->end;
	return true;
}

bool path_log_has_room(const struct path_log *log)
{
	uint32_t max = log->max ? log->max : PATH_LOG_MAX;

	return log->n_pieces < max && log->n_turns < max;
}

void path_log_add(struct path_log *log, uint32_t task, const struct path_piece *piece,
		  const struct wake_source *source)
{
	struct path_track *track;
	struct path_piece copy = *piece;

	if (!path_log_has_room(log))
		path_log_reset(log, piece->end);
	track = path_log_find_task(log, task);
	if (!track)
		return;
	copy.start = copy.start > track->known ? copy.start : track->known;
	if (copy.end <= copy.start)
		return;
	track->known = copy.end;
	if (path_log_extend(log, track, &copy))
		return;
	copy.before = track->last;
	if (source) {
		copy.number = path_log_add_source(log, source);
		if (copy.number == UINT32_MAX)
			return;
	}
	if (mem_reserve(&log->pieces, &log->cap_pieces, log->n_pieces + 1, sizeof(copy)) < 0) {
		log->nomem = true;
		return;
	}
	log->pieces[log->n_pieces++] = copy;
	track->last = track->at = (uint32_t)log->n_pieces;
}

void path_log_add_turn(struct path_log *log, uint32_t cpu, uint32_t task, uint64_t start,
		       uint64_t end)
{
	struct path_track *track;

	if (!path_log_has_room(log))
		path_log_reset(log, end);
	track = path_log_find_cpu(log, cpu);
	if (!track)
		return;
	start = start > track->known ? start : track->known;
	if (end <= start)
		return;
	if (mem_reserve(&log->turns, &log->cap_turns, log->n_turns + 1, sizeof(*log->turns)) < 0) {
		log->nomem = true;
		return;
	}
	log->turns[log->n_turns++] = (struct path_turn){
		.start = start, .end = end, .before = track->last, .task = task
	};
	track->known = end;
	track->last = track->at = (uint32_t)log->n_turns;
}

uint64_t path_log_end(const struct path_log *log, uint32_t task)
{
	if (task >= log->n_tasks || log->tasks[task].round != log->round)
		return log->begin;
	return log->tasks[task].known;
}

const struct path_piece *path_log_before(struct path_log *log, uint32_t task, uint64_t time)
{
	struct path_track *track = path_log_find_task(log, task);

	if (!track)
		return NULL;
	while (track->at && log->pieces[track->at - 1].start >= time)
		track->at = log->pieces[track->at - 1].before;
	return track->at ? &log->pieces[track->at - 1] : NULL;
}

const struct path_turn *path_log_turn_before(struct path_log *log, uint32_t cpu, uint64_t time)
{
	struct path_track *track = path_log_find_cpu(log, cpu);

	if (!track)
		return NULL;
	while (track->at && log->turns[track->at - 1].start >= time)
		track->at = log->turns[track->at - 1].before;
	return track->at ? &log->turns[track->at - 1] : NULL;
}

void path_log_done(struct path_log *log)
{
	free(log->pieces);
	free(log->turns);
	free(log->sources);
	free(log->tasks);
	free(log->cpus);
	memset(log, 0, sizeof(*log));
}
