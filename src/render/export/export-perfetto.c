/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Perfetto's own format: a sequence of packets, each written when it is full. Times are those of
 * the report, declared as those of the boot clock, for which Perfetto needs no clock snapshot.
 */
#include "render/export/export-perfetto.h"

#include <stdlib.h>

#include "analyze/stream/task-key.h"
#include "base/cleanup.h"
#include "base/err.h"
#include "base/mem.h"
#include "read/context/tasks.h"
#include "read/event-table.h"
#include "render/export/export-field.h"

#define SEQUENCE 1

enum {
	CLOCK_REALTIME_ID = 1,
	CLOCK_BOOTTIME_ID = 6,
};

static void put_varint(struct text *text, uint64_t value)
{
	uint8_t bytes[PB_VARINT_MAX];

	text_bytes(text, (char *)bytes, (size_t)(pb_varint(bytes, value) - bytes));
}

/*
 * Starts a packet with these encoded @fields, and a message of @len bytes, which the caller
 * appends.
 */
static void begin_packet(struct text *text, const uint8_t *fields, const uint8_t *fields_end,
			 uint32_t number, size_t len)
{
	size_t fields_len = (size_t)(fields_end - fields);
	uint8_t head[PB_NUMBER_MAX];
	size_t head_len = (size_t)(pb_varint(pb_tag(head, number, PB_BYTES), len) - head);

	text_char(text, TRACE_PACKET << 3 | PB_BYTES);
	put_varint(text, fields_len + head_len + len);
	text_bytes(text, (const char *)fields, fields_len);
	text_bytes(text, (char *)head, head_len);
}

static void export_perfetto_write_packet(struct text *text, const uint8_t *fields,
					 const uint8_t *fields_end, uint32_t number,
					 const uint8_t *message, size_t len)
{
	begin_packet(text, fields, fields_end, number, len);
	text_bytes(text, (const char *)message, len);
}

static uint8_t *export_perfetto_put_sequence(uint8_t *p, uint64_t flags)
{
	p = pb_number(p, PACKET_SEQUENCE_ID, SEQUENCE);
	return pb_number(p, PACKET_SEQUENCE_FLAGS, flags);
}

/* Writes the tasks and symbols that are new since the last call. */
static void export_perfetto_write_names(struct perfetto *perfetto, struct text *text)
{
	uint8_t fields[4 * PB_NUMBER_MAX], *p;

	if (perfetto->tasks_len) {
		p = pb_number(fields, PACKET_TIMESTAMP, perfetto->first_time);
		p = pb_number(p, PACKET_SEQUENCE_ID, SEQUENCE);
		export_perfetto_write_packet(text, fields, p, PACKET_PROCESS_TREE, perfetto->tasks,
					     perfetto->tasks_len);
	}
	if (perfetto->symbols_len) {
		p = export_perfetto_put_sequence(fields, SEQUENCE_NEEDED);
		export_perfetto_write_packet(text, fields, p, PACKET_INTERNED_DATA,
					     perfetto->symbols, perfetto->symbols_len);
	}
	perfetto->tasks_len = perfetto->symbols_len = 0;
}

/* Writes the bundle of a CPU and starts a new one. */
static void write_bundle(struct perfetto *perfetto, uint32_t number, struct perfetto_cpu *cpu,
			 struct text *text)
{
	uint8_t fields[4 * PB_NUMBER_MAX], head[8 * PB_NUMBER_MAX], *p = head;
	size_t tables = 0;

	export_perfetto_write_names(perfetto, text);
	if (!cpu->len && !cpu->n_switches && !cpu->n_wakings && !cpu->lost)
		return;
	p = pb_number(p, BUNDLE_CPU, number);
	if (cpu->lost)
		p = pb_number(p, BUNDLE_LOST, 1);
	if (cpu->n_switches || cpu->n_wakings) {
		tables =
			(size_t)(perfetto_write_tables(cpu, perfetto->scratch) - perfetto->scratch);
		p = pb_varint(pb_tag(p, BUNDLE_COMPACT, PB_BYTES), tables);
	}
	begin_packet(text, fields, export_perfetto_put_sequence(fields, SEQUENCE_NEEDED),
		     PACKET_FTRACE_EVENTS, (size_t)(p - head) + tables + cpu->len);
	text_bytes(text, (char *)head, (size_t)(p - head));
	text_bytes(text, (char *)perfetto->scratch, tables);
	text_bytes(text, (char *)cpu->events, cpu->len);
	cpu->len = 0;
	cpu->lost = false;
}

/* Returns the next word of @text, which is advanced. */
static const char *export_perfetto_next_word(const char **text, size_t *ret_len)
{
	const char *word = *text + strspn(*text, " ");

	*ret_len = strcspn(word, " ");
	*text = word + *ret_len;
	return word;
}

