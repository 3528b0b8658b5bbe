/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Random plans over random recordings: the table must equal that of a slow, simple evaluator, which
 * keeps all events and everything that is open in arrays, and keys as text.
 */
#include "test.h"

#include <inttypes.h>

#include "analyze/count/count-events.h"
#include "analyze/stream/feed.h"
#include "base/cleanup.h"
#include "temp-file.h"
#include "trace-writer.h"

#define EVENTS	400
#define ROWS	(EVENTS * 2)
#define NESTED	8
#define CPUS	3
#define RUNS	(ADDRESS_SANITIZED ? 100 : 1500)
#define OPENS	(EVENTS + 1)
#define TEXT	160
#define IDLE(c) (-1 - (int)(c))

#define COMMON                                                                         \
	"format:\n"                                                                    \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"         \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"         \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

/* Event a has all fields, b and c have some of them. */
static const struct trace_format formats[] = {
	{ "t", "name: a\nID: 100\n" COMMON "\tfield:int x;\toffset:8;\tsize:4;\tsigned:1;\n"
	       "\tfield:u64 k;\toffset:16;\tsize:8;\tsigned:0;\n"
	       "\tfield:char name[16];\toffset:24;\tsize:16;\tsigned:0;\n"
	       "\nprint fmt: \"x\"\n" },
	{ "t", "name: b\nID: 101\n" COMMON "\tfield:s64 x;\toffset:8;\tsize:8;\tsigned:1;\n"
	       "\tfield:unsigned char k;\toffset:16;\tsize:1;\tsigned:0;\n"
	       "\nprint fmt: \"x\"\n" },
	{ "t", "name: c\nID: 102\n" COMMON "\tfield:u32 k;\toffset:8;\tsize:4;\tsigned:0;\n"
	       "\nprint fmt: \"x\"\n" },
	{ 0 },
};
static const char *const names[] = { "", "one", "a longer name" };

struct event {
	uint64_t time, k;
	int64_t x;
	unsigned cpu, type; /* of type 'a' + n */
	int pid;
	const char *name;
};

static struct event events[EVENTS];
static uint32_t seed;

static uint32_t draw(uint32_t below)
{
	seed = seed * 1664525 + 1013904223;
	return (uint32_t)(((uint64_t)seed * below) >> 32);
}

static void make_events(void)
{
	uint64_t time = 1000000;

	for (size_t i = 0; i < EVENTS; i++) {
		events[i] = (struct event){
			.time = time += 1 + draw(draw(4) ? 50 : 1000000),
			.k = draw(5),
			.x = draw(3) ? (int64_t)draw(40) - 20 : (int64_t)draw(1 << 30) - (1 << 29),
			.cpu = draw(CPUS),
			.type = draw(3),
			.pid = (int)draw(4),
			.name = names[draw(ARRAY_SIZE(names))],
		};
	}
}

static int save_event(struct trace_writer *w, const struct event *event)
{
	struct page_writer *p = trace_writer_cpu(w, 0, event->cpu);
	static const uint32_t sizes[] = { 40, 20, 12 };
	uint16_t id = (uint16_t)(100 + event->type);
	uint8_t record[40] = { 0 };
	int32_t x = (int32_t)event->x;
	uint32_t k = (uint32_t)event->k;

	if (!p)
		return -ENOMEM;
	memcpy(record, &id, sizeof(id));
	memcpy(record + 4, &event->pid, sizeof(event->pid));
	if (event->type == 0) {
		memcpy(record + 8, &x, sizeof(x));
		memcpy(record + 16, &event->k, sizeof(event->k));
		memcpy(record + 24, event->name, strlen(event->name));
	} else if (event->type == 1) {
		memcpy(record + 8, &event->x, sizeof(event->x));
		record[16] = (uint8_t)event->k;
	} else {
		memcpy(record + 8, &k, sizeof(k));
	}
	page_writer_record(p, event->time, record, sizes[event->type]);
	return 0;
}

static int save_events(void)
{
	struct trace_writer *w =
		trace_writer_new(&(struct trace_config){ .version = 7, .formats = formats });
	int r = w ? 0 : -ENOMEM;

	for (size_t i = 0; i < EVENTS && r == 0; i++)
		r = save_event(w, &events[i]);
	if (r == 0)
		r = trace_writer_save(w, temp_path);
	trace_writer_free(w);
	return r;
}

/* The conditions that filters have here. */
static const char *const filters[] = { "x > 0", "k < 3", "pid == 2 or cpu == 1" };

static bool has(unsigned type, const char *field)
{
	return strcmp(field, "k") == 0 || (strcmp(field, "x") == 0 && type < 2) ||
	       (strcmp(field, "name") == 0 && type == 0);
}

