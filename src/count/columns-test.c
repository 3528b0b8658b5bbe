/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include "base/cleanup.h"
#include "count/columns.h"

#define NUMBER(field, bytes, sign)                                                     \
	{                                                                              \
		.name = (field), .type = "int", .size = (bytes), .elem_size = (bytes), \
		.kind = EVENT_FIELD_INT, .is_signed = (sign)                           \
	}
#define TEXT(field, bytes)                                                          \
	{                                                                           \
		.name = (field), .type = "char[]", .size = (bytes), .elem_size = 1, \
		.kind = EVENT_FIELD_STRING                                          \
	}
#define POINTER(field, to)                                                \
	{                                                                 \
		.name = (field), .type = (to), .size = 8, .elem_size = 8, \
		.kind = EVENT_FIELD_POINTER                               \
	}
#define FORMAT(event, list)                                                                      \
	{                                                                                        \
		.system = "sys", .name = (event), .n_fields = ARRAY_SIZE(list), .fields = (list) \
	}

static struct event_field wakeup_fields[] = {
	NUMBER("pid", 4, true),
	TEXT("comm", 16),
	NUMBER("prio", 4, true),
	NUMBER("only_wakeup", 8, false),
};
static struct event_field switch_fields[] = {
	NUMBER("next_pid", 4, true),
	TEXT("next_comm", 16),
	NUMBER("prio", 4, false),
	POINTER("rq", "struct rq *"),
};
static struct event_field open_fields[] = {
	POINTER("filename", "const char *"),
	POINTER("user_name", "const char __user *"),
	POINTER("bytes", "unsigned char *"),
	POINTER("words", "char **"),
	{ .name = "args",
	  .type = "long[6]",
	  .size = 48,
	  .count = 6,
	  .elem_size = 8,
	  .is_signed = true,
	  .offset = 8,
	  .kind = EVENT_FIELD_ARRAY },
	{ .name = "name",
	  .type = "__data_loc char[]",
	  .size = 4,
	  .elem_size = 1,
	  .kind = EVENT_FIELD_STRING,
	  .place = EVENT_PLACE_DATA_LOC },
	TEXT("long_text", 24),
	TEXT("short_text", 8),
	TEXT("prio", 16),
	{ .name = "ip",
	  .type = "unsigned long",
	  .size = 8,
	  .elem_size = 8,
	  .kind = EVENT_FIELD_INT,
	  .is_address = true },
	{ .name = "func", .type = "int", .size = 4, .elem_size = 4, .kind = EVENT_FIELD_INT },
};
static const struct event_format wakeup_format = FORMAT("wakeup", wakeup_fields);
static const struct event_format switch_format = FORMAT("switch", switch_fields);
static const struct event_format open_format = FORMAT("open", open_fields);

static const struct count_source wakeup = { .kind = COUNT_EVENT,
					    .text = "sys:wakeup",
					    .name = "wakeup",
					    .pair = "pid" };
static const struct count_source switched = { .kind = COUNT_EVENT,
					      .text = "sys:switch",
					      .name = "switch",
					      .pair = "next_pid" };
static const struct count_source opened = { .kind = COUNT_EVENT,
					    .text = "sys:open",
					    .name = "open" };
static const struct count_source function = { .kind = COUNT_FUNCTION,
					      .text = "vfs_read",
					      .name = "vfs_read" };
static const struct count_source timer = { .kind = COUNT_PROFILE, .text = "profile:99" };

/* The counted event, or the two ends of a latency. */
struct result {
	struct count_site sites[2];
	struct count_columns columns;
	struct fathom_err err;
};

static int resolve(struct result *result, const struct count_plan *plan, size_t n)
{
	result->err = (struct fathom_err){ 0 };
	return count_columns_init(&result->columns, plan, result->sites, n, &result->err);
}

static void fails(struct result *result, const struct count_plan *plan, size_t n, int error,
		  const char *message)
{
	assert_int_equal(resolve(result, plan, n), error);
	assert_string_equal(result->err.message, message);
}

static struct result of_open(void)
{
	return (struct result){ .sites = { { .source = &opened, .format = &open_format } } };
}

static struct result of_latency(void)
{
	return (struct result){
		.sites = { { .source = &wakeup, .format = &wakeup_format, .is_begin = true },
			   { .source = &switched, .format = &switch_format } },
	};
}

