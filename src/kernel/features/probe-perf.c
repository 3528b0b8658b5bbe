/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Checks of perf_event_open(2). They open events on this process only, and close them at once. A
 * killed process leaves nothing behind, because events are descriptors.
 */
#include "kernel/features/probe.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files/file.h"
#include "base/str.h"
#include "kernel/perf/perf-ring.h"

/* No processor has more debug registers than this. */
#define SLOTS_MAX 32

/* Opens an event on this process. Returns a descriptor or a negative errno. */
static int open_own(struct perf_event_attr *attr)
{
	return perf_open(attr, 0, -1);
}

/* Opens and closes an event. Returns 0 or a negative errno. */
static int perf_try(struct perf_event_attr *attr)
{
	int fd = open_own(attr);

	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

/* Tries with kernel mode first and, if that is not permitted, without it. */
static void answer_perf(struct asker *asker, struct perf_event_attr *attr, const char *how,
			struct fathom_feature *answer)
{
	int r = perf_try(attr);

	if (r != -EACCES && r != -EPERM) {
		answer_from_errno(asker, answer, r, how);
		if (r == -ENOENT || r == -EOPNOTSUPP || r == -ENODEV)
			answer->why = "no such counter; virtual machines often have none";
		return;
	}
	attr->exclude_kernel = 1;
	attr->exclude_hv = 1;
	if (perf_try(attr) < 0) {
		answer_from_errno(asker, answer, r, how);
	} else {
		answer_set(asker, answer, FATHOM_FEATURE_LIMITED, how,
			   "only for own processes, without the kernel");
		answer->instead = "own processes can be measured";
	}
	answer->fix = asker_text(asker,
				 "root, CAP_PERFMON, or kernel.perf_event_paranoid set to 1 "
				 "(now %d)",
				 asker->host.perf_paranoid);
}

void ask_perf_software(struct asker *asker, const struct question *question,
		       struct fathom_feature *answer)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
					.config = PERF_COUNT_SW_CONTEXT_SWITCHES };

	if (asker_may_open(asker, answer))
		answer_perf(asker, &attr, "opening a counter of context switches", answer);
}

void ask_perf_sampling(struct asker *asker, const struct question *question,
		       struct fathom_feature *answer)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
					.config = PERF_COUNT_SW_CPU_CLOCK,
					.sample_period = 1000000000,
					.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN,
					.disabled = 1 };

	if (asker_may_open(asker, answer))
		answer_perf(asker, &attr, "opening a sampling event on the CPU clock", answer);
}

/* Any register will do: bit 0 is a register on all architectures. */
void ask_perf_stack_copy(struct asker *asker, const struct question *question,
			 struct fathom_feature *answer)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
					.config = PERF_COUNT_SW_CPU_CLOCK,
					.sample_period = 1000000000,
					.sample_type = PERF_SAMPLE_REGS_USER |
						       PERF_SAMPLE_STACK_USER,
					.sample_regs_user = 1,
					.sample_stack_user = 8192,
					.disabled = 1 };

	if (asker_may_open(asker, answer))
		answer_perf(asker, &attr, "opening a sampling event with a copy of the stack",
			    answer);
}

void ask_perf_hardware(struct asker *asker, const struct question *question,
		       struct fathom_feature *answer)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_HARDWARE,
					.config = PERF_COUNT_HW_CPU_CYCLES,
					.disabled = 1 };

	if (asker_may_open(asker, answer))
		answer_perf(asker, &attr, "opening a counter of CPU cycles", answer);
}

/*
 * Opens breakpoints of one type until that fails. Returns their number, or the error if not even
 * one can be opened.
 */
static int count_slots(unsigned int type, unsigned int len)
{
	static uint64_t watched[SLOTS_MAX];
	int fds[SLOTS_MAX], n = 0, r = 0;

	while (n < SLOTS_MAX) {
		struct perf_event_attr attr = { .type = PERF_TYPE_BREAKPOINT,
						.bp_type = type,
						.bp_addr = (uintptr_t)&watched[n],
						.bp_len = len,
						.disabled = 1,
						.exclude_kernel = 1,
						.exclude_hv = 1 };

		fds[n] = open_own(&attr);
		if (fds[n] < 0) {
			r = fds[n];
			break;
		}
		n++;
	}
	for (int i = 0; i < n; i++)
		close(fds[i]);
	return n ? n : r;
}

void ask_perf_breakpoint(struct asker *asker, const struct question *question,
			 struct fathom_feature *answer)
{
	int data, code;

	if (!asker_may_open(asker, answer))
		return;
	data = count_slots(HW_BREAKPOINT_W, HW_BREAKPOINT_LEN_4);
	code = count_slots(HW_BREAKPOINT_X, sizeof(long));
	if (data < 0 && code < 0) {
		answer_from_errno(asker, answer, data, "setting one on this process");
		return;
	}
	answer->value =
		asker_text(asker, "%d write, %d execute", data < 0 ? 0 : data, code < 0 ? 0 : code);
	answer_set(asker, answer,
		   data > 0 && code > 0 ? FATHOM_FEATURE_YES : FATHOM_FEATURE_LIMITED,
		   "setting as many as possible on this process",
		   data < 0 ? "cannot watch memory" :
		   code < 0 ? "cannot watch instructions" :
			      "");
}

