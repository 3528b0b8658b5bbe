/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include "analyze/devices/irqs.h"

enum {
	NET_RX = 3,
	RCU = 9
};

#define ENTRY  DECODED_IRQ_ENTRY
#define EXIT   DECODED_IRQ_EXIT
#define SENTRY DECODED_SOFTIRQ_ENTRY
#define SEXIT  DECODED_SOFTIRQ_EXIT
#define RAISE  DECODED_SOFTIRQ_RAISE

struct step {
	enum decoded_kind kind;
	uint64_t time;
	int64_t number;
	const char *name; /* of a handler */
	uint32_t cpu;
	int32_t pid;
	uint64_t missed;
	bool unwanted;
	bool is_vector; /* of the local timer */
};

/* In the record, the name follows the number. */
struct record {
	int32_t irq;
	char name[12];
};

static int feed(const struct step *steps, struct irqs *irqs)
{
	struct event_format vector_entry = { .system = "irq_vectors", .name = "local_timer_entry" };
	struct event_format vector_exit = { .system = "irq_vectors", .name = "local_timer_exit" };
	struct event_entry vector = { .format = NULL };
	struct event_field field = { .name = "name",
				     .offset = offsetof(struct record, name),
				     .size = sizeof(((struct record *)0)->name),
				     .kind = EVENT_FIELD_STRING };
	struct event_format format = { .name = "irq", .fields = &field, .n_fields = 1 };
	struct event_entry entry = { .format = &format };
	uint64_t last = 0;

	for (; steps->time; steps++) {
		struct record record = { 0 };
		struct fathom_event event = { .time = steps->time,
					      .cpu = steps->cpu,
					      .pid = steps->pid,
					      .missed = steps->missed,
					      .data = &record,
					      .size = sizeof(record) };
		struct decoded_event decoded = { .kind = steps->kind,
						 .event = &event,
						 .entry = steps->kind == ENTRY ? &entry : NULL,
						 .unwanted = steps->unwanted,
						 .early = steps->time < irqs->from };

		if (steps->is_vector) {
			vector.format = steps->kind == ENTRY ? &vector_entry : &vector_exit;
			decoded.entry = &vector;
		}
		if (steps->name)
			memcpy(record.name, steps->name, strlen(steps->name));
		decoded.call_number.number = steps->number;
		irqs_feed(irqs, &decoded);
		last = steps->time;
	}
	return irqs_finish(irqs, last);
}

static const struct irq_row *find(const struct irqs *irqs, const char *name, uint32_t cpu)
{
	for (size_t i = 0; i < irqs->n; i++)
		if (irqs->list[i].name && strcmp(irqs->list[i].name, name) == 0 &&
		    irqs->list[i].cpu == cpu)
			return &irqs->list[i];
	fail_msg("%s is missing", name);
	return NULL;
}

static void check(const struct latency *latency, uint64_t count, uint64_t total, uint64_t max)
{
	assert_int_equal(latency->count, count);
	assert_int_equal(latency->total, total);
	assert_int_equal(latency->max, max);
}

/*
 * Two handlers share a number, an interrupt occurs during a softirq, and another CPU is active at
 * the same time.
 */
static const struct step usual[] = {
	{ EXIT, 90, 24 }, /* began before */
	{ ENTRY, 100, 24, "eth0" },
	{ ENTRY, 102, 24, "disk", .cpu = 1 },
	{ EXIT, 110, 24 },
	{ ENTRY, 111, 24, "disk" },
	{ EXIT, 115, 24 },
	{ EXIT, 132, 24, .cpu = 1 },
	{ RAISE, 140, NET_RX }, /* may have been raised before */
	{ SENTRY, 150, NET_RX },
	{ RAISE, 155, NET_RX },
	{ RAISE, 156, NET_RX },
	{ ENTRY, 160, 24, "eth0" },
	{ EXIT, 165, 24 },
	{ SEXIT, 170, NET_RX },
	{ SENTRY, 175, NET_RX },
	{ SEXIT, 180, NET_RX },
	{ SENTRY, 190, NET_RX }, /* not raised, as far as known */
	{ SEXIT, 191, NET_RX },
	{ SENTRY, 195, RCU }, /* does not end */
	{ 0 },
};

