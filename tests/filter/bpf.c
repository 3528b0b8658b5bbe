/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Filters translated to BPF accept the same records as filter_match(): random filters and records. */
#include "test.h"

#include "base/cleanup.h"
#include "base/strbuf.h"
#include "bpf-machine.h"
#include "filter/formats.h"
#include "read/filter.h"

#define FILTERS 3000
#define RECORDS 16
/* FILTER_FORMATS less the last one, whose fields are addresses of functions. */
#define FORMATS 2

struct world {
	struct arena arena;
	const struct event_format *formats[FORMATS];
	struct bpf_code code;
	struct bpf_jumps reject;
	struct bpf_machine machine;
	uint32_t random;
	unsigned matched, rejected, refused;
};

static uint32_t world_random(struct world *world, uint32_t n)
{
	world->random = world->random * 1664525 + 1013904223;
	return (world->random >> 8) % n;
}

static const char *world_comm(void *arg, const struct filter_event *event)
{
	const struct world *world = arg;

	(void)event;
	return world->machine.comm;
}

static bool world_tgid(void *arg, const struct filter_event *event, int32_t *ret_tgid)
{
	const struct world *world = arg;

	(void)event;
	*ret_tgid = (int32_t)(world->machine.pid_tgid >> 32);
	return true;
}

static void put_number(struct world *world, struct strbuf *text)
{
	static const char *const numbers[] = { "0",  "1",     "2",	    "3",  "200",
					       "-1", "65535", "0xffffffff", "12", "-2147483648" };

	strbuf_adds(text, numbers[world_random(world, ARRAY_SIZE(numbers))]);
}

static void put_value(struct world *world, struct strbuf *text, unsigned depth)
{
	static const char *const names[] = { "prev_pid", "tiny",  "tiny_signed", "small",
					     "flags",	 "large", "prev_state",	 "cpu",
					     "pid",	 "tgid" };
	static const char *const operators[] = { " + ", " - ", " * ",  " & ",
						 " | ", " ^ ", " << ", " >> " };

	if (depth < 3 && world_random(world, 5) == 0) {
		strbuf_adds(text, "(");
		put_value(world, text, depth + 1);
		strbuf_adds(text, operators[world_random(world, ARRAY_SIZE(operators))]);
		if (world_random(world, 2))
			put_value(world, text, depth + 1);
		else
			put_number(world, text);
		strbuf_adds(text, ")");
	} else {
		strbuf_adds(text, names[world_random(world, ARRAY_SIZE(names))]);
	}
}

static void put_text_test(struct world *world, struct strbuf *text)
{
	static const char *const names[] = { "prev_comm", "name", "wakee", "comm" };
	static const char *const tests[] = { "== ls",	     "!= ls",
					     "~ \"ls*\"",    "== \"\"",
					     "~ \"*\"",	     "== \"a-long-name-xyz\"",
					     "~ \"a-l*\"",   "== \"a-long-n\"",
					     "in (ls, cat)", "~ \"a-long-na*\"" };

	strbuf_addf(text, "%s %s", names[world_random(world, ARRAY_SIZE(names))],
		    tests[world_random(world, ARRAY_SIZE(tests))]);
}

static void put_test(struct world *world, struct strbuf *text)
{
	static const char *const operators[] = { " == ", " != ", " < ", " <= ", " > ", " >= " };

	switch (world_random(world, 6)) {
	case 0:
		put_text_test(world, text);
		break;
	case 1:
		put_value(world, text, 0);
		strbuf_adds(text, " in (1, 200, -1, 3)");
		break;
	case 2:
		put_value(world, text, 0);
		strbuf_adds(text, operators[world_random(world, ARRAY_SIZE(operators))]);
		put_value(world, text, 1);
		break;
	default:
		put_value(world, text, 0);
		strbuf_adds(text, operators[world_random(world, ARRAY_SIZE(operators))]);
		put_number(world, text);
		break;
	}
}

static void put_condition(struct world *world, struct strbuf *text, unsigned depth)
{
	unsigned n = depth < 3 ? world_random(world, 3) : 0;

	if (world_random(world, 6) == 0)
		strbuf_adds(text, "not ");
	strbuf_adds(text, "(");
	put_test(world, text);
	for (unsigned i = 0; i < n; i++) {
		strbuf_adds(text, world_random(world, 2) ? " and " : " or ");
		put_condition(world, text, depth + 1);
	}
	strbuf_adds(text, ")");
}

