/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "expect-text.h"
#include "test.h"

#include "analyze/stream/probe-join.h"
#include "base/cleanup.h"
#include "base/mem.h"
#include "base/strbuf.h"

/* Event IDs, also the names of steps. */
enum {
	CALL = 1,
	RETURN,
	HIT,
	RET,
	OTHER,
	SYSCALL
};

#define TOP 0xffffffff00000000

#define COMMON                                                                         \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"         \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"         \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
#define LONG(name, at) "\tfield:unsigned long " name ";\toffset:" at ";\tsize:8;\tsigned:0;\n"
#define INT(name, at)  "\tfield:int " name ";\toffset:" at ";\tsize:4;\tsigned:1;\n"
#define TEXT(name, id, fields) \
	"name: " name "\nID: " id "\nformat:\n" COMMON fields "\nprint fmt: \"\"\n"

static const struct {
	const char *system, *text;
} formats[] = {
	{ "ftrace", TEXT("funcgraph_entry", "1", LONG("func", "8") INT("depth", "16")) },
	{ "ftrace",
	  TEXT("funcgraph_exit", "2",
	       LONG("func", "8") INT("depth", "16") LONG("calltime", "24") LONG("rettime", "32")) },
	{ "mine", TEXT("hit", "3", LONG("__probe_ip", "8") INT("count", "16")) },
	{ "mine", TEXT("ret", "4",
		       LONG("__probe_func", "8") LONG("__probe_ret_ip", "24") INT("ret", "16")) },
	{ "mine", TEXT("other", "5", LONG("x", "8")) },
	{ "raw_syscalls", TEXT("sys_enter", "6", LONG("id", "8") LONG("args", "16")) },
};

/* An event table without a trace. */
struct table {
	struct event_table table;
	struct fathom_format_text texts[ARRAY_SIZE(formats)];
	struct event_entry entries[ARRAY_SIZE(formats)];
};

static int table_init(struct table *t)
{
	*t = (struct table){ .table = { .abi = { .long_size = 8 }, .n = ARRAY_SIZE(formats) } };
	t->table.entries = t->entries;
	t->table.by_id = mem_zalloc(EVENT_TABLE_IDS, sizeof(void *));
	for (size_t i = 0; i < ARRAY_SIZE(formats); i++) {
		t->texts[i] = (struct fathom_format_text){ formats[i].system, formats[i].text,
							   strlen(formats[i].text) };
		t->entries[i] = (struct event_entry){ .text = &t->texts[i], .id = (int)i + 1 };
		if (t->table.by_id)
			t->table.by_id[i + 1] = &t->entries[i];
	}
	return t->table.by_id ? 0 : -ENOMEM;
}

static void table_done(struct table *t)
{
	t->table.entries = NULL;
	event_table_done(&t->table);
}

struct step {
	uint16_t id;
	int32_t pid;
	unsigned func;
	int value; /* depth of a call, or recorded value */
	uint64_t missed;
};

struct bytes {
	uint16_t type;
	uint8_t flags, count;
	int32_t pid;
	uint64_t func;
	int32_t value, fill;
	uint64_t more[2];
};

static void tell(const struct decoded_event *h, struct strbuf *text)
{
	struct bytes bytes;

	memcpy(&bytes, h->event->data, sizeof(bytes));
	switch (h->kind) {
	case DECODED_CALL:
		strbuf_addf(text, "%d calls %x", h->event->pid, (unsigned)h->call.func);
		if (h->call.has_more) {
			memcpy(&bytes, h->call.more->data, sizeof(bytes));
			strbuf_addf(text, " with %d", bytes.value);
		}
		break;
	case DECODED_RETURN:
		strbuf_addf(text, "%d leaves %x", h->event->pid, (unsigned)h->call.func);
		if (h->call.has_more)
			strbuf_addf(text, " = %d", (int)h->call.result);
		break;
	case DECODED_PROBE:
	case DECODED_PROBE_RETURN:
		strbuf_addf(text, "%d probe %x", h->event->pid, (unsigned)h->call.func);
		break;
	default:
		if (h->joined)
			return;
		strbuf_addf(text, "%d other", h->event->pid);
	}
	strbuf_addc(text, '\n');
}

