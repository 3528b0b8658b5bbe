/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "format/event/event-format.h"
#include "format/event/event-value.h"

#include "test.h"

#define COMMON                                                                         \
	"name: thing\nID: 314\nformat:\n"                                              \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"         \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"         \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
#define LINE(decl, offset, size, sign) \
	"\tfield:" decl ";\toffset:" #offset ";\tsize:" #size ";\tsigned:" #sign ";\n"

static const struct event_abi little = { .long_size = 8 };
static const struct event_abi big32 = { .long_size = 4, .big_endian = true };

static int parse(struct arena *arena, const char *text, struct event_abi abi,
		 struct event_format **ret)
{
	struct fathom_err err = { 0 };
	int r = event_format_parse(text, strlen(text), "sys", abi, arena, ret, &err);

	if (r < 0)
		assert_int_equal(err.code, r);
	return r;
}

static const struct event_field *field_of(const char *line, struct event_abi abi,
					  struct arena *arena)
{
	char text[1024];
	struct event_format *format;

	(void)snprintf(text, sizeof(text), "%s%s\nprint fmt: \"x\"\n", COMMON, line);
	if (parse(arena, text, abi, &format) < 0)
		return NULL;
	assert_int_equal(format->n_fields, 5);
	return &format->fields[4];
}

static void reads_the_header(void **state)
{
	struct arena arena = { 0 };
	struct event_format *format;

	assert_int_equal(
		parse(&arena, COMMON "print fmt: \"a\\n\" \"b\", REC->x\n\n", little, &format), 0);
	assert_string_equal(format->name, "thing");
	assert_string_equal(format->system, "sys");
	assert_int_equal(format->id, 314);
	assert_int_equal(format->n_fields, 4);
	assert_string_equal(format->print, "\"a\\n\" \"b\", REC->x");
	assert_int_equal(format->print_len, strlen(format->print));
	assert_true(format->fields[3].is_common);
	assert_true(format->fields[3].is_signed);
	assert_ptr_equal(event_field_find(format, "common_pid"), &format->fields[3]);
	assert_null(event_field_find(format, "common"));
	arena_done(&arena);
}

static void knows_the_kinds_of_fields(void **state)
{
	static const struct {
		const char *line;
		struct event_field want;
	} cases[] = {
		{ LINE("char comm[16]", 8, 16, 0),
		  { "comm", "char[16]", 8, 16, 16, 1, EVENT_FIELD_STRING } },
		{ LINE("pid_t pid", 8, 4, 1),
		  { "pid", "pid_t", 8, 4, 0, 4, EVENT_FIELD_INT, 0, true } },
		{ LINE("const char * name", 8, 8, 0),
		  { "name", "const char *", 8, 8, 0, 8, EVENT_FIELD_POINTER } },
		{ LINE("struct foo *const p", 8, 8, 0),
		  { "p", "struct foo *const", 8, 8, 0, 8, EVENT_FIELD_POINTER } },
		{ LINE("bool ok", 8, 1, 0), { "ok", "bool", 8, 1, 0, 1, EVENT_FIELD_BOOL } },
		{ LINE("u8 mac[6]", 8, 6, 0), { "mac", "u8[6]", 8, 6, 6, 1, EVENT_FIELD_ARRAY } },
		{ LINE("unsigned char key[6]", 8, 6, 0),
		  { "key", "unsigned char[6]", 8, 6, 6, 1, EVENT_FIELD_ARRAY } },
		{ LINE("long args[3]", 8, 24, 1),
		  { "args", "long[3]", 8, 24, 3, 8, EVENT_FIELD_ARRAY, 0, true } },
		{ LINE("foo_t args[MAX]", 8, 24, 0),
		  { "args", "foo_t[MAX]", 8, 24, 0, 0, EVENT_FIELD_BYTES } },
		{ LINE("foo_t args[3]", 8, 12, 0),
		  { "args", "foo_t[3]", 8, 12, 3, 4, EVENT_FIELD_ARRAY } },
		{ LINE("unsigned long args[]", 8, 0, 0),
		  { "args", "unsigned long[]", 8, 0, 0, 8, EVENT_FIELD_ARRAY } },
		{ LINE("struct in6_addr a", 8, 16, 0),
		  { "a", "struct in6_addr", 8, 16, 0, 0, EVENT_FIELD_BYTES } },
		{ LINE("__data_loc char[] msg", 8, 4, 0),
		  { "msg", "__data_loc char[]", 8, 4, 0, 1, EVENT_FIELD_STRING,
		    EVENT_PLACE_DATA_LOC } },
		{ LINE("__rel_loc u32[] v", 8, 4, 0),
		  { "v", "__rel_loc u32[]", 8, 4, 0, 4, EVENT_FIELD_ARRAY, EVENT_PLACE_REL_LOC } },
		{ LINE("__data_loc char[] old", 8, 2, 0),
		  { "old", "__data_loc char[]", 8, 2, 0, 1, EVENT_FIELD_STRING,
		    EVENT_PLACE_OFFSET } },
		{ LINE("__data_loc cpumask_t cpus", 8, 4, 0),
		  { "cpus", "__data_loc cpumask_t", 8, 4, 0, 0, EVENT_FIELD_CPUMASK,
		    EVENT_PLACE_DATA_LOC } },
		{ LINE("enum foo e", 8, 4, 0), { "e", "enum foo", 8, 4, 0, 4, EVENT_FIELD_INT } },
		{ LINE("char * __attribute__((user)) p", 8, 8, 0),
		  { "p", "char * __attribute__((user))", 8, 8, 0, 8, EVENT_FIELD_POINTER } },
	};
	struct arena arena = { 0 };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct event_field *f = field_of(cases[i].line, little, &arena);
		const struct event_field *want = &cases[i].want;

		assert_non_null(f);
		assert_string_equal(f->name, want->name);
		assert_string_equal(f->type, want->type);
		assert_int_equal(f->offset, want->offset);
		assert_int_equal(f->size, want->size);
		assert_int_equal(f->count, want->count);
		assert_int_equal(f->elem_size, want->elem_size);
		assert_int_equal(f->kind, want->kind);
		assert_int_equal(f->place, want->place);
		assert_int_equal(f->is_signed, want->is_signed);
	}
	arena_done(&arena);
}

