/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "render/graph.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "render/graph-event.h"

#define INDENT	    2
#define PROC_WIDTH  14
#define DEPTH_SHOWN 1000

/* Fields of entries and exits, found once. */
struct graph_formats {
	const struct event_entry *entry[2]; /* without and with the caller's address */
	const struct event_field *entry_func[2], *entry_depth[2], *entry_args[2];
	const struct event_entry *exit;
	const struct event_field *func, *depth, *calltime, *rettime;
	uint64_t irq_start, irq_end; /* where the kernel's interrupt entries are */
};

/* What a line is about. */
struct call {
	uint64_t func, duration;
	int depth;
};

static bool number(const struct event_entry *entry, const struct event_field *field,
		   const struct fathom_event *event, uint64_t *ret)
{
	return field && event_field_u64(entry->format, field, event->data, event->size, ret);
}

static void find_formats(struct graph_formats *formats, struct report *report)
{
	static const char *const names[2] = { "funcgraph_entry", "fgraph_retaddr_entry" };
	struct event_table *table = report_events(report);
	const struct kallsyms *kallsyms = report_kallsyms(report);

	for (int i = 0; i < 2; i++) {
		const struct event_entry *e = event_table_find_name(table, "ftrace", names[i]);

		formats->entry[i] = e;
		if (!e)
			continue;
		formats->entry_func[i] = event_field_find(e->format, "func");
		formats->entry_depth[i] = event_field_find(e->format, "depth");
		formats->entry_args[i] = event_field_find(e->format, "args");
	}
	formats->exit = event_table_find_name(table, "ftrace", "funcgraph_exit");
	if (formats->exit) {
		formats->func = event_field_find(formats->exit->format, "func");
		formats->depth = event_field_find(formats->exit->format, "depth");
		formats->calltime = event_field_find(formats->exit->format, "calltime");
		formats->rettime = event_field_find(formats->exit->format, "rettime");
	}
	if (!kallsyms_address(kallsyms, "__irqentry_text_start", &formats->irq_start) ||
	    !kallsyms_address(kallsyms, "__irqentry_text_end", &formats->irq_end))
		formats->irq_start = formats->irq_end = 0;
}

static bool prepare(struct graph *graph, struct report_input *input)
{
	unsigned cpus = fathom_trace_info(input->trace)->cpus;

	if (graph->formats)
		return true;
	graph->formats = mem_zalloc(1, sizeof(*graph->formats));
	if (!graph->formats) {
		graph->nomem = true;
		return false;
	}
	find_formats(graph->formats, input->report);
	graph->cpu_width = 1;
	for (cpus = cpus ? cpus - 1 : 0; cpus >= 10; cpus /= 10)
		graph->cpu_width++;
	return true;
}

static struct graph_cpu *get_cpu(struct graph *graph, uint32_t cpu)
{
	size_t cap = graph->n_cpus;

	if (cpu >= graph->n_cpus) {
		if (cpu > UINT16_MAX ||
		    mem_reserve(&graph->cpus, &cap, cpu + (size_t)1, sizeof(graph->cpus[0])) < 0) {
			graph->nomem = true;
			return NULL;
		}
		memset(&graph->cpus[graph->n_cpus], 0,
		       (cap - graph->n_cpus) * sizeof(graph->cpus[0]));
		graph->n_cpus = cap;
	}
	return &graph->cpus[cpu];
}

static void put_cpu(const struct graph *graph, uint32_t cpu, struct text *text)
{
	size_t start;

	text_char(text, ' ');
	start = text_len(text);
	text_u64(text, cpu);
	text_pad(text, start, graph->cpu_width, false);
	text_bytes(text, ") ", 2);
}

/* "  comm-pid  ", centred. */
static void put_task(struct report *report, int32_t pid, struct text *text)
{
	const struct task *task = tasks_find(report_tasks(report), pid);
	size_t len = task->len < 7 ? task->len : 7;
	char buf[64];
	struct text name;
	size_t blanks;

	text_init(&name, buf, sizeof(buf));
	text_bytes(&name, task->comm, len);
	text_char(&name, '-');
	text_s64(&name, pid);
	len = text_len(&name);
	blanks = len < PROC_WIDTH ? PROC_WIDTH - len : 0;
	text_fill(text, ' ', blanks / 2);
	text_bytes(text, buf, len);
	text_fill(text, ' ', blanks - blanks / 2);
}