static void put(struct probe_join *join, const struct step *step, struct strbuf *text)
{
	struct bytes bytes = {
		.type = step->id, .pid = step->pid, .func = TOP | step->func, .value = step->value
	};
	struct fathom_event event = { .time = 1,
				      .data = &bytes,
				      .size = sizeof(bytes),
				      .pid = step->pid,
				      .id = step->id,
				      .missed = step->missed };
	struct decoded_event decoded;

	event_decoder_read(join->reader, &event, &decoded);
	if (!probe_join_put(join, &decoded))
		tell(&decoded, text);
	/* Held events must be copies. */
	memset(&bytes, 0xff, sizeof(bytes));
	while (probe_join_next(join, &decoded))
		tell(&decoded, text);
}

static int run(const struct step *steps, bool sparse, struct strbuf *text)
{
	struct table table;
	struct event_decoder reader = { .table = &table.table };
	struct probe_join join = { .reader = &reader, .sparse = sparse };
	struct decoded_event decoded;
	int r = table_init(&table);

	for (; r == 0 && steps->id; steps++)
		put(&join, steps, text);
	probe_join_end(&join);
	while (r == 0 && probe_join_next(&join, &decoded))
		tell(&decoded, text);
	if (join.nomem || reader.nomem || table.table.nomem || text->err)
		r = -ENOMEM;
	probe_join_done(&join);
	event_decoder_done(&reader);
	table_done(&table);
	return r;
}

static void expect_of(const struct step *steps, bool sparse, const char *wanted)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };
	int r = run(steps, sparse, &text);

	expect_text(r, &text, wanted);
}

static void expect(const struct step *steps, const char *wanted)
{
	expect_of(steps, false, wanted);
}

/*
 * Kernels record entry probes before function_graph's entry and exit probes after its exit. Another
 * task is in between.
 */
static const struct step usual[] = {
	{ HIT, 7, 0xa, 100 },  { OTHER, 8 },	      { CALL, 7, 0xa, 0 }, { CALL, 7, 0xb, 1 },
	{ RETURN, 7, 0xb, 1 }, { RETURN, 7, 0xa, 0 }, { OTHER, 8 },	   { RET, 7, 0xa, -2 },
	{ CALL, 7, 0xa, 0 },   { RETURN, 7, 0xa, 0 }, { RET, 7, 0xa, 5 },  { 0 },
};

static void joins_in_the_common_order(void **state)
{
	expect(usual, "8 other\n"
		      "7 calls a with 100\n"
		      "7 calls b\n"
		      "7 leaves b\n"
		      "7 leaves a = -2\n"
		      "8 other\n"
		      "7 calls a\n"
		      "7 leaves a = 5\n");
}

static void joins_in_the_other_order(void **state)
{
	static const struct step steps[] = {
		{ CALL, 7, 0xa, 0 },  { HIT, 7, 0xa, 100 },  { CALL, 8, 0xa, 0 },
		{ HIT, 8, 0xa, 200 }, { RET, 8, 0xa, 1 },    { RETURN, 8, 0xa, 0 },
		{ RET, 7, 0xa, 2 },   { RETURN, 7, 0xa, 0 }, { 0 },
	};

	expect(steps, "7 calls a with 100\n"
		      "8 calls a with 200\n"
		      "8 leaves a = 1\n"
		      "7 leaves a = 2\n");
}

/* The kernel missed the first exit: the next result belongs to the next call. */
static void does_not_join_the_result_of_the_next_call(void **state)
{
	static const struct step steps[] = {
		{ CALL, 7, 0xa, 0 }, { RET, 7, 0xa, 1 },    { RETURN, 7, 0xa, 0 },
		{ CALL, 7, 0xa, 0 }, { RETURN, 7, 0xa, 0 }, { CALL, 7, 0xa, 0 },
		{ RET, 7, 0xa, 3 },  { RETURN, 7, 0xa, 0 }, { 0 },
	};

	expect(steps, "7 calls a\n"
		      "7 leaves a = 1\n"
		      "7 calls a\n"
		      "7 leaves a\n"
		      "7 calls a\n"
		      "7 leaves a = 3\n");
}

/* The first recorded result of a function, after many returns without one. */
static void joins_results_of_some_calls(void **state)
{
	static const struct step steps[] = {
		{ CALL, 7, 0xa, 0 },
		{ RETURN, 7, 0xa, 0 },
		{ CALL, 7, 0xa, 0 },
		{ CALL, 7, 0xb, 1 },
		{ RETURN, 7, 0xb, 1 },
		{ RETURN, 7, 0xa, 0 },
		{ OTHER, 8 },
		{ RET, 7, 0xa, -2 },
		{ CALL, 7, 0xa, 0 },
		{ RETURN, 7, 0xa, 0 },
		{ 0 },
	};

	expect_of(steps, true,
		  "7 calls a\n"
		  "7 leaves a\n"
		  "7 calls a\n"
		  "7 calls b\n"
		  "7 leaves b\n"
		  "7 leaves a = -2\n"
		  "8 other\n"
		  "7 calls a\n"
		  "7 leaves a\n");
}

