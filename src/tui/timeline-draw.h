/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Draws a timeline into cells: a ruler, a line for each lane, and what the cursor is at. */
#ifndef FATHOM_TUI_TIMELINE_DRAW_H
#define FATHOM_TUI_TIMELINE_DRAW_H

#include "base/strbuf.h"
#include "read/event-table.h"
#include "tui/cells.h"
#include "tui/lines.h"
#include "tui/timeline.h"

/* Where in the timeline somebody looks. */
struct timeline_look {
	bool raw_times; /* they are no nanoseconds */
	const struct tasks *tasks;
	struct event_table *events;
	uint64_t at; /* the cursor */
	enum lane_kind kind; /* the lane that is chosen */
	int32_t number;
	struct lines lines; /* lanes; what is selected follows from @kind and @number */
	uint64_t marks[2];
	bool has_mark[2];
	struct strbuf buf;
};

/* How many columns of time there are in an area. */
unsigned timeline_look_cols(const struct cells_area *area);
/* The place of the chosen lane in the order; 0 if it is not there. */
size_t timeline_look_row(const struct timeline_look *look, const struct timeline *timeline);
/* The number of the chosen lane, the first one if it is not there. TIMELINE_NO_LANE: there is none. */
uint32_t timeline_look_lane(const struct timeline_look *look, const struct timeline *timeline);
void timeline_look_choose(struct timeline_look *look, const struct timeline *timeline, size_t row);

/* "CPU 1", "cat-231". */
void timeline_put_lane(const struct timeline_look *look, struct strbuf *buf,
		       const struct timeline_lane *lane);
void timeline_put_duration(const struct timeline_look *look, struct strbuf *buf, uint64_t span);
void timeline_draw(struct timeline_look *look, const struct timeline *timeline, struct cells *cells,
		   const struct cells_area *area);

#endif