static bool fits(const char *filter, const struct event *event)
{
	if (!filter)
		return true;
	if (strcmp(filter, filters[0]) == 0)
		return has(event->type, "x") && event->x > 0;
	if (strcmp(filter, filters[1]) == 0)
		return event->k < 3;
	return event->pid == 2 || event->cpu == 1;
}

struct row {
	char key[TEXT];
	struct count_sums sums;
	uint64_t bins[SPREAD_BINS], negative;
};

struct open {
	int64_t key;
	unsigned depth;
	struct event begins[NESTED];
};

/* The slow evaluator. */
struct slow {
	const struct count_plan *plan;
	struct row rows[ROWS];
	size_t n;
	struct open opens[OPENS];
	size_t n_opens;
	struct count_losses losses;
	bool filter_at_begin;
	size_t source; /* index of that of the end at hand */
};

static bool source_has(const struct count_source *source, unsigned type)
{
	return source->name[0] == '*' || strchr(source->name, (char)('a' + type));
}

/* Returns whether all events of the list have the field, which may be preceded by an event. */
static bool all_have(const struct count_source *list, size_t n, const char *name)
{
	const char *dot = strchr(name, '.');

	for (size_t i = 0; i < n; i++)
		for (unsigned type = 0; type < 3; type++)
			if (source_has(&list[i], type) && (!has(type, dot ? dot + 1 : name) ||
							   (dot && name[0] != (char)('a' + type))))
				return false;
	return n;
}

static bool any_has(const struct count_source *list, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		for (unsigned type = 0; type < 3; type++)
			if (source_has(&list[i], type) && has(type, name))
				return true;
	return false;
}

/* Returns the event that has the name of a key or value: the end or its begin. */
static const struct event *origin(const struct slow *slow, const char *name,
				  const struct event *begin, const struct event *end)
{
	return all_have(slow->plan->sources, slow->plan->n_sources, name) ? end : begin;
}

static void add_key(const struct slow *slow, const char *name, const struct event *begin,
		    const struct event *end, char *text)
{
	const char *field = strchr(name, '.') ? strchr(name, '.') + 1 : name;
	size_t len = strlen(text), room = TEXT - len;

	if (strcmp(name, "pid") == 0)
		snprintf(text + len, room, "%d|", end->pid);
	else if (strcmp(name, "cpu") == 0)
		snprintf(text + len, room, "%u|", end->cpu);
	else if (strcmp(name, "event") == 0)
		snprintf(text + len, room, "%c%zu|", 'a' + end->type, slow->source);
	else if (strcmp(name, "comm") == 0 && !end->pid)
		snprintf(text + len, room, "swapper/%u|", end->cpu);
	else if (strcmp(name, "comm") == 0)
		snprintf(text + len, room, "|");
	else if (strcmp(field, "name") == 0)
		snprintf(text + len, room, "%s|", origin(slow, name, begin, end)->name);
	else
		snprintf(text + len, room, "%" PRId64 "|",
			 field[0] == 'x' ? origin(slow, name, begin, end)->x :
					   (int64_t)origin(slow, name, begin, end)->k);
}

static int64_t value_of(const struct slow *slow, const struct event *begin, const struct event *end)
{
	const char *value = slow->plan->value;

	if (slow->plan->is_latency)
		return (int64_t)(end->time - begin->time);
	if (!value)
		return 0;
	if (strcmp(value, "pid") == 0)
		return end->pid;
	return value[0] == 'x' ? origin(slow, value, begin, end)->x :
				 (int64_t)origin(slow, value, begin, end)->k;
}

static struct row *find_row(struct slow *slow, const char *key)
{
	for (size_t i = 0; i < slow->n; i++)
		if (strcmp(slow->rows[i].key, key) == 0)
			return &slow->rows[i];
	assert_true(slow->n < ROWS);
	memset(&slow->rows[slow->n], 0, sizeof(slow->rows[0]));
	snprintf(slow->rows[slow->n].key, TEXT, "%s", key);
	return &slow->rows[slow->n++];
}

static void add_row(struct slow *slow, const struct event *begin, const struct event *end)
{
	int64_t value = value_of(slow, begin, end);
	char key[TEXT] = "";
	struct row *row;

	for (size_t i = 0; i < slow->plan->n_keys; i++)
		add_key(slow, slow->plan->keys[i], begin, end, key);
	row = find_row(slow, key);
	if (!row->sums.count || value < (int64_t)row->sums.min)
		row->sums.min = (uint64_t)value;
	if (!row->sums.count || value > (int64_t)row->sums.max)
		row->sums.max = (uint64_t)value;
	row->sums.count++;
	row->sums.sum += (uint64_t)value;
	if (slow->plan->what != COUNT_HIST)
		return;
	if (value < 0)
		row->negative++;
	else
		row->bins[spread_bin((uint64_t)value)]++;
}

