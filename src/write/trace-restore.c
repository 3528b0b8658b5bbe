/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "write/trace-restore.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/negative-errno.h"
#include "base/str.h"
#include "read/trace.h"

/* Returns the length of the path without ".cpuN", or 0 if it does not end in that. */
static size_t stem_length(const char *path, uint32_t *ret_cpu)
{
	size_t len = strlen(path), digits = 0;
	unsigned long cpu;

	while (digits < len && path[len - 1 - digits] >= '0' && path[len - 1 - digits] <= '9')
		digits++;
	if (!digits || digits > 6 || len < digits + 5 ||
	    memcmp(path + len - digits - 4, ".cpu", 4) != 0)
		return 0;
	cpu = strtoul(path + len - digits, NULL, 10);
	if (cpu >= TRACE_CPUS_MAX)
		return 0;
	*ret_cpu = (uint32_t)cpu;
	return len - digits - 4;
}

/*
 * Returns the shortest stem if all others are this stem, a dot and the name of a buffer, else NULL.
 */
static const char *find_base(const struct trace_restore_file *files, size_t n, size_t *ret_len)
{
	size_t shortest = 0, base_len = SIZE_MAX;
	uint32_t cpu;

	for (size_t i = 0; i < n; i++) {
		size_t len = stem_length(files[i].path, &cpu);

		if (!len)
			return NULL;
		if (len < base_len) {
			shortest = i;
			base_len = len;
		}
	}
	for (size_t i = 0; i < n; i++) {
		size_t len = stem_length(files[i].path, &cpu);

		if (strncmp(files[i].path, files[shortest].path, base_len) != 0 ||
		    (len > base_len && (files[i].path[base_len] != '.' || len == base_len + 1)))
			return NULL;
	}
	if (!n)
		return NULL;
	*ret_len = base_len;
	return files[shortest].path;
}

static int by_place(const void *a, const void *b)
{
	const struct trace_restore_file *x = a, *y = b;
	int order = strcmp(x->buffer, y->buffer);

	return order ? order : (x->cpu > y->cpu) - (x->cpu < y->cpu);
}

int trace_restore_names(struct trace_restore_file *files, size_t n, struct arena *arena,
			struct fathom_err *err)
{
	size_t base_len = 0;
	const char *base = find_base(files, n, &base_len);

	for (size_t i = 0; i < n; i++) {
		size_t len;

		files[i].buffer = "";
		files[i].cpu = (uint32_t)i;
		if (!base)
			continue;
		len = stem_length(files[i].path, &files[i].cpu);
		if (len == base_len)
			continue;
		files[i].buffer =
			arena_strndup(arena, files[i].path + base_len + 1, len - base_len - 1);
		if (!files[i].buffer)
			return err_nomem(err);
	}
	/* The top-level buffer has an empty name and sorts first. */
	if (n)
		qsort(files, n, sizeof(*files), by_place);
	for (size_t i = 1; i < n; i++)
		if (by_place(&files[i - 1], &files[i]) == 0)
			return err_set(err, -EINVAL, "'%s' and '%s' are both for CPU %u",
				       files[i - 1].path, files[i].path, files[i].cpu);
	return 0;
}

/* Checks that the file begins with a valid page. */
static int trace_restore_check_file(const struct trace_restore_file *file,
				    const struct page_layout *layout, struct fathom_err *err)
{
	_cleanup_free_ uint8_t *page = mem_alloc(layout->size);
	struct page_iter it = { .pos = layout->data_offset };
	struct page_event event;
	struct page_head head;
	ssize_t n;

	if (!page)
		return err_nomem(err);
	n = pread(file->fd, page, layout->size, 0);
	if (n < 0)
		return err_set_errno(err, negative_errno(), "cannot read '%s'", file->path);
	if (n == 0)
		return 0;
	head = page_head_read(layout, page, (uint32_t)n);
	it.end = head.end;
	/* A file shorter than a page cannot be checked. */
	if (n < (ssize_t)layout->size ||
	    (!head.too_long && it.pos <= it.end &&
	     page_iter_next(&it, page, layout->big_endian, &event) >= 0))
		return 0;
	return err_set(err, -EINVAL, "'%s' is not per-CPU trace data with %u-byte pages",
		       file->path, layout->size);
}

static int plan_files(struct trace_dat_plan *plan, const struct trace_restore_file *files, size_t n,
		      const struct page_layout *layout)
{
	plan->buffers = mem_zalloc(n + 1, sizeof(*plan->buffers));
	plan->cpus = mem_zalloc(n, sizeof(*plan->cpus));
	if (!plan->buffers || !plan->cpus)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		const char *name = files[i].buffer;
		struct trace_dat_buffer *buffer;

		if (!plan->n_buffers || !str_eq(plan->buffers[plan->n_buffers - 1].name, name))
			plan->buffers[plan->n_buffers++] =
				(struct trace_dat_buffer){ .name = name,
							   .clock = plan->trace->file.clock,
							   .layout = *layout,
							   .cpus = &plan->cpus[i] };
		buffer = &plan->buffers[plan->n_buffers - 1];
		plan->bytes += files[i].size;
		if (files[i].cpu >= plan->machine_cpus)
			plan->machine_cpus = files[i].cpu + 1;
		/* CPUs without events leave empty files. */
		if (files[i].size)
			buffer->cpus[buffer->n_cpus++] = (struct trace_dat_cpu){
				.cpu = files[i].cpu, .fd = files[i].fd, .size = files[i].size
			};
	}
	return 0;
}

int trace_restore_plan(struct trace_dat_plan *plan, struct fathom_trace *head,
		       const struct trace_restore_file *files, size_t n, struct fathom_err *err)
{
	struct page_layout layout = head->file.layout;
	int r = 0;

	if (!trace_file_section(&head->file, TRACE_ID_HEADER_INFO) ||
	    !trace_file_section(&head->file, TRACE_ID_EVENT_FORMATS))
		return err_set(err, -EINVAL,
			       "no description of a kernel: use 'fathom restore -c' on the machine "
			       "that was traced");
	if (page_layout_fits(&layout, head->file.page_size))
		layout.size = head->file.page_size;
	for (size_t i = 0; i < n && r == 0; i++)
		r = trace_restore_check_file(&files[i], &layout, err);
	if (r < 0)
		return r;
	*plan = (struct trace_dat_plan){
		.trace = head,
		.page_size = layout.size,
		.machine_cpus = head->info.cpus,
	};
	if (plan_files(plan, files, n, &layout) < 0) {
		trace_dat_plan_done(plan);
		return err_nomem(err);
	}
	return 0;
}
