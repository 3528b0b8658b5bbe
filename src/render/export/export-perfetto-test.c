/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/cleanup.h"
#include "base/mem.h"
#include "export-sample.h"
#include "render/kit/protobuf.h"
#include "test.h"

/* A message, or the rest of it. */
struct view {
	const uint8_t *p, *end;
};

struct field {
	uint32_t number;
	uint64_t value; /* if it is a number */
	struct view bytes; /* otherwise */
};

static uint64_t read_varint(struct view *view)
{
	uint64_t value = 0;

	for (unsigned shift = 0; shift < 70; shift += 7) {
		uint8_t byte;

		assert_true(view->p < view->end);
		byte = *view->p++;
		value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return value;
	}
	fail_msg("a number has no end");
	return 0;
}

static bool next_field(struct view *view, struct field *ret)
{
	uint64_t tag;

	if (view->p == view->end)
		return false;
	tag = read_varint(view);
	memset(ret, 0, sizeof(*ret));
	ret->number = (uint32_t)(tag >> 3);
	if ((tag & 7) == PB_VARINT) {
		ret->value = read_varint(view);
		return true;
	}
	assert_int_equal(tag & 7, PB_BYTES);
	ret->value = read_varint(view);
	assert_true(ret->value <= (uint64_t)(view->end - view->p));
	ret->bytes = (struct view){ view->p, view->p + ret->value };
	view->p += ret->value;
	return true;
}

/* Describes a message as "4{1:5 2:"x"} ". @texts lists the fields that are text. */
static void describe(struct strbuf *out, struct view view, const char *const *texts,
		     const char *path)
{
	struct field field;

	while (next_field(&view, &field)) {
		char here[64];
		bool is_text = false;

		snprintf(here, sizeof(here), "%s.%u", path, field.number);
		for (size_t i = 0; texts[i]; i++)
			is_text |= strcmp(texts[i], here) == 0;
		if (!field.bytes.p) {
			strbuf_addf(out, "%u:%lld ", field.number, (long long)field.value);
		} else if (is_text) {
			strbuf_addf(out, "%u:'%.*s' ", field.number, (int)field.value,
				    (const char *)field.bytes.p);
		} else {
			strbuf_addf(out, "%u{", field.number);
			describe(out, field.bytes, texts, here);
			strbuf_adds(out, "} ");
		}
	}
}

/* Describes the numbers of a packed field. */
static void describe_column(struct strbuf *out, struct view view)
{
	while (view.p < view.end)
		strbuf_addf(out, "%lld ", (long long)read_varint(&view));
}

static const char *const texts[] = {
	/* of the system, tasks and symbols */
	".1.45.1.1", ".1.45.1.3", ".1.45.1.4", ".1.2.1.3", ".1.2.2.2", ".1.12.26.2",
	/* of switches, wakeups, messages and generic events */
	".1.1.2.4.1", ".1.1.2.4.5", ".1.1.2.20.1", ".1.1.2.3.2", ".1.1.2.327.1", ".1.1.2.327.2.1",
	".1.1.2.327.2.3", ".1.1.4.5",
	/* columns */
	".1.1.4.1", ".1.1.4.2", ".1.1.4.3", ".1.1.4.4", ".1.1.4.6", ".1.1.4.7", ".1.1.4.8",
	".1.1.4.9", ".1.1.4.10", ".1.1.4.11", ".1.1.4.12", NULL
};

/*
 * Returns a description of what is written for @events, to be freed by the caller, or NULL if
 * memory is exhausted.
 */
static char *written(const struct export_sample_event *events)
{
	struct export_sample sample;
	struct strbuf out = { 0 };
	int r = export_sample_open(&sample, &export_perfetto, events);

	if (r == 0)
		r = export_sample_write(&sample);
	if (r == 0) {
		const uint8_t *p = (const uint8_t *)strbuf_str(&sample.bytes);

		describe(&out, (struct view){ p, p + sample.bytes.len }, texts, "");
	}
	export_sample_done(&sample);
	assert_true(r == 0 || r == -ENOMEM);
	if (r == 0)
		return strbuf_take(&out);
	strbuf_done(&out);
	return NULL;
}

