/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The base of views that are tables: they read the scope in slices, have sortable rows, one of
 * which is selected, and show the distribution of its times below. Times are in nanoseconds.
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
	uint64_t worst_at; /* when the longest call began; 0: unknown */
	int32_t worst_pid; /* the task that made it; -1: unknown */
	const struct spread *spread; /* not owned; NULL: none */
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

/* What distinguishes tables. The strings are static. */
struct table_kind {
	const char *heading; /* title of the names */
	const char *empty; /* the message if there are no rows */
	const char *second; /* title and sort order of the second column: "self" or "failed" */
	bool second_is_count;
	/* Allocates what take() feeds, and end() releases. Returns 0 or a negative errno. */
	int (*begin)(struct table_view *table);
	void (*take)(void *table, const struct decoded_event *decoded);
	/*
	 * Called when everything was read: adds the rows with view_table_add(). Returns 0 or
	 * -ENOMEM.
	 */
	int (*finish)(struct table_view *table);
	void (*end)(struct table_view *table);
};

struct table_view {
	struct tui_view view; /* must be first */
	const struct table_kind *kind;
	struct feed feed;
	struct feeding *feeding; /* NULL: everything was read */
	struct table_row *rows;
	size_t n, cap;
	struct arena arena; /* owns the names */
	enum table_order order;
	struct lines lines;
	char kept[TUI_NAME_SIZE]; /* the name to select again; "": the first row */
	struct strbuf buf;
};

/* For the view_ops of a table, whose own load() sets @kind before it calls view_table_load(). */
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

/* The longest call of the selected row. */
bool view_table_choice(struct tui_view *view, struct view_choice *ret_choice);

bool view_table_click(struct tui_view *view, unsigned row);

/* The members of view_ops that are the same for all tables. */
#define VIEW_TABLE_OPS                                                                       \
	.keys = view_table_keys, .n_keys = TABLE_KEYS, .done = view_table_done,              \
	.turn_to = view_table_turn_to, .draw = view_table_draw, .status = view_table_status, \
	.key = view_table_key, .search = view_table_search, .go = view_table_go,             \
	.work = view_table_work, .cancel = view_table_cancel, .choice = view_table_choice,   \
	.click = view_table_click

/*
 * Adds a row with a copy of @name, otherwise empty. Returns NULL if memory is exhausted. Valid
 * until the next row is added.
 */
struct table_row *view_table_add(struct table_view *table, const char *name);

#define TABLE_KEYS 8
extern const struct view_key view_table_keys[TABLE_KEYS];

#endif
