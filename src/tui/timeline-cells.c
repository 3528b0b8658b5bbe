/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Columns, lanes and their cells. A lane is added when it first occurs, and has a cell for each
 * column.
 */
#include "tui/timeline.h"

#include "base/mem.h"

uint64_t timeline_whole(const struct timeline *timeline)
{
	uint64_t span = timeline->last - timeline->first;

	return span < UINT64_MAX ? span + 1 : span;
}

unsigned timeline_col(const struct timeline *timeline, uint64_t time)
{
	double guess;
	unsigned col;

	if (time < timeline->from || !timeline->cols)
		return 0;
	guess = (double)(time - timeline->from) * timeline->cols_per_ns;
	col = guess < timeline->cols ? (unsigned)guess : timeline->cols - 1;
	while (col && timeline->starts[col] > time)
		col--;
	while (col + 1 < timeline->cols && timeline->starts[col + 1] <= time)
		col++;
	return col;
}

uint32_t timeline_lane(const struct timeline *timeline, enum lane_kind kind, int32_t number)
{
	uint32_t lane = u64_map_get(&timeline->numbers,
				    (uint64_t)(kind == LANE_TASK) << 32 | (uint32_t)number);

	return lane == U64_MAP_NONE ? TIMELINE_NO_LANE : lane;
}

const struct lane_cell *timeline_cell(const struct timeline *timeline, uint32_t lane, unsigned col)
{
	return &timeline->cells[(size_t)lane * timeline->cols + col];
}

static bool is_lane_wanted(const struct timeline *timeline, enum lane_kind kind, int32_t number)
{
	const struct fathom_window *window = &timeline->window;
	bool found;

	if (kind == LANE_TASK && window->pids) {
		found = false;
		for (size_t i = 0; i < window->n_pids; i++)
			found |= window->pids[i] == number;
		return found;
	}
	if (kind == LANE_CPU && window->cpus) {
		found = false;
		for (size_t i = 0; i < window->n_cpus; i++)
			found |= window->cpus[i] == (uint32_t)number;
		return found;
	}
	return true;
}

static struct timeline_lane *make_lane(struct timeline *timeline, uint64_t key)
{
	size_t n = timeline->n_lanes;
	enum lane_kind kind = key >> 32 ? LANE_TASK : LANE_CPU;
	int32_t number = (int32_t)(uint32_t)key;

	if (!is_lane_wanted(timeline, kind, number))
		return NULL;
	if (n >= TIMELINE_LANES_MAX || (n + 1) * timeline->cols > TIMELINE_CELLS_MAX) {
		timeline->too_many = true;
		return NULL;
	}
	if (mem_reserve(&timeline->cells, &timeline->cap_cells, (n + 1) * timeline->cols,
			sizeof(*timeline->cells)) < 0 ||
	    !u64_map_element(&timeline->numbers, key, &timeline->lanes, &timeline->n_lanes,
			     &timeline->cap_lanes, sizeof(*timeline->lanes))) {
		timeline->nomem = true;
		return NULL;
	}
	for (size_t i = n * timeline->cols; i < (n + 1) * timeline->cols; i++)
		timeline->cells[i] = (struct lane_cell){ 0 };
	timeline->lanes[n] = (struct timeline_lane){ .kind = kind,
						     .number = number,
						     .seen = TIMELINE_SEEN_NOBODY };
	return &timeline->lanes[n];
}

struct timeline_lane *timeline_lane_get(struct timeline *timeline, enum lane_kind kind,
					int32_t number, bool make)
{
	uint64_t key = (uint64_t)(kind == LANE_TASK) << 32 | (uint32_t)number;
	const struct timeline_lane *last = timeline->last_lane < timeline->n_lanes ?
						   &timeline->lanes[timeline->last_lane] :
						   NULL;
	uint32_t found;

	if (last && last->kind == kind && last->number == number)
		return &timeline->lanes[timeline->last_lane];
	found = u64_map_get(&timeline->numbers, key);
	if (found == U64_MAP_NONE)
		return make ? make_lane(timeline, key) : NULL;
	if (kind == LANE_TASK)
		timeline->last_lane = found;
	return &timeline->lanes[found];
}

void timeline_drop_lanes(struct timeline *timeline)
{
	u64_map_done(&timeline->numbers);
	timeline->numbers = (struct u64_map){ 0 };
	timeline->n_lanes = timeline->n_order = 0;
	timeline->last_lane = 0;
	timeline->too_many = timeline->nomem = false;
}
