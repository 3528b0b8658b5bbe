/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include "format/event/prev-state.h"

static void read_print(const char *print, struct prev_states *ret)
{
	struct event_format format = { .print = print, .print_len = print ? strlen(print) : 0 };

	prev_states_read(&format, ret);
}

/* Since Linux 4.14, without the parts that are not parsed. */
static const char new_print[] =
	"\"prev_state=%s%s\", (REC->prev_state & ((((0x0000 | 0x0040) + 1) << 1) - 1)) ? "
	"__print_flags(REC->prev_state & ((((0x0000 | 0x0001 | 0x0040) + 1) << 1) - 1), \"|\", "
	"{ 0x0001, \"S\" }, { 0x0002, \"D\" }, { 0x0004, \"T\" }, { 0x0008, \"t\" }, "
	"{ 0x0010, \"X\" }, { 0x0020, \"Z\" }, { 0x0040, \"P\" }, { 0x0080, \"I\" }) : \"R\", "
	"REC->prev_state & (((0x0000 | 0x0040) + 1) << 1) ? \"+\" : \"\", REC->next_comm";

/* Linux 4.4. */
static const char old_print[] =
	"\"prev_state=%s%s\", REC->prev_state & (2048-1) ? __print_flags(REC->prev_state & (2048-1), "
	"\"|\", { 1, \"S\"} , { 2, \"D\" }, { 4, \"T\" }, { 8, \"t\" }, { 16, \"Z\" }, { 32, \"X\" }, "
	"{ 64, \"x\" }, { 128, \"K\" }, { 256, \"W\" }, { 512, \"P\" }, { 1024, \"N\" }) : \"R\", "
	"REC->prev_state & 2048 ? \"+\" : \"\", REC->next_comm";

static void reads_the_list_of_the_format(void **state)
{
	struct prev_states states;

	read_print(new_print, &states);
	assert_int_equal(states.n, 8);
	assert_memory_equal(states.letters, "SDTtXZPI", 8);
	assert_int_equal(states.preempted, 0x100);
	read_print(old_print, &states);
	assert_int_equal(states.n, 11);
	assert_memory_equal(states.letters, "SDTtZXxKWPN", 11);
	assert_int_equal(states.preempted, 2048);
}

static void has_a_default_list(void **state)
{
	struct prev_states states;

	read_print(NULL, &states);
	assert_int_equal(states.n, 8);
	assert_int_equal(states.preempted, 0x100);
	read_print("\"%s\", __print_flags(REC->prev_state, \"|\", { 1, \"", &states);
	assert_int_equal(states.n, 8);
	/* No flag, and a gap after the first bit. */
	read_print("__print_flags(REC->prev_state, \"|\", { 1, \"S\" }, { 4, \"T\" })", &states);
	assert_int_equal(states.n, 1);
	assert_int_equal(states.preempted, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_the_list_of_the_format),
		cmocka_unit_test(has_a_default_list),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
