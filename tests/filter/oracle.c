/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Filters in trace-cmd's form have the meaning that libtraceevent gives them: evaluates random
 * filters on random records with both. Known deviations are not generated, but tested separately at
 * the end:
 *
 * - "<", "<=", ">" and ">=" on a negative field: libtraceevent compares it as a huge unsigned
 *   number, so "ret < 0" never matches;
 * - a name such as comm or pid that none of the events has as a field refers to the task;
 *   libtraceevent evaluates the comparison as false;
 * - a number that is not the address of a function compared with a text: libtraceevent up to 1.7.1
 *   reads freed memory;
 * - signed values, single characters in quotes, and a field on the right-hand side are
 *   misinterpreted or rejected by libtraceevent.
 */
#include "test.h"

#include <event-parse.h>

#include "base/mem.h"
#include "base/strbuf.h"
#include "filter/formats.h"
#include "read/filter.h"

#define RECORDS 24
#define ADDRESS 0xffffffff81000000ULL

struct world {
	struct tep_handle *tep;
	struct arena arena;
	struct event_format *formats[FILTER_FORMATS];
	unsigned char records[RECORDS][FILTER_RECORD_SIZE];
	unsigned compared;
	unsigned matched;
	unsigned refused;
};

static uint32_t next_random(uint32_t *state)
{
	*state = *state * 1664525 + 1013904223;
	return *state >> 16;
}

static const char *const function_names[] = { "vfs_read", "vfs_write", "schedule", "do_idle" };

static const char *name_of(void *arg, uint64_t address)
{
	address = (address - ADDRESS) / 0x100;
	return address < 4 ? function_names[address] : NULL;
}

static size_t ranges(void *arg, const char *name, struct filter_range *found, size_t max)
{
	for (size_t i = 0; i < 4; i++) {
		if (strcmp(name, function_names[i]) != 0)
			continue;
		if (max > 0)
			found[0] = (struct filter_range){ ADDRESS + i * 0x100,
							  ADDRESS + (i + 1) * 0x100 };
		return 1;
	}
	return 0;
}

static const char *comm_of(void *arg, const struct filter_event *event)
{
	static const char *const comms[] = { "<idle>", "init", "bash", "<...>" };

	return comms[event->pid];
}

static const struct filter_env env = { .function_name = name_of,
				       .function_ranges = ranges,
				       .comm = comm_of };

/* Small numbers, so that comparisons with small numbers are often true; none is negative. */
static void fill_record(struct world *world, int which, uint32_t *seed)
{
	static const char *const texts[] = { "bash", "init", "kworker/0:1", "a-name-of-15-ch", "" };
	unsigned char *p = world->records[which];
	uint16_t type = (uint16_t)(1 + which % FILTER_FORMATS);
	uint32_t pid = next_random(seed) % 4, loc = 9 << 16 | 60;
	uint64_t address = ADDRESS + next_random(seed) % 0x400;
	const char *text;

	memset(p, 0, FILTER_RECORD_SIZE);
	for (size_t i = 24; i < 56; i += 2)
		p[i] = next_random(seed) % 4;
	memcpy(p, &type, 2);
	memcpy(p + 4, &pid, 4);
	if (type == 3) {
		memcpy(p + 8, &address, 8);
		address = ADDRESS + next_random(seed) % 0x400;
		memcpy(p + 16, &address, 8);
		return;
	}
	text = texts[next_random(seed) % 5];
	memcpy(p + 8, text, strlen(text));
	if (next_random(seed) % 4 == 0)
		memset(p + 8, 'x', 16); /* not terminated */
	if (type == 1) {
		/* bytes with the sign bit, for fields without an order */
		p[28] = next_random(seed) % 2 ? 0xff : 3;
		memcpy(p + 44, &loc, 4);
		memcpy(p + 60, next_random(seed) % 2 ? "/bin/tar" : "/bin/cat", 9);
		if (next_random(seed) % 3 == 0)
			memset(p + 48, 0xff, 8);
	}
}