static struct open *find_open(struct slow *slow, const struct count_source *source,
			      const struct event *event)
{
	int64_t key = event->pid ? event->pid : IDLE(event->cpu);

	if (source->pair)
		key = source->pair[0] == 'k' ? (int64_t)event->k : event->pid;
	for (size_t i = 0; i < slow->n_opens; i++)
		if (slow->opens[i].key == key)
			return &slow->opens[i];
	slow->opens[slow->n_opens].depth = 0;
	slow->opens[slow->n_opens].key = key;
	return &slow->opens[slow->n_opens++];
}

static void begin_one(struct slow *slow, const struct count_source *source,
		      const struct event *event)
{
	struct open *open;

	if (!fits(source->filter_text, event) ||
	    (slow->filter_at_begin && !fits(slow->plan->filter_text, event)))
		return;
	open = find_open(slow, source, event);
	if (source->pair) {
		open->depth = 0;
	} else if (open->depth == NESTED) {
		open->depth = 0;
		slow->losses.not_begun++;
	}
	open->begins[open->depth++] = *event;
}

static void end_one(struct slow *slow, const struct count_source *source, const struct event *event)
{
	struct open *open;

	if (!fits(source->filter_text, event) ||
	    (!slow->filter_at_begin && !fits(slow->plan->filter_text, event)))
		return;
	if (!slow->plan->n_begins) {
		add_row(slow, NULL, event);
		return;
	}
	open = find_open(slow, source, event);
	if (!open->depth) {
		slow->losses.unpaired++;
		return;
	}
	add_row(slow, &open->begins[--open->depth], event);
}

static void evaluate_slowly(struct slow *slow, const struct count_plan *plan)
{
	bool expects_unpaired;

	slow->plan = plan;
	slow->n = slow->n_opens = 0;
	slow->losses = (struct count_losses){ 0 };
	slow->filter_at_begin = plan->n_begins && plan->filter_text &&
				strcmp(plan->filter_text, filters[0]) == 0 &&
				!any_has(plan->sources, plan->n_sources, "x");
	for (size_t i = 0; i < EVENTS; i++) {
		if (plan->process && events[i].pid != plan->process)
			continue;
		for (size_t k = 0; k < plan->n_sources; k++)
			if (source_has(&plan->sources[slow->source = k], events[i].type))
				end_one(slow, &plan->sources[k], &events[i]);
		for (size_t k = 0; k < plan->n_begins; k++)
			if (source_has(&plan->begins[k], events[i].type))
				begin_one(slow, &plan->begins[k], &events[i]);
	}
	for (size_t i = 0; i < slow->n_opens; i++)
		slow->losses.open += slow->opens[i].depth;
	expects_unpaired = slow->filter_at_begin;
	for (size_t k = 0; k < plan->n_begins; k++)
		expects_unpaired |= plan->begins[k].filter_text != NULL;
	if (expects_unpaired)
		slow->losses.unpaired = 0;
}

/* Writes the key of a row in the same way. An event that two sources match has a row for each. */
static void show_key(const struct count_row *row, const struct count_columns *columns,
		     const struct count_site *sites, const struct count_plan *plan, char text[TEXT])
{
	text[0] = '\0';
	for (size_t i = 0; i < columns->n_keys; i++) {
		const struct count_column *column = &columns->keys[i];
		size_t len = strlen(text);

		if (column->kind == COUNT_COLUMN_TEXT)
			snprintf(text + len, TEXT - len, "%s|", count_row_text(row, column));
		else if (column->kind == COUNT_COLUMN_EVENT)
			snprintf(text + len, TEXT - len, "%s%td|",
				 sites[count_row_number(row, column)].format->name,
				 sites[count_row_number(row, column)].source - plan->sources);
		else
			snprintf(text + len, TEXT - len, "%" PRId64 "|",
				 count_row_number(row, column));
	}
}