static void facts_precede_fields(void **state)
{
	const struct count_plan plan = { .keys = { "comm", "pid", "tgid", "cpu", "event" },
					 .n_keys = 5 };
	struct result result = { .sites = { { .source = &wakeup, .format = &wakeup_format } } };
	const struct count_from *keys = result.sites[0].keys;
	const struct count_column *columns = result.columns.keys;

	assert_int_equal(resolve(&result, &plan, 1), 0);
	assert_int_equal(keys[0].fact, COUNT_FACT_COMM);
	assert_int_equal(columns[0].kind, COUNT_COLUMN_TEXT);
	assert_int_equal(columns[0].size, COUNT_COMM_SIZE);
	assert_int_equal(keys[1].fact, COUNT_FACT_PID);
	assert_true(columns[1].is_signed);
	assert_int_equal(columns[1].offset, 16);
	assert_int_equal(keys[2].fact, COUNT_FACT_TGID);
	assert_int_equal(keys[3].fact, COUNT_FACT_CPU);
	assert_int_equal(keys[4].fact, COUNT_FACT_EVENT);
	assert_int_equal(columns[4].kind, COUNT_COLUMN_EVENT);
	assert_int_equal(columns[4].offset, 40);
	assert_int_equal(result.columns.key_size, 48);
	assert_int_equal(result.columns.n_keys, 5);
	assert_string_equal(columns[2].name, "tgid");
	assert_false(result.columns.has_value);
}

static void qualified_names_are_fields(void **state)
{
	const struct count_plan plan = { .keys = { "wakeup.comm", "wakeup.pid" }, .n_keys = 2 };
	struct result result = { .sites = { { .source = &wakeup, .format = &wakeup_format } } };

	assert_int_equal(resolve(&result, &plan, 1), 0);
	assert_ptr_equal(result.sites[0].keys[0].field, &wakeup_fields[1]);
	assert_ptr_equal(result.sites[0].keys[1].field, &wakeup_fields[0]);
	assert_int_equal(result.columns.keys[0].kind, COUNT_COLUMN_TEXT);
	assert_int_equal(result.columns.keys[0].size, COUNT_COMM_SIZE);
}

static void texts_have_two_sizes(void **state)
{
	const struct count_plan plan = {
		.keys = { "name", "long_text", "short_text", "filename", "user_name" }, .n_keys = 5
	};
	static const uint32_t sizes[] = { 64, 64, 16, 64, 64 };
	struct result result = of_open();

	assert_int_equal(resolve(&result, &plan, 1), 0);
	for (size_t i = 0; i < plan.n_keys; i++) {
		assert_int_equal(result.columns.keys[i].kind, COUNT_COLUMN_TEXT);
		assert_int_equal(result.columns.keys[i].size, sizes[i]);
		assert_false(result.columns.keys[i].is_signed);
	}
	assert_true(count_field_is_pointer_to_text(&open_fields[1]));
	assert_false(count_field_is_pointer_to_text(&open_fields[2]));
	assert_false(count_field_is_pointer_to_text(&open_fields[3]));
	assert_false(count_field_is_pointer_to_text(&open_fields[5]));
	assert_true(count_field_is_text(&open_fields[5]));
	assert_false(count_field_is_text(&open_fields[4]));
}

static void addresses_are_marked(void **state)
{
	const struct count_plan plan = {
		.keys = { "ip", "words", "func" }, .n_keys = 3, .what = COUNT_SUM, .value = "bytes"
	};
	struct result result = of_open();

	assert_int_equal(resolve(&result, &plan, 1), 0);
	assert_int_equal(result.columns.keys[0].kind, COUNT_COLUMN_ADDRESS);
	assert_int_equal(result.columns.keys[1].kind, COUNT_COLUMN_ADDRESS);
	/* This event has a field of the name of a fact that it does not have. */
	assert_int_equal(result.sites[0].keys[2].fact, COUNT_FACT_FIELD);
	assert_int_equal(result.columns.keys[2].kind, COUNT_COLUMN_NUMBER);
	assert_true(result.columns.has_value);
	assert_true(result.columns.is_address);
	assert_ptr_equal(result.sites[0].value.field, &open_fields[2]);
}

static void functions_have_a_function(void **state)
{
	const struct count_plan plan = { .keys = { "func", "kstack", "ustack" }, .n_keys = 3 };
	struct result result = { .sites = { { .source = &function } } };

	assert_int_equal(resolve(&result, &plan, 1), 0);
	assert_int_equal(result.sites[0].keys[0].fact, COUNT_FACT_FUNC);
	assert_int_equal(result.columns.keys[0].kind, COUNT_COLUMN_ADDRESS);
	assert_int_equal(result.sites[0].keys[1].fact, COUNT_FACT_KSTACK);
	assert_int_equal(result.sites[0].keys[2].fact, COUNT_FACT_USTACK);
	assert_int_equal(result.columns.keys[2].kind, COUNT_COLUMN_STACK);
	assert_true(result.columns.keys[2].is_signed);
	result.sites[0].source = &timer;
	fails(&result, &plan, 1, -ENOENT, "timer 'profile:99' has no field 'func'");
}