/* Encodes "Linux HOST RELEASE MACHINE". */
static uint8_t *export_perfetto_put_uname(uint8_t *p, const char *uname)
{
	static const uint8_t numbers[] = { 1, 0, 3, 4 };

	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
		size_t len;
		const char *word = export_perfetto_next_word(&uname, &len);

		if (numbers[i] && len)
			p = pb_bytes(p, numbers[i], word,
				     len < PERFETTO_NAME_MAX ? len : PERFETTO_NAME_MAX);
	}
	return p;
}

static void write_system(struct export *export, struct text *text)
{
	const struct fathom_trace_info *info = fathom_trace_info(export->input->trace);
	uint8_t fields[4 * PB_NUMBER_MAX], message[4 * PERFETTO_NAME_MAX], *p, *start;

	start = pb_tag(message, 1, PB_BYTES) + 2;
	p = export_perfetto_put_uname(start, info->uname);
	pb_close2(start, p);
	p = pb_number(p, 8, info->cpus);
	start = export_perfetto_put_sequence(fields, SEQUENCE_CLEARED);
	start = pb_number(start, PACKET_FIRST_ON_SEQUENCE, 1);
	export_perfetto_write_packet(text, fields, start, PACKET_SYSTEM_INFO, message,
				     (size_t)(p - message));
}

/* Declares that times are dates, if they are. */
static void write_clocks(struct export *export, uint64_t time, struct text *text)
{
	static const uint8_t clocks[] = { CLOCK_BOOTTIME_ID, CLOCK_REALTIME_ID };
	const struct fathom_trace_info *info = fathom_trace_info(export->input->trace);
	uint8_t fields[PB_NUMBER_MAX], message[8 * PB_NUMBER_MAX], *p = message, *start;

	if (!info->date_offset)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(clocks); i++) {
		start = pb_tag(p, 1, PB_BYTES) + 2;
		p = pb_number(start, 1, clocks[i]);
		p = pb_number(p, 2, time);
		pb_close2(start, p);
	}
	p = pb_number(p, 2, CLOCK_BOOTTIME_ID);
	export_perfetto_write_packet(text, fields, pb_number(fields, PACKET_SEQUENCE_ID, SEQUENCE),
				     PACKET_CLOCK_SNAPSHOT, message, (size_t)(p - message));
}

/*
 * Describes a task when its first event occurs. The trace does not record to which process a thread
 * belongs, so each task becomes a process, except those whose creation was recorded.
 */
static void describe_task(struct export *export, int32_t pid)
{
	struct perfetto *perfetto = export->state;
	const struct tasks *tasks = report_tasks(export->input->report);
	uint8_t *bits, *p = perfetto->tasks + perfetto->tasks_len, *start;
	const struct task *task;
	size_t len;

	if (pid <= 0 || pid >= PERFETTO_PIDS)
		return;
	bits = &perfetto->known_pids[pid / 8];
	if (*bits >> pid % 8 & 1)
		return;
	*bits |= (uint8_t)(1 << pid % 8);
	if (!tasks_know(tasks, pid))
		return;
	task = tasks_find(tasks, pid);
	len = task->len < PERFETTO_NAME_MAX ? task->len : PERFETTO_NAME_MAX;
	start = pb_tag(p, 1, PB_BYTES) + 2;
	p = pb_number(start, 1, (uint64_t)pid);
	p = pb_bytes(p, 3, task->comm, len);
	pb_close2(start, p);
	start = pb_tag(p, 2, PB_BYTES) + 2;
	p = pb_number(start, 1, (uint64_t)pid);
	p = pb_bytes(p, 2, task->comm, len);
	p = pb_number(p, 3, (uint64_t)pid);
	pb_close2(start, p);
	perfetto->tasks_len = (size_t)(p - perfetto->tasks);
}

static struct perfetto_cpu *make_cpu(struct perfetto *perfetto, uint32_t cpu)
{
	size_t cap = perfetto->n_cpus;

	if (cpu >= perfetto->n_cpus) {
		if (mem_reserve(&perfetto->cpus, &cap, cpu + (size_t)1, sizeof(void *)) < 0) {
			perfetto->nomem = true;
			return NULL;
		}
		memset(&perfetto->cpus[perfetto->n_cpus], 0,
		       (cap - perfetto->n_cpus) * sizeof(void *));
		perfetto->n_cpus = cap;
	}
	if (!perfetto->cpus[cpu])
		perfetto->cpus[cpu] = mem_zalloc(1, sizeof(struct perfetto_cpu));
	if (!perfetto->cpus[cpu])
		perfetto->nomem = true;
	return perfetto->cpus[cpu];
}