static void fill_record(struct world *world, unsigned char *record)
{
	static const uint8_t bytes[] = { 0, 1, 2, 3, 0xff, 200, 0x80, 12 };
	static const char *const names[] = { "ls", "", "a-long-n", "a-long-name-xyz", "lsof" };
	uint32_t loc = 60 | 16 << 16;

	for (size_t i = 0; i < FILTER_RECORD_SIZE; i++)
		record[i] = world_random(world, 2) ? 0 :
						     bytes[world_random(world, ARRAY_SIZE(bytes))];
	memset(record + 8, 0, 16);
	strcpy((char *)record + 8, names[world_random(world, ARRAY_SIZE(names))]);
	memcpy(record + 44, &loc, sizeof(loc));
	memset(record + 60, 0, 16);
	strcpy((char *)record + 60, names[world_random(world, ARRAY_SIZE(names))]);
	memset(world->machine.comm, 0, sizeof(world->machine.comm));
	strcpy(world->machine.comm, names[world_random(world, ARRAY_SIZE(names))]);
	world->machine.cpu = world_random(world, 4);
	world->machine.pid_tgid = (uint64_t)world_random(world, 4) << 32 | world_random(world, 4);
}

/* Runs the translated filter; both ways to the end are told apart by the result. */
static void check_records(struct world *world, const struct filter *filter,
			  const struct event_format *format, const char *text)
{
	unsigned char record[FILTER_RECORD_SIZE] __attribute__((aligned(8)));

	for (unsigned i = 0; i < RECORDS; i++) {
		struct filter_event event = {
			.format = format, .data = record, .size = sizeof(record), .buffer = ""
		};
		bool expected, actual;

		fill_record(world, record);
		event.cpu = (int32_t)world->machine.cpu;
		event.pid = (int32_t)(uint32_t)world->machine.pid_tgid;
		world->machine.context = record;
		world->machine.context_size = sizeof(record);
		expected = filter_match(filter, &event);
		actual = bpf_machine_run(&world->machine, &world->code);
		if (actual != expected)
			fail_msg("%s: expected %d, record %u", text, expected, i);
		if (expected)
			world->matched++;
		else
			world->rejected++;
	}
}

static void check_filter(struct world *world, const char *text)
{
	const struct filter_bpf bpf = { .code = &world->code,
					.reject = &world->reject,
					.scratch = -FILTER_BPF_SCRATCH,
					.is_event = true };
	const struct filter_env env = { .arg = world, .comm = world_comm, .tgid = world_tgid };
	struct arena arena = { 0 };
	struct fathom_err err = { 0 };
	struct filter *filter;

	if (filter_parse(text, &arena, &filter, &err) < 0)
		fail_msg("%s: %s", text, fathom_err_text(&err));
	/* Random filters also compare numbers with texts. */
	if (filter_bind(filter, world->formats, FORMATS, &env, &err) < 0)
		goto out;
	for (size_t i = 0; i < FORMATS; i++) {
		world->code.n = 0;
		bpf_emit(&world->code, CODE_MOVE(BPF_REG_6, BPF_REG_1));
		if (filter_bpf_emit(filter, world->formats[i], &bpf, &err) < 0) {
			assert_int_equal(err.code, -ENOTSUP);
			world->reject.n = 0;
			world->refused++;
			continue;
		}
		bpf_emit(&world->code, CODE_SET(BPF_REG_0, 1));
		bpf_emit(&world->code, CODE_LEAVE);
		bpf_land_all(&world->code, &world->reject);
		bpf_emit(&world->code, CODE_SET(BPF_REG_0, 0));
		bpf_emit(&world->code, CODE_LEAVE);
		check_records(world, filter, world->formats[i], text);
	}
out:
	arena_done(&arena);
}

static void parse_formats(struct world *world)
{
	const struct event_abi abi = { .long_size = 8,
				       .big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ };

	for (size_t i = 0; i < FORMATS; i++) {
		struct event_format *format;

		assert_int_equal(event_format_parse(filter_formats[i].text,
						    strlen(filter_formats[i].text),
						    filter_formats[i].system, abi, &world->arena,
						    &format, NULL),
				 0);
		world->formats[i] = format;
	}
}

static void agrees_with_filter_match(void **state)
{
	struct world *world;

	(void)state;
	require_memory();
	world = calloc(1, sizeof(*world));
	assert_non_null(world);
	world->random = 11;
	parse_formats(world);
	for (unsigned i = 0; i < FILTERS; i++) {
		struct strbuf text = { 0 };

		put_condition(world, &text, 0);
		check_filter(world, strbuf_str(&text));
		strbuf_done(&text);
	}
	print_message("%u matched, %u did not, %u refused\n", world->matched, world->rejected,
		      world->refused);
	assert_true(world->matched > FILTERS && world->rejected > FILTERS);
	assert_true(world->refused < FILTERS);
	arena_done(&world->arena);
	free(world);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(agrees_with_filter_match),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
