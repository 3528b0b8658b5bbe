/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "kernel/tracefs/instances.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/files/file.h"
#include "base/mem.h"
#include "base/negative-errno.h"

static unsigned long instances_read_number(int dir, const char *file)
{
	char line[64];
	char *end;
	unsigned long value;

	if (file_read_line(dir, file, line, sizeof(line)) <= 0)
		return 0;
	value = strtoul(line, &end, 10);
	return end == line ? 0 : value;
}

static int instances_count_lines(int dir, const char *file, size_t *ret_n)
{
	_cleanup_strbuf_ struct strbuf buf = { 0 };
	int r = file_read(dir, file, &buf);
	size_t n = 0;

	if (r < 0)
		return r;
	for (size_t i = 0; i < buf.len; i++)
		n += buf.s[i] == '\n';
	*ret_n = n;
	return 0;
}

/* An instance can be removed while it is read; missing values stay empty. */
static int instances_add(struct instances *instances, int parent, const char *name)
{
	_cleanup_close_ int dir = openat(parent, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct instance i = { 0 };
	char tracer[64] = "";

	if (dir < 0)
		return 0;
	if (file_read_line(dir, "current_tracer", tracer, sizeof(tracer)) < 0)
		tracer[0] = '\0';
	if (instances_count_lines(dir, "set_event", &i.events_enabled) == -ENOMEM)
		return -ENOMEM;
	i.recording = instances_read_number(dir, "tracing_on") == 1;
	i.kb_per_cpu = instances_read_number(dir, "buffer_size_kb");
	i.kb_total = instances_read_number(dir, "buffer_total_size_kb");
	i.name = arena_strdup(&instances->arena, name);
	i.tracer = arena_strdup(&instances->arena, tracer);
	if (!i.name || !i.tracer ||
	    mem_reserve(&instances->list, &instances->cap, instances->n + 1, sizeof(i)) < 0)
		return -ENOMEM;
	instances->list[instances->n++] = i;
	return 0;
}

static int instances_compare_names(const void *a, const void *b)
{
	return strcmp(((const struct instance *)a)->name, ((const struct instance *)b)->name);
}

int instances_read(int tracefs, struct instances *ret_instances, struct fathom_err *err)
{
	_cleanup_(instances_done) struct instances instances = { 0 };
	int fd = openat(tracefs, "instances", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	_cleanup_closedir_ DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;

	if (!dir) {
		int r = negative_errno();

		if (fd >= 0)
			close(fd);
		return err_set_errno(err, r, "cannot read 'instances'");
	}
	for (struct dirent *d; (d = readdir(dir));)
		if (d->d_name[0] != '.' && instances_add(&instances, dirfd(dir), d->d_name) < 0)
			return err_nomem(err);
	if (instances.n)
		qsort(instances.list, instances.n, sizeof(*instances.list),
		      instances_compare_names);
	*ret_instances = TAKE_STRUCT(instances, { 0 });
	return 0;
}

void instances_done(struct instances *instances)
{
	free(instances->list);
	arena_done(&instances->arena);
	*instances = (struct instances){ 0 };
}
