/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What BPF programs of count plans add up, interpreted and compared with a simple reference: bins,
 * keys, sums, and the pairing of begins with ends.
 */
#include "test.h"

#include "analyze/count/count-table.h"
#include "base/cleanup.h"
#include "bpf-machine.h"
#include "count/program.h"
#include "read/filter.h"

#define EVENT_TEXT                                                                     \
	"name: sample\nID: 1\nformat:\n"                                               \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"         \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"         \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"                   \
	"\tfield:u64 large;\toffset:8;\tsize:8;\tsigned:0;\n"                          \
	"\tfield:s64 change;\toffset:16;\tsize:8;\tsigned:1;\n"                        \
	"\tfield:char name[16];\toffset:24;\tsize:16;\tsigned:1;\n"                    \
	"\tfield:__data_loc char[] path;\toffset:40;\tsize:4;\tsigned:1;\n"            \
	"\tfield:s16 small;\toffset:44;\tsize:2;\tsigned:1;\n"                         \
	"\tfield:const char * far;\toffset:48;\tsize:8;\tsigned:0;\n\n"                \
	"print fmt: \"%llu\", REC->large\n"

struct record {
	uint64_t common;
	uint64_t large;
	int64_t change;
	char name[16];
	uint32_t path;
	int16_t small;
	uint64_t far;
	char text[24];
};

struct bench {
	struct arena arena;
	struct event_format *format;
	struct count_plan plan;
	struct count_site sites[2];
	struct count_columns columns;
	struct count_layout layout;
	struct count_maps maps;
	struct bpf_machine machine;
	struct bpf_code code[2];
	struct record record;
	struct count_table table;
	uint64_t random;
	struct filter *filter; /* of what is counted */
	struct filter *begin_filter;
};

static uint64_t bench_random(struct bench *bench)
{
	bench->random = bench->random * 6364136223846793005ULL + 1442695040888963407ULL;
	return bench->random >> 11;
}

/* Prepares programs for the plan, with room for @max_keys keys. */
static void bench_begin(struct bench *bench, uint32_t max_keys)
{
	const struct event_abi abi = { .long_size = 8,
				       .big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ };
	const size_t n = bench->plan.n_begins ? 2 : 1;
	struct fathom_err err = { 0 };

	assert_int_equal(event_format_parse(EVENT_TEXT, strlen(EVENT_TEXT), "test", abi,
					    &bench->arena, &bench->format, &err),
			 0);
	for (size_t i = 0; i < n; i++)
		bench->sites[i] = (struct count_site){ .source = i ? &bench->plan.begins[0] :
								     &bench->plan.sources[0],
						       .format = bench->format,
						       .is_begin = i == 1 };
	if (bench->begin_filter) {
		const struct event_format *const formats[] = { bench->format };

		assert_int_equal(filter_bind(bench->begin_filter, formats, 1, NULL, &err), 0);
		bench->plan.begins[0].filter = bench->begin_filter;
	}
	if (bench->filter) {
		const struct event_format *const formats[] = { bench->format };

		assert_int_equal(filter_bind(bench->filter, formats, 1, NULL, &err), 0);
		bench->sites[0].filter = bench->filter;
	}
	if (count_columns_init(&bench->columns, &bench->plan, bench->sites, n, &err) < 0 ||
	    count_layout_init(&bench->layout, &bench->plan, &bench->columns, bench->sites, n, false,
			      &err) < 0)
		fail_msg("%s", fathom_err_text(&err));
	bench->maps = (struct count_maps)COUNT_MAPS_NONE;
	bench->maps.sums = bpf_machine_add_map(&bench->machine, bench->layout.is_array,
					       bench->layout.key_size, bench->layout.value_size,
					       bench->layout.is_array ? 497 : max_keys);
	bench->maps.losses = bpf_machine_add_map(&bench->machine, true, 4, 8, COUNT_LOSSES);
	if (bench->layout.is_paired) {
		const uint32_t size = bench->layout.by_thread ?
					      8 + COUNT_NESTED_MAX * bench->layout.frame_size :
					      bench->layout.frame_size;

		bench->maps.open = bpf_machine_add_map(&bench->machine, false, 16, size, 64);
		bench->maps.empty = bpf_machine_add_map(&bench->machine, true, 4, size, 1);
	}
	for (size_t i = 0; i < n; i++) {
		const struct count_program program = { .plan = &bench->plan,
						       .columns = &bench->columns,
						       .layout = &bench->layout,
						       .maps = &bench->maps,
						       .site = &bench->sites[i],
						       .pair = 1 };

		assert_int_equal(count_program_write(&program, &bench->code[i], &err), 0);
	}
	bench->machine.context = &bench->record;
	bench->machine.context_size = sizeof(bench->record);
	bench->table.columns = &bench->columns;
}

