/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "render/report/graph.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/stream/event-stream.h"
#include "base/mem.h"
#include "base/quote.h"
#include "base/str.h"
#include "render/kit/duration.h"
#include "render/report/graph-event.h"
#include "render/kit/result.h"

#define INDENT	    2
#define PROC_WIDTH  14
#define DEPTH_SHOWN 1000

/* Fields of entries and exits, looked up once. */
struct graph_formats {
	const struct event_entry *entry[2]; /* without and with the caller's address */
	const struct event_field *entry_func[2], *entry_depth[2], *entry_args[2];
	const struct event_entry *exit;
	const struct event_field *func, *depth, *calltime, *rettime, *retval;
	uint64_t irq_start, irq_end; /* address range of the kernel's interrupt entry code */
};

static bool graph_number(const struct event_entry *entry, const struct event_field *field,
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
		formats->retval = event_field_find(formats->exit->format, "retval");
	}
	if (!kallsyms_address(kallsyms, "__irqentry_text_start", &formats->irq_start) ||
	    !kallsyms_address(kallsyms, "__irqentry_text_end", &formats->irq_end))
		formats->irq_start = formats->irq_end = 0;
}

static void graph_take(void *data, const struct decoded_event *decoded);

/* Decoding is only needed for user functions, and for results from the recording's own probes. */
static bool needs_stream(const struct event_table *table)
{
	if (table->users)
		return true;
	if (!probe_join_is_needed(table))
		return false;
	for (size_t i = 0; i < table->n; i++)
		if (str_after(table->entries[i].text->system, "fathom_"))
			return true;
	return false;
}

static bool prepare_stream(struct graph *graph, struct event_table *table)
{
	if (!needs_stream(table))
		return true;
	graph->stream = mem_zalloc(1, sizeof(*graph->stream));
	if (!graph->stream)
		return false;
	event_stream_init(graph->stream, table, false, graph_take, graph);
	graph->stream->probes_are_calls = false;
	return true;
}

static bool graph_prepare(struct graph *graph, struct report_input *input)
{
	unsigned cpus = fathom_trace_info(input->trace)->cpus;

	if (graph->formats)
		return true;
	graph->formats = mem_zalloc(1, sizeof(*graph->formats));
	if (!graph->formats || !prepare_stream(graph, report_events(input->report))) {
		free(graph->formats);
		graph->formats = NULL;
		graph->nomem = true;
		return false;
	}
	find_formats(graph->formats, input->report);
	graph->cpu_width = 1;
	for (cpus = cpus ? cpus - 1 : 0; cpus >= 10; cpus /= 10)
		graph->cpu_width++;
	return true;
}

static struct graph_cpu *graph_get_cpu(struct graph *graph, uint32_t cpu)
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

static void graph_put_cpu(const struct graph *graph, uint32_t cpu, struct text *text)
{
	size_t start;

	text_char(text, ' ');
	start = text_len(text);
	text_u64(text, cpu);
	text_pad(text, start, graph->cpu_width, false);
	text_bytes(text, ") ", 2);
}

/* Appends "  comm-pid  ", centred. */
static void graph_put_task(struct report *report, int32_t pid, struct text *text)
{
	const struct task *task = tasks_find(report_tasks(report), pid);
	size_t len = task->len < 7 ? task->len : 7;
	char buf[64];
	struct text name;
	size_t blanks;

	text_init(&name, buf, sizeof(buf));
	quote_text(&name, task->comm, len);
	text_char(&name, '-');
	text_s64(&name, pid);
	len = text_len(&name);
	blanks = len < PROC_WIDTH ? PROC_WIDTH - len : 0;
	text_fill(text, ' ', blanks / 2);
	text_bytes(text, buf, len);
	text_fill(text, ' ', blanks - blanks / 2);
}

/* Appends the banner for a context switch. */
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
	graph_put_cpu(graph, event->cpu, text);
	graph_put_task(report, before, text);
	text_str(text, " => ");
	graph_put_task(report, event->pid, text);
	text_char(text, '\n');
	text_str(text, rule);
	text_char(text, '\n');
}

