/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trace-sample.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "format/file/trace-file.h"
#include "test.h"
#include "trace-writer.h"

#define COMMON                                                                          \
	"format:\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n" \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"          \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"  \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
#define U64(name, offset) \
	"\tfield:unsigned long " name ";\toffset:" #offset ";\tsize:8;\tsigned:0;\n"

#define OWN_FORMATS 3

static const struct trace_format formats[] = {
	{ "fathom_1",
	  "name: second_ret\nID: 9\n" COMMON U64("__probe_func", 8) U64("__probe_ret_ip", 16)
		  U64("ret", 24) "\nprint fmt: \"ret=%d\", REC->ret\n" },
	{ "fathom_1", "name: enter\nID: 10\n" COMMON U64("fn", 8) U64("sp", 16)
			      U64("__probe_ip", 24) "\nprint fmt: \"fn=%d\", REC->fn\n" },
	{ "fathom_1", "name: leave\nID: 11\n" COMMON U64("fn", 8) U64("__probe_func", 16)
			      U64("__probe_ret_ip", 24) "\nprint fmt: \"fn=%d\", REC->fn\n" },
	{ "ftrace",
	  "name: funcgraph_entry\nID: 1\n" COMMON U64("func", 8)
		  U64("depth", 16) "\n"
				   "print fmt: \"--> %ps (%d)\", (void *)REC->func, REC->depth\n" },
	{ "ftrace",
	  "name: funcgraph_exit\nID: 2\n" COMMON U64("func", 8) U64("depth", 16) U64("calltime", 24)
		  U64("rettime",
		      32) "\n"
			  "print fmt: \"<-- %ps (%d)\", (void *)REC->func, REC->depth\n" },
	{ "ftrace", "name: print\nID: 5\n" COMMON U64(
			    "ip", 8) "\tfield:char buf[];\toffset:16;\tsize:0;\tsigned:1;\n\n"
				     "print fmt: \"%ps: %s\", (void *)REC->ip, REC->buf\n" },
	{ "ftrace",
	  "name: kernel_stack\nID: 7\n" COMMON "\tfield:int size;\toffset:8;\tsize:4;\tsigned:1;\n"
	  "\tfield:unsigned long caller[8];\toffset:16;\tsize:64;\tsigned:0;\n\n"
	  "print fmt: \"\\t=> %ps\\n\", (void *)REC->caller[0]\n" },
	{ "sched",
	  "name: sched_switch\nID: 3\n" COMMON U64("next_pid", 8) U64(
		  "next_prio",
		  16) "\n"
		      "print fmt: \"next_pid=%d next_prio=%d\", REC->next_pid, REC->next_prio\n" },
	{ "sched", "name: sched_wakeup\nID: 4\n" COMMON U64("pid", 8)
			   U64("prio", 16) "\n"
					   "print fmt: \"pid=%d prio=%d\", REC->pid, REC->prio\n" },
	{ "kprobes",
	  "name: lab\nID: 6\n" COMMON U64("__probe_ip", 8)
		  U64("arg", 16) "\n"
				 "print fmt: \"(%lx) arg=%lu\", REC->__probe_ip, REC->arg\n" },
	{ "kprobes",
	  "name: named\nID: 8\n" COMMON U64(
		  "__probe_ip",
		  8) "\tfield:__data_loc char[] name;\toffset:16;\tsize:4;\tsigned:1;\n\n"
		     "print fmt: \"(%lx) name=\\\"%s\\\" end\", REC->__probe_ip, __get_str(name)\n" },
	{ NULL, NULL },
};

static const uint16_t ids[] = {
	[SAMPLE_ENTRY] = 1,  [SAMPLE_EXIT] = 2,	       [SAMPLE_SWITCH] = 3,
	[SAMPLE_WAKEUP] = 4, [SAMPLE_MESSAGE] = 5,     [SAMPLE_PROBE] = 6,
	[SAMPLE_STACK] = 7,  [SAMPLE_STRING] = 8,      [SAMPLE_UNKNOWN] = 999,
	[SAMPLE_RESULT] = 9, [SAMPLE_USER_ENTER] = 10, [SAMPLE_USER_LEAVE] = 11,
};

static bool is_own(const struct sample_event *event)
{
	return event->kind == SAMPLE_RESULT || event->kind == SAMPLE_USER_ENTER ||
	       event->kind == SAMPLE_USER_LEAVE;
}

static bool has_own(const struct sample_event *events)
{
	while (events->kind && !is_own(events))
		events++;
	return events->kind;
}