static void compare(struct count_events *fast, struct slow *slow)
{
	const struct count_table *table = count_events_table(fast);
	size_t n;
	const struct count_site *sites = count_events_sites(fast, &n);

	for (size_t i = 0; i < table->n; i++) {
		const struct count_row *row = &table->rows[i];
		const struct row *wanted;
		char key[TEXT];

		show_key(row, table->columns, sites, slow->plan, key);
		wanted = find_row(slow, key);
		assert_int_equal(row->sums.count, wanted->sums.count);
		if (table->columns->has_value)
			assert_memory_equal(&row->sums, &wanted->sums, sizeof(row->sums));
		assert_int_equal(row->negative, wanted->negative);
		for (unsigned bin = 0; bin < SPREAD_BINS; bin++) {
			unsigned at = bin - row->spread.low;

			assert_int_equal(bin >= row->spread.low && at < row->spread.n ?
						 row->spread.counts[at] :
						 0,
					 wanted->bins[bin]);
		}
	}
	assert_int_equal(table->n, slow->n);
	assert_memory_equal(&table->losses, &slow->losses, sizeof(slow->losses));
}

/* Returns 0 if the plan is impossible. */
static int check_plan(const struct count_words *words, const char *described)
{
	static struct count_plan plan;
	static struct slow slow;
	struct arena arena = { 0 };
	struct fathom_err err = { 0 };
	struct count_events *fast;
	struct event_table table;
	struct fathom_trace *trace;
	struct feed feed = { 0 };
	int r = count_plan_parse(words, &arena, &plan, &err);

	assert_int_equal(fathom_trace_open(temp_path, 0, &trace, NULL), 0);
	assert_int_equal(event_table_init(&table, trace, NULL), 0);
	if (r == 0)
		r = count_events_new(&(struct count_events_options){ .plan = &plan,
								     .events = &table },
				     &fast, &err);
	if (r == 0) {
		feed = (struct feed){ .trace = trace, .events = &table };
		assert_int_equal(feed_run(&feed, count_events_take, fast, NULL), 0);
		assert_int_equal(count_events_end(fast), 0);
		evaluate_slowly(&slow, &plan);
		print_message("%s: %zu rows\n", described, slow.n);
		compare(fast, &slow);
		count_events_free(fast);
	} else {
		assert_true(r == -ENOENT || r == -EINVAL);
	}
	event_table_done(&table);
	fathom_trace_free(trace);
	arena_done(&arena);
	return r == 0;
}

#define PICK(list) ((list)[draw(ARRAY_SIZE(list))])

static int check_random_plan(void)
{
	static const char *const what[] = {
		"t:a",
		"t:*",
		"t:a,t:b",
		"t:a..t:b",
		"t:b..t:a",
		"t:a[k]..t:b[k]",
		"t:*..t:a",
		"t:b,t:c..t:a",
		"t:a[pid]..t:c[k]",
		"t:a..t:a",
		"t:c/k < 3/..t:b",
		"t:a..t:b/x > 0/",
		"t:*,t:a",
		"t:c,t:*,t:[ac]",
		"t:a[k],t:b[k]..t:c[k]",
		"t:b/pid == 2 or cpu == 1/",
		"t:a/x > 0/..t:c/k < 3/",
	};
	static const char *const keys[] = { "pid",  "cpu",    "event", "comm", "x",  "k",
					    "name", "a.name", "b.x",   "a.k",  "b.k" };
	static const char *const values[] = { "x", "k", "pid" };
	struct count_words words = { .what = PICK(what), .process = draw(5) ? 0 : 2 };
	size_t n_keys = draw(4), first = draw(ARRAY_SIZE(keys));
	char list[100] = "", described[300];

	for (size_t i = 0; i < n_keys; i++)
		snprintf(list + strlen(list), sizeof(list) - strlen(list), "%s%s", i ? "," : "",
			 keys[(first + i * 3) % ARRAY_SIZE(keys)]);
	words.keys = n_keys ? list : NULL;
	words.filter = draw(2) ? PICK(filters) : NULL;
	words.aggregator = (enum count_what)draw(COUNT_HIST + 1);
	words.is_latency = strstr(words.what, "..") && draw(2);
	if (!words.is_latency && words.aggregator != COUNT_NUMBER)
		words.value = PICK(values);
	snprintf(described, sizeof(described), "%s by %s if %s, %d of %s in %d", words.what, list,
		 words.filter ?: "", words.aggregator, words.value ?: "", words.process);
	return check_plan(&words, described);
}

static void equals_the_slow_evaluator(void **state)
{
	int valid = 0;

	for (int i = 0; i < RUNS; i++) {
		seed = (uint32_t)i * 7919 + 1;
		if (i % 20 == 0) {
			make_events();
			assert_int_equal(save_events(), 0);
		}
		valid += check_random_plan();
	}
	assert_true(valid > RUNS / 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equals_the_slow_evaluator),
	};

	return cmocka_run_group_tests(tests, temp_file_setup, temp_file_teardown);
}
