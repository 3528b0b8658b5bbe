/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bpf-machine.h"

#include "test.h"

#include "base/cleanup.h"

struct run {
	struct bpf_machine *machine;
	const struct bpf_code *code;
	uint32_t at;
	uint64_t regs[11];
	bool is_set[11];
	uint8_t stack[512];
};

int bpf_machine_add_map(struct bpf_machine *machine, bool is_array, uint32_t key_size,
			uint32_t value_size, uint32_t max)
{
	int i = 0;

	while (i < BPF_MACHINE_MAPS && machine->maps[i].max)
		i++;
	assert_in_range(i, 0, BPF_MACHINE_MAPS - 1);
	machine->maps[i] = (struct bpf_machine_map){
		.key_size = key_size,
		.value_size = value_size,
		.max = max,
		.is_array = is_array,
		.keys = calloc(max, key_size),
		.values = calloc(max, value_size),
		.used = calloc(max, sizeof(bool)),
	};
	for (uint32_t j = 0; is_array && j < max; j++) {
		memcpy(machine->maps[i].keys + (size_t)j * key_size, &j, sizeof(j));
		machine->maps[i].used[j] = true;
	}
	return i + 1;
}

void bpf_machine_done(struct bpf_machine *machine)
{
	for (size_t i = 0; i < BPF_MACHINE_MAPS; i++) {
		free(machine->maps[i].keys);
		free(machine->maps[i].values);
		free(machine->maps[i].used);
	}
	*machine = (struct bpf_machine){ 0 };
}

static struct bpf_machine_map *bpf_machine_map(struct bpf_machine *machine, uint64_t fd)
{
	assert_in_range(fd, 1, BPF_MACHINE_MAPS);
	assert_true(machine->maps[fd - 1].max > 0);
	return &machine->maps[fd - 1];
}

static int64_t map_place(const struct bpf_machine_map *map, const void *key)
{
	for (uint32_t i = 0; i < map->max; i++)
		if (map->used[i] &&
		    memcmp(map->keys + (size_t)i * map->key_size, key, map->key_size) == 0)
			return i;
	return -1;
}

void *bpf_machine_find(struct bpf_machine *machine, int fd, const void *key)
{
	struct bpf_machine_map *map = bpf_machine_map(machine, (uint64_t)fd);
	int64_t at = map_place(map, key);

	return at < 0 ? NULL : map->values + (size_t)at * map->value_size;
}

bool bpf_machine_entry(struct bpf_machine *machine, int fd, uint32_t i, const void **ret_key,
		       void **ret_value)
{
	struct bpf_machine_map *map = bpf_machine_map(machine, (uint64_t)fd);

	if (i >= map->max || !map->used[i])
		return false;
	*ret_key = map->keys + (size_t)i * map->key_size;
	*ret_value = map->values + (size_t)i * map->value_size;
	return true;
}

static int64_t map_update(struct bpf_machine_map *map, const void *key, const void *value,
			  uint64_t flags)
{
	int64_t at = map_place(map, key);

	if (at >= 0 && flags == BPF_NOEXIST)
		return -EEXIST;
	for (uint32_t i = 0; at < 0 && i < map->max; i++)
		if (!map->used[i])
			at = i;
	if (at < 0)
		return -E2BIG;
	map->used[at] = true;
	memcpy(map->keys + (size_t)at * map->key_size, key, map->key_size);
	memcpy(map->values + (size_t)at * map->value_size, value, map->value_size);
	return 0;
}

static bool is_within(uint64_t address, uint64_t size, const void *area, size_t area_size)
{
	uint64_t start = (uintptr_t)area;

	return area && address >= start && size <= area_size && address - start <= area_size - size;
}

/* Returns the memory at @address, which the program may access. */
static void *run_memory(struct run *run, uint64_t address, uint64_t size, bool is_write)
{
	struct bpf_machine *machine = run->machine;
	bool fine =
		is_within(address, size, run->stack, sizeof(run->stack)) ||
		(!is_write && is_within(address, size, machine->context, machine->context_size));

	for (size_t i = 0; !fine && i < BPF_MACHINE_MAPS; i++) {
		struct bpf_machine_map *map = &machine->maps[i];

		fine = is_within(address, size, map->values, (size_t)map->max * map->value_size);
	}
	if (!fine)
		fail_msg("instruction %u accesses memory outside", run->at);
	return (void *)(uintptr_t)address; // NOLINT(performance-no-int-to-ptr)
}

