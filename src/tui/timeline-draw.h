/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Draws a timeline: a ruler, a line for each lane, and details about the position of the cursor. */
#ifndef FATHOM_TUI_TIMELINE_DRAW_H
#define FATHOM_TUI_TIMELINE_DRAW_H

#include "base/strbuf.h"
#include "read/event-table.h"
#include "tui/cells.h"
#include "tui/lines.h"
#include "tui/timeline.h"

/*
 * The position in a timeline, and what drawing needs. The caller owns @tasks and @events, and
 * releases @buf.
 */
struct timeline_look {
	bool raw_times; /* timestamps are not in nanoseconds */
	const struct tasks *tasks;
	struct event_table *events;
	uint64_t at; /* the cursor */
	enum lane_kind kind; /* the selected lane */
	int32_t number;
	struct lines lines; /* of lanes; the selected one follows from @kind and @number */
	uint64_t marks[2];
	bool has_mark[2];
	struct strbuf buf;
};

/* Returns the number of columns for the time in an area. */
unsigned timeline_look_cols(const struct cells_area *area);
/* Returns the index of the selected lane in the timeline's order; 0 if it is missing. */
size_t timeline_look_row(const struct timeline_look *look, const struct timeline *timeline);
/*
 * Returns the number of the selected lane, or of the first one if it is missing, or
 * TIMELINE_NO_LANE.
 */
uint32_t timeline_look_lane(const struct timeline_look *look, const struct timeline *timeline);
void timeline_look_choose(struct timeline_look *look, const struct timeline *timeline, size_t row);

/* Appends "CPU 1" or "cat-231". */
void timeline_put_lane(const struct timeline_look *look, struct strbuf *buf,
		       const struct timeline_lane *lane);
void timeline_put_duration(const struct timeline_look *look, struct strbuf *buf, uint64_t span);
void timeline_draw(struct timeline_look *look, const struct timeline *timeline, struct cells *cells,
		   const struct cells_area *area);

#endif
