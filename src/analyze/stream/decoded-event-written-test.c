/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of text written by programs, as recorded by probes that copy up to the next NUL. */
#include "test.h"

#include <stdlib.h>

#include "analyze/why/failures.h"
#include "base/mem.h"
#include "format/bytes.h"

#define PARTS 3

#define COMMON                                                                         \
	"format:\n"                                                                    \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"         \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"         \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"                   \
	"\tfield:s32 fd;\toffset:8;\tsize:4;\tsigned:1;\n"
#define PART(i, text, size)                                                            \
	"\tfield:__data_loc char[] text" i ";\toffset:" text ";\tsize:4;\tsigned:1;\n" \
	"\tfield:u64 size" i ";\toffset:" size ";\tsize:8;\tsigned:0;\n"

static const char whole[] =
	"name: written\nID: 1\n" COMMON PART("", "24", "32") "\nprint fmt: \"\"\n";
static const char parts[] = "name: written_parts\nID: 1\n" COMMON
			    "\tfield:u64 n;\toffset:16;\tsize:8;\tsigned:0;\n" PART("0", "24", "32")
				    PART("1", "40", "48")
					    PART("2", "56", "64") "\nprint fmt: \"\"\n";

struct record {
	uint16_t type;
	uint16_t flags;
	int32_t pid;
	int32_t fd, pad;
	uint64_t n;
	struct {
		uint32_t text, pad;
		uint64_t size;
	} parts[PARTS];
	char data[128];
};

/* A piece of text that was copied, and the length that the program wrote. */
struct piece {
	const char *text;
	uint64_t size;
};

static void record_fill(struct record *record, const struct piece *pieces, size_t n)
{
	size_t at = 0;

	*record = (struct record){ .type = 1, .fd = 2, .n = n };
	for (size_t i = 0; i < n && i < PARTS; i++) {
		/* In old kernels, unreadable memory has length 0. */
		size_t len = pieces[i].text ? strlen(pieces[i].text) + 1 : 0;

		record->parts[i].text =
			(uint32_t)(len << 16 | (offsetof(struct record, data) + at));
		record->parts[i].size = pieces[i].size;
		memcpy(record->data + at, pieces[i].text ?: "", len);
		at += len;
	}
}

/* Decodes the pieces and compares the resulting line, or NULL if there is none. */
static void expect_line(const char *text, const struct piece *pieces, size_t n,
			const char *expected)
{
	struct record record;
	const struct fathom_event event = {
		.data = &record, .size = sizeof(record), .id = 1, .pid = 7, .time = 5
	};
	struct event_table table = { .abi = { .long_size = 8, .big_endian = BYTES_HOST_BIG } };
	struct event_entry entry = { .id = 1, .format_state = EVENT_READ };
	struct event_decoder reader = { .table = &table };
	struct failures failures = { 0 };
	struct event_format *format;
	struct decoded_event decoded;
	const char *line, *last;

	record_fill(&record, pieces, n);
	require(event_format_parse(text, strlen(text), "fathom_1", table.abi, &table.arena, &format,
				   NULL) == 0);
	table.by_id = mem_zalloc(EVENT_TABLE_IDS, sizeof(*table.by_id));
	require(table.by_id);
	entry.format = format;
	table.by_id[1] = &entry;
	event_decoder_read(&reader, &event, &decoded);
	assert_int_equal(decoded.kind, DECODED_WRITTEN);
	failures_feed(&failures, &decoded);
	require(failures_finish(&failures) == 0);
	line = evidences_message(&failures.evidences, 7, &last);
	if (expected && line)
		assert_string_equal(line, expected);
	else
		assert_true(!expected && !line);
	failures_done(&failures);
	event_decoder_done(&reader);
	free(table.by_id);
	arena_done(&table.arena);
}

static void text_has_the_length_given_by_the_call(void **state)
{
	expect_line(whole, &(struct piece){ "cat: no\n", 8 }, 1, "cat: no");
	expect_line(whole, &(struct piece){ "cat: no, what lies behind it", 7 }, 1, "cat: no");
	/* The rest was not copied. */
	expect_line(whole, &(struct piece){ "cat: no", 7000 }, 1, "cat: no");
}

static void parts_are_joined(void **state)
{
	const struct piece pieces[] = { { "prog", 4 }, { ": %s\n", 2 }, { "no library\n", 11 } };

	expect_line(parts, pieces, 3, "prog: no library");
	expect_line(parts, pieces, 2, "prog: ");
}

static void unreadable_parts_are_omitted(void **state)
{
	const struct piece middle[] = { { "a", 1 }, { "(fault)", 3 }, { "b\n", 2 } };
	const struct piece old[] = { { NULL, 3 }, { "b\n", 2 } };
	const struct piece none[] = { { "(fault)", 3 }, { NULL, 3 } };

	expect_line(parts, middle, 3, "ab");
	expect_line(parts, old, 2, "b");
	expect_line(parts, none, 2, NULL);
	expect_line(whole, none, 1, NULL);
	expect_line(whole, old, 1, NULL);
}

/* The event has a limited number of parts. */
static void parts_that_were_not_copied_are_unknown(void **state)
{
	const struct piece pieces[] = { { "a", 1 }, { "b", 1 }, { "c", 1 }, { "?", 1 } };

	expect_line(parts, pieces, 4, "abc");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_has_the_length_given_by_the_call),
		cmocka_unit_test(parts_are_joined),
		cmocka_unit_test(unreadable_parts_are_omitted),
		cmocka_unit_test(parts_that_were_not_copied_are_unknown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
