/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "kernel/perf/sampler.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/negative-errno.h"
#include "kernel/perf/perf-ring.h"

/* Per CPU: half a second of the deepest stacks at the highest rate that kernels allow. */
#define RING_SIZE ((size_t)1 << 20)
/* Samples with stack copies have several kilobytes. */
#define STACK_RING_SIZE ((size_t)4 << 20)

#define SAMPLE_TYPE                                                              \
	(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | \
	 PERF_SAMPLE_CALLCHAIN)
#define WITH_STACK (PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER)

struct sampler_cpu {
	size_t number; /* index in the caller's list */
	int fd; /* of the event with the ring */
	struct perf_ring ring;
};

struct sampler {
	struct sampler_cpu *cpus;
	size_t n_cpus;
	struct sampler_event {
		int fd;
		bool is_starting; /* enabled by the kernel, at execve() */
		bool has_time; /* its running time is that of sampled tasks */
		size_t cpu; /* index in the caller's list */
	} * events;
	size_t n_events, cap_events;
	size_t n_sampling; /* events that take samples */
	int poll;
	bool is_clock;
	size_t ring_size;
};

/* Sets what all events have in common. */
static void fill_attr(const struct sampler *sampler, const struct sampler_options *options,
		      pid_t pid, struct perf_event_attr *attr)
{
	*attr = (struct perf_event_attr){
		.sample_type = sampler_sample_type(options->stack_bytes > 0, options->n_points),
		.sample_regs_user = options->stack_bytes ? options->regs : 0,
		.sample_stack_user = options->stack_bytes,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
		.disabled = 1,
		.enable_on_exec = pid > 0 && pid == options->starting,
		.inherit = options->n_pids && options->children,
		.exclude_hv = 1,
		.sample_id_all = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
		.watermark = 1,
		.wakeup_watermark = (uint32_t)sampler->ring_size / 4,
	};
}

static void set_clock(const struct sampler *sampler, const struct sampler_options *options,
		      struct perf_event_attr *attr)
{
	attr->type = sampler->is_clock ? PERF_TYPE_SOFTWARE : PERF_TYPE_HARDWARE;
	attr->config = sampler->is_clock ? (uint64_t)PERF_COUNT_SW_CPU_CLOCK :
					   (uint64_t)PERF_COUNT_HW_CPU_CYCLES;
	attr->freq = 1;
	attr->sample_freq = options->hz;
	/* An idle CPU executes no cycles, but its timer keeps running. */
	attr->exclude_idle = sampler->is_clock;
}

static int sampler_refused(int code, const struct sampler_options *options, struct fathom_err *err)
{
	if (code == -EPERM || code == -EACCES)
		return err_set(err, code,
			       "sampling: permission denied (needs root, and no lockdown in "
			       "confidentiality mode)");
	if (code == -ENOMEM)
		return err_nomem(err);
	if (options->stack_bytes && (code == -EOPNOTSUPP || code == -ENOSYS))
		return err_set(err, code, "unsupported: this kernel cannot copy user stacks");
	if (code == -EINVAL && options->hz)
		return err_set(err, code,
			       "sample rate %lu is above the kernel's limit, see "
			       "'/proc/sys/kernel/perf_event_max_sample_rate'",
			       options->hz);
	return err_set_errno(err, code, "cannot sample CPUs");
}

/*
 * Opens an event that takes no samples, but reports new tasks and names from the moment it is
 * opened, so that even a task that exits before the other events are enabled has a name.
 */
static int sampler_open_names(const struct sampler *sampler, const struct sampler_options *options,
			      pid_t pid, int cpu)
{
	struct perf_event_attr attr;

	fill_attr(sampler, options, pid, &attr);
	attr.type = PERF_TYPE_SOFTWARE;
	attr.config = PERF_COUNT_SW_DUMMY;
	attr.comm = 1;
	attr.task = 1;
	attr.disabled = 0;
	attr.enable_on_exec = 0;
	return perf_open(&attr, pid, cpu);
}

/*
 * Falls back to a timer: most guests have no hardware counters, and some machines have too few.
 */
