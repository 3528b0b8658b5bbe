/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include "tui/replay-find.h"
#include "tui/replay-lines.h"

#define NONE REPLAY_LINES_NONE

/* Adds a line "NAME" from @start on, @total long; 0: without a known end. */
static int add(struct replay_lines *lines, uint32_t parent, const char *name, uint64_t start,
	       uint64_t total)
{
	struct replay_line *line = replay_lines_add(lines, parent);

	if (!line)
		return -ENOMEM;
	line->start = start;
	line->total = total;
	line->has_time = total != 0;
	line->text = replay_lines_text(lines, name);
	return 0;
}

/*
 * c comes first, though it ended last:
 *	c 50- (d 60-70)
 *	a 100-200 (b 110-120, e 130-180 (f 140-170), g 190-195)
 *	h 150-300
 */
static int make(struct replay_lines *lines)
{
	int r = 0;

	r |= add(lines, NONE, "a", 100, 100);
	r |= add(lines, 0, "b", 110, 10);
	r |= add(lines, 0, "e", 130, 50);
	r |= add(lines, 2, "f", 140, 30);
	r |= add(lines, 0, "g", 190, 5);
	replay_lines_end_block(lines);
	r |= add(lines, NONE, "h", 150, 150);
	replay_lines_end_block(lines);
	r |= add(lines, NONE, "c", 50, 0);
	r |= add(lines, 6, "d", 60, 10);
	replay_lines_end_block(lines);
	return r || lines->nomem ? -ENOMEM : 0;
}

/* Returns the visible lines as a word, with '+' after folded ones. */
static const char *seen(const struct replay_lines *lines)
{
	static char word[64];
	size_t n = 0;

	for (size_t i = 0; i < lines->n_shown; i++) {
		const struct replay_line *line = &lines->lines[lines->shown[i]];

		word[n++] = replay_lines_get(lines, line->text)[0];
		if (line->folded)
			word[n++] = '+';
	}
	word[n] = '\0';
	return word;
}

static char name_at(const struct replay_lines *lines, uint64_t time)
{
	uint32_t at = replay_lines_at(lines, &(struct replay_where){ .time = time });

	return at == NONE ? '-' : replay_lines_get(lines, lines->lines[at].text)[0];
}

static void folds(void **state)
{
	struct replay_lines lines = { 0 };

	if (succeeds(make(&lines) == 0)) {
		replay_lines_finish(&lines, 0);
		assert_string_equal(seen(&lines), "c+a+h");
		replay_lines_finish(&lines, 1);
		assert_string_equal(seen(&lines), "cdabe+gh");
		replay_lines_finish(&lines, 9);
		assert_string_equal(seen(&lines), "cdabefgh");
		lines.lines[0].folded = true;
		replay_lines_show(&lines);
		assert_string_equal(seen(&lines), "cda+h");
		/* f is folded into a. */
		assert_int_equal(replay_lines_place(&lines, 3), 2);
		replay_lines_reveal(&lines, 3);
		assert_string_equal(seen(&lines), "cdabefgh");
		assert_int_equal(replay_lines_place(&lines, 3), 5);
		assert_int_equal(replay_lines_place(&lines, 99), 0);
	}
	replay_lines_done(&lines);
}

static void finds(void **state)
{
	struct replay_lines lines = { 0 };

	if (succeeds(make(&lines) == 0)) {
		replay_lines_finish(&lines, 0);
		/* The innermost line of the tree that began last. */
		assert_int_equal(name_at(&lines, 0), 'c');
		assert_int_equal(name_at(&lines, 55), 'c');
		assert_int_equal(name_at(&lines, 60), 'd');
		/* c has no known end; it is taken to end with d. */
		assert_int_equal(name_at(&lines, 80), 'a');
		assert_int_equal(name_at(&lines, 105), 'a');
		assert_int_equal(name_at(&lines, 110), 'b');
		assert_int_equal(name_at(&lines, 125), 'a');
		assert_int_equal(name_at(&lines, 145), 'f');
		assert_int_equal(name_at(&lines, 160), 'h');
		assert_int_equal(name_at(&lines, 300), '-');
		/* The line of a task, or a failed one; otherwise, the tree. */
		lines.lines[5].pid = 9;
		lines.lines[2].failed = true;
		assert_int_equal(replay_lines_at(&lines, &(struct replay_where){ .time = 160,
										 .has_pid = true }),
				 3);
		assert_int_equal(replay_lines_at(&lines, &(struct replay_where){ .time = 160,
										 .has_pid = true,
										 .failed = true }),
				 2);
		assert_int_equal(replay_lines_at(&lines, &(struct replay_where){ .time = 115,
										 .has_pid = true,
										 .failed = true }),
				 0);

		assert_int_equal(replay_lines_longest(&lines, 0), 2);
		assert_int_equal(replay_lines_longest(&lines, 1), NONE);
		assert_int_equal(replay_lines_longest(&lines, NONE), NONE);
		assert_int_equal(replay_lines_sibling(&lines, 1, false), 2);
		assert_int_equal(replay_lines_sibling(&lines, 2, false), 4);
		assert_int_equal(replay_lines_sibling(&lines, 4, false), NONE);
		assert_int_equal(replay_lines_sibling(&lines, 4, true), 2);
		assert_int_equal(replay_lines_sibling(&lines, 1, true), NONE);
		/* The outermost lines are siblings, in chronological order. */
		assert_int_equal(replay_lines_sibling(&lines, 6, false), 0);
		assert_int_equal(replay_lines_sibling(&lines, 0, false), 5);
		assert_int_equal(replay_lines_sibling(&lines, 5, false), NONE);
		assert_int_equal(replay_lines_sibling(&lines, 0, true), 6);
		assert_int_equal(replay_lines_sibling(&lines, 6, true), NONE);
	}
	replay_lines_done(&lines);
}

