/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * user-trace OUT MAPS PID ADDRESS...: writes a trace with a user stack of these addresses, a probe
 * at the first one and a return probe at the second. The file MAPS becomes the option PROCMAPS or,
 * if its first line is that of a map log, options FATHOM_MAPS; the file named by USER_TRACE_COPY
 * becomes copy 1.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/files/file.h"
#include "format/file/trace-file.h"
#include "trace-writer.h"

#include <fcntl.h>

#define COMMON                                                                         \
	"format:\n"                                                                    \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"         \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"         \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

static const struct trace_format formats[] = {
	{ "ftrace", "name: user_stack\nID: 13\n" COMMON
		    "\tfield:unsigned int tgid;\toffset:8;\tsize:4;\tsigned:0;\n"
		    "\tfield:unsigned long caller[8];\toffset:16;\tsize:64;\tsigned:0;\n\n"
		    "print fmt: \"%lx %lx\", REC->caller[0], REC->caller[1]\n" },
	{ "uprobes", "name: entry\nID: 501\n" COMMON
		     "\tfield:unsigned long __probe_ip;\toffset:8;\tsize:8;\tsigned:0;\n\n"
		     "print fmt: \"(%lx)\", REC->__probe_ip\n" },
	{ "uprobes", "name: leave\nID: 502\n" COMMON
		     "\tfield:unsigned long __probe_func;\toffset:8;\tsize:8;\tsigned:0;\n"
		     "\tfield:unsigned long __probe_ret_ip;\toffset:16;\tsize:8;\tsigned:0;\n\n"
		     "print fmt: \"(%lx <- %lx)\", REC->__probe_func, REC->__probe_ret_ip\n" },
	{ NULL, NULL },
};

static void put_event(struct page_writer *w, uint64_t time, uint16_t id, int32_t pid,
		      const uint64_t *addresses, size_t n, size_t offset)
{
	unsigned char record[80] = { 0 };

	memcpy(record, &id, sizeof(id));
	memcpy(record + 4, &pid, sizeof(pid));
	memcpy(record + 8, &pid, sizeof(pid));
	memcpy(record + offset, addresses, n * sizeof(*addresses));
	page_writer_record(w, time, record, (uint32_t)(id == 13 ? 80 : offset + n * 8));
}

/* In parts, which a reader keeps in memory. */
static void put_log(struct trace_writer *w, const struct strbuf *log)
{
	const char *copy = getenv("USER_TRACE_COPY");
	_cleanup_strbuf_ struct strbuf file = { 0 };
	uint64_t number = 1;

	for (size_t at = 0; at < log->len;) {
		size_t end = at + (256 << 10) < log->len ? at + (256 << 10) : log->len;

		while (end < log->len && log->s[end - 1] != '\n')
			end++;
		trace_writer_option(w, TRACE_ID_FATHOM_MAPS, log->s + at, (uint32_t)(end - at));
		at = end;
	}
	strbuf_add(&file, &number, sizeof(number));
	if (copy && file_read(AT_FDCWD, copy, &file) == 0)
		trace_writer_option(w, TRACE_ID_FATHOM_FILE, file.s, (uint32_t)file.len);
}

int main(int argc, char **argv)
{
	_cleanup_strbuf_ struct strbuf maps = { 0 };
	struct trace_writer *w = trace_writer_new(&(struct trace_config){ .formats = formats });
	uint64_t addresses[8] = { 0 };
	struct page_writer *cpu;
	size_t n = 0;
	int32_t pid;
	int r;

	if (argc < 6 || !w || file_read(AT_FDCWD, argv[2], &maps) < 0)
		return 2;
	pid = (int32_t)strtol(argv[3], NULL, 10);
	for (int i = 4; i < argc && n < 8; i++)
		addresses[n++] = strtoull(argv[i], NULL, 16);
	if (maps.len > 2 && maps.s[1] == ' ' && memchr("FA", maps.s[0], 2))
		put_log(w, &maps);
	else if (maps.len)
		trace_writer_option(w, TRACE_ID_PROCMAPS, maps.s, (uint32_t)maps.len + 1);
	cpu = trace_writer_cpu(w, 0, 0);
	if (!cpu)
		return 2;
	put_event(cpu, 1000, 13, pid, addresses, n, 16);
	put_event(cpu, 2000, 501, pid, addresses, 1, 8);
	put_event(cpu, 3000, 502, pid, addresses, 2, 8);
	r = trace_writer_save(w, argv[1]);
	trace_writer_free(w);
	return r < 0 ? 2 : 0;
}
