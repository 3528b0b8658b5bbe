/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Simulates a machine whose tasks call functions, sleep, migrate and are interrupted, with known
 * durations of all calls. The analysis of its events, whole or in parts, must yield these
 * durations; if events are lost, it may yield fewer, but no wrong ones.
 */
#include "test.h"

#include "analyze/calls/calls.h"
#include "base/mem.h"
#include "base/strbuf.h"

#define TASKS	   6
#define CPUS	   3
#define DEPTH	   10
#define FUNCS	   7 /* the last one is an interrupt handler */
#define IRQ_FUNC   (FUNCS - 1)
#define EVENTS_MAX 3000
#define PATHS_MAX  20000

static const char symbols[] = "ffffffff81000000 t f0\n"
			      "ffffffff81000100 t f1\n"
			      "ffffffff81000200 t f2\n"
			      "ffffffff81000300 t f3\n"
			      "ffffffff81000400 t f4\n"
			      "ffffffff81000500 t f5\n"
			      "ffffffff81000600 T __irqentry_text_start\n"
			      "ffffffff81000610 t f6\n"
			      "ffffffff81000700 T __irqentry_text_end\n";

static uint64_t address_of(unsigned func)
{
	return 0xffffffff81000000 + func * 0x100 + (func == IRQ_FUNC ? 0x10 : 0);
}

/* The true values of all calls of one path, "/f0/f3". */
struct path {
	char name[DEPTH * 3 + 1];
	uint64_t count, cut, min, max;
	struct call_times times;
};

struct sim_frame {
	unsigned func;
	uint64_t start, child, away, stolen, asleep;
	char path[DEPTH * 3 + 1];
};

struct sim_task {
	int32_t pid;
	struct sim_frame frames[DEPTH];
	int n, irq_frames;
	uint64_t off_since;
	bool on;
};

struct sim {
	struct sim_task tasks[TASKS + CPUS]; /* the last ones are idle tasks */
	int current[CPUS];
	uint64_t irq_start[CPUS]; /* 0: not shown by an event */
	uint64_t now;
	struct fathom_event events[EVENTS_MAX];
	struct decoded_event decoded[EVENTS_MAX];
	size_t n;
	struct path *paths;
	size_t n_paths;
	uint32_t random;
	bool irqs_are_events; /* otherwise calls */
};

static uint32_t draw(struct sim *sim, uint32_t below)
{
	sim->random = sim->random * 1664525 + 1013904223;
	return (sim->random >> 8) % below;
}

static struct path *path_of(struct sim *sim, const char *name)
{
	for (size_t i = 0; i < sim->n_paths; i++)
		if (strcmp(sim->paths[i].name, name) == 0)
			return &sim->paths[i];
	assert_true(sim->n_paths < PATHS_MAX);
	memcpy(sim->paths[sim->n_paths].name, name, strlen(name) + 1);
	return &sim->paths[sim->n_paths++];
}

static struct decoded_event *emit(struct sim *sim, int cpu, enum decoded_kind kind)
{
	struct decoded_event *h = &sim->decoded[sim->n];

	sim->events[sim->n] = (struct fathom_event){ .time = sim->now,
						     .cpu = (uint32_t)cpu,
						     .pid = sim->tasks[sim->current[cpu]].pid };
	*h = (struct decoded_event){ .kind = kind, .event = &sim->events[sim->n] };
	sim->n++;
	return h;
}

static void sim_call(struct sim *sim, int cpu, unsigned func)
{
	struct sim_task *task = &sim->tasks[sim->current[cpu]];
	struct sim_frame *frame = &task->frames[task->n];
	struct decoded_event *h = emit(sim, cpu, DECODED_CALL);

	h->call.func = address_of(func);
	h->call.depth = task->n;
	*frame = (struct sim_frame){ .func = func, .start = sim->now };
	memcpy(frame->path, task->n ? frame[-1].path : "", (size_t)task->n * 3);
	memcpy(frame->path + (size_t)task->n * 3, (char[]){ '/', 'f', (char)('0' + func), 0 }, 4);
	task->n++;
	task->irq_frames += func == IRQ_FUNC;
}

