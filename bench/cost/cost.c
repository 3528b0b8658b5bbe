/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bench-cost [HITS]: measures the cost of a hit of each kind of probe on the running kernel, whose
 * top-level tracing settings it changes: run it in a guest, as bench/cost/cost-table does.
 *
 * A probe is placed on a system call (getppid) or on a small function of this program. HITS passes
 * with the probe and HITS without it are timed alternately, in ROUNDS rounds, and the medians are
 * compared. Prints a line "NAME NANOSECONDS" or "NAME - REASON" for each kind, the untraced system
 * call and function first.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/bpf.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define ROUNDS	7
#define TRACEFS "/sys/kernel/tracing/"

static unsigned long hits = 20000;
static volatile int watched;
static char reason[256];

/* Where user probes are placed: at the entry, at the return, and at a USDT marker. */
extern char cost_marker[];
__attribute__((noinline)) static void cost_target(int value)
{
	__asm__ volatile(".globl cost_marker\ncost_marker: nop" ::"r"(value) : "memory");
	watched = value;
}

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* Writes to a tracefs file. Returns false, and stores the reason, if the kernel rejects it. */
static bool put(const char *name, const char *text, int flags)
{
	char path[256];
	bool good;
	int fd;

	snprintf(path, sizeof(path), TRACEFS "%s", name);
	fd = open(path, O_WRONLY | flags);
	good = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
	if (!good)
		snprintf(reason, sizeof(reason), "'%s' to %s: %s", text, name, strerror(errno));
	if (fd >= 0)
		close(fd);
	return good;
}

/* A way to observe a pass. */
struct way {
	const char *name;
	bool in_program; /* at cost_target(), not at the system call */
	bool (*set)(const struct way *way, bool on);
	const char *text; /* argument of set() */
	enum bpf_attach_type bpf;
};

static const char *syscall_function(void)
{
	static char name[64];
	static const char *const prefixes[] = { "__do_sys_", "__x64_sys_", "__arm64_sys_",
						"__se_sys_" };

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes) && !name[0]; i++) {
		snprintf(name, sizeof(name), "%sgetppid\n", prefixes[i]);
		/* The kernel parses a complete line per write. */
		if (put("set_ftrace_filter", name, O_TRUNC))
			name[strlen(name) - 1] = 0;
		else
			name[0] = 0;
	}
	put("set_ftrace_filter", "", O_TRUNC);
	if (!name[0]) {
		fprintf(stderr, "bench-cost: no function of getppid: %s\n", reason);
		exit(1);
	}
	return name;
}

static bool set_tracer(const struct way *way, bool on)
{
	char line[80];

	if (!on)
		return put("current_tracer", "nop", 0) && put("set_ftrace_filter", "", O_TRUNC);
	snprintf(line, sizeof(line), "%s\n", syscall_function());
	return put("set_ftrace_filter", line, O_TRUNC) && put("current_tracer", way->text, 0);
}

static bool set_event(const struct way *way, bool on)
{
	return put(way->text, on ? "1" : "0", 0);
}

static uint64_t offset_in_file(const void *address)
{
	uint64_t start, end, offset, found = 0;
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[512];

	while (maps && !found && fgets(line, sizeof(line), maps))
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64, &start, &end, &offset) ==
			    3 &&
		    (uintptr_t)address >= start && (uintptr_t)address < end)
			found = (uintptr_t)address - start + offset;
	if (maps)
		fclose(maps);
	return found;
}

/* "p:KERNEL", "r:USER", "f:KERNEL%return", "p:MARKER": where to place it. */
static bool set_probe(const struct way *way, bool on)
{
	char place[256], line[512], exe[200] = "";
	const char *suffix = strchr(way->text, '%');

	if (!on)
		return put("events/fathom_cost/probe/enable", "0", 0) &&
		       put("dynamic_events", "-:fathom_cost/probe", O_APPEND);
	if (strncmp(way->text + 2, "KERNEL", 6) == 0) {
		snprintf(place, sizeof(place), "%s%s", syscall_function(), suffix ? suffix : "");
	} else {
		if (readlink("/proc/self/exe", exe, sizeof(exe) - 1) < 0)
			return false;
		snprintf(place, sizeof(place), "%s:0x%" PRIx64, exe,
			 offset_in_file(strcmp(way->text + 2, "MARKER") == 0 ?
						(const void *)cost_marker :
						(const void *)cost_target));
	}
	snprintf(line, sizeof(line), "%c:fathom_cost/probe %s", way->text[0], place);
	if (!put("dynamic_events", line, O_APPEND))
		return false;
	if (put("events/fathom_cost/probe/enable", "1", 0))
		return true;
	put("dynamic_events", "-:fathom_cost/probe", O_APPEND);
	return false;
}

