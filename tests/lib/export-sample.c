/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "export-sample.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files/file.h"
#include "format/file/trace-file.h"
#include "trace-writer.h"

#define COMMON                                                                          \
	"format:\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n" \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"          \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"  \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
#define FIELD(type, name, offset, size, sign) \
	"\tfield:" type " " name ";\toffset:" #offset ";\tsize:" #size ";\tsigned:" #sign ";\n"
#define U64(name, offset)  FIELD("unsigned long", name, offset, 8, 0)
#define S64(name, offset)  FIELD("long", name, offset, 8, 1)
#define S32(name, offset)  FIELD("int", name, offset, 4, 1)
#define COMM(name, offset) FIELD("char", name "[16]", offset, 16, 0)
#define PRINT		   "\nprint fmt: \"\"\n"

/* Those of user functions come first: most samples have none. */
#define USER_FORMATS 2

static const struct trace_format formats[] = {
	{ "fathom_1",
	  "name: enter\nID: 11\n" COMMON U64("__probe_ip", 8) S32("fn", 16) U64("sp", 24) PRINT },
	{ "fathom_1", "name: leave\nID: 12\n" COMMON U64("__probe_func", 8) S32("fn", 16)
			      U64("__probe_ret_ip", 24) PRINT },
	{ "ftrace", "name: funcgraph_entry\nID: 1\n" COMMON U64("func", 8) S32("depth", 16) PRINT },
	{ "ftrace", "name: funcgraph_exit\nID: 2\n" COMMON U64("func", 8) S32("depth", 16)
			    U64("calltime", 24) U64("rettime", 32) PRINT },
	{ "ftrace", "name: print\nID: 5\n" COMMON U64("ip", 8)
			    FIELD("char", "buf[]", 16, 0, 1) "\nprint fmt: \"%s\", REC->buf\n" },
	{ "sched", "name: sched_switch\nID: 3\n" COMMON COMM("prev_comm", 8) S32("prev_pid", 24)
			   S32("prev_prio", 28) S64("prev_state", 32) COMM("next_comm", 40)
				   S32("next_pid", 56) S32("next_prio", 60) PRINT },
	{ "sched", "name: sched_waking\nID: 4\n" COMMON COMM("comm", 8) S32("pid", 24)
			   S32("prio", 28) S32("target_cpu", 32) PRINT },
	{ "raw_syscalls", "name: sys_enter\nID: 6\n" COMMON S64("id", 8)
				  FIELD("unsigned long", "args[6]", 16, 48, 0) PRINT },
	{ "raw_syscalls", "name: sys_exit\nID: 7\n" COMMON S64("id", 8) S64("ret", 16) PRINT },
	{ "syscalls", "name: sys_enter_read\nID: 8\n" COMMON S32("__syscall_nr", 8) U64("fd", 16)
			      U64("count", 24) PRINT },
	{ "syscalls",
	  "name: sys_exit_read\nID: 10\n" COMMON S32("__syscall_nr", 8) S64("ret", 16) PRINT },
	{ "test",
	  "name: kinds\nID: 9\n" COMMON FIELD("u8", "small", 8, 1, 0)
		  FIELD("s16", "negative", 10, 2, 1) U64("large", 16) FIELD("__data_loc char[]",
									    "name", 24, 4, 0)
			  FIELD("int", "list[3]", 28, 12, 1) "\nprint fmt: \"a \\\"b\\\"\"\n" },
	{ NULL, NULL },
};

static const uint16_t ids[] = {
	[EXPORT_ENTRY] = 1,	 [EXPORT_EXIT] = 2,	   [EXPORT_SWITCH] = 3,
	[EXPORT_WAKING] = 4,	 [EXPORT_PRINT] = 5,	   [EXPORT_SYS_ENTER] = 6,
	[EXPORT_SYS_EXIT] = 7,	 [EXPORT_KINDS] = 9,	   [EXPORT_ENTER_READ] = 8,
	[EXPORT_EXIT_READ] = 10, [EXPORT_USER_ENTER] = 11, [EXPORT_USER_LEAVE] = 12,
	[EXPORT_UNKNOWN] = 99,
};

static void put(uint8_t *record, uint32_t offset, uint64_t value, size_t size)
{
	memcpy(record + offset, &value, size);
}