static uint64_t run_reg(const struct run *run, unsigned reg)
{
	if (!run->is_set[reg])
		fail_msg("instruction %u reads register %u, which is not set", run->at, reg);
	return run->regs[reg];
}

static void run_set(struct run *run, unsigned reg, uint64_t value)
{
	run->regs[reg] = value;
	run->is_set[reg] = true;
}

/* Reads any memory, as bpf_probe_read_kernel() does; *_str() copies up to and including a NUL. */
static int64_t run_probe_read(struct run *run, bool is_text)
{
	const struct bpf_machine *machine = run->machine;
	const uint64_t size = run_reg(run, 2), from = run_reg(run, 3);
	uint8_t *to = run_memory(run, run_reg(run, 1), size, true);

	for (uint64_t i = 0; i < size; i++) {
		if (!is_within(from + i, 1, machine->context, machine->context_size) &&
		    !is_within(from + i, 1, machine->memory, machine->memory_size)) {
			memset(to, 0, size);
			return -EFAULT;
		}
		to[i] = *(const uint8_t *)(uintptr_t)(from +
						      i); // NOLINT(performance-no-int-to-ptr)
		if (is_text && i == size - 1)
			to[i] = 0;
		if (is_text && !to[i])
			return (int64_t)i + 1;
	}
	return is_text ? (int64_t)size : 0;
}

static int64_t run_map_call(struct run *run, int32_t function)
{
	struct bpf_machine_map *map = bpf_machine_map(run->machine, run_reg(run, 1));
	const void *key = run_memory(run, run_reg(run, 2), map->key_size, false);
	int64_t at = map_place(map, key);

	switch (function) {
	case BPF_FUNC_map_lookup_elem:
		return at < 0 ? 0 :
				(int64_t)(uintptr_t)(map->values + (size_t)at * map->value_size);
	case BPF_FUNC_map_update_elem:
		return map_update(map, key,
				  run_memory(run, run_reg(run, 3), map->value_size, false),
				  run_reg(run, 4));
	default:
		if (at < 0)
			return -ENOENT;
		map->used[at] = false;
		return 0;
	}
}

static int64_t run_helper(struct run *run, int32_t function)
{
	const struct bpf_machine *machine = run->machine;

	switch (function) {
	case BPF_FUNC_map_lookup_elem:
	case BPF_FUNC_map_update_elem:
	case BPF_FUNC_map_delete_elem:
		return run_map_call(run, function);
	case BPF_FUNC_get_current_pid_tgid:
		return (int64_t)machine->pid_tgid;
	case BPF_FUNC_get_smp_processor_id:
		return (int64_t)machine->cpu;
	case BPF_FUNC_ktime_get_ns:
		return (int64_t)machine->now;
	case BPF_FUNC_get_stackid:
		return machine->stack;
	case BPF_FUNC_get_current_comm:
		assert_int_equal(run_reg(run, 2), sizeof(machine->comm));
		memcpy(run_memory(run, run_reg(run, 1), sizeof(machine->comm), true), machine->comm,
		       sizeof(machine->comm));
		return 0;
	case BPF_FUNC_probe_read_kernel:
		return run_probe_read(run, false);
	case BPF_FUNC_probe_read_kernel_str:
	case BPF_FUNC_probe_read_user_str:
		return run_probe_read(run, true);
	default:
		fail_msg("unknown function %d", function);
		return 0;
	}
}

static void run_call(struct run *run, int32_t function)
{
	int64_t result = run_helper(run, function);

	for (unsigned i = 1; i <= 5; i++)
		run->is_set[i] = false;
	run_set(run, 0, (uint64_t)result);
}

static uint64_t run_calculate(const struct run *run, unsigned op, uint64_t a, uint64_t b)
{
	switch (op) {
	case BPF_MOV:
		return b;
	case BPF_ADD:
		return a + b;
	case BPF_SUB:
		return a - b;
	case BPF_MUL:
		return a * b;
	case BPF_AND:
		return a & b;
	case BPF_OR:
		return a | b;
	case BPF_XOR:
		return a ^ b;
	default:
		break;
	}
	assert_in_range(b, 0, 63);
	if (op == BPF_LSH)
		return a << b;
	if (op == BPF_RSH)
		return a >> b;
	if (op != BPF_ARSH)
		fail_msg("instruction %u has an unknown operation", run->at);
	return (uint64_t)((int64_t)a >> b);
}