static void sim_return(struct sim *sim, int cpu)
{
	struct sim_task *task = &sim->tasks[sim->current[cpu]];
	struct sim_frame *frame = &task->frames[--task->n];
	struct decoded_event *h = emit(sim, cpu, DECODED_RETURN);
	uint64_t total = sim->now - frame->start;
	struct path *path = path_of(sim, frame->path);

	h->call.func = address_of(frame->func);
	h->call.depth = task->n;
	h->call.duration = total;
	if (!path->count || total < path->min)
		path->min = total;
	if (total > path->max)
		path->max = total;
	path->count++;
	path->times.total += total;
	path->times.own += total - frame->child - frame->away;
	path->times.stolen += frame->stolen;
	path->times.asleep += frame->asleep;
	task->irq_frames -= frame->func == IRQ_FUNC;
	if (task->n)
		task->frames[task->n - 1].child += total;
	for (int i = 0; i < task->n; i++) {
		if (frame->func == IRQ_FUNC && !task->irq_frames)
			task->frames[i].stolen += total;
	}
}

static void take_away(struct sim_task *task, uint64_t time, bool asleep)
{
	for (int i = 0; i < task->n; i++) {
		if (asleep)
			task->frames[i].asleep += time;
		else
			task->frames[i].stolen += time;
	}
	if (task->n)
		task->frames[task->n - 1].away += time;
}

static void sim_switch(struct sim *sim, int cpu)
{
	int prev = sim->current[cpu], next = (int)draw(sim, TASKS);
	struct decoded_event *h;

	if (sim->tasks[next].on)
		next = TASKS + cpu;
	if (next == prev)
		return;
	h = emit(sim, cpu, DECODED_SWITCH);
	h->sched.prev_pid = sim->tasks[prev].pid;
	h->sched.next_pid = sim->tasks[next].pid;
	sim->tasks[prev].on = false;
	sim->tasks[prev].off_since = sim->now;
	sim->tasks[next].on = true;
	if (next < TASKS && sim->tasks[next].off_since)
		take_away(&sim->tasks[next], sim->now - sim->tasks[next].off_since, true);
	sim->current[cpu] = next;
}

static void sim_irq(struct sim *sim, int cpu)
{
	if (!sim->irq_start[cpu]) {
		emit(sim, cpu, DECODED_IRQ_ENTRY);
		sim->irq_start[cpu] = sim->now;
		return;
	}
	emit(sim, cpu, DECODED_IRQ_EXIT);
	take_away(&sim->tasks[sim->current[cpu]], sim->now - sim->irq_start[cpu], false);
	sim->irq_start[cpu] = 0;
}

static void sim_step(struct sim *sim)
{
	int cpu = (int)draw(sim, CPUS);
	const struct sim_task *task = &sim->tasks[sim->current[cpu]];
	uint32_t what = draw(sim, 100);

	sim->now += 1 + draw(sim, 1000);
	if (sim->irq_start[cpu])
		sim_irq(sim, cpu);
	else if (what < 40 && task->n < DEPTH)
		sim_call(sim, cpu, draw(sim, IRQ_FUNC));
	else if (what < 80 && task->n)
		sim_return(sim, cpu);
	else if (what < 85 && task->n < DEPTH - 2 && !task->irq_frames && !sim->irqs_are_events)
		sim_call(sim, cpu, IRQ_FUNC);
	else if (what < 95 && !task->irq_frames)
		sim_switch(sim, cpu);
	else if (sim->irqs_are_events)
		sim_irq(sim, cpu);
}

static struct sim *sim_new(uint32_t seed)
{
	struct sim *sim = test_calloc(1, sizeof(*sim));

	sim->paths = test_calloc(PATHS_MAX, sizeof(*sim->paths));
	sim->random = seed;
	sim->irqs_are_events = seed % 7 < 3;
	sim->now = 1000000;
	for (int i = 0; i < TASKS; i++)
		sim->tasks[i].pid = 100 + i;
	for (int i = 0; i < CPUS; i++) {
		sim->current[i] = TASKS + i;
		sim->tasks[TASKS + i].on = true;
	}
	while (sim->n < EVENTS_MAX)
		sim_step(sim);
	for (int i = 0; i < TASKS + CPUS; i++)
		for (int k = 0; k < sim->tasks[i].n; k++)
			path_of(sim, sim->tasks[i].frames[k].path)->cut++;
	return sim;
}

static void sim_free(struct sim *sim)
{
	test_free(sim->paths);
	test_free(sim);
}