static void either_end_of_a_latency_has_the_field(void **state)
{
	const struct count_plan plan = {
		.n_begins = 1,
		.is_latency = true,
		.what = COUNT_HIST,
		.keys = { "next_comm", "only_wakeup", "prio", "wakeup.prio", "pid" },
		.n_keys = 5,
	};
	struct result result = of_latency();
	const struct count_from *begin = result.sites[0].keys, *end = result.sites[1].keys;

	assert_int_equal(resolve(&result, &plan, 2), 0);
	assert_int_equal(begin[0].fact, COUNT_FACT_NONE);
	assert_ptr_equal(end[0].field, &switch_fields[1]);
	assert_ptr_equal(begin[1].field, &wakeup_fields[3]);
	assert_int_equal(end[1].fact, COUNT_FACT_NONE);
	assert_false(result.columns.keys[1].is_signed);
	/* Both have it: that of the counted event is used. */
	assert_int_equal(begin[2].fact, COUNT_FACT_NONE);
	assert_ptr_equal(end[2].field, &switch_fields[2]);
	assert_ptr_equal(begin[3].field, &wakeup_fields[2]);
	assert_true(result.columns.keys[3].is_signed);
	assert_int_equal(begin[4].fact, COUNT_FACT_NONE);
	assert_int_equal(end[4].fact, COUNT_FACT_PID);
	assert_true(result.columns.has_value);
	assert_true(result.columns.is_time);
	assert_false(result.columns.is_signed);
	assert_int_equal(end[5].fact, COUNT_FACT_NONE);
	assert_int_equal(result.sites[1].value.fact, COUNT_FACT_LATENCY);
	assert_int_equal(result.sites[0].value.fact, COUNT_FACT_NONE);
	assert_ptr_equal(result.sites[0].pair.field, &wakeup_fields[0]);
	assert_ptr_equal(result.sites[1].pair.field, &switch_fields[0]);
}

static void values_are_signed_if_they_are_everywhere(void **state)
{
	const struct count_plan plan = { .what = COUNT_SUM, .value = "prio" };
	struct result result = of_latency();

	result.sites[0].is_begin = false;
	assert_int_equal(resolve(&result, &plan, 2), 0);
	assert_false(result.columns.is_signed);
	assert_false(result.columns.is_address);
	assert_ptr_equal(result.sites[0].value.field, &wakeup_fields[2]);
	assert_int_equal(resolve(&result, &plan, 1), 0);
	assert_true(result.columns.is_signed);
}

static void explains_unknown_names(void **state)
{
	struct result open = of_open(), latency = of_latency();
	struct result called = { .sites = { { .source = &function } } };

	fails(&open, &(struct count_plan){ .keys = { "filenme" }, .n_keys = 1 }, 1, -ENOENT,
	      "event 'open' has no field 'filenme'; did you mean 'filename'?");
	fails(&open, &(struct count_plan){ .keys = { "com" }, .n_keys = 1 }, 1, -ENOENT,
	      "event 'open' has no field 'com'; did you mean 'comm'?");
	fails(&open, &(struct count_plan){ .keys = { "open.zzzzzzzz" }, .n_keys = 1 }, 1, -ENOENT,
	      "event 'open' has no field 'zzzzzzzz'");
	fails(&open, &(struct count_plan){ .keys = { "close.name" }, .n_keys = 1 }, 1, -ENOENT,
	      "'close.name': no counted event is 'close'");
	fails(&latency, &(struct count_plan){ .keys = { "next_pidd" }, .n_keys = 1 }, 2, -ENOENT,
	      "event 'switch' has no field 'next_pidd'; did you mean 'next_pid'?");
	fails(&called, &(struct count_plan){ .value = "zzzzzzzz", .what = COUNT_SUM }, 1, -ENOENT,
	      "function 'vfs_read' has no argument 'zzzzzzzz'");
	/* One of two counted events has it. */
	latency.sites[0].is_begin = false;
	fails(&latency, &(struct count_plan){ .keys = { "only_wakeup" }, .n_keys = 1 }, 2, -ENOENT,
	      "event 'switch' has no field 'only_wakeup'");
	fails(&latency, &(struct count_plan){ .keys = { "wakeup.prio" }, .n_keys = 1 }, 2, -ENOENT,
	      "'wakeup.prio': not all counted events are 'wakeup'");
}