/* An event: a begin if @is_begin. */
static void bench_event(struct bench *bench, bool is_begin)
{
	(void)bpf_machine_run(&bench->machine, &bench->code[is_begin]);
}

/* Puts what the maps contain in the table. */
static void bench_read(struct bench *bench)
{
	const void *key;
	void *value;

	for (uint32_t i = 0; i < bench->machine.maps[bench->maps.sums - 1].max; i++) {
		struct count_sums sums = { 0 };
		uint64_t bin = COUNT_BIN_NONE;

		if (!bpf_machine_entry(&bench->machine, bench->maps.sums, i, &key, &value))
			continue;
		memcpy(&sums, value, bench->layout.value_size);
		if (bench->layout.is_array)
			bin = bench->layout.has_bins ? i : COUNT_BIN_NONE;
		else if (bench->layout.has_bins)
			memcpy(&bin, (const char *)key + bench->layout.key_size - 8, 8);
		if (sums.count)
			assert_int_equal(count_table_take(&bench->table, key, (unsigned)bin, &sums),
					 0);
	}
}

static uint64_t bench_loss(struct bench *bench, enum count_loss loss)
{
	const uint32_t key = loss;
	uint64_t n;

	memcpy(&n, bpf_machine_find(&bench->machine, bench->maps.losses, &key), sizeof(n));
	return n;
}

static struct bench *bench_new(void)
{
	struct bench *bench = calloc(1, sizeof(*bench));

	assert_non_null(bench);
	bench->random = 5;
	bench->plan.n_sources = 1;
	bench->plan.sources[0] = (struct count_source){
		.kind = COUNT_EVENT, .text = "test:sample", .system = "test", .name = "sample"
	};
	return bench;
}

static void bench_free(struct bench *bench)
{
	count_table_done(&bench->table);
	bpf_machine_done(&bench->machine);
	arena_done(&bench->arena);
	free(bench);
}

/* Of any magnitude; every bin is reached. */
static uint64_t any_number(struct bench *bench)
{
	return (bench_random(bench) << 11 | bench_random(bench) >> 42) >> bench_random(bench) % 64;
}

static void counts_in_the_bins_of_spread(void **state)
{
	struct bench *bench;
	struct spread expected = { 0 };
	uint64_t total = 0;

	(void)state;
	require_memory();
	bench = bench_new();
	bench->plan.what = COUNT_HIST;
	bench->plan.value = "large";
	bench_begin(bench, 0);
	for (unsigned i = 0; i < 20000; i++) {
		bench->record.large = i < 2000 ? i : any_number(bench);
		total += bench->record.large;
		assert_int_equal(spread_add(&expected, bench->record.large), 0);
		bench_event(bench, false);
	}
	bench_read(bench);
	assert_int_equal(bench->table.n, 1);
	assert_int_equal(bench->table.rows[0].sums.count, 20000);
	assert_true(bench->table.rows[0].sums.sum == total);
	assert_int_equal(bench->table.rows[0].spread.n, expected.n);
	assert_int_equal(bench->table.rows[0].spread.low, expected.low);
	assert_memory_equal(bench->table.rows[0].spread.counts, expected.counts,
			    expected.n * sizeof(*expected.counts));
	spread_done(&expected);
	bench_free(bench);
}