static inline struct perfetto_cpu *export_perfetto_get_cpu(struct perfetto *perfetto, uint32_t cpu)
{
	if (__builtin_expect(cpu < perfetto->n_cpus && perfetto->cpus[cpu], 1))
		return perfetto->cpus[cpu];
	return make_cpu(perfetto, cpu);
}

/*
 * An event that repeats the previous one becomes a generic event, so that it does not look like a
 * nested call.
 */
static const struct perfetto_plan *export_perfetto_choose_call(const struct perfetto_plan *plan,
							       struct perfetto_cpu *cpu,
							       const struct fathom_event *event)
{
	uint64_t number;

	if (!export_field_number(plan->format, plan->fields[0], event, &number) ||
	    export_call_repeats(&cpu->call, plan->call, event, number))
		return plan->plain;
	return plan;
}

static void put_rare(struct export *export, const struct perfetto_plan *plan,
		     struct perfetto_cpu *cpu, struct fathom_event *event)
{
	struct perfetto *perfetto = export->state;
	uint64_t pid;

	switch (plan->kind) {
	case PERFETTO_CALL:
		plan = perfetto->slices.has_users ? plan->plain :
						    export_perfetto_choose_call(plan, cpu, event);
		break;
	case PERFETTO_TEXT:
		perfetto_put_text(export, plan, cpu, event);
		return;
	case PERFETTO_NEW_TASK:
		if (export_field_number(plan->format, plan->fields[0], event, &pid) &&
		    pid < PERFETTO_PIDS)
			perfetto->known_pids[pid / 8] |= (uint8_t)(1 << pid % 8);
		break;
	default:
		export->unknown += !plan->format;
		break;
	}
	perfetto_put_fields(export, plan, cpu, event);
}

static void write_if_full(struct perfetto *perfetto, uint32_t number, struct perfetto_cpu *cpu,
			  struct text *text)
{
	if (__builtin_expect(cpu->len >= PERFETTO_BUNDLE_FULL || perfetto_tables_full(cpu) ||
				     perfetto->symbols_len >= PERFETTO_SYMBOLS_FULL ||
				     perfetto->tasks_len >= PERFETTO_TASKS_FULL,
			     0))
		write_bundle(perfetto, number, cpu, text);
}

/*
 * Returns the CPU in whose bundle to put a slice of @task, or -1 if memory is exhausted: Perfetto
 * reads the events of one CPU in the order of the file, but those of several CPUs by time alone.
 */
static int64_t choose_cpu(struct perfetto *perfetto, const struct nest_task *task, uint64_t time)
{
	struct perfetto_track *track;

	if (mem_reserve(&perfetto->tracks, &perfetto->cap_tracks, (size_t)task->number + 1,
			sizeof(*perfetto->tracks)) < 0)
		return -1;
	while (perfetto->n_tracks <= task->number)
		perfetto->tracks[perfetto->n_tracks++] = (struct perfetto_track){ 0 };
	track = &perfetto->tracks[task->number];
	if (!track->is_used || track->time != time)
		*track = (struct perfetto_track){ time, task->mark.cpu, true };
	return track->cpu;
}

static void put_slice(struct export *export, const struct nest_task *task, bool begins,
		      uint32_t frame, uint64_t time)
{
	struct perfetto *perfetto = export->state;
	int64_t number = choose_cpu(perfetto, task, time);
	struct perfetto_cpu *cpu = number < 0 ? NULL :
						export_perfetto_get_cpu(perfetto, (uint32_t)number);
	uint32_t symbol = perfetto_frame_symbol(perfetto, frame);

	if (!cpu || !symbol) {
		perfetto->nomem = true;
		return;
	}
	perfetto_put_slice(cpu, begins, time, task_key_pid(task->key), symbol);
	write_if_full(perfetto, (uint32_t)number, cpu, &export->sink->text);
	sink_flush_if_full(export->sink);
}

static void export_perfetto_slice_opened(void *data, const struct nest_task *task, uint32_t frame,
					 uint64_t time)
{
	put_slice(data, task, true, frame, time);
}

static void export_perfetto_slice_closed(void *data, const struct nest_task *task, uint32_t frame,
					 uint64_t time)
{
	put_slice(data, task, false, frame, time);
}

static void export_perfetto_put_event(struct export *export, const struct perfetto_plan *plan,
				      struct perfetto_cpu *cpu, struct fathom_event *event)
{
	switch (plan->kind) {
	case PERFETTO_SWITCH:
		if (!perfetto_put_switch(plan, cpu, event))
			perfetto_put_fields(export, plan, cpu, event);
		break;
	case PERFETTO_WAKING:
		if (!perfetto_put_waking(plan, cpu, event))
			perfetto_put_fields(export, plan, cpu, event);
		break;
	default:
		put_rare(export, plan, cpu, event);
		break;
	}
}