static void assert_holds(const char *got, const char *wanted)
{
	if (got && !strstr(got, wanted))
		fail_msg("'%s' is not in '%s'", wanted, got);
}

static void assert_lacks(const char *got, const char *unwanted)
{
	if (got && strstr(got, unwanted))
		fail_msg("'%s' is in '%s'", unwanted, got);
}

static void starts_with_the_system(void **state)
{
	_cleanup_free_ char *got = written((struct export_sample_event[]){ { 0 } });

	if (got)
		assert_string_equal(got, "1{10:1 13:1 87:1 45{1{1:'Linux' 3:'6.1.0' 4:'x86_64' } "
					 "8:1 } } ");
}

static void calls_refer_to_symbols(void **state)
{
	_cleanup_free_ char *got = written(
		(struct export_sample_event[]){ { EXPORT_ENTRY, 0, 1000, 42, EXPORT_FIRST, 0 },
						{ EXPORT_ENTRY, 0, 1100, 42, EXPORT_SECOND, 1 },
						{ EXPORT_EXIT, 0, 1200, 42, EXPORT_SECOND, 1 },
						{ EXPORT_ENTRY, 1, 1250, 0, EXPORT_FIRST + 4, 1 },
						{ EXPORT_EXIT, 0, 1300, 42, 0x1234, 0 },
						{ 0 } });

	/*
	 * Tasks and symbols precede the events that refer to them; slices without an end are closed
	 * at the end of the trace.
	 */
	assert_holds(got,
		     "1{8:1000 10:1 2{1{1:42 3:'task' } 2{1:42 2:'task' 3:42 } } } "
		     "1{10:1 13:2 12{26{1:1 2:'first (incomplete)' } 26{1:2 2:'second' } } } "
		     "1{10:1 13:2 1{1:0 2{1:1000 2:42 437{2:1 } } 2{1:1100 2:42 437{2:2 } } "
		     "2{1:1200 2:42 438{3:2 } } 2{1:1200 2:42 438{3:1 } } } } "
		     "1{10:1 13:2 1{1:1 2{1:1250 2:0 437{2:1 } } 2{1:1300 2:0 438{3:1 } } } } ");
}

/* Describes the columns of the only table of switches and wakeups. */
static void tables(struct strbuf *out, const struct export_sample_event *events)
{
	static const uint32_t path[] = { 1, 1, 4 };
	struct export_sample sample;
	int r = export_sample_open(&sample, &export_perfetto, events);

	if (r == 0)
		r = export_sample_write(&sample);
	if (succeeds(r == 0)) {
		const uint8_t *p = (const uint8_t *)strbuf_str(&sample.bytes);
		struct view view = { p, p + sample.bytes.len }, packets;
		struct field field;

		/* Descend to the first packet with events, and the table in it. */
		packets = view;
		for (size_t i = 0; i < ARRAY_SIZE(path);) {
			if (!next_field(&view, &field)) {
				assert_true(i == 1 && next_field(&packets, &field));
				view = field.bytes;
				continue;
			}
			if (field.number == path[i] && field.bytes.p) {
				if (i == 0)
					packets = view;
				view = field.bytes;
				i++;
			}
		}
		while (next_field(&view, &field)) {
			strbuf_addf(out, "%u: ", field.number);
			if (field.number == 5)
				strbuf_addf(out, "%.*s ", (int)field.value,
					    (const char *)field.bytes.p);
			else
				describe_column(out, field.bytes);
		}
	}
	export_sample_done(&sample);
	assert_true(r == 0 || r == -ENOMEM);
}

static void switches_are_columns(void **state)
{
	_cleanup_strbuf_ struct strbuf got = { 0 };

	tables(&got,
	       (struct export_sample_event[]){ { EXPORT_SWITCH, 0, 1000, 5, 5, 42, 1, "task" },
					       { EXPORT_SWITCH, 0, 1500, 42, 42, 43, 2, "other" },
					       { EXPORT_WAKING, 0, 1600, 43, 42, 1, 0x18, "task" },
					       { EXPORT_SWITCH, 0, 1700, 43, 43, 42, 0, "task" },
					       { EXPORT_WAKING, 0, 1750, 42, 43, 0, 0, "other" },
					       { 0 } });
	if (got.len)
		assert_string_equal(strbuf_str(&got),
				    "5: other 5: task "
				    "1: 1500 200 2: 2 0 3: 43 42 4: 120 120 6: 0 1 "
				    "7: 1600 150 8: 42 43 9: 1 0 10: 120 120 "
				    "11: 1 0 12: 24 0 ");
}