static int sampler_open_event(struct sampler *sampler, const struct sampler_options *options,
			      pid_t pid, int cpu)
{
	struct perf_event_attr attr;
	int fd;

	fill_attr(sampler, options, pid, &attr);
	set_clock(sampler, options, &attr);
	fd = perf_open(&attr, pid, cpu);
	/* ENODEV may also mean that the CPU is offline. */
	if ((fd != -ENOENT && fd != -EOPNOTSUPP && fd != -ENODEV && fd != -EINVAL) ||
	    sampler->is_clock || sampler->n_sampling)
		return fd;
	sampler->is_clock = true;
	set_clock(sampler, options, &attr);
	fd = perf_open(&attr, pid, cpu);
	if (fd == -ENODEV)
		sampler->is_clock = false;
	return fd;
}

/* Opens an event that fires at each occurrence of a kernel event that passes its filter. */
static int open_point(const struct sampler *sampler, const struct sampler_options *options,
		      const struct sampler_point *point, pid_t pid, int cpu)
{
	struct perf_event_attr attr;
	_cleanup_close_ int fd = -1;

	fill_attr(sampler, options, pid, &attr);
	attr.type = PERF_TYPE_TRACEPOINT;
	attr.config = point->id;
	attr.sample_period = 1;
	fd = perf_open(&attr, pid, cpu);
	if (fd < 0)
		return fd;
	if (point->filter && ioctl(fd, PERF_EVENT_IOC_SET_FILTER, point->filter) < 0)
		return negative_errno();
	return TAKE_FD(fd);
}

/* The first event of a CPU has the ring, and all others of this CPU write to it. */
static int connect_ring(struct sampler *sampler, size_t number, int fd)
{
	struct epoll_event wanted = { .events = EPOLLIN };
	struct sampler_cpu *cpu = &sampler->cpus[sampler->n_cpus];
	int r;

	if (sampler->n_cpus && cpu[-1].number == number)
		return ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, cpu[-1].fd) < 0 ? negative_errno() : 0;
	r = perf_ring_init(&cpu->ring, fd, sampler->ring_size);
	if (r < 0)
		return r;
	cpu->fd = fd;
	cpu->number = number;
	sampler->n_cpus++;
	return epoll_ctl(sampler->poll, EPOLL_CTL_ADD, fd, &wanted) < 0 ? negative_errno() : 0;
}

/* Also returns 0 for a task that has exited (fd is -ESRCH) and for an offline CPU (-ENODEV). */
static int sampler_add(struct sampler *sampler, const struct sampler_event *event)
{
	if (event->fd == -ESRCH || event->fd == -ENODEV)
		return 0;
	if (event->fd < 0)
		return event->fd;
	sampler->events[sampler->n_events++] = *event;
	return connect_ring(sampler, event->cpu, event->fd);
}

static int sampler_add_sampling(struct sampler *sampler, const struct sampler_options *options,
				const struct sampler_point *point, pid_t pid, size_t number)
{
	int cpu = (int)options->cpus[number];
	struct sampler_event event = { .is_starting = pid > 0 && pid == options->starting,
				       .has_time = !point && pid > 0,
				       .cpu = number };

	event.fd = point ? open_point(sampler, options, point, pid, cpu) :
			   sampler_open_event(sampler, options, pid, cpu);
	sampler->n_sampling += event.fd >= 0;
	return sampler_add(sampler, &event);
}

/* Opens all events for a task, or for all tasks if @pid is -1, on one CPU. */
static int add_task(struct sampler *sampler, const struct sampler_options *options, pid_t pid,
		    size_t number)
{
	struct sampler_event names = { .cpu = number };
	int r;

	if (mem_reserve(&sampler->events, &sampler->cap_events,
			sampler->n_events + options->n_points + 2, sizeof(*sampler->events)) < 0)
		return -ENOMEM;
	names.fd = sampler_open_names(sampler, options, pid, (int)options->cpus[number]);
	r = sampler_add(sampler, &names);
	if (options->hz && r == 0)
		r = sampler_add_sampling(sampler, options, NULL, pid, number);
	for (size_t i = 0; i < options->n_points && r == 0; i++)
		r = sampler_add_sampling(sampler, options, &options->points[i], pid, number);
	return r;
}