static bool run_compare(const struct run *run, unsigned op, uint64_t a, uint64_t b)
{
	switch (op) {
	case BPF_JA:
		return true;
	case BPF_JEQ:
		return a == b;
	case BPF_JNE:
		return a != b;
	case BPF_JGT:
		return a > b;
	case BPF_JGE:
		return a >= b;
	case BPF_JLT:
		return a < b;
	case BPF_JLE:
		return a <= b;
	case BPF_JSGT:
		return (int64_t)a > (int64_t)b;
	case BPF_JSGE:
		return (int64_t)a >= (int64_t)b;
	case BPF_JSLT:
		return (int64_t)a < (int64_t)b;
	case BPF_JSLE:
		return (int64_t)a <= (int64_t)b;
	default:
		fail_msg("instruction %u has an unknown comparison", run->at);
		return false;
	}
}

static uint64_t run_operand(const struct run *run, const struct bpf_insn *insn)
{
	return BPF_SRC(insn->code) == BPF_X ? run_reg(run, insn->src_reg) :
					      (uint64_t)(int64_t)insn->imm;
}

static unsigned run_size(const struct bpf_insn *insn)
{
	switch (BPF_SIZE(insn->code)) {
	case BPF_B:
		return 1;
	case BPF_H:
		return 2;
	case BPF_W:
		return 4;
	default:
		return 8;
	}
}

static void run_jump(struct run *run, const struct bpf_insn *insn)
{
	const unsigned op = BPF_OP(insn->code);

	assert_true(insn->off >= 0);
	if (op == BPF_JA ||
	    run_compare(run, op, run_reg(run, insn->dst_reg), run_operand(run, insn)))
		run->at += (uint32_t)insn->off;
}

static void run_step(struct run *run, const struct bpf_insn *insn)
{
	const unsigned size = run_size(insn);
	uint64_t value = 0;

	switch (BPF_CLASS(insn->code)) {
	case BPF_ALU64:
		if (BPF_OP(insn->code) != BPF_MOV)
			value = run_reg(run, insn->dst_reg);
		run_set(run, insn->dst_reg,
			run_calculate(run, BPF_OP(insn->code), value, run_operand(run, insn)));
		break;
	case BPF_LD:
		run_set(run, insn->dst_reg,
			(uint32_t)insn->imm | (uint64_t)(uint32_t)insn[1].imm << 32);
		run->at++;
		break;
	case BPF_LDX:
		memcpy(&value,
		       run_memory(run, run_reg(run, insn->src_reg) + (uint64_t)(int64_t)insn->off,
				  size, false),
		       size);
		run_set(run, insn->dst_reg, value);
		break;
	case BPF_ST:
	case BPF_STX:
		value = BPF_CLASS(insn->code) == BPF_ST ? (uint64_t)(int64_t)insn->imm :
							  run_reg(run, insn->src_reg);
		memcpy(run_memory(run, run_reg(run, insn->dst_reg) + (uint64_t)(int64_t)insn->off,
				  size, true),
		       &value, size);
		break;
	default:
		if (BPF_OP(insn->code) == BPF_CALL)
			run_call(run, insn->imm);
		else
			run_jump(run, insn);
		break;
	}
}

uint64_t bpf_machine_run(struct bpf_machine *machine, const struct bpf_code *code)
{
	struct run run = { .machine = machine, .code = code };

	/* What a program does not set is not zero. */
	memset(run.stack, 0xa5, sizeof(run.stack));
	run_set(&run, 1, (uintptr_t)machine->context);
	run_set(&run, 10, (uintptr_t)(run.stack + sizeof(run.stack)));
	assert_in_range(code->n, 2, BPF_CODE_MAX);
	for (; run.at < code->n; run.at++) {
		const struct bpf_insn *insn = &code->list[run.at];

		if (BPF_CLASS(insn->code) == BPF_JMP && BPF_OP(insn->code) == BPF_EXIT)
			return run_reg(&run, 0);
		run_step(&run, insn);
	}
	fail_msg("the program does not end");
	return 0;
}