static void computes_sums(void **state)
{
	struct irqs irqs = { 0 };

	if (succeeds(feed(usual, &irqs) == 0)) {
		const struct irq_row *row = find(&irqs, "eth0", IRQS_ALL_CPUS);

		check(&row->took, 2, 15, 10);
		assert_int_equal(row->took.slowest.list[0].start, 100);
		assert_int_equal(row->cut, 1);
		assert_int_equal(row->number, 24);
		row = find(&irqs, "disk", IRQS_ALL_CPUS);
		check(&row->took, 2, 34, 30);
		assert_int_equal(row->cut, 0);
		row = find(&irqs, "NET_RX", IRQS_ALL_CPUS);
		assert_int_equal(row->kind, IRQ_SOFT);
		check(&row->took, 3, 26, 20);
		check(&row->waited, 1, 20, 20);
		assert_int_equal(row->waited.slowest.list[0].start, 155);
		row = find(&irqs, "RCU", IRQS_ALL_CPUS);
		check(&row->took, 0, 0, 0);
		assert_int_equal(row->cut, 1);
		assert_int_equal(irqs.n, 4);
	}
	irqs_done(&irqs);
}

static void distinguishes_cpus(void **state)
{
	struct irqs irqs = { .by_cpu = true };

	if (succeeds(feed(usual, &irqs) == 0)) {
		check(&find(&irqs, "disk", 0)->took, 1, 4, 4);
		check(&find(&irqs, "disk", 1)->took, 1, 30, 30);
		check(&find(&irqs, "eth0", 0)->took, 2, 15, 10);
		assert_int_equal(irqs.n, 5);
	}
	irqs_done(&irqs);
}

/*
 * An exit after a gap belongs to another run, and a softirq raised after it may have been raised
 * before.
 */
static void lost_events_leave_no_times(void **state)
{
	static const struct step steps[] = {
		{ SENTRY, 100, RCU },
		{ SEXIT, 110, RCU },
		{ RAISE, 120, RCU },
		{ ENTRY, 130, 7, "timer" },
		{ ENTRY, 131, 7, "timer", .cpu = 1 },
		{ EXIT, 900, 7, .missed = 5 },
		{ EXIT, 901, 7, .cpu = 1 },
		{ RAISE, 910, RCU },
		{ SENTRY, 920, RCU },
		{ DECODED_OTHER, 930, .missed = FATHOM_MISSED_UNKNOWN },
		{ SEXIT, 940, RCU },
		{ 0 },
	};
	struct irqs irqs = { 0 };

	if (succeeds(feed(steps, &irqs) == 0)) {
		const struct irq_row *row = find(&irqs, "timer", IRQS_ALL_CPUS);

		check(&row->took, 1, 770, 770);
		assert_int_equal(row->cut, 2);
		row = find(&irqs, "RCU", IRQS_ALL_CPUS);
		check(&row->took, 1, 10, 10);
		check(&row->waited, 0, 0, 0);
		assert_int_equal(row->cut, 2);
	}
	irqs_done(&irqs);
}

/* A task that runs softirqs is preempted by another one. */
static void distinguishes_tasks(void **state)
{
	static const struct step steps[] = {
		{ SENTRY, 100, RCU, .pid = 15 },
		{ SENTRY, 110, RCU, .pid = 16 },
		{ SEXIT, 120, RCU, .pid = 15 },
		{ SEXIT, 150, RCU, .pid = 16 },
		{ 0 },
	};
	struct irqs irqs = { 0 };

	if (succeeds(feed(steps, &irqs) == 0)) {
		const struct irq_row *row = find(&irqs, "RCU", IRQS_ALL_CPUS);

		check(&row->took, 2, 60, 40);
		assert_int_equal(row->cut, 0);
	}
	irqs_done(&irqs);
}

/* A vector has the same number as a device interrupt that occurs during it. */
static void distinguishes_vectors(void **state)
{
	static const struct step steps[] = {
		{ EXIT, 90, 24, .is_vector = true },
		{ ENTRY, 100, 24, .is_vector = true },
		{ EXIT, 105, 24 }, /* of the device interrupt, which began before */
		{ ENTRY, 110, 24, "eth0" },
		{ EXIT, 115, 24 },
		{ EXIT, 130, 24, .is_vector = true },
		{ 0 },
	};
	struct irqs irqs = { 0 };

	if (succeeds(feed(steps, &irqs) == 0)) {
		const struct irq_row *row = find(&irqs, "local_timer", IRQS_ALL_CPUS);

		assert_int_equal(row->kind, IRQ_VECTOR);
		check(&row->took, 1, 30, 30);
		assert_int_equal(row->cut, 1);
		row = find(&irqs, "eth0", IRQS_ALL_CPUS);
		check(&row->took, 1, 5, 5);
		assert_int_equal(row->cut, 1);
		assert_int_equal(irqs.n, 2);
	}
	irqs_done(&irqs);
}

/* Unwanted runs end waits, but are not counted. */
static void counts_only_wanted_events(void **state)
{
	static const struct step steps[] = {
		{ SENTRY, 100, RCU },
		{ SEXIT, 101, RCU },
		{ RAISE, 110, RCU },
		{ SENTRY, 120, RCU, .unwanted = true },
		{ SEXIT, 130, RCU },
		{ SENTRY, 140, RCU },
		{ SEXIT, 145, RCU, .unwanted = true },
		{ 0 },
	};
	struct irqs irqs = { 0 };

	if (succeeds(feed(steps, &irqs) == 0)) {
		const struct irq_row *row = find(&irqs, "RCU", IRQS_ALL_CPUS);

		check(&row->took, 2, 6, 5);
		check(&row->waited, 0, 0, 0);
		assert_int_equal(row->cut, 0);
	}
	irqs_done(&irqs);
}