static int setup(void **state)
{
	static struct world world;
	const struct event_abi abi = { .long_size = 8, .big_endian = tep_is_bigendian() };
	uint32_t seed = 3;

	world.tep = tep_alloc();
	if (!world.tep)
		return -1;
	tep_set_file_bigendian(world.tep, tep_is_bigendian());
	tep_set_long_size(world.tep, 8);
	for (int i = 0; i < FILTER_FORMATS; i++) {
		const char *text = filter_formats[i].text;

		if (tep_parse_event(world.tep, text, strlen(text), filter_formats[i].system) != 0 ||
		    event_format_parse(text, strlen(text), filter_formats[i].system, abi,
				       &world.arena, &world.formats[i], NULL) < 0)
			return -1;
	}
	for (int i = 0; i < 4; i++)
		tep_register_function(world.tep, (char *)function_names[i],
				      ADDRESS + (uint64_t)i * 0x100, NULL);
	tep_register_function(world.tep, (char *)"the_end", ADDRESS + 0x400, NULL);
	tep_register_comm(world.tep, "init", 1);
	tep_register_comm(world.tep, "bash", 2);
	for (int i = 0; i < RECORDS; i++)
		fill_record(&world, i, &seed);
	*state = &world;
	return 0;
}

static int teardown(void **state)
{
	struct world *world = *state;

	print_message("%u verdicts compared, %u matched, %u filters refused by libtraceevent\n",
		      world->compared, world->matched, world->refused);
	tep_free(world->tep);
	arena_done(&world->arena);
	return 0;
}

static const char *pick(uint32_t *seed, const char *const *list, unsigned n)
{
	return list[next_random(seed) % n];
}

#define PICK(seed, ...)                                  \
	pick(seed, (const char *const[]){ __VA_ARGS__ }, \
	     sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(const char *))

static void add_comparison(struct strbuf *text, uint32_t *seed)
{
	const char *number = PICK(seed, "0", "1", "2", "3", "0x2", "03", "255",
				  "0xffffffffffffffff", "18446744073709551614", "4294967295");

	switch (next_random(seed) % 7) {
	case 0:
	case 1:
		strbuf_addf(text, "%s %s %s",
			    PICK(seed, "common_pid", "prev_pid", "tiny", "small", "prev_state",
				 "flags", "large", "common_type", "CPU", "bogus", "ip"),
			    PICK(seed, "==", "!=", "<", "<=", ">", ">="), number);
		break;
	case 2:
		strbuf_addf(text, "tiny_signed %s %s", PICK(seed, "==", "!="), number);
		break;
	case 3:
		strbuf_addf(text, "%s %s %s", PICK(seed, "flags", "prev_pid", "small", "large"),
			    PICK(seed, "&", "|", "^", "+", "-", "*", "/", "%", "<<", ">>"),
			    PICK(seed, "1", "2", "3"));
		break;
	case 4:
		strbuf_addf(text, "%s %s \"%s\"",
			    PICK(seed, "prev_comm", "wakee", "name", "COMM", "nothing"),
			    PICK(seed, "==", "!="),
			    PICK(seed, "bash", "init", "/bin/tar", "xxxxxxxxxxxxxxxx", "kwork", "",
				 "<...>"));
		break;
	case 5:
		strbuf_addf(text, "%s %s \"%s\"", PICK(seed, "prev_comm", "wakee", "name", "COMM"),
			    PICK(seed, "=~", "!~"),
			    PICK(seed, "^b", "A.*H", "x\\{16\\}$", "^/bin/[a-c]", "i\\|n", "^$",
				 "."));
		break;
	default:
		strbuf_addf(text, "%s %s \"%s\"", PICK(seed, "ip", "parent_ip"),
			    PICK(seed, "==", "!=", "=~", "!~"),
			    PICK(seed, "vfs_read", "schedule", "vfs_.*", "S", "0x2"));
		break;
	}
}

static void add_condition(struct strbuf *text, uint32_t *seed, int depth)
{
	unsigned n = depth ? 1 + next_random(seed) % 3 : 1;

	for (unsigned i = 0; i < n; i++) {
		if (i)
			strbuf_adds(text, PICK(seed, " && ", " || ", "&&", "||"));
		switch (depth ? next_random(seed) % 4 : 0) {
		case 1:
			strbuf_adds(text, "!(");
			add_condition(text, seed, depth - 1);
			strbuf_addc(text, ')');
			break;
		case 2:
			strbuf_addc(text, '(');
			add_condition(text, seed, depth - 1);
			strbuf_addc(text, ')');
			break;
		default:
			add_comparison(text, seed);
			break;
		}
	}
}

