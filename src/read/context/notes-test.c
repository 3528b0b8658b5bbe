/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include <fathom/fathom.h>

#include "format/file/trace-file.h"
#include "read/context/notes.h"
#include "temp-file.h"
#include "trace-writer.h"

/* Creates a trace with the texts up to NULL, each in an option. */
static struct fathom_trace *trace_with(const char *const *texts)
{
	struct trace_writer *w = trace_writer_new(&(struct trace_config){ .version = 7 });
	struct fathom_trace *trace = NULL;

	assert_non_null(w);
	for (; *texts; texts++)
		trace_writer_option(w, TRACE_ID_FATHOM_INFO, *texts, (uint32_t)strlen(*texts) + 1);
	assert_int_equal(trace_writer_save(w, temp_path), 0);
	trace_writer_free(w);
	assert_int_equal(fathom_trace_open(temp_path, 0, &trace, NULL), 0);
	return trace;
}

static void expect_note(const struct note *note, const char *key, const char *value)
{
	assert_true(note_is(note, key));
	assert_int_equal(note->value_len, strlen(value));
	assert_memory_equal(note->value, value, note->value_len);
}

static void returns_all_in_order(void **state)
{
	static const char *const texts[] = { "command: a: b\n\nno note\n: x\npids:3\nlost: \n", "",
					     "lost: 7", NULL };
	struct fathom_trace *trace = trace_with(texts);
	struct note_place place = { 0 };
	struct note note;

	assert_true(notes_next(trace, &place, &note));
	expect_note(&note, "command", "a: b");
	assert_true(notes_next(trace, &place, &note));
	expect_note(&note, "lost", "");
	assert_true(notes_next(trace, &place, &note));
	expect_note(&note, "lost", "7");
	assert_false(notes_next(trace, &place, &note));
	assert_false(notes_next(trace, &place, &note));
	fathom_trace_free(trace);
}

static void matches_whole_keys(void **state)
{
	static const char *const texts[] = {
		"lost events: 1\nlos: 2\nx lost: 3\nlost: 4\nlost: 5\n", NULL
	};
	struct fathom_trace *trace = trace_with(texts);
	struct note_place place = { 0 };
	struct note note;

	assert_true(notes_next_of(trace, &place, "lost", &note));
	expect_note(&note, "lost", "4");
	assert_true(notes_next_of(trace, &place, "lost", &note));
	expect_note(&note, "lost", "5");
	assert_false(notes_next_of(trace, &place, "lost", &note));
	fathom_trace_free(trace);
}

static void finds_nothing_in_a_file_without_notes(void **state)
{
	static const char *const texts[] = { NULL };
	struct fathom_trace *trace = trace_with(texts);
	struct note_place place = { 0 };
	struct note note;

	assert_false(notes_next(trace, &place, &note));
	fathom_trace_free(trace);
}

static void parses_numbers_after_words(void **state)
{
	const char *text = "event 12.5 ns, call 7, then x, then 11";
	double number = -1;

	assert_true(note_take_number(&text, "event ", 100, &number));
	assert_true(number > 12.4 && number < 12.6);
	assert_false(note_take_number(&text, "call ", 100, &number));
	assert_true(note_take_number(&text, " ns, call ", 7, &number));
	assert_int_equal((int)number, 7);
	assert_false(note_take_number(&text, ", then ", 100, &number));
	text = ", then 11";
	assert_false(note_take_number(&text, ", then ", 10, &number));
	assert_int_equal((int)number, 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(returns_all_in_order),
		cmocka_unit_test(matches_whole_keys),
		cmocka_unit_test(parses_numbers_after_words),
		cmocka_unit_test(finds_nothing_in_a_file_without_notes),
	};

	return cmocka_run_group_tests(tests, temp_file_setup, temp_file_teardown);
}