#if defined(__x86_64__)

/*
 * Stores its argument in the red zone below the stack pointer, which leaf functions may use,
 * executes a 5-byte nop, and returns the stored value. Some kernels turn a probe on such a nop into
 * a call, which overwrites the red zone.
 */
uint64_t nop5_witness(uint64_t word) __attribute__((visibility("hidden")));
extern const char nop5_spot[] __attribute__((visibility("hidden")));
__asm__(".pushsection .text\n"
	".p2align 4\n"
	".hidden nop5_witness\n"
	".globl nop5_witness\n"
	".type nop5_witness, @function\n"
	"nop5_witness:\n"
	"	movq %rdi, -8(%rsp)\n"
	".hidden nop5_spot\n"
	".globl nop5_spot\n"
	"nop5_spot:\n"
	"	.byte 0x0f, 0x1f, 0x44, 0x00, 0x00\n"
	"	movq -8(%rsp), %rax\n"
	"	ret\n"
	".size nop5_witness, . - nop5_witness\n"
	".popsection\n");

/* Finds the file that @address is mapped from, and the offset in it. */
static int probe_perf_find_mapping(uintptr_t address, char *path, size_t size, uint64_t *ret_offset)
{
	_cleanup_strbuf_ struct strbuf buf = { 0 };
	char *text;
	int r = file_read(AT_FDCWD, "/proc/self/maps", &buf);

	if (r < 0)
		return r;
	text = buf.s;
	for (char *line; (line = str_next_line(&text));) {
		uint64_t start, end, offset;
		const char *name = strchr(line, '/');
		char *at;

		start = strtoull(line, &at, 16);
		if (*at != '-')
			continue;
		end = strtoull(at + 1, &at, 16);
		/* The offset follows the permissions. */
		at += strspn(at, " ");
		offset = strtoull(at + strcspn(at, " "), NULL, 16);
		if (address < start || address >= end || !name)
			continue;
		if (strlen(name) >= size)
			return -ENAMETOOLONG;
		memcpy(path, name, strlen(name) + 1);
		*ret_offset = address - start + offset;
		return 0;
	}
	return -ENOENT;
}

/* Opens a uprobe on the nop, for this process only. */
static int open_nop5_probe(void)
{
	struct perf_event_attr attr = { 0 };
	char line[16], path[4096];
	uint64_t offset;
	int r;

	r = file_read_line(AT_FDCWD, "/sys/bus/event_source/devices/uprobe/type", line,
			   sizeof(line));
	if (r < 0)
		return r;
	attr.type = (uint32_t)strtoul(line, NULL, 10);
	r = probe_perf_find_mapping((uintptr_t)nop5_spot, path, sizeof(path), &offset);
	if (r < 0)
		return r;
	attr.uprobe_path = (uintptr_t)path;
	attr.probe_offset = offset;
	return open_own(&attr);
}

/*
 * Returns 1 if the value was overwritten, 0 if not, or a negative errno if the probe was never hit.
 */
static int pass_nop5(int fd)
{
	bool lost = false;
	uint64_t hits;

	/* The first hit makes the kernel rewrite the no-op, so the second may differ. */
	for (uint64_t word = 1; word <= 4; word++)
		lost |= nop5_witness(word << 40 | word) != (word << 40 | word);
	if (lost)
		return 1;
	if (read(fd, &hits, sizeof(hits)) != sizeof(hits) || hits == 0)
		return -ENODATA;
	return 0;
}

static int try_nop5(void)
{
	_cleanup_close_ int fd = open_nop5_probe();

	return fd < 0 ? fd : pass_nop5(fd);
}

#else

static int try_nop5(void)
{
	return 0;
}

#endif

void ask_uprobe_nop5(struct asker *asker, const struct question *question,
		     struct fathom_feature *answer)
{
	int has_call = kernel_names(asker, question->arg);
	int r;

	if (has_call == 0) {
		answer_set(asker, answer, FATHOM_FEATURE_NO,
			   asker_text(asker, "the kernel has no %s", question->arg),
			   "the kernel does not optimize such probes");
		return;
	}
	if (!asker_may_open(asker, answer))
		return;
	r = try_nop5();
	if (r == 1)
		answer_set(asker, answer, FATHOM_FEATURE_YES,
			   "probed a nop of this process; the red zone below the stack was "
			   "overwritten",
			   "");
	else if (r == 0)
		answer_set(asker, answer, FATHOM_FEATURE_NO,
			   "probed a nop of this process; nothing was overwritten",
			   "the kernel handles it safely");
	else
		answer_set(asker, answer, FATHOM_FEATURE_UNKNOWN, "probing a nop of this process",
			   asker_text(asker, "cannot be tried: %s", strerrordesc_np(-r)));
}