static void adds_up_signed_values(void **state)
{
	struct bench *bench;
	int64_t min = INT64_MAX, max = INT64_MIN, sum = 0;
	uint64_t negative = 0;

	(void)state;
	require_memory();
	bench = bench_new();
	bench->plan.what = COUNT_HIST;
	bench->plan.value = "change";
	bench->plan.keys[0] = "cpu";
	bench->plan.n_keys = 1;
	bench_begin(bench, 1000);
	for (unsigned i = 0; i < 3000; i++) {
		int64_t value = (int64_t)(bench_random(bench) % 1000000) - 300000;

		bench->record.change = value;
		min = value < min ? value : min;
		max = value > max ? value : max;
		sum += value;
		negative += value < 0;
		bench_event(bench, false);
	}
	bench_read(bench);
	assert_int_equal(bench->table.n, 1);
	assert_int_equal(bench->table.rows[0].sums.count, 3000);
	assert_int_equal((int64_t)bench->table.rows[0].sums.sum, sum);
	assert_int_equal((int64_t)bench->table.rows[0].sums.min, min);
	assert_int_equal((int64_t)bench->table.rows[0].sums.max, max);
	assert_int_equal(bench->table.rows[0].negative, negative);
	assert_int_equal(spread_total(&bench->table.rows[0].spread), 3000 - negative);
	bench_free(bench);
}

static const char *const names[] = { "ls", "a-long-name-xyz", "", "cat" };
static const char *const paths[] = { "/", "/etc/passwd", "", "/tmp/22-characters-xyz" };

/* Sets the texts and the small number by the digits of @which, of which there are 64. */
static void set_keys(struct bench *bench, unsigned which)
{
	struct record *record = &bench->record;

	memset(record->name, 0, sizeof(record->name));
	strcpy(record->name, names[which & 3]);
	/* What follows the NUL is not part of the text. */
	memset(record->text, 'x', sizeof(record->text) - 1);
	strcpy(record->text, paths[which >> 2 & 3]);
	record->path = (uint32_t)offsetof(struct record, text) | 24 << 16;
	record->small = (int16_t)((int)(which >> 4) - 2);
}

static void tells_keys_apart(void **state)
{
	struct bench *bench;
	uint64_t expected[64] = { 0 };

	(void)state;
	require_memory();
	bench = bench_new();
	bench->plan.keys[0] = "name";
	bench->plan.keys[1] = "path";
	bench->plan.keys[2] = "small";
	bench->plan.n_keys = 3;
	bench_begin(bench, 64);
	for (unsigned i = 0; i < 4000; i++) {
		unsigned which = (unsigned)(bench_random(bench) % 64);

		set_keys(bench, which);
		expected[which]++;
		bench_event(bench, false);
	}
	bench_read(bench);
	assert_int_equal(bench->table.n, 64);
	for (size_t i = 0; i < 64; i++) {
		const struct count_row *row = &bench->table.rows[i];
		const struct count_column *keys = bench->columns.keys;
		unsigned which = (unsigned)(count_row_number(row, &keys[2]) + 2) << 4;

		while (strcmp(count_row_text(row, &keys[0]), names[which & 3]) != 0)
			which++;
		while (strcmp(count_row_text(row, &keys[1]), paths[which >> 2 & 3]) != 0)
			which += 4;
		assert_int_equal(row->sums.count, expected[which]);
	}
	bench_free(bench);
}

static void counts_what_has_no_room(void **state)
{
	struct bench *bench;

	(void)state;
	require_memory();
	bench = bench_new();
	bench->plan.keys[0] = "large";
	bench->plan.n_keys = 1;
	bench_begin(bench, 10);
	for (unsigned i = 0; i < 1000; i++) {
		bench->record.large = i % 25;
		bench_event(bench, false);
	}
	bench_read(bench);
	assert_int_equal(bench->table.n, 10);
	for (size_t i = 0; i < 10; i++)
		assert_int_equal(bench->table.rows[i].sums.count, 40);
	assert_int_equal(bench_loss(bench, COUNT_LOSS_FULL), 600);
	bench_free(bench);
}

