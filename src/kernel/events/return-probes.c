/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "kernel/events/return-probes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files/file.h"
#include "base/mem.h"
#include "base/negative-errno.h"
#include "base/strbuf.h"
#include "kernel/perf/bpf-code.h"
#include "kernel/perf/perf-ring.h"
#include "kernel/features/probe.h"

#define NAME	  "fathom_returns" /* of maps and programs */
#define TASKS_MAX 16384 /* beyond that, the least recently used ones are evicted */
#define ERROR_MIN (-4095) /* as in the kernel */
#define FORK_DIR  "events/sched/sched_process_fork/"

/* Flags of a function in the map, above its index in the list. */
#define IS_LONG	  (UINT64_C(1) << 32)
#define IS_ANSWER (UINT64_C(1) << 33)
#define IS_OUTER  (UINT64_C(1) << 34)

/* Offsets in the stack frame of the program. */
#define RAW	     (-(int16_t)sizeof(struct return_raw))
#define RAW_AT(part) (RAW + (int16_t)offsetof(struct return_raw, part))
#define KEY	     (RAW - 8)
#define VALUE	     (KEY - 8)

/* Offset of the return value in struct pt_regs; -1: unknown architecture. */
#if defined(__x86_64__)
#define RESULT_AT 80
#elif defined(__aarch64__)
#define RESULT_AT 0
#else
#define RESULT_AT (-1)
#endif

/*
 * bpf_get_func_ip() returns either the address of the traced instruction, as in the kernel's list,
 * or the start of the function, which is at most this far before it.
 */
#define STARTS	   3
#define START_STEP 4

/* Looks up KEY in @map. Returns the jump that is taken if the key is missing. */
static uint32_t emit_find(struct bpf_code *code, int map)
{
	bpf_emit_number(code, BPF_REG_1, BPF_PSEUDO_MAP_FD, (uint32_t)map);
	bpf_emit_place(code, BPF_REG_2, KEY);
	bpf_emit(code, CODE_CALL(BPF_FUNC_map_lookup_elem));
	bpf_emit(code, CODE_JUMP_IF(BPF_JEQ, BPF_REG_0, 0, 0));
	return code->n - 1;
}

/* Jumps if any of the bits of register 8 is set, or, with @how BPF_JEQ, if none is. */
static uint32_t emit_jump_bits(struct bpf_code *code, unsigned how, uint64_t bits)
{
	bpf_emit_number(code, BPF_REG_1, 0, bits);
	bpf_emit(code, (struct bpf_insn){ .code = BPF_ALU64 | BPF_AND | BPF_X,
					  .dst_reg = BPF_REG_1,
					  .src_reg = BPF_REG_8 });
	bpf_emit(code, CODE_JUMP_IF(how, BPF_REG_1, 0, 0));
	return code->n - 1;
}

/* Sign-extends the lower half of register 2. */
static void emit_int(struct bpf_code *code)
{
	static const uint8_t shifts[] = { BPF_LSH, BPF_ARSH };

	for (size_t i = 0; i < ARRAY_SIZE(shifts); i++)
		bpf_emit(code, (struct bpf_insn){ .code = BPF_ALU64 | BPF_K | shifts[i],
						  .dst_reg = BPF_REG_2,
						  .imm = 32 });
}

static void emit_output(struct bpf_code *code, int rings)
{
	bpf_emit(code, CODE_STORE_REG(BPF_DW, RAW_AT(value), BPF_REG_9));
	bpf_emit(code, CODE_STORE_REG(BPF_W, RAW_AT(which), BPF_REG_8));
	bpf_emit(code, CODE_STORE(BPF_W, RAW_AT(unused), 0));
	bpf_emit(code, CODE_MOVE(BPF_REG_1, BPF_REG_6));
	bpf_emit_number(code, BPF_REG_2, BPF_PSEUDO_MAP_FD, (uint32_t)rings);
	/* BPF_F_CURRENT_CPU */
	bpf_emit(code, CODE_SET32(BPF_REG_3, -1));
	bpf_emit_place(code, BPF_REG_4, RAW);
	bpf_emit(code, CODE_SET(BPF_REG_5, sizeof(struct return_raw)));
	bpf_emit(code, CODE_CALL(BPF_FUNC_perf_event_output));
}

/*
 * Register 6: context; 7: value of the task in the map, 1 after an error or an answer in the
 * current system call; 8: what to record of the function; 9: return value.
 */
