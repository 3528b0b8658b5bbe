/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "count/attach.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/err.h"
#include "base/files/file.h"
#include "base/mem.h"
#include "base/negative-errno.h"
#include "base/str.h"
#include "kernel/perf/bpf-code.h"
#include "kernel/perf/perf-ring.h"

#define KPROBE_DIR "/sys/bus/event_source/devices/kprobe/"

/* Takes ownership of @fd, a perf event to which @program is attached, or a link if that is -1. */
static int attached_add(struct attached *attached, int fd, int program)
{
	int r = mem_reserve(&attached->fds, &attached->cap, attached->n + 1,
			    sizeof(*attached->fds));

	if (r == 0 && program >= 0 &&
	    (ioctl(fd, PERF_EVENT_IOC_SET_BPF, program) < 0 ||
	     ioctl(fd, PERF_EVENT_IOC_ENABLE, 0) < 0))
		r = negative_errno();
	if (r < 0) {
		close(fd);
		return r;
	}
	attached->fds[attached->n++] = fd;
	return 0;
}

int attach_event(struct attached *attached, int program, int id, const char *name,
		 struct fathom_err *err)
{
	/* The program runs on all CPUs; the event is opened on one. */
	struct perf_event_attr attr = { .type = PERF_TYPE_TRACEPOINT,
					.config = (uint64_t)id,
					.sample_period = 1,
					.disabled = 1 };
	int fd = perf_open(&attr, -1, 0);
	int r = fd < 0 ? fd : attached_add(attached, fd, program);

	return r < 0 ? err_set_errno(err, r, "cannot attach to event '%s'", name) : 0;
}

/* Reads the number after @prefix in a file. Returns it, or a negative errno. */
static int attach_read_number(const char *path, const char *prefix)
{
	char line[64], *end;
	const char *number;
	unsigned long value;
	int r = file_read_line(AT_FDCWD, path, line, sizeof(line));

	if (r < 0)
		return r;
	number = str_after(line, prefix);
	if (!number)
		return -EINVAL;
	value = strtoul(number, &end, 10);
	return end == number || value > INT_MAX ? -EINVAL : (int)value;
}

int attach_function(struct attached *attached, int program, const char *function, bool is_return,
		    struct fathom_err *err)
{
	const int type = attach_read_number(KPROBE_DIR "type", "");
	const int bit = attach_read_number(KPROBE_DIR "format/retprobe", "config:");
	struct perf_event_attr attr = { .sample_period = 1,
					.disabled = 1,
					.config1 = bpf_ptr(function) };
	int fd, r;

	if (type < 0 || bit < 0 || bit > 63)
		return err_set(err, -ENOSYS,
			       "unsupported: this kernel has no kprobes for perf events; count "
			       "events instead of functions");
	attr.type = (uint32_t)type;
	attr.config = is_return ? UINT64_C(1) << bit : 0;
	fd = perf_open(&attr, -1, 0);
	r = fd < 0 ? fd : attached_add(attached, fd, program);
	if (r == -ENOENT)
		return err_set(err, r, "no kernel function '%s'; see 'fathom list -f'", function);
	if (r == -EADDRNOTAVAIL || r == -EINVAL || r == -EOPNOTSUPP)
		return err_set(err, r,
			       "kernel function '%s' cannot be probed: it is excluded, inlined, or "
			       "several functions have this name",
			       function);
	return r < 0 ? err_set_errno(err, r, "cannot probe kernel function '%s'", function) : 0;
}

int attach_traced(struct attached *attached, int program)
{
	int fd = bpf_code_attach(program);

	return fd < 0 ? fd : attached_add(attached, fd, -1);
}

int attach_functions(struct attached *attached, int program, const char *const *functions, size_t n,
		     bool is_return)
{
	union bpf_attr attr;
	int fd;

	memset(&attr, 0, sizeof(attr));
	attr.link_create.prog_fd = (uint32_t)program;
	attr.link_create.attach_type = BPF_TRACE_KPROBE_MULTI;
	attr.link_create.kprobe_multi.flags = is_return ? BPF_F_KPROBE_MULTI_RETURN : 0;
	attr.link_create.kprobe_multi.cnt = (uint32_t)n;
	attr.link_create.kprobe_multi.syms = bpf_ptr(functions);
	fd = bpf_call(BPF_LINK_CREATE, &attr, sizeof(attr));
	return fd < 0 ? fd : attached_add(attached, fd, -1);
}

int attach_timer(struct attached *attached, int program, unsigned hz, struct fathom_err *err)
{
	const long n = sysconf(_SC_NPROCESSORS_CONF);
	size_t before = attached->n;
	int r = 0;

	for (int cpu = 0; r == 0 && cpu < n; cpu++) {
		struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
						.config = PERF_COUNT_SW_CPU_CLOCK,
						.freq = 1,
						.sample_freq = hz,
						.exclude_idle = 1,
						.disabled = 1 };
		int fd = perf_open(&attr, -1, cpu);

		/* The CPU is offline. */
		if (fd == -ENODEV || fd == -ENXIO)
			continue;
		r = fd < 0 ? fd : attached_add(attached, fd, program);
	}
	if (r == -EINVAL)
		return err_set(err, r,
			       "sample rate %u is above the kernel's limit, see "
			       "'/proc/sys/kernel/perf_event_max_sample_rate'",
			       hz);
	if (r == 0 && attached->n == before)
		r = -ENODEV;
	return r < 0 ? err_set_errno(err, r, "cannot sample CPUs") : 0;
}

void attached_done(struct attached *attached)
{
	for (size_t i = 0; i < attached->n; i++)
		close(attached->fds[i]);
	free(attached->fds);
	*attached = (struct attached){ 0 };
}