static int open_all(struct sampler *sampler, const struct sampler_options *options)
{
	int r = 0;

	sampler->cpus = mem_zalloc(options->n_cpus, sizeof(*sampler->cpus));
	if (!sampler->cpus)
		return -ENOMEM;
	sampler->poll = epoll_create1(EPOLL_CLOEXEC);
	if (sampler->poll < 0)
		return negative_errno();
	for (size_t i = 0; i < options->n_cpus && r == 0; i++) {
		if (!options->n_pids)
			r = add_task(sampler, options, -1, i);
		for (size_t p = 0; p < options->n_pids && r == 0; p++)
			r = add_task(sampler, options, options->pids[p], i);
	}
	return r < 0 ? r : sampler->n_sampling ? 0 : -ESRCH;
}

int sampler_new(const struct sampler_options *options, struct sampler **ret_sampler,
		struct fathom_err *err)
{
	struct sampler *sampler = mem_zalloc(1, sizeof(*sampler));
	int r;

	if (!sampler)
		return err_nomem(err);
	sampler->poll = -1;
	sampler->ring_size = options->stack_bytes ? STACK_RING_SIZE : RING_SIZE;
	r = open_all(sampler, options);
	if (r < 0) {
		sampler_free(sampler);
		return sampler_refused(r, options, err);
	}
	*ret_sampler = sampler;
	return 0;
}

void sampler_close(struct sampler *sampler)
{
	for (size_t i = 0; i < sampler->n_cpus; i++)
		perf_ring_done(&sampler->cpus[i].ring);
	for (size_t i = 0; i < sampler->n_events; i++)
		close(sampler->events[i].fd);
	if (sampler->poll >= 0)
		close(sampler->poll);
	sampler->n_cpus = sampler->n_events = 0;
	sampler->poll = -1;
}

void sampler_free(struct sampler *sampler)
{
	if (!sampler)
		return;
	sampler_close(sampler);
	free(sampler->cpus);
	free(sampler->events);
	free(sampler);
}

uint64_t sampler_sample_type(bool with_stack, bool with_points)
{
	/* The raw data starts with the ID of the event that fired. */
	return SAMPLE_TYPE | (with_stack ? WITH_STACK : 0) | (with_points ? PERF_SAMPLE_RAW : 0);
}

const char *sampler_event(const struct sampler *sampler)
{
	return sampler->is_clock ? "cpu-clock" : "cycles";
}

int sampler_switch(struct sampler *sampler, bool on)
{
	int r = 0;

	for (size_t i = 0; i < sampler->n_events; i++) {
		const struct sampler_event *event = &sampler->events[i];
		unsigned long what = on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE;

		if (!(on && event->is_starting) && ioctl(event->fd, what, 0) < 0)
			r = negative_errno();
	}
	return r;
}

int sampler_fd(const struct sampler *sampler)
{
	return sampler->poll;
}

void sampler_mark(struct sampler *sampler)
{
	for (size_t i = 0; i < sampler->n_cpus; i++)
		perf_ring_mark(&sampler->cpus[i].ring);
}

void sampler_peek(struct sampler *sampler, sampler_taker *take, void *data)
{
	for (size_t i = 0; i < sampler->n_cpus; i++) {
		struct sampler_cpu *cpu = &sampler->cpus[i];
		const uint8_t *record;
		size_t size;
		int r = 0;

		while (r >= 0 && (size = perf_ring_next(&cpu->ring, &record)))
			r = take(data, cpu->number, record, size);
		perf_ring_rewind(&cpu->ring);
	}
}

bool sampler_time(const struct sampler *sampler, size_t cpu, uint64_t *ret_ns)
{
	uint64_t ns = 0;
	bool any = false;

	for (size_t i = 0; i < sampler->n_events; i++) {
		const struct sampler_event *event = &sampler->events[i];
		struct {
			uint64_t value, enabled, running;
		} times;

		if (event->cpu != cpu || !event->has_time)
			continue;
		if (read(event->fd, &times, sizeof(times)) != (ssize_t)sizeof(times))
			return false;
		ns += times.running;
		any = true;
	}
	*ret_ns = ns;
	return any;
}

int sampler_take(struct sampler *sampler, sampler_taker *take, void *data)
{
	int r = 0;

	for (size_t i = 0; i < sampler->n_cpus && r >= 0; i++) {
		struct sampler_cpu *cpu = &sampler->cpus[i];
		const uint8_t *record;
		size_t size;

		while (r >= 0 && (size = perf_ring_next(&cpu->ring, &record)))
			r = take(data, cpu->number, record, size);
		perf_ring_release(&cpu->ring);
	}
	return r < 0 ? r : 0;
}