/* The banner where a CPU goes on with another task. */
static void put_switch(struct graph *graph, struct report *report, struct graph_cpu *cpu,
		       const struct fathom_event *event, struct text *text)
{
	static const char rule[] = " ------------------------------------------\n";
	int32_t before = cpu->pid;
	bool is_first = !cpu->used;

	cpu->used = true;
	cpu->pid = event->pid;
	if (is_first || before == event->pid)
		return;
	text_str(text, rule);
	put_cpu(graph, event->cpu, text);
	put_task(report, before, text);
	text_str(text, " => ");
	put_task(report, event->pid, text);
	text_char(text, '\n');
	text_str(text, rule);
	text_char(text, '\n');
}

static char find_mark(uint64_t duration)
{
	static const struct {
		uint64_t above;
		char mark;
	} marks[] = { { 1000000000, '$' }, { 100000000, '@' }, { 10000000, '*' },
		      { 1000000, '#' },	   { 100000, '!' },    { 10000, '+' } };

	for (size_t i = 0; i < ARRAY_SIZE(marks); i++)
		if (duration > marks[i].above)
			return marks[i].mark;
	return ' ';
}

/* At most eight columns: large numbers have fewer digits behind the point. */
static void put_duration(uint64_t duration, struct text *text)
{
	size_t start, len;
	unsigned rest = (unsigned)(duration % 1000);
	char digits[3] = { (char)('0' + rest / 100), (char)('0' + rest / 10 % 10),
			   (char)('0' + rest % 10) };

	text_char(text, find_mark(duration));
	text_char(text, ' ');
	start = text_len(text);
	text_u64(text, duration / 1000);
	len = text_len(text) - start;
	if (len < 7) {
		text_char(text, '.');
		text_bytes(text, digits, 7 - len < 3 ? 7 - len : 3);
	}
	len = text_len(text) - start;
	text_str(text, " us ");
	if (len < 8)
		text_fill(text, ' ', 8 - len);
	text_str(text, "|  ");
}

static void put_indent(int depth, struct text *text)
{
	if (depth > 0 && depth <= DEPTH_SHOWN)
		text_fill(text, ' ', (size_t)depth * INDENT);
}

/* The arrow before the first and behind the last line of an interrupt. */
static void put_irq(const struct graph *graph, const struct fathom_event *event, uint64_t func,
		    bool enters, struct text *text)
{
	const struct graph_formats *formats = graph->formats;

	if (func < formats->irq_start || func >= formats->irq_end)
		return;
	put_cpu(graph, event->cpu, text);
	text_str(text, enters ? "  ==========> |\n" : "  <========== |\n");
}

static void put_function(const struct graph *graph, struct report_input *input, int kind,
			 struct fathom_event *event, uint64_t func, struct text *text)
{
	struct report *report = input->report;
	const struct event_field *args = graph->formats->entry_args[kind];
	uint64_t start;
	const char *name = report_symbol(report, func, &start);

	if (!graph_put_symbol(report, func, false, text)) {
		text_str(text, "0x");
		text_hex(text, func);
	}
	text_char(text, '(');
	if (name && args) {
		struct rendering rendering = { report, report_plan(report, event->id), event, NULL,
					       text };

		if (rendering.plan->entry)
			rendering_arguments(&rendering, args->offset, name);
	}
	text_char(text, ')');
}

static bool read_entry(const struct graph *graph, const struct fathom_event *event, int *ret_kind,
		       struct call *ret)
{
	const struct graph_formats *formats = graph->formats;
	uint64_t depth;

	for (int i = 0; i < 2; i++) {
		if (!formats->entry[i] || formats->entry[i]->id != event->id)
			continue;
		*ret_kind = i;
		if (!number(formats->entry[i], formats->entry_func[i], event, &ret->func) ||
		    !number(formats->entry[i], formats->entry_depth[i], event, &depth))
			return false;
		ret->depth = (int)depth;
		return true;
	}
	return false;
}

static bool read_exit(const struct graph *graph, const struct fathom_event *event, struct call *ret)
{
	const struct graph_formats *formats = graph->formats;
	uint64_t depth, start, end;

	if (!formats->exit || formats->exit->id != event->id ||
	    !number(formats->exit, formats->func, event, &ret->func) ||
	    !number(formats->exit, formats->depth, event, &depth) ||
	    !number(formats->exit, formats->calltime, event, &start) ||
	    !number(formats->exit, formats->rettime, event, &end))
		return false;
	ret->depth = (int)depth;
	ret->duration = end - start;
	return true;
}

