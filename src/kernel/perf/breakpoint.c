/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "kernel/perf/breakpoint.h"

#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/negative-errno.h"
#include "kernel/perf/bpf-code.h"
#include "kernel/perf/perf-ring.h"
#include "kernel/perf/watch-raw.h"

/* No processor has more debug registers than this. */
#define SLOTS_MAX 32
#define NAME	  "fathom_watch" /* of maps and programs */

/* Offsets in the stack frame of the program. */
#define HIT	     (-(int16_t)sizeof(struct watch_raw))
#define HIT_AT(part) (HIT + (int16_t)offsetof(struct watch_raw, part))

static void breakpoint_write_program(struct bpf_code *code, const struct breakpoint *breakpoint,
				     int map, int counter, uint32_t which)
{
	bpf_emit(code, CODE_MOVE(BPF_REG_6, BPF_REG_1));
	bpf_emit_number(code, BPF_REG_1, BPF_PSEUDO_MAP_VALUE,
			(uint64_t)which * sizeof(uint64_t) << 32 | (uint32_t)counter);
	bpf_emit(code, CODE_SET(BPF_REG_2, 1));
	bpf_emit(code, (struct bpf_insn){ .code = BPF_STX | BPF_DW | BPF_XADD,
					  .dst_reg = BPF_REG_1,
					  .src_reg = BPF_REG_2 });
	bpf_emit(code, CODE_STORE(BPF_DW, HIT_AT(value), 0));
	bpf_emit(code, CODE_STORE(BPF_W, HIT_AT(which), (int32_t)which));
	bpf_emit(code, CODE_STORE(BPF_W, HIT_AT(failed), 0));
	bpf_emit(code, CODE_STORE(BPF_DW, HIT_AT(comm), 0));
	bpf_emit(code, CODE_STORE(BPF_DW, HIT_AT(comm) + 8, 0));
	bpf_emit_place(code, BPF_REG_1, HIT_AT(comm));
	bpf_emit(code, CODE_SET(BPF_REG_2, sizeof(((struct watch_raw *)0)->comm)));
	bpf_emit(code, CODE_CALL(BPF_FUNC_get_current_comm));
	if (breakpoint->access != BREAKPOINT_EXECUTE) {
		bpf_emit_place(code, BPF_REG_1, HIT_AT(value));
		bpf_emit(code, CODE_SET(BPF_REG_2, (int32_t)breakpoint->length));
		bpf_emit_number(code, BPF_REG_3, 0, breakpoint->address);
		bpf_emit(code, CODE_CALL(breakpoint->is_kernel ? BPF_FUNC_probe_read_kernel :
								 BPF_FUNC_probe_read_user));
		bpf_emit(code, CODE_STORE_REG(BPF_W, HIT_AT(failed), BPF_REG_0));
	}
	bpf_emit(code, CODE_MOVE(BPF_REG_1, BPF_REG_6));
	bpf_emit_number(code, BPF_REG_2, BPF_PSEUDO_MAP_FD, (uint32_t)map);
	/* BPF_F_CURRENT_CPU */
	bpf_emit(code, CODE_SET32(BPF_REG_3, -1));
	bpf_emit_place(code, BPF_REG_4, HIT);
	bpf_emit(code, CODE_SET(BPF_REG_5, sizeof(struct watch_raw)));
	bpf_emit(code, CODE_CALL(BPF_FUNC_perf_event_output));
	/* 0: no sample of the event itself, which has no ring. */
	bpf_emit(code, CODE_SET(BPF_REG_0, 0));
	bpf_emit(code, CODE_LEAVE);
}

int breakpoint_map(unsigned n_cpus)
{
	return bpf_map_new(BPF_MAP_TYPE_PERF_EVENT_ARRAY, sizeof(uint32_t), sizeof(uint32_t),
			   n_cpus, NAME);
}