static void reads_texts_behind_pointers(void **state)
{
	static const char memory[] = "/etc/hosts";
	struct bench *bench;

	(void)state;
	require_memory();
	bench = bench_new();
	bench->plan.keys[0] = "far";
	bench->plan.n_keys = 1;
	bench_begin(bench, 10);
	bench->machine.memory = memory;
	bench->machine.memory_size = sizeof(memory);
	bench->record.far = (uintptr_t)memory;
	bench_event(bench, false);
	bench_event(bench, false);
	bench->record.far = 8;
	bench_event(bench, false);
	bench_read(bench);
	assert_int_equal(bench->table.n, 2);
	assert_string_equal(count_row_text(&bench->table.rows[0], &bench->columns.keys[0]),
			    "/etc/hosts");
	assert_int_equal(bench->table.rows[0].sums.count, 2);
	assert_string_equal(count_row_text(&bench->table.rows[1], &bench->columns.keys[0]), "");
	assert_int_equal(bench_loss(bench, COUNT_LOSS_UNREAD), 1);
	bench_free(bench);
}

static void begin_pairs(struct bench *bench, const char *pair)
{
	bench->plan.n_begins = 1;
	bench->plan.begins[0] = bench->plan.sources[0];
	bench->plan.begins[0].pair = bench->plan.sources[0].pair = pair;
	bench->plan.is_latency = true;
	bench->plan.what = COUNT_STATS;
	bench_begin(bench, 64);
}

/* Calls that nest in several threads, against a stack per thread. */
static void pairs_nested_calls_by_thread(void **state)
{
	enum {
		THREADS = 5
	};
	uint64_t stacks[THREADS][COUNT_NESTED_MAX], sum = 0, n = 0, unpaired = 0, max = 0;
	unsigned depth[THREADS] = { 0 };
	struct bench *bench;

	(void)state;
	require_memory();
	bench = bench_new();
	begin_pairs(bench, NULL);
	for (unsigned i = 0; i < 5000; i++) {
		unsigned thread = (unsigned)(bench_random(bench) % THREADS);
		bool is_begin = bench_random(bench) % 2;

		bench->machine.now += bench_random(bench) % 1000;
		bench->machine.pid_tgid = 7ULL << 32 | thread;
		if (is_begin && depth[thread] == COUNT_NESTED_MAX)
			is_begin = false;
		bench_event(bench, is_begin);
		if (is_begin) {
			stacks[thread][depth[thread]++] = bench->machine.now;
		} else if (!depth[thread]) {
			unpaired++;
		} else {
			uint64_t latency = bench->machine.now - stacks[thread][--depth[thread]];

			sum += latency;
			max = latency > max ? latency : max;
			n++;
		}
	}
	bench_read(bench);
	assert_int_equal(bench->table.n, 1);
	assert_int_equal(bench->table.rows[0].sums.count, n);
	assert_int_equal(bench->table.rows[0].sums.sum, sum);
	assert_int_equal(bench->table.rows[0].sums.max, max);
	assert_true(n > 1000 && unpaired > 10);
	assert_int_equal(bench_loss(bench, COUNT_LOSS_UNPAIRED), unpaired);
	bench_free(bench);
}

/* An end that was missed costs the pairs of that thread, but only until the next overflow. */
static void begins_anew_when_ends_are_missed(void **state)
{
	struct bench *bench;

	(void)state;
	require_memory();
	bench = bench_new();
	begin_pairs(bench, NULL);
	bench->machine.now = 10;
	for (unsigned i = 0; i < COUNT_NESTED_MAX + 1; i++)
		bench_event(bench, true);
	assert_int_equal(bench_loss(bench, COUNT_LOSS_NOT_BEGUN), 1);
	bench->machine.now = 50;
	bench_event(bench, false);
	bench_read(bench);
	assert_int_equal(bench->table.rows[0].sums.count, 1);
	assert_int_equal(bench->table.rows[0].sums.sum, 40);
	bench_free(bench);
}