static int make_once(void *arg)
{
	struct replay_lines lines = { 0 };
	int r = make(&lines);

	replay_lines_finish(&lines, 1);
	r = lines.nomem ? -ENOMEM : r;
	replay_lines_done(&lines);
	return r;
}

static void survives_failing_allocations(void **state)
{
	oom_check(make_once, NULL);
}

/* Searches from a line on, and returns the result. */
static uint32_t find(const struct replay_lines *lines, enum replay_find_kind kind, const char *text,
		     bool up, uint32_t from)
{
	struct replay_find what = { .kind = kind, .up = up, .to = UINT64_MAX };

	snprintf(what.text, sizeof(what.text), "%s", text);
	return replay_find(lines, &what, from);
}

static void finds_lines(void **state)
{
	static const struct {
		uint64_t start, total;
		const char *text;
		bool failed;
	} list[] = {
		{ 50, 10, "read(3)", false },
		{ 10, 2000000, "readv: 1", true },
		{ 30, 10, "Read = 5", false },
	};
	struct replay_find what = { .kind = REPLAY_FIND_TEXT, .text = "read", .to = 50 };
	struct replay_lines lines = { 0 };
	char name[128];

	for (size_t i = 0; i < 3; i++) {
		struct replay_line *line = replay_lines_add(&lines, NONE);

		if (!line)
			break;
		line->start = list[i].start;
		line->total = list[i].total;
		line->has_time = true;
		line->failed = list[i].failed;
		line->text = replay_lines_text(&lines, list[i].text);
		replay_lines_end_block(&lines);
	}
	replay_lines_finish(&lines, 0);
	if (succeeds(!lines.nomem)) {
		/* In chronological order: 1, 2, 0. */
		assert_int_equal(find(&lines, REPLAY_FIND_TEXT, "read", false, NONE), 1);
		assert_int_equal(find(&lines, REPLAY_FIND_TEXT, "read", false, 1), 2);
		assert_int_equal(find(&lines, REPLAY_FIND_TEXT, "read", false, 0), NONE);
		assert_int_equal(find(&lines, REPLAY_FIND_TEXT, "READ", true, 0), 2);
		assert_int_equal(find(&lines, REPLAY_FIND_TEXT, "read", true, 1), NONE);
		assert_int_equal(find(&lines, REPLAY_FIND_TEXT, "read", true, NONE), 0);
		assert_int_equal(find(&lines, REPLAY_FIND_SAME, "read", false, NONE), 0);
		assert_int_equal(find(&lines, REPLAY_FIND_FAILED, "", false, NONE), 1);
		assert_int_equal(find(&lines, REPLAY_FIND_FAILED, "", false, 1), NONE);
		assert_int_equal(find(&lines, REPLAY_FIND_LONG, "", true, 0), 1);
		replay_find_name(&lines, 1, name);
		assert_string_equal(name, "readv");
		/* Lines that start later or continue then; the end of the range is excluded. */
		what.since = 45;
		assert_int_equal(replay_find(&lines, &what, NONE), 1);
		what.from = 11;
		assert_int_equal(replay_find(&lines, &what, NONE), NONE);
		what.to = 51;
		assert_int_equal(replay_find(&lines, &what, NONE), 0);
	}
	replay_lines_done(&lines);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_lines),
		cmocka_unit_test(folds),
		cmocka_unit_test(finds),
		cmocka_unit_test(survives_failing_allocations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