/* Uses at most eight columns: large numbers have fewer decimals. */
static void graph_put_duration(uint64_t duration, struct text *text)
{
	size_t start, len;
	unsigned rest = (unsigned)(duration % 1000);
	char digits[3] = { (char)('0' + rest / 100), (char)('0' + rest / 10 % 10),
			   (char)('0' + rest % 10) };

	text_char(text, duration_mark(duration));
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

static void graph_put_indent(int depth, struct text *text)
{
	if (depth > 0 && depth <= DEPTH_SHOWN)
		text_fill(text, ' ', (size_t)depth * INDENT);
}

/* Appends the arrow before the first and after the last line of an interrupt. */
static void put_irq(const struct graph *graph, const struct fathom_event *event, uint64_t func,
		    bool enters, struct text *text)
{
	const struct graph_formats *formats = graph->formats;

	if (func < formats->irq_start || func >= formats->irq_end)
		return;
	graph_put_cpu(graph, event->cpu, text);
	text_str(text, enters ? "  ==========> |\n" : "  <========== |\n");
}

static void graph_put_name(struct report *report, const struct graph_call *call, struct text *text)
{
	const struct probed_function *user =
		call->is_user ? probed_functions_find(&report->users, call->func) : NULL;

	if (user) {
		quote_text_str(text, user->name);
		text_str(text, " [");
		quote_text_str(text, user->file);
		text_char(text, ']');
	} else if (!graph_put_symbol(report, call->func, false, text)) {
		text_str(text, "0x");
		text_hex(text, call->func);
	}
}

static void graph_put_function(const struct graph *graph, struct report_input *input,
			       struct fathom_event *event, const struct graph_call *call,
			       struct text *text)
{
	struct report *report = input->report;
	const struct event_field *args = call->is_user ? NULL :
							 graph->formats->entry_args[call->kind];
	uint64_t start;
	const char *name = args ? report_symbol(report, call->func, &start) : NULL;

	graph_put_name(report, call, text);
	text_char(text, '(');
	if (name && event->size) {
		struct rendering rendering = { report, report_plan(report, event->id), event, NULL,
					       text };

		if (rendering.plan->entry)
			rendering_arguments(&rendering, args->offset, name);
	}
	text_char(text, ')');
}

/* Appends a comment with the name if @named, "= result" if there is one, or both. */
static void graph_put_tail(struct report *report, const struct graph_call *call, bool named,
			   struct text *text)
{
	enum report_retval how = report->options->retval;
	char buf[RESULT_SIZE];

	if (!named && !call->has_result)
		return;
	text_str(text, " /* ");
	if (named)
		graph_put_name(report, call, text);
	if (call->has_result) {
		text_str(text, named ? " = " : "= ");
		if (how == REPORT_RETVAL_HEX) {
			text_str(text, "0x");
			text_hex(text, (uint64_t)call->result);
		} else if (how == REPORT_RETVAL_DECIMAL) {
			text_s64(text, call->result);
		} else {
			text_str(text, result_text(call->result, buf));
		}
	}
	text_str(text, " */");
}

static bool read_entry(const struct graph *graph, const struct fathom_event *event,
		       struct graph_call *ret)
{
	const struct graph_formats *formats = graph->formats;
	uint64_t depth;

	for (int i = 0; i < 2; i++) {
		if (!formats->entry[i] || formats->entry[i]->id != event->id)
			continue;
		*ret = (struct graph_call){ .kind = i };
		if (!graph_number(formats->entry[i], formats->entry_func[i], event, &ret->func) ||
		    !graph_number(formats->entry[i], formats->entry_depth[i], event, &depth))
			return false;
		ret->depth = (int)depth;
		return true;
	}
	return false;
}

/* Results recorded by the kernel are shown on request, as the kernel does. */
static bool shows_retval(const struct report *report)
{
	return report->options->retval == REPORT_RETVAL_DECIMAL ||
	       report->options->retval == REPORT_RETVAL_HEX;
}

static bool read_exit(const struct graph *graph, const struct report *report,
		      const struct fathom_event *event, struct graph_call *ret)
{
	const struct graph_formats *formats = graph->formats;
	uint64_t depth, start, end;

	*ret = (struct graph_call){ 0 };
	if (!formats->exit || formats->exit->id != event->id ||
	    !graph_number(formats->exit, formats->func, event, &ret->func) ||
	    !graph_number(formats->exit, formats->depth, event, &depth) ||
	    !graph_number(formats->exit, formats->calltime, event, &start) ||
	    !graph_number(formats->exit, formats->rettime, event, &end))
		return false;
	ret->depth = (int)depth;
	ret->duration = end - start;
	if (formats->retval && shows_retval(report))
		ret->has_result = event_field_s64(formats->exit->format, formats->retval,
						  event->data, event->size, &ret->result);
	return true;
}

static void graph_remember(struct graph_cpu *cpu, int depth, uint64_t func)
{
	if (depth >= 0 && depth < GRAPH_DEPTH_MAX)
		cpu->functions[depth] = func;
}

static void graph_put_lost(const struct fathom_event *event, struct text *text)
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

/* Appends an entry; @end is the end of the call if it makes one line, or NULL. */
static void graph_put_entry(struct graph *graph, struct report_input *input,
			    struct fathom_event *event, const struct graph_call *call,
			    const struct graph_call *end, struct text *text)
{
	struct graph_cpu *cpu = graph_get_cpu(graph, event->cpu);

	if (!cpu)
		return;
	graph_put_lost(event, text);
	put_switch(graph, input->report, cpu, event, text);
	put_irq(graph, event, call->func, true, text);
	graph_put_cpu(graph, event->cpu, text);
	if (end)
		graph_put_duration(end->duration, text);
	else
		text_str(text, "              |  ");
	graph_put_indent(call->depth, text);
	graph_put_function(graph, input, event, call, text);
	text_str(text, end ? ";" : " {");
	if (end)
		graph_put_tail(input->report, end, false, text);
	text_char(text, '\n');
	cpu->depth = end ? call->depth - 1 : call->depth;
	graph_remember(cpu, call->depth, end ? 0 : call->func);
	if (end)
		put_irq(graph, event, call->func, false, text);
}

static void put_exit(struct graph *graph, struct report_input *input, struct graph_cpu *cpu,
		     const struct fathom_event *event, const struct graph_call *call,
		     struct text *text)
{
	bool known = true;

	graph_put_lost(event, text);
	put_switch(graph, input->report, cpu, event, text);
	if (call->depth >= 0 && call->depth < GRAPH_DEPTH_MAX)
		known = cpu->functions[call->depth] == call->func;
	graph_remember(cpu, call->depth, 0);
	cpu->depth = call->depth - 1;
	graph_put_cpu(graph, event->cpu, text);
	if (call->no_duration)
		text_str(text, "              |  ");
	else
		graph_put_duration(call->duration, text);
	graph_put_indent(call->depth, text);
	text_char(text, '}');
	/* If the start was not recorded, name the function here. */
	graph_put_tail(input->report, call, !known || input->report->options->tail_name, text);
	text_char(text, '\n');
	put_irq(graph, event, call->func, false, text);
}

/* Appends any other event, as a comment. */
static void put_comment(struct graph *graph, struct report_input *input, struct graph_cpu *cpu,
			struct fathom_event *event, struct text *text)
{
	const struct event_plan *plan = report_plan(input->report, event->id);

	graph_put_lost(event, text);
	if (graph_put_stack(input->report, plan, event, text))
		return;
	put_switch(graph, input->report, cpu, event, text);
	graph_put_cpu(graph, event->cpu, text);
	text_str(text, "              |  ");
	if (cpu->depth > 0)
		graph_put_indent(cpu->depth + 1, text);
	text_str(text, "/* ");
	graph_put_event(input->report, plan, event, text);
	text_str(text, " */\n");
}

/* Makes room in the ring for one more line. Returns false if memory is exhausted. */
static bool graph_grow(struct graph *graph)
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

/* Renders the line that waits on @cpu, as a single line if @end is not NULL. */
static void resolve(struct graph *graph, struct report_input *input, struct graph_cpu *cpu,
		    const struct graph_call *end)
{
	struct graph_line *line = line_at(graph, cpu->waiting - 1);
	char buf[4096];
	struct text text;

	text_init(&text, buf, sizeof(buf));
	line->event.data = line->buf.s;
	cpu->waiting = 0;
	graph_put_entry(graph, input, &line->event, &line->call, end, &text);
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

/* Appends a line to the ring: an entry that waits, or the finished text of any other event. */
static void enqueue(struct graph *graph, struct graph_cpu *cpu, const struct fathom_event *entry,
		    const struct graph_call *call, const char *s, size_t len)
{
	struct graph_line *line;

	if (!graph_grow(graph))
		return;
	line = line_at(graph, graph->next++);
	strbuf_clear(&line->buf);
	strbuf_add(&line->buf, s, len);
	graph->nomem |= line->buf.err != 0;
	line->ready = !entry;
	if (!entry)
		return;
	line->event = *entry;
	line->event.size = (uint32_t)len;
	line->call = *call;
	cpu->waiting = graph->next;
	/* Without the bytes of the event, it cannot be rendered later. */
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

/* Writes an event: the start of a call if @begins, the end of one if @ends. */
static void write_line(struct graph *graph, struct report_input *input, struct fathom_event *event,
		       const struct graph_call *begins, const struct graph_call *ends,
		       struct text *text)
{
	struct graph_cpu *cpu = graph_get_cpu(graph, event->cpu);
	size_t start = text_len(text);

	if (!cpu)
		return;
	if (cpu->waiting) {
		const struct graph_line *line = line_at(graph, cpu->waiting - 1);
		bool leaf = ends && !line->buf.err && line->event.pid == event->pid &&
			    !event->missed && line->call.func == ends->func;

		resolve(graph, input, cpu, leaf ? ends : NULL);
		flush_ready(graph, text);
		if (leaf)
			return;
		start = text_len(text);
	}
	if (graph->next - graph->first >= GRAPH_WAIT_MAX)
		resolve_all(graph, input);
	if (begins) {
		/* The event of a user function does not contain its arguments. */
		enqueue(graph, cpu, event, begins, event->data, begins->is_user ? 0 : event->size);
		return;
	}
	if (ends)
		put_exit(graph, input, cpu, event, ends, text);
	else
		put_comment(graph, input, cpu, event, text);
	/* Earlier lines are waiting, so this one must also wait. */
	if (graph->first < graph->next) {
		enqueue(graph, cpu, NULL, NULL, text->s + start, text_len(text) - start);
		text_truncate(text, start);
		flush_ready(graph, text);
	}
}

static void graph_write_event(struct graph *graph, struct report_input *input,
			      struct fathom_event *event, const struct decoded_event *decoded,
			      struct text *text)
{
	struct graph_call call;

	if (read_exit(graph, input->report, event, &call)) {
		if (decoded) {
			call.depth += (int)decoded->call.users;
			/*
			 * A result in the event itself has been read already, if it is shown at
			 * all.
			 */
			if (decoded->call.has_more && !graph->formats->retval &&
			    input->report->options->retval != REPORT_RETVAL_SKIP) {
				call.has_result = true;
				call.result = decoded->call.result;
			}
		}
		write_line(graph, input, event, NULL, &call, text);
	} else if (read_entry(graph, event, &call)) {
		if (decoded)
			call.depth += (int)decoded->call.users;
		write_line(graph, input, event, &call, NULL, text);
	} else {
		write_line(graph, input, event, NULL, NULL, text);
	}
}

static void write_user_call(struct graph *graph, struct fathom_event *event,
			    const struct decoded_event *decoded)
{
	const struct graph_call call = { .func = decoded->call.func,
					 .duration = decoded->call.duration,
					 .depth = decoded->call.depth,
					 .is_user = true,
					 .no_duration = decoded->call.no_start };

	if (decoded->kind == DECODED_RETURN)
		write_line(graph, graph->input, event, NULL, &call, graph->text);
	else if (!decoded->call.no_start) /* otherwise, a child runs in its parent's call */
		write_line(graph, graph->input, event, &call, NULL, graph->text);
}

/* Returns whether the event is already shown as part of the call that it belongs to. */
static bool graph_is_shown(const struct graph *graph, const struct decoded_event *decoded)
{
	const struct event_format *format = decoded->entry ? decoded->entry->format : NULL;

	if (decoded->kind == DECODED_USER)
		return true;
	return decoded->joined && format && !graph->formats->retval && format->n_fields > 1 &&
	       str_after(format->system, "fathom_") &&
	       str_eq(format->fields[format->n_fields - 2].name, "__probe_ret_ip");
}

static void graph_take(void *data, const struct decoded_event *decoded)
{
	struct graph *graph = data;
	struct fathom_event event = *decoded->event;

	if ((decoded->kind == DECODED_CALL || decoded->kind == DECODED_RETURN) &&
	    decoded->call.is_user)
		write_user_call(graph, &event, decoded);
	else if (event.missed || !graph_is_shown(graph, decoded))
		graph_write_event(graph, graph->input, &event,
				  decoded->kind == DECODED_CALL || decoded->kind == DECODED_RETURN ?
					  decoded :
					  NULL,
				  graph->text);
}

void graph_write(void *data, struct report_input *input, struct fathom_event *event,
		 struct text *text)
{
	struct graph *graph = data;

	if (!event->data || !graph_prepare(graph, input))
		return;
	if (!graph->stream) {
		graph_write_event(graph, input, event, NULL, text);
		return;
	}
	graph->input = input;
	graph->text = text;
	event_stream_put(graph->stream, event);
}

int graph_write_end(struct graph *graph, struct report_input *input, struct text *text)
{
	if (graph->stream) {
		graph->input = input;
		graph->text = text;
		graph->nomem |= event_stream_end(graph->stream) < 0;
	}
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
	if (graph->stream)
		event_stream_done(graph->stream);
	free(graph->stream);
	memset(graph, 0, sizeof(*graph));
}
