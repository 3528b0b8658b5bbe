/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include "analyze/stream/decoded-event.h"
#include "base/mem.h"

#define COMMON                                                                         \
	"format:\n"                                                                    \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"         \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"         \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"                   \
	"\tfield:dev_t dev;\toffset:8;\tsize:4;\tsigned:0;\n"                          \
	"\tfield:sector_t sector;\toffset:16;\tsize:8;\tsigned:0;\n"                   \
	"\tfield:unsigned int nr_sector;\toffset:24;\tsize:4;\tsigned:0;\n"

/* Newer kernels put a priority before the letters, and have a larger field. */
static const char issue_text[] = "name: block_rq_issue\nID: 1\n" COMMON
				 "\tfield:unsigned int bytes;\toffset:28;\tsize:4;\tsigned:0;\n"
				 "\tfield:char rwbs[10];\toffset:32;\tsize:10;\tsigned:0;\n\n"
				 "print fmt: \"\"\n";
static const char complete_text[] = "name: block_rq_complete\nID: 1\n" COMMON
				    "\tfield:int error;\toffset:28;\tsize:4;\tsigned:1;\n"
				    "\tfield:char rwbs[8];\toffset:32;\tsize:8;\tsigned:0;\n\n"
				    "print fmt: \"\"\n";
static const char other_text[] = "name: block_rq_issue\nID: 1\n" COMMON "\nprint fmt: \"\"\n";

struct record {
	uint16_t type;
	uint16_t flags;
	int32_t pid;
	uint32_t dev, pad;
	uint64_t sector;
	uint32_t sectors;
	int32_t number; /* bytes or error */
	char rwbs[10];
};

/* Reads one record of an event with this format. Returns 0 or -ENOMEM. */
static int read_one(const char *text, const char *rwbs, int32_t number, struct decoded_event *ret)
{
	struct record record = { .type = 1,
				 .dev = 8U << 20 | 3,
				 .sector = (uint64_t)1 << 40,
				 .sectors = 9,
				 .number = number };
	const struct fathom_event event = { .data = &record, .size = sizeof(record), .id = 1 };
	struct event_table table = { .abi = { .long_size = 8 } };
	struct event_entry entry = { .id = 1, .format_state = EVENT_READ };
	struct event_decoder reader = { .table = &table };
	struct event_format *format;
	int r = event_format_parse(text, strlen(text), "block", table.abi, &table.arena, &format,
				   NULL);

	memcpy(record.rwbs, rwbs, strlen(rwbs));
	table.by_id = r == 0 ? mem_zalloc(EVENT_TABLE_IDS, sizeof(*table.by_id)) : NULL;
	if (table.by_id) {
		entry.format = format;
		table.by_id[1] = &entry;
		event_decoder_read(&reader, &event, ret);
	}
	r = !table.by_id || reader.nomem ? -ENOMEM : 0;
	event_decoder_done(&reader);
	free(table.by_id);
	arena_done(&table.arena);
	return r;
}

static void decodes_block_operations(void **state)
{
	static const char *const words[] = { "WS", "W", "FWFS", "FWS",	     "FF", "F",
					     "RA", "R", "DS",	"DE",	     "FD", "N",
					     "FN", "",	"ZR",	"WFSMABCDEF" };
	static const char operations[] = "WWWWFFRRDDDNNNNW";

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		struct decoded_event decoded;

		require(read_one(issue_text, words[i], 4608, &decoded) >= 0);
		assert_int_equal(decoded.kind, DECODED_BLOCK_ISSUE);
		assert_int_equal(decoded.block.operation, operations[i]);
		assert_int_equal(decoded.block.bytes, 4608);
		assert_int_equal(decoded.block.error, 0);
	}
}

static void reads_block_fields(void **state)
{
	struct decoded_event decoded;

	require(read_one(complete_text, "RA", -5, &decoded) >= 0);
	assert_int_equal(decoded.kind, DECODED_BLOCK_COMPLETE);
	assert_int_equal(decoded.block.device, 8U << 20 | 3);
	assert_int_equal(decoded.block.sector, (uint64_t)1 << 40);
	assert_int_equal(decoded.block.sectors, 9);
	assert_int_equal(decoded.block.error, -5);
	assert_int_equal(decoded.block.bytes, 0);
	assert_int_equal(decoded.block.operation, 'R');
	assert_false(decoded.unwanted);
}

/* An event without the required fields has no meaning. */
static void requires_all_fields(void **state)
{
	struct decoded_event decoded;

	if (succeeds(read_one(other_text, "RA", 0, &decoded) == 0))
		assert_int_equal(decoded.kind, DECODED_OTHER);
}

static int read_again(void *arg)
{
	struct decoded_event decoded;

	return read_one(issue_text, "RA", 0, &decoded);
}

static void survives_failing_allocations(void **state)
{
	oom_check(read_again, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(decodes_block_operations),
		cmocka_unit_test(reads_block_fields),
		cmocka_unit_test(requires_all_fields),
		cmocka_unit_test(survives_failing_allocations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