/* A file can contain anything. */
static void survives_garbage(void **state)
{
	struct step steps[202] = { 0 };
	struct irqs irqs = { 0 };

	for (size_t i = 0; i < 200; i++)
		steps[i] = (struct step){ i % 3 ? SENTRY : RAISE, i + 1, (int64_t)(i % 50) - 10 };
	steps[200] = (struct step){ SEXIT, 300, INT64_MIN };
	if (succeeds(feed(steps, &irqs) == 0)) {
		uint64_t n = 0;

		for (size_t i = 0; i < irqs.n; i++)
			n += irqs.list[i].cut;
		assert_int_equal(n, 133 + 1);
	}
	irqs_done(&irqs);
}

/* The window is from 200 to 300. */
static const struct step window[] = {
	{ ENTRY, 100, 24, "disk" },
	{ EXIT, 110, 24 },
	{ SENTRY, 120, NET_RX },
	{ SEXIT, 130, NET_RX },
	{ SENTRY, 131, RCU },
	{ SEXIT, 132, RCU },
	{ RAISE, 180, NET_RX },
	{ ENTRY, 190, 24, "disk" },
	/* From here on, events count. */
	{ EXIT, 210, 24 },
	{ SENTRY, 215, NET_RX },
	{ SEXIT, 225, NET_RX },
	{ RAISE, 230, NET_RX },
	{ SENTRY, 236, NET_RX },
	{ SEXIT, 240, NET_RX },
	{ ENTRY, 250, 24, "disk" },
	{ EXIT, 255, 24 },
	{ RAISE, 280, RCU },
	{ ENTRY, 290, 24, "disk" },
	{ RAISE, 300, NET_RX },
	{ 0 },
};

static void clips_at_window_borders(void **state)
{
	struct irqs irqs = { .from = 200 };

	if (succeeds(feed(window, &irqs) == 0)) {
		const struct irq_row *disk = find(&irqs, "disk", IRQS_ALL_CPUS);
		const struct irq_row *net = find(&irqs, "NET_RX", IRQS_ALL_CPUS);
		const struct irq_row *rcu = find(&irqs, "RCU", IRQS_ALL_CPUS);

		assert_int_equal(disk->took.count, 1);
		assert_int_equal(disk->took.total, 5);
		assert_int_equal(disk->took_partial, 10 + 10);
		assert_int_equal(disk->cut, 2);
		assert_int_equal(net->took.count, 2);
		assert_int_equal(net->took.total, 10 + 4);
		assert_int_equal(net->took_partial, 0);
		assert_int_equal(net->waited.count, 1);
		assert_int_equal(net->waited.total, 6);
		assert_int_equal(net->waited_partial, 15);
		assert_int_equal(rcu->took.count, 0);
		assert_int_equal(rcu->waited.count, 0);
		assert_int_equal(rcu->waited_partial, 20);
		assert_true(irq_row_is_seen(rcu));
	}
	irqs_done(&irqs);
	/* Softirqs raised while other tasks ran were not recorded. */
	irqs = (struct irqs){ .from = 200, .no_waits = true };
	if (succeeds(feed(window, &irqs) == 0)) {
		assert_int_equal(find(&irqs, "NET_RX", IRQS_ALL_CPUS)->waited.count, 0);
		assert_int_equal(find(&irqs, "NET_RX", IRQS_ALL_CPUS)->waited_partial, 0);
		assert_int_equal(find(&irqs, "NET_RX", IRQS_ALL_CPUS)->took.count, 2);
		assert_false(irq_row_is_seen(find(&irqs, "RCU", IRQS_ALL_CPUS)));
	}
	irqs_done(&irqs);
}

static int feed_usual(void *arg)
{
	struct irqs irqs = { .by_cpu = true };
	int r = feed(usual, &irqs);

	irqs_done(&irqs);
	return r;
}

static void survives_failing_allocations(void **state)
{
	oom_check(feed_usual, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(computes_sums),
		cmocka_unit_test(distinguishes_cpus),
		cmocka_unit_test(lost_events_leave_no_times),
		cmocka_unit_test(distinguishes_tasks),
		cmocka_unit_test(distinguishes_vectors),
		cmocka_unit_test(counts_only_wanted_events),
		cmocka_unit_test(clips_at_window_borders),
		cmocka_unit_test(survives_garbage),
		cmocka_unit_test(survives_failing_allocations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