static void unconnected_switches_are_written_in_full(void **state)
{
	_cleanup_free_ char *got = written((struct export_sample_event[]){
		/* Before the first switch, the running task is unknown. */
		{ EXPORT_WAKING, 0, 900, 5, 42, 1, 0, "task" },
		{ EXPORT_SWITCH, 0, 1000, 5, 5, 42, 1, "task" },
		/* The previous task is not the next task of the preceding switch. */
		{ EXPORT_SWITCH, 0, 1500, 99, 99, 43, 2, "other" },
		{ EXPORT_LOST, 0, 0, 0, 7 },
		{ EXPORT_SWITCH, 0, 2000, 43, 43, 42, 1, "task" },
		{ 0 } });

	assert_holds(got, "2{1:900 2:5 20{1:'task' 2:42 3:120 5:1 } }");
	assert_holds(got, "2{1:1000 2:5 4{1:'before' 2:5 3:119 4:1 5:'task' 6:42 7:120 } }");
	assert_holds(got, "2{1:1500 2:99 4{1:'before' 2:99 3:119 4:2 5:'other' 6:43 7:120 } }");
	assert_holds(got, "1{1:0 3:1 2{1:2000 2:43 4{1:'before' 2:43 ");
	assert_lacks(got, "4{5:");
}

static void system_calls_are_written_once(void **state)
{
	_cleanup_free_ char *got = written(
		(struct export_sample_event[]){ { EXPORT_SYS_ENTER, 0, 1000, 42, 0, 3 },
						{ EXPORT_ENTER_READ, 0, 1001, 42, 0, 3 },
						{ EXPORT_SYS_EXIT, 0, 1100, 42, 0, (uint64_t)-11 },
						{ EXPORT_EXIT_READ, 0, 1101, 42, 0, (uint64_t)-11 },
						{ EXPORT_ENTER_READ, 0, 1200, 42, 0, 4 },
						{ EXPORT_EXIT_READ, 0, 1300, 42, 0, 5 },
						{ EXPORT_ENTER_READ, 0, 1400, 42, 0, 6 },
						{ 0 } });

	assert_holds(got, "2{1:1000 2:42 329{1:0 2:3 2:0 2:0 2:0 2:0 2:0 } }");
	assert_holds(got, "2{1:1001 2:42 327{1:'sys_enter_read' 2{1:'__syscall_nr' 4:0 } "
			  "2{1:'fd' 5:3 } 2{1:'count' 5:0 } } }");
	assert_holds(got, "2{1:1100 2:42 330{1:0 2:-11 } }");
	assert_holds(got, "2{1:1101 2:42 327{1:'sys_exit_read' ");
	assert_holds(got, "2{1:1200 2:42 329{1:0 2:4 2:0 } }");
	assert_holds(got, "2{1:1300 2:42 330{1:0 2:5 } }");
	assert_holds(got, "2{1:1400 2:42 329{1:0 2:6 2:0 } }");
}

static void other_events_are_generic(void **state)
{
	_cleanup_free_ char *got = written((struct export_sample_event[]){
		{ EXPORT_KINDS, 0, 1000, 42, (uint64_t)-5, 1ULL << 40, 0, "a string" },
		{ EXPORT_PRINT, 0, 1100, 43, 0, 0, 0, "hello\n" },
		{ EXPORT_UNKNOWN, 0, 1200, 77 },
		{ 0 } });

	assert_holds(got, "327{1:'kinds' 2{1:'small' 5:200 } 2{1:'negative' 4:-5 } "
			  "2{1:'large' 5:1099511627776 } 2{1:'name' 3:'a string' } "
			  "2{1:'list' 3:'1 -2 3' } }");
	assert_holds(got, "2{1:1100 2:43 3{2:'hello\n' } }");
	assert_holds(got, "2{1:1200 2:77 327{1:'unknown' } }");
	/* The name of task 77 is unknown. */
	assert_lacks(got, "1{1:77");
}