/* Recursion, and an interrupt between an exit and its probe. */
static void joins_matching_events(void **state)
{
	static const struct step steps[] = {
		{ CALL, 7, 0xa, 0 },   { CALL, 7, 0xa, 1 },
		{ RETURN, 7, 0xa, 1 }, { RET, 7, 0xa, 1 },
		{ RETURN, 7, 0xa, 0 }, { CALL, 7, 0xc, 0 },
		{ RETURN, 7, 0xc, 0 }, { RET, 7, 0xa, 2 },
		{ CALL, 7, 0xa, 0 },   { RETURN, 7, 0xa, 0 },
		{ CALL, 7, 0xa, 0 },   { RETURN, 7, 0xa, 0 },
		{ RET, 7, 0xa, 3 },    { 0 },
	};

	expect(steps, "7 calls a\n"
		      "7 calls a\n"
		      "7 leaves a = 1\n"
		      "7 leaves a = 2\n"
		      "7 calls c\n"
		      "7 leaves c\n"
		      "7 calls a\n"
		      "7 leaves a\n"
		      "7 calls a\n"
		      "7 leaves a = 3\n");
}

/* Hits that belong to no call stay events. */
static void leaves_unmatched_hits_alone(void **state)
{
	static const struct step steps[] = {
		{ RET, 7, 0xd, 1 },    { HIT, 7, 0xd, 1 },    { CALL, 7, 0xa, 0 },
		{ RETURN, 7, 0xa, 0 }, { HIT, 7, 0xd, 1 },    { RET, 7, 0xd, 1 },
		{ CALL, 7, 0xe, 0 },   { SYSCALL, 7 },	      { HIT, 7, 0xe, 1 },
		{ CALL, 7, 0xe, 0 },   { HIT, 8, 0xe, 2, 9 }, { 0 },
	};

	expect(steps, "7 probe d\n"
		      "7 probe d\n"
		      "7 calls a\n"
		      "7 leaves a\n"
		      "7 probe d\n"
		      "7 probe d\n"
		      "7 calls e\n"
		      "7 other\n"
		      "7 calls e with 1\n"
		      "8 probe e\n");
}

/* The number of held events is bounded. */
static void held_events_are_bounded(void **state)
{
	_cleanup_free_ struct step *steps = mem_zalloc(2 * PROBE_JOIN_MAX + 4, sizeof(*steps));
	_cleanup_strbuf_ struct strbuf text = { 0 };

	require(steps);
	steps[0] = (struct step){ HIT, 7, 0xa, 100 };
	for (size_t i = 1; i <= 2 * PROBE_JOIN_MAX; i++)
		steps[i] = (struct step){ OTHER, 8 };
	steps[2 * PROBE_JOIN_MAX + 1] = (struct step){ CALL, 7, 0xa, 0 };
	if (succeeds(run(steps, false, &text) == 0)) {
		assert_memory_equal(strbuf_str(&text), "7 probe a\n", 10);
		assert_string_equal(strbuf_str(&text) + text.len - 18, "8 other\n7 calls a\n");
	}
}

static int run_usual(void *arg)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };

	return run(usual, false, &text);
}

static void survives_failing_allocations(void **state)
{
	oom_check(run_usual, NULL);
}

static void detects_whether_it_is_needed(void **state)
{
	struct table table;

	if (succeeds(table_init(&table) == 0)) {
		assert_true(probe_join_is_needed(&table.table));
		table.table.n = 2;
		assert_false(probe_join_is_needed(&table.table));
	}
	table_done(&table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(joins_in_the_common_order),
		cmocka_unit_test(joins_in_the_other_order),
		cmocka_unit_test(does_not_join_the_result_of_the_next_call),
		cmocka_unit_test(joins_results_of_some_calls),
		cmocka_unit_test(joins_matching_events),
		cmocka_unit_test(leaves_unmatched_hits_alone),
		cmocka_unit_test(held_events_are_bounded),
		cmocka_unit_test(survives_failing_allocations),
		cmocka_unit_test(detects_whether_it_is_needed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