static void random_filter(struct strbuf *text, uint32_t *seed)
{
	strbuf_clear(text);
	strbuf_adds(text, PICK(seed, "sched_switch", "sched", "sched/sched_switch", ".*", "ftrace",
			       "sched_wakeup,function", "sched / sched_wakeup , ftrace/function",
			       "SCHED_.*", "sched_[sw].*", "sched_switch\\|x"));
	if (next_random(seed) % 30 == 0)
		return;
	strbuf_adds(text, PICK(seed, ":", " : ", ": "));
	add_condition(text, seed, (int)(next_random(seed) % 4));
}

/* Returns 1 if it matches, 0 if not, negative if libtraceevent cannot evaluate it. */
static int oracle(struct world *world, struct tep_event_filter *filter, int which)
{
	struct tep_record record = { .cpu = 1,
				     .size = FILTER_RECORD_SIZE,
				     .record_size = FILTER_RECORD_SIZE,
				     .data = world->records[which] };
	enum tep_errno r = tep_filter_match(filter, &record);

	if (r == TEP_ERRNO__FILTER_MATCH)
		return 1;
	return r == TEP_ERRNO__FILTER_MISS || r == TEP_ERRNO__FILTER_NOT_FOUND ? 0 : -1;
}

static bool ours(struct world *world, const struct filter *filter, int which)
{
	const unsigned char *data = world->records[which];
	struct filter_event event = { .cpu = 1, .data = data, .size = FILTER_RECORD_SIZE };

	memcpy(&event.pid, data + 4, 4);
	event.format = world->formats[data[0] - 1];
	return filter_match(filter, &event);
}

static void compare(struct world *world, const char *text)
{
	struct tep_event_filter *theirs = tep_filter_alloc(world->tep);
	struct arena arena = { 0 };
	struct fathom_err err = { 0 };
	struct filter *filter;

	assert_non_null(theirs);
	if (tep_filter_add_filter_str(theirs, text) < 0) {
		world->refused++;
		tep_filter_free(theirs);
		return;
	}
	if (filter_parse(text, &arena, &filter, &err) < 0 ||
	    filter_bind(filter, (const struct event_format *const *)world->formats, FILTER_FORMATS,
			&env, &err) < 0)
		fail_msg("'%s' works with libtraceevent; here: %s at %d", text,
			 fathom_err_text(&err), (int)err.offset);
	for (int i = 0; i < RECORDS; i++) {
		int wanted = oracle(world, theirs, i);

		if (wanted < 0)
			continue;
		world->compared++;
		world->matched += (unsigned)wanted;
		if (ours(world, filter, i) != wanted)
			fail_msg("'%s' on record %d: libtraceevent says %d", text, i, wanted);
	}
	tep_filter_free(theirs);
	arena_done(&arena);
}

static void agrees_with_libtraceevent(void **state)
{
	struct world *world = *state;
	_cleanup_strbuf_ struct strbuf text = { 0 };
	uint32_t seed = 11;

	for (int i = 0; i < 20000; i++) {
		random_filter(&text, &seed);
		compare(world, strbuf_str(&text));
	}
	/* Neither always true nor always false, and not because every filter was rejected. */
	assert_true(world->compared > 200000);
	assert_true(world->matched > world->compared / 10);
	assert_true(world->matched < world->compared / 2);
}

/* The deviations are checked, so that changes of libtraceevent are noticed. */
static void differs_where_libtraceevent_is_wrong(void **state)
{
	struct world *world = *state;
	struct tep_event_filter *theirs = tep_filter_alloc(world->tep);
	struct arena arena = { 0 };
	struct filter *filter;

	world->records[0][29] = 0xff;
	assert_int_equal(tep_filter_add_filter_str(theirs, "sched_switch: tiny_signed < 0"), 0);
	assert_int_equal(oracle(world, theirs, 0), 0);
	assert_int_equal(filter_parse("sched_switch: tiny_signed < 0", &arena, &filter, NULL), 0);
	assert_int_equal(filter_bind(filter, (const struct event_format *const *)world->formats,
				     FILTER_FORMATS, &env, NULL),
			 0);
	assert_true(ours(world, filter, 0));
	tep_filter_reset(theirs);
	assert_true(tep_filter_add_filter_str(theirs, "sched_switch: prev_pid == small") < 0);
	tep_filter_free(theirs);
	arena_done(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(agrees_with_libtraceevent),
		cmocka_unit_test(differs_where_libtraceevent_is_wrong),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