static void return_probes_write_program(struct bpf_code *code, const struct return_probes *probes)
{
	uint32_t other, unknown, answer, is_long, no_error[2], nothing, outer;

	bpf_emit(code, CODE_MOVE(BPF_REG_6, BPF_REG_1));
	bpf_emit(code, CODE_LOAD(BPF_DW, BPF_REG_9, BPF_REG_6, RESULT_AT));
	bpf_emit(code, CODE_CALL(BPF_FUNC_get_current_pid_tgid));
	bpf_emit(code, CODE_STORE_REG(BPF_W, KEY, BPF_REG_0));
	other = emit_find(code, probes->tasks);
	bpf_emit(code, CODE_MOVE(BPF_REG_7, BPF_REG_0));
	bpf_emit(code, CODE_MOVE(BPF_REG_1, BPF_REG_6));
	bpf_emit(code, CODE_CALL(BPF_FUNC_get_func_ip));
	bpf_emit(code, CODE_STORE_REG(BPF_DW, KEY, BPF_REG_0));
	unknown = emit_find(code, probes->functions);
	bpf_emit(code, CODE_LOAD(BPF_DW, BPF_REG_8, BPF_REG_0, 0));
	answer = emit_jump_bits(code, BPF_JNE, IS_ANSWER);
	bpf_emit(code, CODE_MOVE(BPF_REG_2, BPF_REG_9));
	is_long = emit_jump_bits(code, BPF_JNE, IS_LONG);
	emit_int(code);
	bpf_land(code, is_long);
	no_error[0] = code->n;
	bpf_emit(code, CODE_JUMP_IF(BPF_JSGT, BPF_REG_2, -1, 0));
	no_error[1] = code->n;
	bpf_emit(code, CODE_JUMP_IF(BPF_JSLT, BPF_REG_2, ERROR_MIN, 0));
	bpf_land(code, answer);
	bpf_emit(code, (struct bpf_insn){
			       .code = BPF_ST | BPF_MEM | BPF_W, .dst_reg = BPF_REG_7, .imm = 1 });
	bpf_land(code, no_error[0]);
	bpf_land(code, no_error[1]);
	bpf_emit(code, CODE_LOAD(BPF_W, BPF_REG_1, BPF_REG_7, 0));
	nothing = code->n;
	bpf_emit(code, CODE_JUMP_IF(BPF_JEQ, BPF_REG_1, 0, 0));
	emit_output(code, probes->rings);
	outer = emit_jump_bits(code, BPF_JEQ, IS_OUTER);
	bpf_emit(code, (struct bpf_insn){ .code = BPF_ST | BPF_MEM | BPF_W, .dst_reg = BPF_REG_7 });
	bpf_land(code, outer);
	bpf_land(code, nothing);
	bpf_land(code, unknown);
	bpf_land(code, other);
	bpf_emit(code, CODE_SET(BPF_REG_0, 0));
	bpf_emit(code, CODE_LEAVE);
}

/* Attached to sched_process_fork, whose record has the IDs of both tasks at these offsets. */
static void write_follower(struct bpf_code *code, int tasks, unsigned parent_at, unsigned child_at)
{
	uint32_t other;

	bpf_emit(code, CODE_MOVE(BPF_REG_6, BPF_REG_1));
	bpf_emit(code, CODE_LOAD(BPF_W, BPF_REG_1, BPF_REG_6, (int16_t)parent_at));
	bpf_emit(code, CODE_STORE_REG(BPF_W, KEY, BPF_REG_1));
	other = emit_find(code, tasks);
	bpf_emit(code, CODE_LOAD(BPF_W, BPF_REG_1, BPF_REG_6, (int16_t)child_at));
	bpf_emit(code, CODE_STORE_REG(BPF_W, KEY, BPF_REG_1));
	bpf_emit(code, CODE_STORE(BPF_W, VALUE, 0));
	bpf_emit_number(code, BPF_REG_1, BPF_PSEUDO_MAP_FD, (uint32_t)tasks);
	bpf_emit_place(code, BPF_REG_2, KEY);
	bpf_emit_place(code, BPF_REG_3, VALUE);
	bpf_emit(code, CODE_SET(BPF_REG_4, BPF_ANY));
	bpf_emit(code, CODE_CALL(BPF_FUNC_map_update_elem));
	bpf_land(code, other);
	bpf_emit(code, CODE_SET(BPF_REG_0, 0));
	bpf_emit(code, CODE_LEAVE);
}