static void the_print_format_reveals_masks(void **state)
{
	struct arena arena = { 0 };
	struct event_format *format;

	assert_int_equal(parse(&arena,
			       COMMON LINE("__data_loc unsigned long[] m", 8, 4, 0)
				       LINE("__data_loc u8[] a", 12, 4,
					    0) "\nprint fmt: \"%s %pISpc\", "
					       "__get_bitmask(m), __get_sockaddr(a)\n",
			       little, &format),
			 0);
	assert_int_equal(format->fields[4].kind, EVENT_FIELD_BITMASK);
	assert_int_equal(format->fields[5].kind, EVENT_FIELD_SOCKADDR);
	arena_done(&arena);
}

static void reads_values_of_both_byte_orders(void **state)
{
	static const unsigned char record[24] = { 0, 0, 0,    0,    0,	  0,	0,    0,
						  1, 2, 0xff, 0xfe, 0x80, 0x81, 0x82, 0x83 };
	struct arena arena = { 0 };
	struct event_format *format;
	const char *text = COMMON LINE("u16 a", 8, 2, 0) LINE("short b", 10, 2, 1)
		LINE("u32 c", 12, 4, 0) LINE("u8 d[4]", 12, 4, 0) LINE("u64 e", 20, 8, 0);
	uint64_t u;
	int64_t s;

	for (int big = 0; big < 2; big++) {
		assert_int_equal(parse(&arena, text, big ? big32 : little, &format), 0);
		assert_true(event_field_u64(format, event_field_find(format, "a"), record, 24, &u));
		assert_int_equal(u, big ? 0x0102 : 0x0201);
		assert_true(event_field_s64(format, event_field_find(format, "b"), record, 24, &s));
		assert_int_equal(s, big ? -2 : (int16_t)0xfeff);
		assert_true(event_field_u64(format, event_field_find(format, "b"), record, 24, &u));
		assert_int_equal(u, big ? 0xfffe : 0xfeff);
		assert_true(event_field_u64(format, event_field_find(format, "c"), record, 24, &u));
		assert_int_equal(u, big ? 0x80818283 : 0x83828180);
		assert_true(event_field_element(format, event_field_find(format, "d"), record, 24,
						3, &u));
		assert_int_equal(u, 0x83);
		assert_false(event_field_element(format, event_field_find(format, "d"), record, 24,
						 4, &u));
		assert_false(
			event_field_u64(format, event_field_find(format, "e"), record, 24, &u));
		assert_false(
			event_field_u64(format, event_field_find(format, "c"), record, 15, &u));
	}
	arena_done(&arena);
}