static void export_perfetto_write_event(void *data, struct report_input *input,
					struct fathom_event *event, struct text *text)
{
	struct export *export = data;
	struct perfetto *perfetto = export->state;
	const struct perfetto_plan *plan = perfetto->plans[event->id];
	struct perfetto_cpu *cpu = NULL;

	if (__builtin_expect(event->cpu < PERFETTO_CPUS, 1))
		cpu = export_perfetto_get_cpu(perfetto, event->cpu);
	if (__builtin_expect(!cpu, 0)) {
		export->left_out++;
		return;
	}
	if (__builtin_expect(!perfetto->started, 0)) {
		perfetto->started = true;
		perfetto->first_time = event->time;
		write_clocks(export, event->time, text);
	}
	if (__builtin_expect(event->missed, 0)) {
		write_bundle(perfetto, event->cpu, cpu, text);
		cpu->lost = true;
		cpu->switched = false;
	}
	if (!event->data) {
		slices_take(&perfetto->slices, event);
		return;
	}
	if (__builtin_expect(!plan, 0))
		plan = perfetto_make_plan(export, event->id);
	if (event->pid != cpu->pid) {
		cpu->pid = event->pid;
		describe_task(export, event->pid);
	}
	export->events++;
	if (!slices_take(&perfetto->slices, event))
		export_perfetto_put_event(export, plan, cpu, event);
	write_if_full(perfetto, event->cpu, cpu, text);
}

static void export_perfetto_take_first(void *data, struct report_input *input,
				       struct fathom_event *event, struct text *text)
{
	struct export *export = data;
	struct perfetto *perfetto = export->state;

	slices_take_first(&perfetto->slices, event);
}

static int export_perfetto_prepare(struct export *export, struct fathom_err *err)
{
	struct perfetto *perfetto = export->state;

	perfetto->slices.spans = (struct call_spans)CALL_SPANS_NONE;
	return call_spans_open(&perfetto->slices.spans, err);
}

static int export_perfetto_begin(struct export *export, struct fathom_err *err)
{
	struct perfetto *perfetto = export->state;

	perfetto->kallsyms = report_kallsyms(export->input->report);
	perfetto->symbol_ids = mem_zalloc(perfetto->kallsyms->n + (size_t)1, sizeof(uint32_t));
	perfetto->plans = mem_zalloc(EVENT_TABLE_IDS, sizeof(void *));
	perfetto->known_pids = mem_zalloc(PERFETTO_PIDS / 8, 1);
	if (!perfetto->symbol_ids || !perfetto->plans || !perfetto->known_pids)
		return err_nomem(err);
	perfetto->unknown.number = EVENT_GENERIC;
	slices_begin(&perfetto->slices, export, export_perfetto_slice_opened,
		     export_perfetto_slice_closed);
	write_system(export, &export->sink->text);
	return 0;
}

static int export_perfetto_end(struct export *export, struct fathom_err *err)
{
	struct perfetto *perfetto = export->state;

	perfetto->nomem |= nest_finish(&perfetto->slices.nest) < 0;
	if (perfetto->nomem)
		return err_nomem(err);
	for (size_t i = 0; i < perfetto->n_cpus; i++) {
		if (perfetto->cpus[i])
			write_bundle(perfetto, (uint32_t)i, perfetto->cpus[i], &export->sink->text);
		sink_flush_if_full(export->sink);
	}
	return call_spans_failed(perfetto->slices.spans.err, err);
}

static void export_perfetto_done(struct export *export)
{
	struct perfetto *perfetto = export->state;

	for (size_t i = 0; i < perfetto->n_cpus; i++)
		free(perfetto->cpus[i]);
	free(perfetto->cpus);
	slices_done(&perfetto->slices);
	free(perfetto->frame_ids);
	free(perfetto->tracks);
	strbuf_done(&perfetto->name);
	free(perfetto->symbol_ids);
	free(perfetto->plans);
	free(perfetto->known_pids);
	arena_done(&perfetto->arena);
}

const struct export_output export_perfetto = {
	.name = "perfetto",
	.suffix = ".pftrace",
	.summary = "Perfetto (ui.perfetto.dev, trace_processor)",
	.open = "open it at https://ui.perfetto.dev",
	.flags = EXPORT_BINARY,
	.state_size = sizeof(struct perfetto),
	.prepare = export_perfetto_prepare,
	.begin = export_perfetto_begin,
	.first = export_perfetto_take_first,
	.event = export_perfetto_write_event,
	.end = export_perfetto_end,
	.done = export_perfetto_done,
};