static void remember(struct graph_cpu *cpu, int depth, uint64_t func)
{
	if (depth >= 0 && depth < GRAPH_DEPTH_MAX)
		cpu->functions[depth] = func;
}

static void put_lost(const struct fathom_event *event, struct text *text)
{
	if (!event->missed)
		return;
	text_str(text, "CPU:");
	text_u64(text, event->cpu);
	text_str(text, " [LOST ");
	if (event->missed != FATHOM_MISSED_UNKNOWN) {
		text_u64(text, event->missed);
		text_char(text, ' ');
	}
	text_str(text, "EVENTS]\n");
}

/* Writes an entry; @end says how long the call took when it is one line. */
static void put_entry(struct graph *graph, struct report_input *input, struct fathom_event *event,
		      const struct call *end, struct text *text)
{
	struct graph_cpu *cpu = get_cpu(graph, event->cpu);
	struct call call = { 0 };
	int kind = 0;

	if (!cpu || !read_entry(graph, event, &kind, &call))
		return;
	put_lost(event, text);
	put_switch(graph, input->report, cpu, event, text);
	put_irq(graph, event, call.func, true, text);
	put_cpu(graph, event->cpu, text);
	if (end)
		put_duration(end->duration, text);
	else
		text_str(text, "              |  ");
	put_indent(call.depth, text);
	put_function(graph, input, kind, event, call.func, text);
	text_str(text, end ? ";\n" : " {\n");
	cpu->depth = end ? call.depth - 1 : call.depth;
	remember(cpu, call.depth, end ? 0 : call.func);
	if (end)
		put_irq(graph, event, call.func, false, text);
}

static void put_exit(struct graph *graph, struct report_input *input, struct graph_cpu *cpu,
		     const struct fathom_event *event, const struct call *call, struct text *text)
{
	bool known = true;

	put_lost(event, text);
	put_switch(graph, input->report, cpu, event, text);
	if (call->depth >= 0 && call->depth < GRAPH_DEPTH_MAX)
		known = cpu->functions[call->depth] == call->func;
	remember(cpu, call->depth, 0);
	cpu->depth = call->depth - 1;
	put_cpu(graph, event->cpu, text);
	put_duration(call->duration, text);
	put_indent(call->depth, text);
	text_char(text, '}');
	/* An end without a beginning says whose it is. */
	if (!known || input->report->options->tail_name) {
		text_str(text, " /* ");
		if (!graph_put_symbol(input->report, call->func, false, text)) {
			text_str(text, "0x");
			text_hex(text, call->func);
		}
		text_str(text, " */");
	}
	text_char(text, '\n');
	put_irq(graph, event, call->func, false, text);
}

/* Any other event is a comment. */
static void put_comment(struct graph *graph, struct report_input *input, struct graph_cpu *cpu,
			struct fathom_event *event, struct text *text)
{
	const struct event_plan *plan = report_plan(input->report, event->id);

	put_lost(event, text);
	if (graph_put_stack(input->report, plan, event, text))
		return;
	put_switch(graph, input->report, cpu, event, text);
	put_cpu(graph, event->cpu, text);
	text_str(text, "              |  ");
	if (cpu->depth > 0)
		put_indent(cpu->depth + 1, text);
	text_str(text, "/* ");
	graph_put_event(input->report, plan, event, text);
	text_str(text, " */\n");
}

/* Room for one more line in the ring. */
static bool grow(struct graph *graph)
{
	size_t cap = graph->cap ? graph->cap * 2 : 16;
	struct graph_line *lines;

	if (graph->next - graph->first < graph->cap)
		return true;
	lines = mem_zalloc(cap, sizeof(*lines));
	if (!lines) {
		graph->nomem = true;
		return false;
	}
	for (uint64_t i = graph->first; i < graph->next; i++)
		lines[i & (cap - 1)] = graph->lines[i & (graph->cap - 1)];
	free(graph->lines);
	graph->lines = lines;
	graph->cap = cap;
	return true;
}

static struct graph_line *line_at(struct graph *graph, uint64_t n)
{
	return &graph->lines[n & (graph->cap - 1)];
}