static void dynamic_fields_stay_within_the_record(void **state)
{
	unsigned char record[32] = { 0 };
	struct arena arena = { 0 };
	struct event_format *format;
	const struct event_field *d, *r, *o;
	const char *s;
	size_t len;

	assert_int_equal(parse(&arena,
			       COMMON LINE("__data_loc char[] d", 8, 4, 0)
				       LINE("__rel_loc char[] r", 12, 4, 0)
					       LINE("__data_loc char[] o", 16, 2, 0),
			       little, &format),
			 0);
	d = event_field_find(format, "d");
	r = event_field_find(format, "r");
	o = event_field_find(format, "o");
	memcpy(record + 20, "hello", 6);
	record[8] = 20;
	record[10] = 6;
	record[12] = 4;
	record[14] = 3;
	record[16] = 20;
	assert_true(event_field_string(format, d, record, 32, &s, &len));
	assert_int_equal(len, 5);
	assert_true(event_field_string(format, r, record, 32, &s, &len));
	assert_int_equal(len, 3);
	assert_memory_equal(s, "hello", 3);
	assert_true(event_field_string(format, o, record, 32, &s, &len));
	assert_int_equal(len, 5);
	assert_false(event_field_string(format, d, record, 25, &s, &len));
	record[10] = 13;
	assert_false(event_field_string(format, d, record, 32, &s, &len));
	record[17] = 1;
	assert_false(event_field_string(format, o, record, 32, &s, &len));
	arena_done(&arena);
}

static void values_have_the_printed_kind(void **state)
{
	static const unsigned char record[36] = { 0,	0,    0,    0,	 0, 0, 0, 0, 0xfe, 0xff,
						  0xff, 0xff, 0x80, 1,	 0, 2, 0, 0, 0,	   1,
						  0x80, 0,    'h',  'i', 0, 0, 9, 0, 0x81 };
	static const char text[] = COMMON LINE("int number", 8, 4, 1) LINE(
		"bool flag", 13, 1, 0) LINE("void * address", 8, 8,
					    0) LINE("short list[2]", 10, 4,
						    1) LINE("unsigned long mask[1]", 14, 8,
							    0) LINE("char text[4]", 22, 4,
								    0) LINE("struct s bytes", 12, 3,
									    0)
		LINE("u64 stack[1]", 28, 8,
		     0) "\nprint fmt: \"%s %s\", __get_cpumask(mask), __print_stacktrace(stack)\n";
	static const struct {
		const char *name;
		enum event_value_kind kind;
		uint64_t number; /* of a list or a mask: the first element or bit */
		size_t size, n, end;
	} cases[] = {
		{ "number", EVENT_VALUE_SIGNED, (uint64_t)-2, 4, 0, 12 },
		{ "common_type", EVENT_VALUE_UNSIGNED, 0, 2, 0, 2 },
		{ "flag", EVENT_VALUE_BOOL, 1, 1, 0, 14 },
		{ "address", EVENT_VALUE_ADDRESS, 0x02000180fffffffe, 8, 0, 16 },
		{ "list", EVENT_VALUE_ELEMENTS, UINT64_MAX, 4, 2, 14 },
		{ "mask", EVENT_VALUE_BITS, 9, 8, 0, 22 },
		{ "text", EVENT_VALUE_STRING, 0, 2, 0, 26 },
		{ "bytes", EVENT_VALUE_BYTES, 0, 3, 0, 15 },
		{ "stack", EVENT_VALUE_ELEMENTS, 0x81, 8, 1, 36 },
	};
	struct arena arena = { 0 };
	struct event_format *format;
	struct event_value value;
	size_t bit = 0;

	assert_int_equal(parse(&arena, text, little, &format), 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct event_field *field = event_field_find(format, cases[i].name);

		assert_true(event_value_read(format, field, record, cases[i].end, &value));
		assert_int_equal(value.kind, cases[i].kind);
		assert_int_equal(value.size, cases[i].size);
		assert_int_equal(value.n, cases[i].n);
		if (value.n)
			value.number = event_value_element(&value, 0);
		if (value.kind == EVENT_VALUE_BITS && event_value_next_bit(&value, &bit))
			value.number = bit;
		assert_int_equal(value.number, cases[i].number);
		assert_false(event_value_read(format, field, record, cases[i].end - 1, &value));
		assert_int_equal(value.kind, cases[i].kind);
		assert_int_equal(value.n + value.size + value.number, 0);
	}
	arena_done(&arena);
}

