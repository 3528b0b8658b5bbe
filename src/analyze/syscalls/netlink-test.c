/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include <linux/netlink.h>
#include <stdlib.h>

#include "analyze/syscalls/netlink.h"
#include "base/mem.h"
#include "format/bytes.h"

#define HEAD "48"

static const char format_text[] =
	"name: netlink_answer\nID: 1\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
	"\tfield:s32 error;\toffset:8;\tsize:4;\tsigned:1;\n"
	"\tfield:u16 type;\toffset:12;\tsize:2;\tsigned:0;\n"
	"\tfield:__data_loc char[] text;\toffset:16;\tsize:4;\tsigned:1;\n"
	"\tfield:u8 head[" HEAD "];\toffset:20;\tsize:" HEAD ";\tsigned:0;\n\n"
	"print fmt: \"\"\n";

struct record {
	uint16_t type;
	uint16_t flags;
	int32_t pid;
	int32_t error;
	uint16_t request, pad;
	uint32_t text;
	uint8_t head[48];
	char data[32];
};

/* Checks the decoded values, in the form "ENODEV-text-device". */
static void expect(int32_t error, uint16_t type, const char *said, const uint8_t *attributes,
		   size_t len, const char *expected)
{
	struct record record = { .type = 1, .error = error, .request = type };
	const struct fathom_event event = {
		.data = &record, .size = sizeof(record), .id = 1, .pid = 7
	};
	struct event_table table = { .abi = { .long_size = 8, .big_endian = BYTES_HOST_BIG } };
	struct event_entry entry = { .id = 1, .format_state = EVENT_READ };
	struct event_decoder reader = { .table = &table };
	struct event_format *format;
	struct decoded_event decoded;
	char device[NETLINK_DEVICE_SIZE] = "", got[128];

	record.head[0] = (uint8_t)(32 + len);
	memcpy(record.head + 32, attributes, len < 16 ? len : 16);
	record.text = (uint32_t)((strlen(said) + 1) << 16 | offsetof(struct record, data));
	snprintf(record.data, sizeof(record.data), "%s", said);
	require(event_format_parse(format_text, strlen(format_text), "fathom_1", table.abi,
				   &table.arena, &format, NULL) == 0);
	table.by_id = mem_zalloc(EVENT_TABLE_IDS, sizeof(*table.by_id));
	require(table.by_id);
	entry.format = format;
	table.by_id[1] = &entry;
	event_decoder_read(&reader, &event, &decoded);
	assert_int_equal(decoded.kind, DECODED_NETLINK);
	assert_int_equal(decoded.netlink.type, type);
	if (!netlink_device(&decoded, device))
		device[0] = '\0';
	snprintf(got, sizeof(got), "%d %.*s %s", (int)decoded.netlink.error,
		 (int)decoded.netlink.text.len, decoded.netlink.text.s ?: "", device);
	assert_string_equal(got, expected);
	event_decoder_done(&reader);
	free(table.by_id);
	arena_done(&table.arena);
}

static void requests_have_names(void **state)
{
	assert_string_equal(netlink_name(NETLINK_ROUTE, 16), "netlink:RTM_NEWLINK");
	assert_string_equal(netlink_name(NETLINK_ROUTE, 26), "netlink:RTM_GETROUTE");
	assert_string_equal(netlink_name(NETLINK_ROUTE, 1000), "netlink:route");
	assert_string_equal(netlink_name(NETLINK_GENERIC, 16), "netlink:generic");
	assert_string_equal(netlink_name(NETLINK_UNKNOWN, 16), "netlink");
	assert_string_equal(netlink_name(31, 16), "netlink");
}

static void decodes_answers(void **state)
{
	static const uint8_t name[] = { 7, 0, 3, 0, 'l', 'o', 0, 0 };
	static const uint8_t second[] = { 8, 0, 29, 0, 9, 0, 0, 0, 8, 0, 53, 0, 'e', 't', 'h', 0 };

	expect(-19, 18, "", name, sizeof(name), "19  lo");
	expect(0, 18, "", name, sizeof(name), "0  lo");
	expect(-95, 16, "Unknown kind", second, sizeof(second), "95 Unknown kind eth");
	/* If there is no text, the kernel records an unreadable one. */
	expect(-95, 16, "(fault)", second, sizeof(second), "95  eth");
	/* A route has other attributes. */
	expect(-101, 24, "", name, sizeof(name), "101  ");
}

static void damaged_requests_have_no_interface(void **state)
{
	static const uint8_t zero[] = { 0, 0, 3, 0, 'l', 'o', 0, 0 };
	static const uint8_t beyond[] = { 200, 0, 3, 0, 'l', 'o', 0, 0 };
	static const uint8_t empty[] = { 4, 0, 3, 0 };
	static const uint8_t copied[16] = { 4, 0, 3, 0 };

	expect(-19, 18, "", zero, sizeof(zero), "19  ");
	expect(-19, 18, "", beyond, sizeof(beyond), "19  ");
	expect(-19, 18, "", empty, sizeof(empty), "19  ");
	/* The length exceeds what was copied. */
	expect(-19, 18, "", copied, 200, "19  ");
}

static void descriptors_are_remembered(void **state)
{
	struct netlink_sockets sockets = { 0 };
	int protocol;

	assert_false(netlink_sockets_find(&sockets, 7, 3, &protocol));
	netlink_sockets_add(&sockets, 7, 3, NETLINK_GENERIC);
	assert_true(netlink_sockets_find(&sockets, 7, 3, &protocol));
	assert_int_equal(protocol, NETLINK_GENERIC);
	assert_false(netlink_sockets_find(&sockets, 8, 3, &protocol));
	netlink_sockets_remove(&sockets, 7, 3);
	assert_false(netlink_sockets_find(&sockets, 7, 3, &protocol));
	netlink_sockets_done(&sockets);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(requests_have_names),
		cmocka_unit_test(decodes_answers),
		cmocka_unit_test(damaged_requests_have_no_interface),
		cmocka_unit_test(descriptors_are_remembered),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