/* More events and names than a bundle can hold. */
static void writes_bundles_when_they_are_full(void **state)
{
	enum {
		N = 20000
	};
	struct export_sample_event *events = calloc(N + 1, sizeof(*events));
	struct export_sample sample;
	uint64_t found = 0, bundles = 0;
	int r;

	assert_non_null(events);
	for (unsigned i = 0; i < N; i++)
		events[i] = (struct export_sample_event){ i % 2 ? EXPORT_SWITCH : EXPORT_KINDS,
							  i % 4 / 2,
							  1000 + i,
							  42,
							  42,
							  42,
							  0,
							  "text" };
	r = export_sample_open(&sample, &export_perfetto, events);
	if (r == 0)
		r = export_sample_write(&sample);
	if (succeeds(r == 0)) {
		const uint8_t *p = (const uint8_t *)strbuf_str(&sample.bytes);
		struct view file = { p, p + sample.bytes.len };
		struct field packet, bundle, event;

		while (next_field(&file, &packet))
			while (next_field(&packet.bytes, &bundle)) {
				if (bundle.number != 1)
					continue;
				bundles++;
				while (next_field(&bundle.bytes, &event)) {
					struct field column;

					found += event.number == 2;
					if (event.number != 4)
						continue;
					while (next_field(&event.bytes, &column))
						for (; column.number == 1 &&
						       column.bytes.p < column.bytes.end;
						     found++)
							read_varint(&column.bytes);
				}
			}
		assert_int_equal(found, N);
		assert_int_equal(sample.events, N);
		assert_true(bundles > 30);
	}
	export_sample_done(&sample);
	free(events);
	assert_true(r == 0 || r == -ENOMEM);
}

static void user_functions_are_slices(void **state)
{
	_cleanup_free_ char *got = written(
		(struct export_sample_event[]){ { EXPORT_ENTRY, 0, 1000, 42, EXPORT_FIRST, 0 },
						{ EXPORT_USER_ENTER, 0, 1100, 42, 0, 0x7000 },
						{ EXPORT_EXIT, 0, 1200, 42, EXPORT_FIRST, 0 },
						{ EXPORT_ENTER_READ, 0, 1300, 42, 0, 3 },
						{ EXPORT_ENTRY, 0, 1400, 42, EXPORT_SECOND, 0 },
						{ EXPORT_EXIT, 0, 1500, 42, EXPORT_SECOND, 0 },
						{ EXPORT_EXIT_READ, 0, 1600, 42, 0, 5 },
						{ EXPORT_USER_LEAVE, 0, 1700, 42, 0 },
						{ 0 } });

	assert_holds(got, "12{26{1:1 2:'first' } 26{1:2 2:'main [app]' } 26{1:3 2:'read' } "
			  "26{1:4 2:'second' } }");
	/* The system call is a slice, and its event has the arguments. */
	assert_holds(got, "1{1:0 2{1:1000 2:42 437{2:1 } } 2{1:1200 2:42 438{3:1 } } "
			  "2{1:1200 2:42 437{2:2 } } 2{1:1300 2:42 437{2:3 } } "
			  "2{1:1300 2:42 327{1:'sys_enter_read' ");
	assert_holds(got, "2{1:1400 2:42 437{2:4 } } 2{1:1500 2:42 438{3:4 } } "
			  "2{1:1600 2:42 438{3:3 } } 2{1:1600 2:42 327{1:'sys_exit_read' ");
	assert_holds(got, "2{1:1700 2:42 438{3:2 } } } ");
	assert_lacks(got, "'enter'");
	assert_lacks(got, "'leave'");
}

struct slice {
	uint64_t time, cpu, place;
	uint64_t pid, symbol;
	bool begins;
};

#define SLICES_MAX 2000

