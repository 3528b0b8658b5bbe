/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "record/rings/cpu-stats.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files/file.h"
#include "base/mem.h"
#include "base/negative-errno.h"

static const char *cpu_stats_value_of(const char *text, const char *key)
{
	size_t len = strlen(key);

	for (const char *line = text; *line;) {
		if (strncmp(line, key, len) == 0 && line[len] == ':')
			return line + len + 1;
		line = strchrnul(line, '\n');
		line += *line == '\n';
	}
	return NULL;
}

static int cpu_stats_number_of(const char *text, const char *key, uint64_t *ret)
{
	const char *value = cpu_stats_value_of(text, key);

	if (!value)
		return -EINVAL;
	*ret = strtoull(value, NULL, 10);
	return 0;
}

/* "now ts:    71.160033" is in seconds; some clocks count in other units. */
static uint64_t cpu_stats_time_of(const char *value)
{
	char *end;
	uint64_t whole = strtoull(value, &end, 10), part = 0;
	unsigned digits = 0;

	if (*end != '.')
		return whole;
	for (end++; isdigit((unsigned char)*end) && digits < 9; end++, digits++)
		part = part * 10 + (uint64_t)(*end - '0');
	for (; digits < 9; digits++)
		part *= 10;
	return whole * 1000000000 + part;
}

int cpu_stats_parse(const char *text, struct cpu_stats *ret_stats)
{
	struct cpu_stats stats = { 0 };
	const char *now = cpu_stats_value_of(text, "now ts");

	if (cpu_stats_number_of(text, "entries", &stats.entries) < 0 ||
	    cpu_stats_number_of(text, "overrun", &stats.overrun) < 0 ||
	    cpu_stats_number_of(text, "dropped events", &stats.dropped) < 0)
		return -EINVAL;
	cpu_stats_number_of(text, "bytes", &stats.bytes);
	cpu_stats_number_of(text, "read events", &stats.read);
	if (now)
		stats.now = cpu_stats_time_of(now);
	*ret_stats = stats;
	return 0;
}

int cpu_stats_read(int place, uint32_t cpu, struct cpu_stats *ret_stats, struct strbuf *text)
{
	_cleanup_strbuf_ struct strbuf own = { 0 };
	char path[64];
	int r;

	snprintf(path, sizeof(path), "per_cpu/cpu%" PRIu32 "/stats", cpu);
	r = file_read(place, path, &own);
	if (r < 0)
		return r;
	if (text)
		strbuf_add(text, own.s, own.len);
	return cpu_stats_parse(strbuf_str(&own), ret_stats);
}

static int by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

int cpu_list_read(int place, uint32_t **ret_cpus, size_t *ret_n)
{
	_cleanup_free_ uint32_t *cpus = NULL;
	_cleanup_closedir_ DIR *dir = NULL;
	struct dirent *entry;
	size_t n = 0, cap = 0;
	int fd = openat(place, "per_cpu", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return negative_errno();
	dir = fdopendir(fd);
	if (!dir) {
		close(fd);
		return -ENOMEM;
	}
	while ((entry = readdir(dir))) {
		char *end;
		unsigned long cpu;

		if (strncmp(entry->d_name, "cpu", 3) != 0 ||
		    !isdigit((unsigned char)entry->d_name[3]))
			continue;
		cpu = strtoul(entry->d_name + 3, &end, 10);
		if (*end || cpu > UINT32_MAX)
			continue;
		if (mem_reserve(&cpus, &cap, n + 1, sizeof(*cpus)) < 0)
			return -ENOMEM;
		cpus[n++] = (uint32_t)cpu;
	}
	if (!n)
		return -ENOENT;
	qsort(cpus, n, sizeof(*cpus), by_number);
	*ret_cpus = TAKE_PTR(cpus);
	*ret_n = n;
	return 0;
}