int breakpoint_counter(unsigned n)
{
	return bpf_map_new(BPF_MAP_TYPE_ARRAY, sizeof(uint32_t), n * (uint32_t)sizeof(uint64_t), 1,
			   NAME);
}

int breakpoint_counter_read(int counter, uint64_t *runs)
{
	union bpf_attr attr;
	uint32_t key = 0;

	memset(&attr, 0, sizeof(attr));
	attr.map_fd = (uint32_t)counter;
	attr.key = bpf_ptr(&key);
	attr.value = bpf_ptr(runs);
	return bpf_call(BPF_MAP_LOOKUP_ELEM, &attr, sizeof(attr));
}

int breakpoint_map_set(int map, unsigned cpu, int fd)
{
	return bpf_map_put(map, &cpu, &fd);
}

uint64_t breakpoint_sample_type(bool stacks)
{
	return PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU |
	       PERF_SAMPLE_RAW | (stacks ? PERF_SAMPLE_CALLCHAIN : 0);
}

int breakpoint_output(unsigned cpu, bool stacks, uint32_t watermark)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
					.config = PERF_COUNT_SW_BPF_OUTPUT,
					.sample_period = 1,
					.sample_type = breakpoint_sample_type(stacks),
					.sample_id_all = 1,
					.use_clockid = 1,
					.clockid = CLOCK_MONOTONIC,
					.watermark = 1,
					.wakeup_watermark = watermark,
					.task = 1,
					.comm = 1,
					.comm_exec = 1,
					.mmap = 1,
					.mmap2 = 1 };

	return perf_open(&attr, -1, (int)cpu);
}

int breakpoint_program(const struct breakpoint *breakpoint, int map, int counter, uint32_t which)
{
	struct bpf_code code = { 0 };

	breakpoint_write_program(&code, breakpoint, map, counter, which);
	return bpf_code_load(&code, BPF_PROG_TYPE_PERF_EVENT, 0, NAME);
}

static int breakpoint_open_event(const struct breakpoint *breakpoint, pid_t pid, int cpu)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_BREAKPOINT,
					.bp_addr = breakpoint->address,
					.sample_period = 1,
					.disabled = 1,
					.inherit = pid != -1,
					.exclude_hv = 1 };

	if (breakpoint->access == BREAKPOINT_EXECUTE) {
		attr.bp_type = HW_BREAKPOINT_X;
		attr.bp_len = sizeof(long);
	} else {
		attr.bp_type = breakpoint->access == BREAKPOINT_WRITE ? HW_BREAKPOINT_W :
									HW_BREAKPOINT_RW;
		attr.bp_len = breakpoint->length;
	}
	return perf_open(&attr, pid, cpu);
}

int breakpoint_open(const struct breakpoint *breakpoint, pid_t pid, int cpu, int program)
{
	_cleanup_close_ int fd = breakpoint_open_event(breakpoint, pid, cpu);

	if (fd < 0)
		return fd;
	if (ioctl(fd, PERF_EVENT_IOC_SET_BPF, program) < 0)
		return negative_errno();
	return TAKE_FD(fd);
}

int breakpoint_slots(const struct breakpoint *breakpoint, pid_t pid, int cpu)
{
	int fds[SLOTS_MAX], n = 0;

	while (n < SLOTS_MAX) {
		fds[n] = breakpoint_open_event(breakpoint, pid, cpu);
		if (fds[n] < 0)
			break;
		n++;
	}
	for (int i = 0; i < n; i++)
		close(fds[i]);
	return n;
}

int breakpoint_switch(int fd, bool on)
{
	return ioctl(fd, on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0) < 0 ?
		       negative_errno() :
		       0;
}

int breakpoint_count(int fd, uint64_t *ret_count)
{
	ssize_t n = read(fd, ret_count, sizeof(*ret_count));

	return n < 0 ? negative_errno() : n == sizeof(*ret_count) ? 0 : -EIO;
}
