/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/samples/samples.h"

#include <linux/perf_event.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "format/bytes.h"
#include "format/page/page.h"
#include "format/event/sample-event.h"
#include "test.h"

#define PAGE  4096
#define OWN   77
#define START 1000000000ULL

struct made {
	uint64_t words[40];
	size_t n;
};

static void add(struct made *made, uint64_t word)
{
	made->words[made->n++] = word;
}

static uint64_t pair(uint32_t first, uint32_t second)
{
	uint64_t word;

	memcpy(&word, (uint32_t[]){ first, second }, sizeof(word));
	return word;
}

static void begin(struct made *made, uint32_t type, uint16_t misc)
{
	*made = (struct made){ 0 };
	add(made, pair(type, 0));
	memcpy((uint8_t *)made->words + 4, &misc, sizeof(misc));
}

static int put(struct samples *samples, size_t cpu, struct made *made)
{
	uint16_t size = (uint16_t)(made->n * 8);

	memcpy((uint8_t *)made->words + 6, &size, sizeof(size));
	return samples_put(samples, cpu, (const uint8_t *)made->words, size);
}

static int put_sample(struct samples *samples, size_t cpu, uint32_t pid, uint64_t time)
{
	struct made made;

	begin(&made, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	add(&made, 0x401000);
	add(&made, pair(pid, pid));
	add(&made, time);
	add(&made, pair((uint32_t)cpu, 0));
	add(&made, 3);
	add(&made, (uint64_t)PERF_CONTEXT_USER);
	add(&made, 0x401000);
	add(&made, 0x402000);
	return put(samples, cpu, &made);
}

static void add_trailer(struct made *made, uint32_t pid, uint64_t time)
{
	add(made, pair(pid, pid));
	add(made, time);
	add(made, 0);
}

static int put_loss(struct samples *samples, size_t cpu, uint64_t lost, uint64_t time)
{
	struct made made;

	begin(&made, PERF_RECORD_LOST, 0);
	add(&made, 1);
	add(&made, lost);
	add_trailer(&made, 5, time);
	return put(samples, cpu, &made);
}

static int put_comm(struct samples *samples, uint32_t pid, const char *name, uint64_t time)
{
	struct made made;
	char text[16] = { 0 };

	memcpy(text, name, strlen(name));
	begin(&made, PERF_RECORD_COMM, 0);
	add(&made, pair(pid, pid));
	memcpy(&made.words[made.n], text, sizeof(text));
	made.n += 2;
	add_trailer(&made, pid, time);
	return put(samples, 0, &made);
}

static int put_fork(struct samples *samples, uint32_t pid, uint32_t parent)
{
	struct made made;

	begin(&made, PERF_RECORD_FORK, 0);
	add(&made, pair(pid, parent));
	add(&made, pair(pid, parent));
	add(&made, START);
	add_trailer(&made, parent, START);
	return put(samples, 0, &made);
}

struct fixture {
	struct trace_out_stream streams[2];
	int fd;
	struct samples *samples;
};

/* Two CPUs, with room for @pages each. Returns 0 or -ENOMEM. */
static int start(struct fixture *f, unsigned pages)
{
	static const pid_t own[] = { OWN };
	struct samples_options options = {
		.hz = 100, .not_pids = own, .n_not_pids = 1, .streams = f->streams, .n_streams = 2
	};

	*f = (struct fixture){ .fd = memfd_create("samples", MFD_CLOEXEC) };
	assert_true(f->fd >= 0);
	for (uint32_t i = 0; i < 2; i++) {
		f->streams[i].fd = f->fd;
		f->streams[i].cpu = i;
		f->streams[i].page_size = PAGE;
		f->streams[i].start = (uint64_t)i << 20;
		f->streams[i].limit = (uint64_t)pages * PAGE;
	}
	return samples_new_empty(&options, &f->samples);
}

static void end(struct fixture *f)
{
	samples_free(f->samples);
	close(f->fd);
}

/* Contents of the pages of a CPU. */
struct held {
	uint64_t events, missed, last, ns;
	bool in_order;
};

static struct held look(const struct fixture *f, unsigned cpu)
{
	const struct trace_out_stream *stream = &f->streams[cpu];
	struct page_layout layout = page_layout_default(sizeof(long), PAGE, BYTES_HOST_BIG);
	struct held held = { .in_order = true };
	uint8_t page[PAGE];

	for (uint64_t at = 0; at < stream->size; at += PAGE) {
		struct page_head head;
		struct page_iter it;
		struct page_event event;

		assert_int_equal(pread(f->fd, page, PAGE, (off_t)(stream->start + at)), PAGE);
		head = page_head_read(&layout, page, PAGE);
		it = (struct page_iter){ head.time, layout.data_offset, head.end };
		held.missed += head.missed;
		while (page_iter_next(&it, page, BYTES_HOST_BIG, &event) == 1) {
			held.in_order &= event.time >= held.last;
			held.last = event.time;
			assert_int_equal(load_u16(page + event.data, BYTES_HOST_BIG), SAMPLE_ID);
			assert_int_equal(event.size, SAMPLE_HEAD + 16);
			/* The field "ns". */
			held.ns += load_u64(page + event.data + 16, BYTES_HOST_BIG);
			held.events++;
		}
		assert_int_equal(it.pos, it.end);
	}
	return held;
}

/* Full pages are written, and partial ones at the end; time may be the same for long. */
static void writes_all_samples(void **state)
{
	struct fixture f;
	struct held held;

	if (succeeds(start(&f, 100) == 0)) {
		for (uint64_t i = 0; i < 200; i++)
			assert_int_equal(put_sample(f.samples, 1, 5, START + i * 10000000), 0);
		assert_int_equal(put_sample(f.samples, 1, 5, START + (1ULL << 40)), 0);
		/* A sample that was overtaken. */
		assert_int_equal(put_sample(f.samples, 1, 5, START), 0);
		assert_true(f.streams[1].size >= PAGE);
		assert_int_equal(samples_take(f.samples, true), 0);
		held = look(&f, 1);
		assert_int_equal(held.events, 202);
		assert_true(held.in_order);
		assert_int_equal(held.last, START + (1ULL << 40));
		assert_int_equal(held.missed, 0);
		assert_int_equal(f.streams[0].size, 0);
		assert_int_equal(samples_count(f.samples).samples, 202);
	}
	end(&f);
}

/* Late timers: 3 samples at 100 Hz of tasks that ran for 90 ms, then one of 20 ms. */
static void represents_the_elapsed_time(void **state)
{
	struct fixture f;

	if (succeeds(start(&f, 100) == 0)) {
		samples_weigh(f.samples, 0, 3, 90000000);
		for (uint64_t i = 0; i < 3; i++)
			put_sample(f.samples, 0, 5, START + i);
		/* No samples in between. */
		samples_weigh(f.samples, 0, 0, 100000000);
		samples_weigh(f.samples, 0, 1, 110000000);
		put_sample(f.samples, 0, 5, START + 9);
		/* It is unknown how long these ran. */
		put_sample(f.samples, 1, 5, START);
		assert_int_equal(samples_take(f.samples, true), 0);
		assert_int_equal(look(&f, 0).ns, 110000000);
		assert_int_equal(look(&f, 1).ns, 10000000);
		samples_weigh(f.samples, 0, 0, 115000000);
		assert_int_equal(samples_count(f.samples).time, 115000000);
		assert_int_equal(samples_count(f.samples).sampled, 110000000);
		assert_int_equal(samples_count(f.samples).missed, 7);
	}
	end(&f);
}

static void reports_lost_samples(void **state)
{
	struct fixture f;
	struct held held;

	if (succeeds(start(&f, 100) == 0)) {
		put_sample(f.samples, 0, 5, START);
		put_loss(f.samples, 0, 40, START + 1);
		put_loss(f.samples, 0, 2, START + 2);
		put_sample(f.samples, 0, 5, START + 3);
		put_loss(f.samples, 1, 7, START + 4);
		assert_int_equal(samples_take(f.samples, true), 0);
		held = look(&f, 0);
		assert_int_equal(held.events, 2);
		assert_int_equal(held.missed, 42);
		held = look(&f, 1);
		assert_int_equal(held.events, 0);
		assert_int_equal(held.missed, 7);
		assert_int_equal(samples_count(f.samples).lost, 49);
	}
	end(&f);
}

static void excludes_the_recorder_and_idle_tasks(void **state)
{
	struct fixture f;

	if (succeeds(start(&f, 100) == 0)) {
		put_sample(f.samples, 0, OWN, START);
		put_sample(f.samples, 0, 0, START);
		put_sample(f.samples, 0, UINT32_MAX, START);
		assert_int_equal(samples_take(f.samples, true), 0);
		assert_int_equal(f.streams[0].size, 0);
	}
	end(&f);
}

static int expect_name(void *data, pid_t pid, const char *name)
{
	unsigned *seen = data;

	*seen |= (pid == 5 && strcmp(name, "second") == 0) |
		 (pid == 6 && strcmp(name, "second") == 0) << 1 |
		 (pid == 5 && strcmp(name, "first") == 0) << 2;
	return 0;
}

static void keeps_the_last_name(void **state)
{
	struct fixture f;
	unsigned seen = 0;

	if (succeeds(start(&f, 100) == 0 && put_comm(f.samples, 5, "first", START) == 0 &&
		     put_comm(f.samples, 5, "second", START) == 0 &&
		     put_fork(f.samples, 6, 5) == 0)) {
		assert_int_equal(samples_names(f.samples, expect_name, &seen), 0);
		assert_int_equal(seen, 3);
	}
	end(&f);
}

/* The ring with a task's exec may be read before the one with its fork. */
static void names_tasks_in_chronological_order(void **state)
{
	struct fixture f;
	unsigned seen = 0;

	if (succeeds(start(&f, 100) == 0 && put_comm(f.samples, 7, "parent", START) == 0 &&
		     put_comm(f.samples, 5, "second", START + 1) == 0 &&
		     put_fork(f.samples, 5, 7) == 0)) {
		assert_int_equal(samples_names(f.samples, expect_name, &seen), 0);
		assert_int_equal(seen, 1);
	}
	end(&f);
}

/* A full file ends it; malformed records are skipped. */
static void fails_if_the_file_fails(void **state)
{
	struct fixture f;
	struct made made = { .n = 4 };
	int r = 0;

	if (succeeds(start(&f, 1) == 0)) {
		memset(made.words, 0xff, sizeof(made.words));
		assert_int_equal(put(f.samples, 0, &made), 0);
		begin(&made, PERF_RECORD_SAMPLE, 0);
		for (int i = 0; i < 4; i++)
			add(&made, 1);
		add(&made, UINT64_MAX);
		assert_int_equal(put(f.samples, 0, &made), 0);
		for (int i = 0; i < 1000 && r == 0; i++)
			r = put_sample(f.samples, 0, 5, START);
		assert_int_equal(r, -EFBIG);
		assert_int_equal(f.streams[0].size, PAGE);
	}
	end(&f);
}

static int all_once(void *arg)
{
	struct fixture f;
	int r = start(&f, 100);

	if (r == 0)
		r = put_comm(f.samples, 5, "first", START);
	if (r == 0)
		r = put_fork(f.samples, 6, 5);
	if (r == 0)
		r = put_sample(f.samples, 0, 5, START);
	if (r == 0)
		r = samples_take(f.samples, true);
	end(&f);
	return r;
}

static void survives_failing_allocations(void **state)
{
	oom_check(all_once, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(writes_all_samples),
		cmocka_unit_test(represents_the_elapsed_time),
		cmocka_unit_test(reports_lost_samples),
		cmocka_unit_test(excludes_the_recorder_and_idle_tasks),
		cmocka_unit_test(keeps_the_last_name),
		cmocka_unit_test(names_tasks_in_chronological_order),
		cmocka_unit_test(fails_if_the_file_fails),
		cmocka_unit_test(survives_failing_allocations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
