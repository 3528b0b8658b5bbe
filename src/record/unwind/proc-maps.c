/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "record/unwind/proc-maps.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files/file.h"
#include "base/mem.h"

#define EXE_SIZE 4096

/* Returns the file in a line of maps, or NULL, and stores the range. */
static const char *proc_maps_parse_line(const char *line, uint64_t *start, uint64_t *end)
{
	char *p;
	const char *file;
	size_t eol = strcspn(line, "\n");

	*start = strtoull(line, &p, 16);
	if (*p != '-')
		return NULL;
	*end = strtoull(p + 1, &p, 16);
	file = memchr(line, '/', eol);
	return file && *p == ' ' ? file : NULL;
}

void proc_maps_format(pid_t pid, const char *exe, const char *maps, struct strbuf *out)
{
	uint64_t start, end, n = 0;
	const char *file;

	/* Adjacent parts of the same file count as one. */
	for (int pass = 0; pass < 2; pass++) {
		const char *last = NULL;
		uint64_t from = 0, to = 0;
		size_t len = 0;

		if (pass == 1)
			strbuf_addf(out, "%x %" PRIx64 " %s\n", (unsigned)pid, n, exe);
		for (const char *line = maps; *line;
		     line += strcspn(line, "\n"), line += *line == '\n') {
			file = proc_maps_parse_line(line, &start, &end);
			if (!file)
				continue;
			if (last && strcspn(file, "\n") == len && strncmp(last, file, len) == 0) {
				to = end;
				continue;
			}
			if (last && pass == 1)
				strbuf_addf(out, "%" PRIx64 " %" PRIx64 " %.*s\n", from, to,
					    (int)len, last);
			n += pass == 0;
			last = file;
			len = strcspn(file, "\n");
			from = start;
			to = end;
		}
		if (last && pass == 1)
			strbuf_addf(out, "%" PRIx64 " %" PRIx64 " %.*s\n", from, to, (int)len,
				    last);
	}
}

int proc_maps_read(const char *root, pid_t pid, struct strbuf *text)
{
	_cleanup_strbuf_ struct strbuf maps = { 0 };
	_cleanup_free_ char *path = mem_printf("%s/proc/%d/maps", root, (int)pid);
	_cleanup_free_ char *link = mem_printf("%s/proc/%d/exe", root, (int)pid);
	_cleanup_free_ char *exe = mem_zalloc(1, EXE_SIZE);

	if (!path || !link || !exe)
		return -ENOMEM;
	if (file_read(AT_FDCWD, path, &maps) < 0 || !maps.len ||
	    readlink(link, exe, EXE_SIZE - 1) <= 0)
		return maps.err;
	strbuf_clear(text);
	proc_maps_format(pid, exe, maps.s, text);
	return text->err;
}