/* Finds the offset of a field in the text of a format. Returns 0 or -EPROTO. */
static int find_offset(const char *format, const char *name, unsigned *ret_offset)
{
	const char *at = strstr(format, name);

	at = at ? strstr(at, "offset:") : NULL;
	if (!at)
		return -EPROTO;
	*ret_offset = (unsigned)strtoul(at + strlen("offset:"), NULL, 10);
	return *ret_offset < 256 ? 0 : -EPROTO;
}

static int load_follower(struct return_probes *probes, int tracefs)
{
	_cleanup_strbuf_ struct strbuf format = { 0 };
	struct bpf_code code = { 0 };
	unsigned parent = 0, child = 0;
	int r = file_read(tracefs, FORK_DIR "format", &format);

	if (r == 0)
		r = find_offset(strbuf_str(&format), " parent_pid;", &parent);
	if (r == 0)
		r = find_offset(strbuf_str(&format), " child_pid;", &child);
	if (r < 0)
		return r;
	write_follower(&code, probes->tasks, parent, child);
	probes->follower = bpf_code_load(&code, BPF_PROG_TYPE_TRACEPOINT, 0, NAME);
	return probes->follower < 0 ? probes->follower : 0;
}

/* A tracepoint runs its BPF program in all tasks; the perf event itself counts in none. */
static int follow_forks(struct return_probes *probes, int tracefs)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_TRACEPOINT, .sample_period = 1 };
	char line[16];
	int r = file_read_line(tracefs, FORK_DIR "id", line, sizeof(line));

	if (r < 0)
		return r;
	attr.config = strtoul(line, NULL, 10);
	probes->fork = perf_open(&attr, -1, 0);
	if (probes->fork < 0)
		return probes->fork;
	return ioctl(probes->fork, PERF_EVENT_IOC_SET_BPF, probes->follower) < 0 ?
		       negative_errno() :
		       0;
}

/* Creates the maps and the program for @n functions. */
static int load_program(struct return_probes *probes, size_t n, unsigned n_cpus)
{
	struct bpf_code code = { 0 };

	if (RESULT_AT < 0)
		return -EOPNOTSUPP;
	probes->rings = bpf_map_new(BPF_MAP_TYPE_PERF_EVENT_ARRAY, sizeof(uint32_t),
				    sizeof(uint32_t), n_cpus, NAME);
	if (probes->rings < 0)
		return probes->rings;
	probes->tasks = bpf_map_new(BPF_MAP_TYPE_LRU_HASH, sizeof(uint32_t), sizeof(uint32_t),
				    TASKS_MAX, NAME);
	if (probes->tasks < 0)
		return probes->tasks;
	probes->functions = bpf_map_new(BPF_MAP_TYPE_HASH, sizeof(uint64_t), sizeof(uint64_t),
					(uint32_t)(n * STARTS), NAME);
	if (probes->functions < 0)
		return probes->functions;
	return_probes_write_program(&code, probes);
	probes->program = bpf_code_load(&code, BPF_PROG_TYPE_KPROBE, BPF_TRACE_KPROBE_MULTI, NAME);
	return probes->program < 0 ? probes->program : 0;
}

static uint64_t wanted_of(const struct return_probe *probe, size_t number)
{
	return number | (probe->size == 8 ? IS_LONG : 0) | (probe->is_answer ? IS_ANSWER : 0) |
	       (probe->is_outer ? IS_OUTER : 0);
}

/* Uses a batch operation, because there are thousands of functions. */
static int fill_functions(int map, const struct return_probe *list, size_t n)
{
	_cleanup_free_ uint64_t *keys = mem_zalloc(n * STARTS, sizeof(*keys));
	_cleanup_free_ uint64_t *values = mem_zalloc(n * STARTS, sizeof(*values));
	union bpf_attr attr;
	uint32_t count = 0;

	if (!keys || !values)
		return -ENOMEM;
	for (size_t i = 0; i < n * STARTS; i++) {
		const struct return_probe *probe = &list[i / STARTS];

		if (probe->is_unwanted)
			continue;
		keys[count] = probe->address - i % STARTS * START_STEP;
		values[count++] = wanted_of(probe, i / STARTS);
	}
	memset(&attr, 0, sizeof(attr));
	attr.batch.map_fd = (uint32_t)map;
	attr.batch.keys = bpf_ptr(keys);
	attr.batch.values = bpf_ptr(values);
	attr.batch.count = count;
	return bpf_call(BPF_MAP_UPDATE_BATCH, &attr, sizeof(attr));
}