static void rejects_what_is_no_key_or_value(void **state)
{
	struct result open = of_open(), both = of_latency();

	fails(&open, &(struct count_plan){ .keys = { "args" }, .n_keys = 1 }, 1, -EINVAL,
	      "'args' of event 'open' is neither a number nor text");
	fails(&open, &(struct count_plan){ .value = "name", .what = COUNT_SUM }, 1, -EINVAL,
	      "'name' is not a number");
	fails(&open, &(struct count_plan){ .value = "comm", .what = COUNT_SUM }, 1, -EINVAL,
	      "'comm' is not a number");
	fails(&open, &(struct count_plan){ .what = COUNT_SUM }, 1, -EINVAL, "no field to add up");
	both.sites[0] = open.sites[0];
	fails(&both, &(struct count_plan){ .keys = { "prio" }, .n_keys = 1 }, 2, -EINVAL,
	      "'prio' of event 'switch' is a number, but text in other events");
}

static void pairs_prefer_fields(void **state)
{
	struct count_source by = { .kind = COUNT_EVENT, .text = "sys:open" };
	const struct count_plan plan = { .n_begins = 1, .is_latency = true };
	struct result result = of_latency();

	result.sites[1].source = &by;
	by.pair = "pid";
	assert_int_equal(resolve(&result, &plan, 2), 0);
	assert_int_equal(result.sites[1].pair.fact, COUNT_FACT_PID);
	assert_int_equal(result.sites[0].pair.fact, COUNT_FACT_FIELD);
	by.pair = "comm";
	fails(&result, &plan, 2, -EINVAL, "'comm': cannot pair by it");
	by.pair = "next_comm";
	fails(&result, &plan, 2, -EINVAL,
	      "'next_comm' of event 'switch' is not a number: cannot pair by it");
	by.pair = "next_pit";
	fails(&result, &plan, 2, -ENOENT,
	      "event 'switch' has no field 'next_pit'; did you mean 'next_pid'?");
	by.pair = NULL;
	fails(&result, &plan, 2, -EINVAL,
	      "event 'switch' has no field to pair by, unlike 'wakeup': write NAME[FIELD]");
}

static void elements_of_arrays_are_fields(void **state)
{
	const struct count_plan plan = { .keys = { "args[2]", "args[0]", "open.args[2]" },
					 .n_keys = 3,
					 .what = COUNT_SUM,
					 .value = "args[5]" };
	struct result result = of_open();
	const struct event_field *field;

	assert_int_equal(resolve(&result, &plan, 1), 0);
	field = result.sites[0].keys[0].field;
	assert_int_equal(field->kind, EVENT_FIELD_INT);
	assert_int_equal(field->offset, open_fields[4].offset + 16);
	assert_int_equal(field->size, 8);
	assert_ptr_equal(result.sites[0].keys[2].field, field);
	assert_int_equal(result.sites[0].keys[1].field->offset, open_fields[4].offset);
	assert_int_equal(result.sites[0].value.field->offset, open_fields[4].offset + 40);
	assert_int_equal(result.columns.n_elements, 3);
	assert_true(result.columns.keys[0].is_signed);
	fails(&result, &(struct count_plan){ .keys = { "args[6]" }, .n_keys = 1 }, 1, -ENOENT,
	      "event 'open' has no field 'args[6]'; did you mean 'args'?");
	fails(&result, &(struct count_plan){ .keys = { "args[x]" }, .n_keys = 1 }, 1, -ENOENT,
	      "event 'open' has no field 'args[x]'; did you mean 'args'?");
	fails(&result, &(struct count_plan){ .keys = { "ip[0]" }, .n_keys = 1 }, 1, -ENOENT,
	      "event 'open' has no field 'ip[0]'");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(facts_precede_fields),
		cmocka_unit_test(qualified_names_are_fields),
		cmocka_unit_test(texts_have_two_sizes),
		cmocka_unit_test(addresses_are_marked),
		cmocka_unit_test(functions_have_a_function),
		cmocka_unit_test(either_end_of_a_latency_has_the_field),
		cmocka_unit_test(values_are_signed_if_they_are_everywhere),
		cmocka_unit_test(explains_unknown_names),
		cmocka_unit_test(rejects_what_is_no_key_or_value),
		cmocka_unit_test(pairs_prefer_fields),
		cmocka_unit_test(elements_of_arrays_are_fields),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