static void distinguishes_addresses_from_numbers(void **state)
{
	static const unsigned char record[64] = { [63] = 0xff };
	static const char text[] = COMMON LINE("unsigned long ip", 56, 8, 0)
		LINE("unsigned long __probe_ip", 56, 8, 0) LINE("unsigned long item", 56, 8, 0)
			LINE("unsigned long items", 56, 8, 0) LINE("long addr", 56, 8, 1) LINE(
				"unsigned int caller", 56, 4, 0) LINE("u64 address", 56, 8, 0)
				LINE("unsigned long ipi", 56, 8,
				     0) "\nprint fmt: \"%px %lu\", (void *)REC->item, REC->items\n";
	static const struct {
		const char *name;
		enum event_value_kind kind;
	} cases[] = {
		{ "ip", EVENT_VALUE_ADDRESS },	    { "__probe_ip", EVENT_VALUE_ADDRESS },
		{ "item", EVENT_VALUE_ADDRESS },    { "items", EVENT_VALUE_UNSIGNED },
		{ "addr", EVENT_VALUE_SIGNED },	    { "caller", EVENT_VALUE_UNSIGNED },
		{ "address", EVENT_VALUE_ADDRESS }, { "ipi", EVENT_VALUE_UNSIGNED },
	};
	struct arena arena = { 0 };
	struct event_format *format;
	struct event_value value;

	require(parse(&arena, text, little, &format) == 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct event_field *field = event_field_find(format, cases[i].name);

		assert_true(event_value_read(format, field, record, sizeof(record), &value));
		assert_int_equal(value.kind, cases[i].kind);
	}
	arena_done(&arena);
}

static void finds_bits_in_longs(void **state)
{
	static const unsigned char record[24] = {
		[8] = 0x01, [15] = 0x80, [16] = 0x02, [20] = 0x01
	};
	static const char text[] =
		COMMON LINE("long mask[]", 8, 13, 0) "\nprint fmt: \"%s\", __get_bitmask(mask)\n";
	/* 13 bytes are one long of 8 bytes, or three of 4; the rest is ignored. */
	static const size_t found[2][4] = { { 0, 63, SIZE_MAX }, { 24, 39, 89, SIZE_MAX } };
	struct arena arena = { 0 };
	struct event_format *format;
	struct event_value value;

	for (int big = 0; big < 2; big++) {
		size_t bit = 0;

		assert_int_equal(parse(&arena, text, big ? big32 : little, &format), 0);
		assert_true(event_value_read(format, event_field_find(format, "mask"), record, 24,
					     &value));
		for (size_t i = 0; found[big][i] != SIZE_MAX; i++, bit++) {
			assert_true(event_value_next_bit(&value, &bit));
			assert_int_equal(bit, found[big][i]);
		}
		assert_false(event_value_next_bit(&value, &bit));
	}
	arena_done(&arena);
}

static void rejects_invalid_formats(void **state)
{
	static const char *const bad[] = {
		"",
		"name: x\n",
		"ID: 1\n",
		"name: \nID: 1\n",
		"name: x\nID: -1\n",
		"name: x\nID: 99999999999\n",
		"name: x\nID: 1\nwhat is this\n",
		"name: x\nID: 1\n\tfield:int;\toffset:0;\tsize:4;\tsigned:0;\n",
		"name: x\nID: 1\n\tfield:int a\toffset:0\n",
		"name: x\nID: 1\n\tfield:int a;\toffset:0;\n",
		"name: x\nID: 1\n\tfield:int a;\toffset:x;\tsize:4;\tsigned:0;\n",
		"name: x\nID: 1\n\tfield:int a;\toffset:99999999;\tsize:4;\tsigned:0;\n",
		"name: x\nID: 1\n\tfield:int a;\toffset:0;\tsize:4;\tsigned:7;\n",
		"name: x\nID: 1\n\tfield:int a];\toffset:0;\tsize:4;\tsigned:0;\n",
	};
	struct arena arena = { 0 };
	struct event_format *format = NULL;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_true(parse(&arena, bad[i], little, &format) < 0);
	assert_true(parse(&arena, COMMON, (struct event_abi){ .long_size = 3 }, &format) < 0);
	assert_null(format);
	/* What these have in common is not the error in them. */
	if (succeeds(parse(&arena, "name: x\nID: 1\n", little, &format) == 0))
		assert_string_equal(format->name, "x");
	arena_done(&arena);
}

static int parse_once(void *arg)
{
	struct arena arena = { 0 };
	struct event_format *format;
	int r = event_format_parse(arg, strlen(arg), "sys", little, &arena, &format, NULL);

	arena_done(&arena);
	return r;
}

static void survives_failing_allocations(void **state)
{
	char text[] = COMMON LINE("char a[4]", 8, 4, 0) "print fmt: \"x\"\n";

	oom_check(parse_once, text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_the_header),
		cmocka_unit_test(knows_the_kinds_of_fields),
		cmocka_unit_test(the_print_format_reveals_masks),
		cmocka_unit_test(reads_values_of_both_byte_orders),
		cmocka_unit_test(dynamic_fields_stay_within_the_record),
		cmocka_unit_test(values_have_the_printed_kind),
		cmocka_unit_test(distinguishes_addresses_from_numbers),
		cmocka_unit_test(finds_bits_in_longs),
		cmocka_unit_test(rejects_invalid_formats),
		cmocka_unit_test(survives_failing_allocations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
