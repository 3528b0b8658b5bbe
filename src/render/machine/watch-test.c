/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "render/machine/watch.h"

#include <linux/perf_event.h>

#include "base/cleanup.h"
#include "test.h"

static const struct perf_layout layout = { 0 };
static const struct perf_record no_stack;

static const struct watch_hit a_hit = { .time = 12345678901,
					.pid = 10,
					.tid = 11,
					.cpu = 3,
					.comm = "prog",
					.has_value = true,
					.has_old = true,
					.value = 5,
					.old = 4,
					.ip = 0x1234,
					.record = &no_stack };

static struct watch_text new_text(void)
{
	return (struct watch_text){ .name = "counter",
				    .shown = { { 0x1000, 4, 0 }, { 0x1004, 4, 4 } } };
}

static void check(struct watch_text *text, const struct watch_hit *hit, const char *want)
{
	_cleanup_strbuf_ struct strbuf out = { 0 };

	watch_text_hit(text, &layout, hit, &out);
	assert_string_equal(strbuf_str(&out), want);
}

#define HEAD "            prog-11      [003]    12.345678: "

static void test_lines(void **state)
{
	struct watch_text text = new_text();
	struct watch_hit hit = a_hit;

	check(&text, &hit, HEAD "counter: 4 -> 5  0x1234\n");
	hit.which = 1;
	hit.value = 0xffffffff;
	check(&text, &hit, HEAD "counter+4: 4 -> -1  0x1234\n");
	hit.value = 0x12345678;
	check(&text, &hit, HEAD "counter+4: 0x4 -> 0x12345678  0x1234\n");
	hit.has_old = false;
	hit.value = 3;
	hit.which = 0;
	text.utf8 = true;
	check(&text, &hit, HEAD "counter: ? → 3  0x1234\n");
	text.hex = true;
	check(&text, &hit, HEAD "counter: ? → 0x3  0x1234\n");
	hit.has_value = false;
	check(&text, &hit, HEAD "counter: the value could not be read  0x1234\n");
	hit.in_kernel = true;
	text.access = WATCH_SHOW_EXECUTE;
	check(&text, &hit, HEAD "counter: reached  0x1234 [kernel]\n");
	watch_text_done(&text);
}

static void test_read(void **state)
{
	struct watch_text text = new_text();
	struct watch_hit hit = a_hit;

	text.access = WATCH_SHOW_BOTH;
	check(&text, &hit, HEAD "counter: 4 -> 5  0x1234\n");
	hit.old = 5;
	check(&text, &hit, HEAD "counter: 5 (unchanged)  0x1234\n");
	watch_text_done(&text);
}

static void test_json(void **state)
{
	_cleanup_strbuf_ struct strbuf out = { 0 };
	struct watch_text text = new_text();
	struct watch_hit hit = a_hit;

	text.json = true;
	check(&text, &hit,
	      "{\"time_ns\":12345678901,\"cpu\":3,\"pid\":11,\"tgid\":10,\"comm\":\"prog\","
	      "\"event\":\"watch\",\"name\":\"counter\",\"offset_bytes\":0,\"length_bytes\":4,\"old\":\"0x4\","
	      "\"new\":\"0x5\",\"ip\":\"0x1234\",\"kernel\":false,\"where\":\"0x1234\"}\n");
	watch_text_sum(&text, &(struct watch_sum){ .hits = 1, .lost = 2 }, &out);
	assert_non_null(strstr(strbuf_str(&out),
			       "\"event\":\"summary\",\"hit_count\":1,\"places\":[{"
			       "\"where\":\"0x1234\",\"hit_count\":1}],"));
	assert_non_null(strstr(strbuf_str(&out), "\"lost_event_count\":2,"));
	watch_text_done(&text);
}

static void test_sum(void **state)
{
	_cleanup_strbuf_ struct strbuf out = { 0 };
	struct watch_text text = new_text();
	struct watch_hit hit = a_hit;

	for (unsigned i = 0; i < 14; i++) {
		hit.ip = 0x1000 + i;
		watch_text_hit(&text, &layout, &hit, &out);
	}
	hit.ip = 0x1005;
	hit.pid = 12;
	watch_text_hit(&text, &layout, &hit, &out);
	strbuf_clear(&out);
	watch_text_sum(&text, &(struct watch_sum){ .hits = 15 }, &out);
	assert_non_null(strstr(strbuf_str(&out), "15 hits by 2 processes, 0 lost\n"
						 "       2  0x1005\n"
						 "       1  0x1000\n"));
	assert_non_null(strstr(strbuf_str(&out), "\n       4  in 4 other places\n"));
	watch_text_done(&text);
}

/* The stack is shown without its first frame; markers separate kernel and user frames. */
static void test_stack(void **state)
{
	uint64_t chain[] = { (uint64_t)PERF_CONTEXT_KERNEL, 0x1234, 0x2000,
			     (uint64_t)PERF_CONTEXT_USER, 0x3000 };
	struct perf_record record = { .chain = (const uint8_t *)chain, .n_chain = 5 };
	struct perf_layout host = { .big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ };
	_cleanup_strbuf_ struct strbuf out = { 0 };
	struct watch_text text = new_text();
	struct watch_hit hit = a_hit;

	text.stacks = true;
	hit.in_kernel = true;
	hit.record = &record;
	watch_text_hit(&text, &host, &hit, &out);
	assert_string_equal(strbuf_str(&out), HEAD "counter: 4 -> 5  0x1234 [kernel]\n"
						   "        => 0x2000 [kernel]\n"
						   "        => 0x3000\n");
	watch_text_done(&text);
}

static int render_op(void *arg)
{
	_cleanup_strbuf_ struct strbuf out = { 0 };
	_cleanup_(watch_text_done) struct watch_text text = new_text();

	text.json = *(bool *)arg;
	watch_text_hit(&text, &layout, &a_hit, &out);
	return text.nomem || out.err ? -ENOMEM : 0;
}

static void test_failing_allocations(void **state)
{
	oom_check(render_op, &(bool){ false });
	oom_check(render_op, &(bool){ true });
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines), cmocka_unit_test(test_read),
		cmocka_unit_test(test_json),  cmocka_unit_test(test_sum),
		cmocka_unit_test(test_stack), cmocka_unit_test(test_failing_allocations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