/* Feeds the events of one part. */
static struct calls *account(const struct sim *sim, const struct kallsyms *kallsyms, size_t from,
			     size_t to)
{
	const struct calls_options options = { .kallsyms = kallsyms, .with_spread = true };
	struct calls *calls;

	if (calls_new(&options, &calls) < 0)
		return NULL;
	for (size_t i = from; i < to; i++)
		if (sim->decoded[i].event)
			calls_feed(calls, &sim->decoded[i]);
	return calls;
}

static int compare_lines(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void add_line(struct strbuf *text, const char *path, const struct path *p)
{
	if (!p->count && !p->cut)
		return;
	strbuf_addf(text,
		    "%s count %llu cut %llu total %llu own %llu stolen %llu asleep %llu "
		    "min %llu max %llu\n",
		    path, (unsigned long long)p->count, (unsigned long long)p->cut,
		    (unsigned long long)p->times.total, (unsigned long long)p->times.own,
		    (unsigned long long)p->times.stolen, (unsigned long long)p->times.asleep,
		    (unsigned long long)p->min, (unsigned long long)p->max);
}

static void sort_lines(struct strbuf *text)
{
	char *lines[PATHS_MAX], *copy = mem_strdup(strbuf_str(text)), *save = NULL;
	size_t n = 0;

	if (!copy || text->err) {
		free(copy);
		return;
	}
	for (char *line = strtok_r(copy, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		lines[n++] = line;
	qsort(lines, n, sizeof(lines[0]), compare_lines);
	strbuf_done(text);
	for (size_t i = 0; i < n; i++)
		strbuf_addf(text, "%s\n", lines[i]);
	free(copy);
}

static void print_node(const struct call_tree *tree, uint32_t at, const char *above,
		       struct strbuf *text)
{
	for (at = tree->nodes[at].child; at != CALL_NONE; at = tree->nodes[at].sibling) {
		const struct call_node *node = &tree->nodes[at];
		const struct path p = { .count = node->count,
					.cut = node->cut,
					.min = node->min,
					.max = node->max,
					.times = node->times };
		char path[200];

		snprintf(path, sizeof(path), "%s/%s", above, tree->funcs.list[node->func].name);
		add_line(text, path, &p);
		assert_int_equal(spread_total(&node->spread), node->count);
		print_node(tree, at, path, text);
	}
}

/* Returns the result as sorted lines; false if out of memory. */
static bool print(struct calls *calls, struct strbuf *text)
{
	const struct call_tree *tree;

	if (!calls || calls_finish(calls, &tree) < 0)
		return false;
	print_node(tree, CALL_ROOT, "", text);
	sort_lines(text);
	return !text->err;
}

static void print_truth(const struct sim *sim, struct strbuf *text)
{
	for (size_t i = 0; i < sim->n_paths; i++)
		add_line(text, sim->paths[i].name, &sim->paths[i]);
	sort_lines(text);
}

/* Prints the first difference. */
static void same_text(const struct strbuf *a, const struct strbuf *b, uint32_t seed)
{
	const char *p = strbuf_str(a), *q = strbuf_str(b);

	if (strcmp(p, q) == 0)
		return;
	while (*p && *q && strncmp(p, q, strcspn(p, "\n") + 1) == 0) {
		p += strcspn(p, "\n") + 1;
		q += strcspn(q, "\n") + 1;
	}
	fail_msg("seed %u:\n%.*s\n%.*s", seed, (int)strcspn(p, "\n"), p, (int)strcspn(q, "\n"), q);
}

static struct kallsyms kallsyms;

static int set_up(void **state)
{
	return kallsyms_init(&kallsyms, symbols, strlen(symbols)) < 0 && !mem_fault ? -1 : 0;
}

static int tear_down(void **state)
{
	kallsyms_done(&kallsyms);
	return 0;
}

static void finds_durations_of_calls(void **state)
{
	for (uint32_t seed = 1; seed <= 20; seed++) {
		_cleanup_strbuf_ struct strbuf got = { 0 }, truth = { 0 };
		struct sim *sim = sim_new(seed);
		struct calls *calls = account(sim, &kallsyms, 0, sim->n);

		print_truth(sim, &truth);
		if (print(calls, &got) && !truth.err)
			same_text(&truth, &got, seed);
		calls_free(calls);
		sim_free(sim);
	}
}

/* Loses up to @runs sequences of events, each on one CPU. */
static void lose(struct sim *sim, int runs)
{
	while (runs-- > 0) {
		uint32_t cpu = draw(sim, CPUS);
		size_t at = draw(sim, EVENTS_MAX);
		uint32_t left = 1 + draw(sim, 40), lost = 0;

		for (; at < sim->n; at++) {
			struct fathom_event *event = &sim->events[at];

			if (event->cpu != cpu || !sim->decoded[at].event)
				continue;
			if (left == 0) {
				event->missed += lost;
				break;
			}
			left--;
			lost += 1 + (uint32_t)event->missed;
			sim->decoded[at].event = NULL;
		}
	}
}

/* The number of parts makes no difference. */
static void parts_add_up_to_the_whole(void **state)
{
	for (uint32_t seed = 100; seed < 160; seed++) {
		_cleanup_strbuf_ struct strbuf whole = { 0 }, parts = { 0 };
		struct sim *sim = sim_new(seed);
		size_t from = seed % 3 ? draw(sim, 1000) : 0;
		size_t to = sim->n - draw(sim, 1000), at = from;
		struct calls *calls, *sum;
		bool nomem;

		if (seed % 2)
			lose(sim, 10);
		calls = account(sim, &kallsyms, from, to);
		sum = account(sim, &kallsyms, from, from);
		nomem = !sum;
		while (at < to && sum) {
			size_t end = at + 1 + draw(sim, seed % 5 ? 300 : 3);
			struct calls *part = account(sim, &kallsyms, at, end < to ? end : to);

			if (!part || calls_merge(sum, part) < 0)
				nomem = true;
			calls_free(part);
			at = end;
		}
		if (!nomem && print(calls, &whole) && print(sum, &parts))
			same_text(&whole, &parts, seed);
		calls_free(calls);
		calls_free(sum);
		sim_free(sim);
	}
}

/* Sums of each function, over all paths. */
static void add_up(const struct call_tree *tree, uint32_t at, struct path *funcs)
{
	for (at = tree->nodes[at].child; at != CALL_NONE; at = tree->nodes[at].sibling) {
		const struct call_node *node = &tree->nodes[at];
		struct path *p = &funcs[tree->funcs.list[node->func].name[1] - '0'];

		p->count += node->count;
		p->times.total += node->times.total;
		p->times.own += node->times.own;
		p->max = node->max > p->max ? node->max : p->max;
		add_up(tree, at, funcs);
	}
}

static void invents_nothing_after_lost_events(void **state)
{
	for (uint32_t seed = 1000; seed < 1060; seed++) {
		struct path got[FUNCS] = { 0 }, truth[FUNCS] = { 0 };
		struct sim *sim = sim_new(seed);
		const struct call_tree *tree;
		uint64_t counted = 0, all = 0;
		struct calls *calls;

		for (size_t i = 0; i < sim->n_paths; i++) {
			const struct path *p = &sim->paths[i];
			struct path *f = &truth[p->name[strlen(p->name) - 1] - '0'];

			f->count += p->count;
			f->times.total += p->times.total;
			f->times.own += p->times.own;
			f->max = p->max > f->max ? p->max : f->max;
		}
		lose(sim, 1 + (int)draw(sim, 30));
		calls = account(sim, &kallsyms, 0, sim->n);
		if (succeeds(calls && calls_finish(calls, &tree) == 0)) {
			add_up(tree, CALL_ROOT, got);
			for (int i = 0; i < FUNCS; i++) {
				assert_true(got[i].count <= truth[i].count);
				assert_true(got[i].times.total <= truth[i].times.total);
				assert_true(got[i].times.own <= truth[i].times.own);
				assert_true(got[i].max <= truth[i].max);
				counted += got[i].count;
				all += truth[i].count;
			}
			/* Most calls must still be reported. */
			assert_true(counted * 4 > all);
		}
		calls_free(calls);
		sim_free(sim);
	}
}

static int make_and_merge(void *arg)
{
	struct sim *sim = arg;
	struct calls *a = account(sim, &kallsyms, 0, 60), *b = account(sim, &kallsyms, 60, 120);
	const struct call_tree *tree;
	int r = a && b ? calls_merge(a, b) : -ENOMEM;

	if (r == 0)
		r = calls_finish(a, &tree);
	calls_free(a);
	calls_free(b);
	return r;
}

static void survives_failing_allocations(void **state)
{
	struct sim *sim = sim_new(7);

	oom_check(make_and_merge, sim);
	sim_free(sim);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_durations_of_calls),
		cmocka_unit_test(parts_add_up_to_the_whole),
		cmocka_unit_test(invents_nothing_after_lost_events),
		cmocka_unit_test(survives_failing_allocations),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