int return_probes_init(struct return_probes *probes, const struct return_probe *list, size_t n,
		       int tracefs, unsigned n_cpus)
{
	int r = load_program(probes, n, n_cpus);

	if (r == 0)
		r = fill_functions(probes->functions, list, n);
	if (r == 0)
		r = load_follower(probes, tracefs);
	return r < 0 ? r : follow_forks(probes, tracefs);
}

static int link_create(int program, union bpf_attr *attr)
{
	attr->link_create.prog_fd = (uint32_t)program;
	attr->link_create.attach_type = BPF_TRACE_KPROBE_MULTI;
	attr->link_create.kprobe_multi.flags = BPF_F_KPROBE_MULTI_RETURN;
	return bpf_call(BPF_LINK_CREATE, attr, sizeof(*attr));
}

/* Hooking functions that another function_graph user traces would disturb it, see is_unwanted. */
static bool others_trace_graph(int tracefs)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };

	return file_read(tracefs, "enabled_functions", &text) == 0 &&
	       strstr(strbuf_str(&text), "ret:trace_graph_return");
}

bool return_probes_are_possible(int tracefs)
{
	__attribute__((cleanup(return_probes_done))) struct return_probes probes =
		RETURN_PROBES_NONE;
	const char *names[] = { QUIET_FUNCTION };
	union bpf_attr attr;

	if (others_trace_graph(tracefs) || load_program(&probes, 1, 1) < 0)
		return false;
	memset(&attr, 0, sizeof(attr));
	attr.link_create.kprobe_multi.cnt = 1;
	attr.link_create.kprobe_multi.syms = bpf_ptr(names);
	probes.link = link_create(probes.program, &attr);
	return probes.link >= 0;
}

int return_probes_set_ring(const struct return_probes *probes, unsigned cpu, int fd)
{
	return bpf_map_put(probes->rings, &cpu, &fd);
}

uint64_t return_probes_sample_type(void)
{
	return PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_RAW;
}

int return_probes_output(unsigned cpu, uint32_t watermark)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
					.config = PERF_COUNT_SW_BPF_OUTPUT,
					.sample_period = 1,
					.sample_type = return_probes_sample_type(),
					.sample_id_all = 1,
					.use_clockid = 1,
					.clockid = CLOCK_MONOTONIC,
					.watermark = 1,
					.wakeup_watermark = watermark };

	return perf_open(&attr, -1, (int)cpu);
}

int return_probes_add_task(const struct return_probes *probes, pid_t tid)
{
	uint32_t value = 0;

	return bpf_map_put(probes->tasks, &tid, &value);
}

int return_probes_attach(struct return_probes *probes, const struct return_probe *list, size_t n)
{
	_cleanup_free_ uint64_t *addresses = mem_zalloc(n, sizeof(*addresses));
	union bpf_attr attr;

	if (!addresses)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		addresses[i] = list[i].address;
	memset(&attr, 0, sizeof(attr));
	attr.link_create.kprobe_multi.cnt = (uint32_t)n;
	attr.link_create.kprobe_multi.addrs = bpf_ptr(addresses);
	probes->link = link_create(probes->program, &attr);
	return probes->link < 0 ? probes->link : 0;
}

void return_probes_detach(struct return_probes *probes)
{
	if (probes->link >= 0)
		close(probes->link);
	if (probes->fork >= 0)
		close(probes->fork);
	probes->link = probes->fork = -1;
}

void return_probes_done(struct return_probes *probes)
{
	const int files[] = { probes->program, probes->follower, probes->tasks, probes->rings,
			      probes->functions };

	return_probes_detach(probes);
	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		if (files[i] >= 0)
			close(files[i]);
	*probes = (struct return_probes)RETURN_PROBES_NONE;
}

int64_t return_probe_result(const struct return_probe *probe, uint64_t value)
{
	unsigned unused =
		probe->size == 1 || probe->size == 2 || probe->size == 4 ? 64 - 8 * probe->size : 0;

	value <<= unused;
	return probe->is_signed ? (int64_t)value >> unused : (int64_t)(value >> unused);
}