static size_t read_slices(struct view file, struct slice *slices)
{
	struct field packet, part, field, inner, symbol;
	size_t n = 0;

	while (next_field(&file, &packet))
		while (next_field(&packet.bytes, &part)) {
			uint64_t cpu = 0;

			if (part.number != 1)
				continue;
			while (next_field(&part.bytes, &field)) {
				struct slice slice = { .cpu = cpu, .place = n };

				if (field.number == 1)
					cpu = field.value;
				if (field.number != 2)
					continue;
				next_field(&field.bytes, &inner);
				slice.time = inner.value;
				next_field(&field.bytes, &inner);
				slice.pid = inner.value;
				next_field(&field.bytes, &inner);
				slice.begins = inner.number == 437;
				if (inner.number != 437 && inner.number != 438)
					continue;
				next_field(&inner.bytes, &symbol);
				slice.symbol = symbol.value;
				assert_true(n < SLICES_MAX);
				slices[n++] = slice;
			}
		}
	return n;
}

/* Perfetto's order: by time; for equal times, by position in the file for each CPU. */
static int compare_slices(const void *pa, const void *pb)
{
	const struct slice *a = pa, *b = pb;

	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	if (a->cpu != b->cpu)
		return a->cpu < b->cpu ? -1 : 1;
	return a->place < b->place ? -1 : 1;
}

static void check_balance(struct slice *slices, size_t n)
{
	uint64_t open[2][64];
	size_t depth[2] = { 0 };

	qsort(slices, n, sizeof(*slices), compare_slices);
	for (size_t i = 0; i < n; i++) {
		uint64_t task = slices[i].pid - 42;

		assert_true(task < 2);
		if (slices[i].begins) {
			assert_true(depth[task] < 64);
			open[task][depth[task]++] = slices[i].symbol;
		} else {
			assert_true(depth[task] > 0);
			assert_int_equal(open[task][--depth[task]], slices[i].symbol);
		}
	}
	assert_int_equal(depth[0], 0);
	assert_int_equal(depth[1], 0);
}

static void slices_are_always_balanced(void **state)
{
	static struct slice slices[SLICES_MAX];

	for (uint64_t seed = 1; seed <= (mem_fault ? 2 : 100); seed++) {
		struct export_sample_event events[200];
		struct export_sample sample;
		int r;

		export_sample_scramble(events, ARRAY_SIZE(events), seed);
		r = export_sample_open(&sample, &export_perfetto, events);
		if (r == 0)
			r = export_sample_write(&sample);
		if (succeeds(r == 0)) {
			const uint8_t *p = (const uint8_t *)strbuf_str(&sample.bytes);
			size_t n = read_slices((struct view){ p, p + sample.bytes.len }, slices);

			assert_true(n > 20);
			check_balance(slices, n);
		}
		export_sample_done(&sample);
		assert_true(r == 0 || r == -ENOMEM);
	}
}

static void survives_failing_allocations(void **state)
{
	static const struct export_sample_event events[] = {
		{ EXPORT_ENTRY, 0, 1000, 42, EXPORT_FIRST, 0 },
		{ EXPORT_SWITCH, 1, 1001, 42, 42, 43, 0, "other" },
		{ EXPORT_SYS_ENTER, 0, 1002, 42, 0, 3 },
		{ EXPORT_KINDS, 0, 1003, 42, 1, 2, 0, "a string" },
		{ EXPORT_UNKNOWN, 0, 1200, 77 },
		{ EXPORT_USER_ENTER, 0, 1300, 42, 0, 0x7000 },
		{ 0 }
	};
	struct export_sample sample;

	if (succeeds(export_sample_open(&sample, &export_perfetto, events) == 0 &&
		     export_sample_write(&sample) == 0))
		oom_check(export_sample_write, &sample);
	export_sample_done(&sample);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(starts_with_the_system),
		cmocka_unit_test(calls_refer_to_symbols),
		cmocka_unit_test(switches_are_columns),
		cmocka_unit_test(unconnected_switches_are_written_in_full),
		cmocka_unit_test(system_calls_are_written_once),
		cmocka_unit_test(other_events_are_generic),
		cmocka_unit_test(writes_bundles_when_they_are_full),
		cmocka_unit_test(user_functions_are_slices),
		cmocka_unit_test(slices_are_always_balanced),
		cmocka_unit_test(survives_failing_allocations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