/* Has the text of the line that waits on @cpu made, one line with @end if that is not NULL. */
static void resolve(struct graph *graph, struct report_input *input, struct graph_cpu *cpu,
		    const struct call *end)
{
	struct graph_line *line = line_at(graph, cpu->waiting - 1);
	char buf[4096];
	struct text text;

	text_init(&text, buf, sizeof(buf));
	line->event.data = line->buf.s;
	cpu->waiting = 0;
	put_entry(graph, input, &line->event, end, &text);
	strbuf_clear(&line->buf);
	strbuf_add(&line->buf, buf, text_len(&text));
	graph->nomem |= line->buf.err != 0;
	line->ready = true;
}

static void flush_ready(struct graph *graph, struct text *text)
{
	while (graph->first < graph->next && line_at(graph, graph->first)->ready) {
		struct graph_line *line = line_at(graph, graph->first++);

		text_bytes(text, strbuf_str(&line->buf), line->buf.len);
	}
}

/* Adds a line to those that wait: an entry, or the text of something else. */
static void enqueue(struct graph *graph, struct graph_cpu *cpu, const struct fathom_event *entry,
		    const char *s, size_t len)
{
	struct graph_line *line;

	if (!grow(graph))
		return;
	line = line_at(graph, graph->next++);
	strbuf_clear(&line->buf);
	strbuf_add(&line->buf, s, len);
	graph->nomem |= line->buf.err != 0;
	line->ready = !entry;
	if (!entry)
		return;
	line->event = *entry;
	cpu->waiting = graph->next;
	/* Without memory for the event there is nothing to write later. */
	if (line->buf.err)
		line->event.size = 0;
}

static void resolve_all(struct graph *graph, struct report_input *input)
{
	for (size_t i = 0; i < graph->n_cpus; i++)
		if (graph->cpus[i].waiting)
			resolve(graph, input, &graph->cpus[i], NULL);
}

void graph_write_head(struct text *text)
{
	text_str(text, "# tracer: function_graph\n"
		       "#\n"
		       "# CPU  DURATION                  FUNCTION CALLS\n"
		       "# |     |   |                     |   |   |   |\n");
}

void graph_write(void *data, struct report_input *input, struct fathom_event *event,
		 struct text *text)
{
	struct graph *graph = data;
	struct graph_cpu *cpu;
	struct call call;
	bool is_exit;
	size_t start = text_len(text);
	int kind;

	if (!event->data || !prepare(graph, input) || !(cpu = get_cpu(graph, event->cpu)))
		return;
	is_exit = read_exit(graph, event, &call);
	if (cpu->waiting) {
		const struct graph_line *line = line_at(graph, cpu->waiting - 1);
		struct fathom_event entry = line->event;
		struct call entered;
		bool leaf;

		entry.data = line->buf.s;
		leaf = is_exit && entry.size && entry.pid == event->pid && !event->missed &&
		       read_entry(graph, &entry, &kind, &entered) && entered.func == call.func;
		resolve(graph, input, cpu, leaf ? &call : NULL);
		flush_ready(graph, text);
		if (leaf)
			return;
		start = text_len(text);
	}
	if (graph->next - graph->first >= GRAPH_WAIT_MAX)
		resolve_all(graph, input);
	if (!is_exit && read_entry(graph, event, &kind, &call)) {
		enqueue(graph, cpu, event, event->data, event->size);
		return;
	}
	if (is_exit)
		put_exit(graph, input, cpu, event, &call, text);
	else
		put_comment(graph, input, cpu, event, text);
	/* Lines before it wait: it waits behind them. */
	if (graph->first < graph->next) {
		enqueue(graph, cpu, NULL, text->s + start, text_len(text) - start);
		text_truncate(text, start);
		flush_ready(graph, text);
	}
}

int graph_write_end(struct graph *graph, struct report_input *input, struct text *text)
{
	resolve_all(graph, input);
	if (graph->cap)
		flush_ready(graph, text);
	return graph->nomem ? -ENOMEM : 0;
}

void graph_done(struct graph *graph)
{
	for (size_t i = 0; i < graph->cap; i++)
		strbuf_done(&graph->lines[i].buf);
	free(graph->lines);
	free(graph->cpus);
	free(graph->formats);
	memset(graph, 0, sizeof(*graph));
}