/* An end that the filter rejects still belongs to its begin. */
static void pairs_ends_that_filters_reject(void **state)
{
	struct fathom_err err = { 0 };
	struct filter *filter;
	struct bench *bench;

	(void)state;
	require_memory();
	bench = bench_new();
	assert_int_equal(filter_parse("large != 5", &bench->arena, &filter, &err), 0);
	bench->filter = filter;
	begin_pairs(bench, NULL);
	/* Outer begin at 100, inner from 200 to 300, which is rejected; outer end at 1000. */
	for (unsigned i = 1; i <= 2; i++) {
		bench->machine.now = 100 * i;
		bench_event(bench, true);
	}
	bench->machine.now = 300;
	bench->record.large = 5;
	bench_event(bench, false);
	bench->machine.now = 1000;
	bench->record.large = 6;
	bench_event(bench, false);
	/* Without a begin: only the second one is counted as missing. */
	bench->record.large = 5;
	bench_event(bench, false);
	bench->record.large = 6;
	bench_event(bench, false);
	bench_read(bench);
	assert_int_equal(bench->table.rows[0].sums.count, 1);
	assert_int_equal(bench->table.rows[0].sums.sum, 900);
	assert_int_equal(bench_loss(bench, COUNT_LOSS_UNPAIRED), 1);
	bench_free(bench);
}

/* The end of a call whose begin the filter rejects does not take the begin of the outer call. */
static void pairs_begins_that_filters_reject(void **state)
{
	struct fathom_err err = { 0 };
	struct filter *filter;
	struct bench *bench;

	(void)state;
	require_memory();
	bench = bench_new();
	assert_int_equal(filter_parse("large != 5", &bench->arena, &filter, &err), 0);
	bench->begin_filter = filter;
	begin_pairs(bench, NULL);
	bench->machine.now = 100;
	bench_event(bench, true);
	bench->machine.now = 200;
	bench->record.large = 5;
	bench_event(bench, true);
	bench->machine.now = 300;
	bench_event(bench, false);
	bench->machine.now = 1000;
	bench_event(bench, false);
	bench_read(bench);
	assert_int_equal(bench->table.rows[0].sums.count, 1);
	assert_int_equal(bench->table.rows[0].sums.sum, 900);
	bench_free(bench);
}

/* The idle threads of all CPUs have the same number. */
static void tells_idle_threads_apart(void **state)
{
	struct bench *bench;

	(void)state;
	require_memory();
	bench = bench_new();
	begin_pairs(bench, NULL);
	bench->machine.pid_tgid = 0;
	for (uint64_t cpu = 0; cpu < 2; cpu++) {
		bench->machine.cpu = cpu;
		bench->machine.now = 100 + 100 * cpu;
		bench_event(bench, true);
	}
	bench->machine.cpu = 0;
	bench->machine.now = 1000;
	bench_event(bench, false);
	bench_read(bench);
	assert_int_equal(bench->table.rows[0].sums.sum, 900);
	bench_free(bench);
}

static void pairs_by_value(void **state)
{
	struct bench *bench;

	(void)state;
	require_memory();
	bench = bench_new();
	begin_pairs(bench, "large");
	/* Begun by one thread, ended by another; the second begin of 2 replaces the first. */
	for (uint64_t i = 1; i <= 3; i++) {
		bench->machine.now = 100 * i;
		bench->record.large = i == 3 ? 2 : i;
		bench_event(bench, true);
	}
	bench->machine.pid_tgid = 9;
	bench->machine.now = 1000;
	for (uint64_t i = 1; i <= 3; i++) {
		bench->record.large = i;
		bench_event(bench, false);
	}
	bench_read(bench);
	assert_int_equal(bench->table.rows[0].sums.count, 2);
	assert_int_equal(bench->table.rows[0].sums.sum, 900 + 700);
	assert_int_equal(bench_loss(bench, COUNT_LOSS_UNPAIRED), 1);
	bench_free(bench);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_in_the_bins_of_spread),
		cmocka_unit_test(adds_up_signed_values),
		cmocka_unit_test(tells_keys_apart),
		cmocka_unit_test(counts_what_has_no_room),
		cmocka_unit_test(reads_texts_behind_pointers),
		cmocka_unit_test(pairs_nested_calls_by_thread),
		cmocka_unit_test(begins_anew_when_ends_are_missed),
		cmocka_unit_test(pairs_ends_that_filters_reject),
		cmocka_unit_test(pairs_begins_that_filters_reject),
		cmocka_unit_test(tells_idle_threads_apart),
		cmocka_unit_test(pairs_by_value),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