/* An empty program, called in the same way as real ones of its kind. */
static bool set_bpf(const struct way *way, bool on)
{
	static int prog = -1, link = -1;
	struct bpf_insn insns[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	LIBBPF_OPTS(bpf_prog_load_opts, options, .expected_attach_type = way->bpf);
	int id;

	if (!on) {
		close(link);
		close(prog);
		return true;
	}
	id = libbpf_find_vmlinux_btf_id(syscall_function(), way->bpf);
	if (id > 0) {
		options.attach_btf_id = (uint32_t)id;
		prog = bpf_prog_load(BPF_PROG_TYPE_TRACING, "cost", "GPL", insns,
				     sizeof(insns) / sizeof(*insns), &options);
		link = prog < 0 ? -1 : bpf_raw_tracepoint_open(NULL, prog);
	}
	if (link < 0)
		snprintf(reason, sizeof(reason), "BPF: %s", strerror(id < 0 ? -id : errno));
	return link >= 0;
}

/* A hardware breakpoint whose hits go to a perf ring, as with 'fathom watch'. */
static bool set_watch(const struct way *way, bool on)
{
	static int fd = -1;
	static void *ring = MAP_FAILED;
	size_t size = (size_t)sysconf(_SC_PAGESIZE) * 9;
	struct perf_event_attr attr = {
		.type = PERF_TYPE_BREAKPOINT,
		.size = sizeof(attr),
		.bp_type = HW_BREAKPOINT_W,
		.bp_addr = (uintptr_t)&watched,
		.bp_len = HW_BREAKPOINT_LEN_4,
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
		.write_backward = 1, /* so that the kernel continues when it is full */
		.exclude_kernel = 1,
	};

	if (!on) {
		munmap(ring, size);
		close(fd);
		return true;
	}
	fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
	ring = fd < 0 ? MAP_FAILED : mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
	if (ring != MAP_FAILED)
		return true;
	snprintf(reason, sizeof(reason), "perf_event_open: %s", strerror(errno));
	return false;
}

static const struct way ways[] = {
	{ "function", false, set_tracer, "function" },
	{ "function_graph", false, set_tracer, "function_graph" },
	{ "syscall-events", false, set_event, "events/syscalls/sys_enter_getppid/enable" },
	{ "kprobe", false, set_probe, "p:KERNEL" },
	{ "kretprobe", false, set_probe, "r:KERNEL" },
	{ "fprobe", false, set_probe, "f:KERNEL" },
	{ "fprobe-return", false, set_probe, "f:KERNEL%return" },
	{ "fentry", false, set_bpf, "", BPF_TRACE_FENTRY },
	{ "fexit", false, set_bpf, "", BPF_TRACE_FEXIT },
	{ "uprobe", true, set_probe, "p:USER" },
	{ "uretprobe", true, set_probe, "r:USER" },
	{ "usdt", true, set_probe, "p:MARKER" },
	{ "watchpoint", true, set_watch, "" },
};

/* Nanoseconds per pass. */
static double pass(bool in_program)
{
	uint64_t start = now();

	for (unsigned long i = 0; i < hits; i++) {
		if (in_program)
			cost_target((int)i);
		else
			syscall(SYS_getppid);
	}
	return (double)(now() - start) / (double)hits;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *list)
{
	qsort(list, ROUNDS, sizeof(*list), compare);
	return list[ROUNDS / 2];
}

static void measure(const struct way *way)
{
	double bare[ROUNDS], with[ROUNDS];

	for (int i = 0; i < ROUNDS; i++) {
		bare[i] = pass(way->in_program);
		if (!way->set(way, true)) {
			printf("%s - %s\n", way->name, reason);
			return;
		}
		with[i] = pass(way->in_program);
		if (!way->set(way, false)) {
			fprintf(stderr, "bench-cost: %s stays: %s\n", way->name, reason);
			exit(1);
		}
	}
	printf("%s %.1f\n", way->name, median(with) - median(bare));
	fflush(stdout);
}

static void measure_bare(const char *name, bool in_program)
{
	double bare[ROUNDS];

	for (int i = 0; i < ROUNDS; i++)
		bare[i] = pass(in_program);
	printf("%s %.1f\n", name, median(bare));
}

int main(int argc, char **argv)
{
	if (argc > 1)
		hits = strtoul(argv[1], NULL, 10);
	if (argc > 2 || !hits) {
		fprintf(stderr, "usage: bench-cost [HITS]\n");
		return 2;
	}
	measure_bare("getppid", false);
	measure_bare("call", true);
	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++)
		measure(&ways[i]);
	return 0;
}
