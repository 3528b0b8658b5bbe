/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "record/rings/cpu-rings.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/err.h"
#include "base/files/file.h"
#include "base/mem.h"
#include "base/negative-errno.h"

#define CPU_MAX 65536

int cpu_rings_refused(int code, const char *what, struct fathom_err *err)
{
	if (code == -EPERM || code == -EACCES)
		return err_set(
			err, code,
			"%s: permission denied (needs root, and no lockdown in confidentiality "
			"mode)",
			what);
	if (code == -ENOMEM)
		return err_nomem(err);
	return err_set_errno(err, code, "%s failed", what);
}

static int cpu_rings_open_cpu(struct cpu_rings *rings, unsigned cpu,
			      const struct cpu_rings_options *options, struct fathom_err *err)
{
	struct cpu_ring *slot = &rings->list[rings->n];
	struct epoll_event wanted = { .events = EPOLLIN };
	int r;

	*slot = (struct cpu_ring){ .cpu = cpu, .fd = options->open(options->data, cpu) };
	rings->n++;
	if (slot->fd < 0)
		return cpu_rings_refused(slot->fd, "opening a perf event", err);
	r = perf_ring_init(&slot->ring, slot->fd, options->bytes);
	if (r == 0)
		r = options->announce(options->data, cpu, slot->fd);
	if (r == 0 && epoll_ctl(rings->poll, EPOLL_CTL_ADD, slot->fd, &wanted) < 0)
		r = negative_errno();
	return r < 0 ? cpu_rings_refused(r, "mapping the buffer of a perf event", err) : 0;
}

/* The list of CPUs looks like "0-3,6". */
int cpu_rings_open(struct cpu_rings *rings, const struct cpu_rings_options *options,
		   struct fathom_err *err)
{
	char list[4096], *p = list;
	int r = file_read_line(AT_FDCWD, "/sys/devices/system/cpu/online", list, sizeof(list));

	if (r < 0)
		return err_set_errno(err, r, "cannot list the CPUs");
	rings->poll = epoll_create1(EPOLL_CLOEXEC);
	if (rings->poll < 0)
		return err_set_errno(err, negative_errno(), "cannot create an epoll descriptor");
	while (*p >= '0' && *p <= '9') {
		unsigned long first = strtoul(p, &p, 10), last = first;

		if (*p == '-')
			last = strtoul(p + 1, &p, 10);
		if (last >= CPU_MAX)
			break;
		for (unsigned long cpu = first; cpu <= last; cpu++) {
			size_t cap = rings->n;

			if (mem_reserve(&rings->list, &cap, rings->n + 1, sizeof(*rings->list)) < 0)
				return err_nomem(err);
			r = cpu_rings_open_cpu(rings, (unsigned)cpu, options, err);
			if (r < 0)
				return r;
		}
		p += *p == ',';
	}
	return rings->n ? 0 : err_set(err, -EINVAL, "cannot list the CPUs");
}

void cpu_rings_done(struct cpu_rings *rings)
{
	for (size_t i = 0; i < rings->n; i++) {
		perf_ring_done(&rings->list[i].ring);
		if (rings->list[i].fd >= 0)
			close(rings->list[i].fd);
	}
	if (rings->poll >= 0)
		close(rings->poll);
	free(rings->list);
	*rings = (struct cpu_rings)CPU_RINGS_NONE;
}
