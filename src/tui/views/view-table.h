/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What views that are tables share: reading the scope a slice at a time, rows in an order that a key
 * changes, one that is chosen, and below them how its times are spread.
 */
#ifndef FATHOM_TUI_VIEWS_VIEW_TABLE_H
#define FATHOM_TUI_VIEWS_VIEW_TABLE_H

#include "analyze/stream/feed.h"
#include "analyze/sums/spread.h"
#include "base/arena.h"
#include "tui/lines.h"
#include "tui/view.h"

struct table_row {
	const char *name;
	uint64_t count, failed, total, own, off_cpu, median, max;
	bool off_cpu_unknown;
	uint64_t worst_at; /* when the longest began; 0: not known */
	int32_t worst_pid; /* whose it was; -1: not known */
	const struct spread *spread; /* NULL: there is none */
};

enum table_order {
	TABLE_TOTAL,
	TABLE_OWN,
	TABLE_COUNT,
	TABLE_MAX,
	TABLE_NAME,
	TABLE_ORDERS,
};

struct table_view;

/* What a table is about. */
struct table_kind {
	const char *heading; /* of the names */
	const char *empty; /* what is said when there is none */
	const char *second; /* heading of the second column, and its order: "own" or "failed" */
	bool second_is_count;
	/* Makes what it is fed with; releases it. */
	int (*begin)(struct table_view *table);
	void (*take)(void *table, const struct decoded_event *decoded);
	/* All was read: makes the rows, with view_table_add(). 0 or -ENOMEM. */
	int (*finish)(struct table_view *table);
	void (*end)(struct table_view *table);
};

struct table_view {
	struct tui_view view; /* first */
	const struct table_kind *kind;
	struct feed feed;
	struct feeding *feeding; /* NULL: all was read */
	struct table_row *rows;
	size_t n, cap;
	struct arena arena; /* of names */
	enum table_order order;
	struct lines lines;
	char kept[TUI_NAME_SIZE]; /* that is to be chosen again; "": the first */
	struct strbuf buf;
};

/* For the view_ops of a table; its own load() sets the kind first. */
int view_table_load(struct table_view *table, struct fathom_err *err);
void view_table_done(struct tui_view *view);
void view_table_turn_to(struct tui_view *view);
void view_table_draw(struct tui_view *view, struct cells *cells, const struct cells_area *area);
void view_table_status(struct tui_view *view, struct strbuf *buf);
bool view_table_key(struct tui_view *view, uint32_t key);
int view_table_search(struct tui_view *view, const char *text, bool up);
int view_table_go(struct tui_view *view, uint64_t time);
int view_table_work(struct tui_view *view, uint64_t until);
void view_table_cancel(struct tui_view *view);

/* The longest one of the chosen line. */
bool view_table_choice(struct tui_view *view, struct view_choice *ret_choice);

bool view_table_click(struct tui_view *view, unsigned row);

/* What the view_ops of all tables have in common. */
#define VIEW_TABLE_OPS                                                                       \
	.keys = view_table_keys, .n_keys = TABLE_KEYS, .done = view_table_done,              \
	.turn_to = view_table_turn_to, .draw = view_table_draw, .status = view_table_status, \
	.key = view_table_key, .search = view_table_search, .go = view_table_go,             \
	.work = view_table_work, .cancel = view_table_cancel, .choice = view_table_choice,   \
	.click = view_table_click

/* A new row, empty but for its name, which is copied; NULL without memory. */
struct table_row *view_table_add(struct table_view *table, const char *name);

#define TABLE_KEYS 8
extern const struct view_key view_table_keys[TABLE_KEYS];

#endif