static void put_event(struct page_writer *p, const struct sample_event *e)
{
	struct {
		uint16_t id;
		uint8_t flags, preempt;
		int32_t pid;
		uint64_t words[4];
	} record = { ids[e->kind], 0, 0, e->pid, { e->a, e->b } };
	uint32_t size = 24;

	if (e->kind == SAMPLE_EXIT) {
		record.words[2] = e->time;
		record.words[3] = e->time + e->c;
		size = 40;
	} else if (e->kind == SAMPLE_MESSAGE) {
		record.words[0] = SAMPLE_FIRST;
		memcpy(&record.words[1], "a: note\n", 9);
		size = 28;
	} else if (e->kind == SAMPLE_STACK) {
		record.words[0] = 2;
		record.words[1] = e->a;
		record.words[2] = e->b;
		record.flags = (uint8_t)e->c;
		record.preempt = (uint8_t)(e->c >> 8);
		size = 32;
	}
	if (e->kind == SAMPLE_RESULT) {
		record.words[1] = SAMPLE_FIRST;
		record.words[2] = e->b;
	}
	if (is_own(e))
		size = 32;
	if (e->kind == SAMPLE_STRING)
		record.words[1] = e->b << 16 | 20;
	page_writer_record(p, e->time, &record, size);
}

int sample_save(const struct sample_event *events, const char *path)
{
	/* In the format of struct probed_functions. */
	static const char users[] = "efathom_1\nf/bin/app\n+main\n+work\n";
	bool with_own = has_own(events);
	const struct trace_config config = {
		.formats = formats + (with_own ? 0 : OWN_FORMATS),
		.kallsyms = "ffffffff81000000 t first\n"
			    "ffffffff81000020 t second\t[module]\n"
			    "ffffffff81000040 t third\n"
			    "ffffffff81000060 t end\n"
			    "ffffffff81000060 t alias_of_end\n"
			    "ffffffff81000060 t __end\n"
			    "ffffffffc0000000 t ftrace_trampoline\t[__builtin__ftrace]\n",
		.cmdlines = "42 task\n43 another-task\n44 realtime\n",
	};
	struct trace_writer *w = trace_writer_new(&config);
	int r = w ? 0 : -ENOMEM;

	if (w && with_own)
		trace_writer_option(w, TRACE_ID_FATHOM_FUNCTIONS, users, sizeof(users));
	for (; r == 0 && events->kind; events++) {
		struct page_writer *p = trace_writer_cpu(w, 0, events->cpu);

		if (!p)
			r = -ENOMEM;
		else if (events->kind == SAMPLE_LOST)
			page_writer_lost(p, events->a);
		else
			put_event(p, events);
	}
	if (r == 0)
		r = trace_writer_save(w, path);
	trace_writer_free(w);
	return r;
}

int sample_open(const struct sample_event *events, struct fathom_trace **ret_trace)
{
	char path[] = "/tmp/fathom-sample-XXXXXX";
	int r, fd = mkstemp(path);

	if (fd < 0)
		return -errno;
	close(fd);
	r = sample_save(events, path);
	if (r == 0)
		r = fathom_trace_open(path, 0, ret_trace, NULL);
	unlink(path);
	return r;
}

/* Argument of oom_check() in sample_survives(). */
struct showing {
	const struct sample_view *view;
	struct fathom_trace *trace;
	void *data;
};

static char shown[16384];

static int run_view(struct showing *showing)
{
	const struct sample_view *view = showing->view;
	_cleanup_(report_free_p) struct report *report = NULL;
	struct report_input input = { .trace = showing->trace, .window = FATHOM_WINDOW_ALL };
	struct report_run run = { .inputs = &input,
				  .n_inputs = 1,
				  .writer = view->writer,
				  .writer_data = showing->data };
	struct text text;
	struct sink sink;
	int r = report_new(showing->trace, &view->options, NULL, &report, NULL);

	if (r < 0)
		return r;
	input.report = report;
	r = sink_init(&sink, -1);
	if (r < 0)
		return r;
	r = report_run(&run, &sink, NULL);
	if (r == 0 && view->end)
		r = view->end(showing->data, &input, &sink.text);
	text_init(&text, shown, sizeof(shown));
	text_bytes(&text, sink.text.s, text_len(&sink.text));
	(void)text_end(&text);
	sink_done(&sink);
	report_run_done(&run);
	return r;
}

static int show(void *arg)
{
	struct showing *showing = arg;
	int r;

	if (showing->data)
		memset(showing->data, 0, showing->view->data_size);
	r = run_view(showing);
	if (showing->view->done)
		showing->view->done(showing->data);
	return r;
}

static void open_view(struct showing *showing, const struct sample_view *view,
		      const struct sample_event *events)
{
	*showing = (struct showing){ .view = view };
	assert_int_equal(sample_open(events, &showing->trace), 0);
	if (view->data_size) {
		showing->data = calloc(1, view->data_size);
		assert_non_null(showing->data);
	}
}

static void close_view(struct showing *showing)
{
	free(showing->data);
	fathom_trace_free(showing->trace);
}

const char *sample_show(const struct sample_view *view, const struct sample_event *events)
{
	struct showing showing;
	int r;

	open_view(&showing, view, events);
	r = show(&showing);
	close_view(&showing);
	assert_int_equal(r, 0);
	return shown;
}

void sample_survives(const struct sample_view *view, const struct sample_event *events)
{
	struct showing showing;

	open_view(&showing, view, events);
	/* Sections and formats are kept in the trace. */
	assert_int_equal(show(&showing), 0);
	oom_check(show, &showing);
	close_view(&showing);
}