static uint32_t put_sched(uint8_t *record, const struct export_sample_event *e)
{
	if (e->kind == EXPORT_WAKING) {
		memcpy(record + 8, e->s, strlen(e->s));
		put(record, 24, e->a, 4);
		put(record, 28, 120, 4);
		put(record, 32, e->b, 4);
		record[2] = (uint8_t)e->c;
		return 36;
	}
	memcpy(record + 8, "before", 6);
	put(record, 24, e->a, 4);
	put(record, 28, 119, 4);
	put(record, 32, e->c, 8);
	memcpy(record + 40, e->s, strlen(e->s));
	put(record, 56, e->b, 4);
	put(record, 60, 120, 4);
	return 64;
}

static uint32_t put_kinds(uint8_t *record, const struct export_sample_event *e)
{
	size_t len = strlen(e->s) + 1;

	record[8] = 200;
	put(record, 10, e->a, 2);
	put(record, 16, e->b, 8);
	put(record, 24, len << 16 | 40, 4);
	put(record, 28, 1, 4);
	put(record, 32, (uint64_t)-2, 4);
	put(record, 36, 3, 4);
	memcpy(record + 40, e->s, len);
	return 40 + (uint32_t)len;
}

/* Returns when the call began that @exit, one of @events, ends. */
static uint64_t begin_of(const struct export_sample_event *events,
			 const struct export_sample_event *exit)
{
	if (exit->c)
		return exit->time - exit->c;
	for (const struct export_sample_event *e = exit; e-- > events;)
		if (e->kind == EXPORT_ENTRY && e->pid == exit->pid && e->b == exit->b)
			return e->time;
	return exit->time;
}

static void put_event(struct page_writer *p, const struct export_sample_event *events,
		      const struct export_sample_event *e)
{
	uint8_t record[2048] = { 0 };
	uint32_t size = 24;

	put(record, 0, ids[e->kind], 2);
	put(record, 4, (uint32_t)e->pid, 4);
	put(record, 8, e->a, 8);
	put(record, 16, e->b, 8);
	switch (e->kind) {
	case EXPORT_SWITCH:
	case EXPORT_WAKING:
		size = put_sched(record, e);
		break;
	case EXPORT_EXIT:
		put(record, 24, begin_of(events, e), 8);
		put(record, 32, e->time, 8);
		size = 40;
		break;
	case EXPORT_PRINT:
		memcpy(record + 16, e->s, strlen(e->s) + 1);
		size = 16 + (uint32_t)strlen(e->s) + 1;
		break;
	case EXPORT_SYS_ENTER:
		size = 64;
		break;
	case EXPORT_USER_ENTER:
	case EXPORT_USER_LEAVE:
		put(record, 8, 0x400000 + e->a * 16, 8);
		put(record, 16, e->a, 4);
		put(record, 24, e->b, 8);
		size = 32;
		break;
	case EXPORT_ENTER_READ:
		size = 32;
		break;
	case EXPORT_KINDS:
		size = put_kinds(record, e);
		break;
	default:
		break;
	}
	page_writer_record(p, e->time, record, size);
}

static bool has_users(const struct export_sample_event *events)
{
	for (; events->kind; events++)
		if (events->kind == EXPORT_USER_ENTER || events->kind == EXPORT_USER_LEAVE)
			return true;
	return false;
}

int export_sample_save(const struct export_sample_event *list, const char *path)
{
	const struct export_sample_event *events = list;
	/* In the format of struct probed_functions. */
	static const char users[] = "efathom_1\nf/bin/app\n+main\n+work\n+leaf\n";
	bool with_users = has_users(events);
	const struct trace_config config = {
		.formats = formats + (with_users ? 0 : USER_FORMATS),
		.kallsyms = "ffffffff81000000 t first\nffffffff81000020 t second\n"
			    "ffffffff81000040 t end\n",
		.cmdlines = "42 task\n43 other\n",
	};
	/* Option 5 is uname. */
	static const char uname[] = "Linux box 6.1.0 x86_64";
	struct trace_writer *w = trace_writer_new(&config);
	int r = w ? 0 : -ENOMEM;

	if (w)
		trace_writer_option(w, 5, uname, sizeof(uname));
	if (w && with_users)
		trace_writer_option(w, TRACE_ID_FATHOM_FUNCTIONS, users, sizeof(users));
	for (; r == 0 && events->kind; events++) {
		struct page_writer *p = trace_writer_cpu(w, 0, events->cpu);

		if (events->kind == EXPORT_NOTE)
			trace_writer_option(w, TRACE_ID_FATHOM_INFO, events->s,
					    (uint32_t)strlen(events->s) + 1);
		else if (!p)
			r = -ENOMEM;
		else if (events->kind == EXPORT_LOST)
			page_writer_lost(p, events->a);
		else
			put_event(p, list, events);
	}
	if (r == 0)
		r = trace_writer_save(w, path);
	trace_writer_free(w);
	return r;
}

int export_sample_open(struct export_sample *sample, const struct export_output *output,
		       const struct export_sample_event *events)
{
	char path[] = "/tmp/fathom-export-XXXXXX";
	int r, fd = mkstemp(path);

	memset(sample, 0, sizeof(*sample));
	sample->output = output;
	if (fd < 0)
		return -errno;
	close(fd);
	r = export_sample_save(events, path);
	if (r == 0)
		r = fathom_trace_open(path, 0, &sample->trace, NULL);
	unlink(path);
	return r;
}

static int append(void *data, unsigned number, const void *bytes, size_t len)
{
	struct export_sample *sample = data;

	if (number >= EXPORT_SAMPLE_FILES)
		return -E2BIG;
	strbuf_add(&sample->files[number], bytes, len);
	return sample->files[number].err;
}

static int run(struct export_sample *sample, struct export *export, const char *path)
{
	struct fathom_err err = { 0 };
	int r = export_prepare(export, &err);

	if (r == 0)
		r = export_run(export, &err);
	if (r == 0)
		r = file_read(-1, path, &sample->bytes);
	sample->events = export->events;
	sample->shortened = export->shortened;
	sample->unknown = export->unknown;
	sample->left_out = export->left_out;
	export_done(export);
	return r;
}

static int write_to(struct export_sample *sample, int fd, const char *path)
{
	static const struct report_options options;
	_cleanup_(report_free_p) struct report *report = NULL;
	struct report_input input = { .trace = sample->trace, .window = FATHOM_WINDOW_ALL };
	struct report_run events = { .inputs = &input, .n_inputs = 1 };
	struct sink sink;
	struct export export = { .output = sample->output,
				 .run = &events,
				 .input = &input,
				 .sink = &sink,
				 .append = append,
				 .append_data = sample };
	int r = report_new(sample->trace, &options, NULL, &report, NULL);

	if (r < 0)
		return r;
	input.report = report;
	if (sample->to) {
		input.window.from = sample->from;
		input.window.to = sample->to;
	}
	r = sink_init(&sink, fd);
	if (r < 0)
		return r;
	r = run(sample, &export, path);
	sink_done(&sink);
	report_run_done(&events);
	return r;
}

int export_sample_write(void *arg)
{
	struct export_sample *sample = arg;
	char path[] = "/tmp/fathom-export-XXXXXX";
	int r, fd = mkstemp(path);

	if (fd < 0)
		return -errno;
	strbuf_clear(&sample->bytes);
	for (size_t i = 0; i < EXPORT_SAMPLE_FILES; i++)
		strbuf_clear(&sample->files[i]);
	r = write_to(sample, fd, path);
	close(fd);
	unlink(path);
	return r;
}

void export_sample_done(struct export_sample *sample)
{
	fathom_trace_free(sample->trace);
	strbuf_done(&sample->bytes);
	for (size_t i = 0; i < EXPORT_SAMPLE_FILES; i++)
		strbuf_done(&sample->files[i]);
}

void export_sample_scramble(struct export_sample_event *events, size_t n, uint64_t seed)
{
	static const enum export_sample_kind kinds[] = { EXPORT_ENTRY,	    EXPORT_EXIT,
							 EXPORT_USER_ENTER, EXPORT_USER_LEAVE,
							 EXPORT_ENTER_READ, EXPORT_EXIT_READ,
							 EXPORT_LOST,	    EXPORT_KINDS };

	memset(events, 0, n * sizeof(*events));
	for (size_t i = 0; i + 1 < n; i++) {
		struct export_sample_event *e = &events[i];
		uint64_t chance = (seed = seed * 6364136223846793005U + 1442695040888963407U) >> 33;

		*e = (struct export_sample_event){ .kind = kinds[chance % ARRAY_SIZE(kinds)],
						   .cpu = chance >> 4 & 1,
						   .time = 1000 + i * 10,
						   .pid = 42 + (chance >> 5 & 1),
						   .s = "a string" };
		if (e->kind == EXPORT_LOST && chance >> 12 & 3)
			e->kind = EXPORT_USER_ENTER;
		if (e->kind == EXPORT_USER_ENTER || e->kind == EXPORT_USER_LEAVE) {
			e->a = (chance >> 6) % 3;
			e->b = 0x7000 - (chance >> 8 & 7) * 16;
		} else if (e->kind == EXPORT_ENTRY || e->kind == EXPORT_EXIT) {
			e->a = chance >> 6 & 1 ? EXPORT_FIRST : EXPORT_SECOND;
			e->b = chance >> 8 & 3;
		}
	}
}
