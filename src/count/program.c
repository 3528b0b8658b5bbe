/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "count/program.h"

#include <errno.h>
#include <string.h>

#include "base/err.h"
#include "count/function-format.h"
#include "kernel/perf/bpf-code.h"
#include "read/filter.h"

/* Places in the stack frame. Area: the key, or a frame that is about to be stored. */
#define AREA_SIZE  (COUNT_KEY_BYTES_MAX + 24)
#define AREA	   (-AREA_SIZE)
#define OPEN_KEY   (AREA - 16)
#define DEPTH	   (OPEN_KEY - 8)
#define NUMBER	   (DEPTH - 8) /* an index of 4 bytes, or an unaligned number */
#define CHOSEN	   (NUMBER - 8) /* whether the filters accept the event */
#define EMPTY_SUMS (CHOSEN - (int)sizeof(struct count_sums))
#define SCRATCH	   (EMPTY_SUMS - FILTER_BPF_SCRATCH)

#define VALUE BPF_REG_7
#define FRAME BPF_REG_8

/* Sub-buckets per power of two, as in struct spread. */
#define SUB_BITS 3
#define SMALL	 (1 << (SUB_BITS + 1))

struct count_writer {
	const struct count_program *program;
	struct bpf_code *code;
	struct bpf_jumps leave; /* to the end */
	struct bpf_jumps reject; /* of filters */
	struct fathom_err *err;
};

/* A place in memory: an offset from a register that calls don't change. */
struct count_place {
	unsigned base;
	int at;
};

static void count_emit(struct count_writer *writer, struct bpf_insn insn)
{
	bpf_emit(writer->code, insn);
}

static void count_emit_leave_if(struct count_writer *writer, struct bpf_insn insn)
{
	bpf_emit_jump(writer->code, &writer->leave, insn);
}

/* Loads the address of the place into a register. */
static void count_emit_address(struct count_writer *writer, unsigned reg, struct count_place place)
{
	count_emit(writer, CODE_MOVE(reg & 15, place.base & 15));
	if (place.at)
		count_emit(writer, CODE_ADD(reg & 15, place.at));
}

static void count_emit_map(struct count_writer *writer, int map)
{
	bpf_emit_number(writer->code, BPF_REG_1, BPF_PSEUDO_MAP_FD, (uint32_t)map);
}

static void count_emit_find(struct count_writer *writer, int map, int key)
{
	count_emit_map(writer, map);
	bpf_emit_place(writer->code, BPF_REG_2, key);
	count_emit(writer, CODE_CALL(BPF_FUNC_map_lookup_elem));
}

/* Adds 1 to the number of what could not be counted. Changes registers 0 to 5. */
static void count_emit_loss(struct count_writer *writer, enum count_loss loss)
{
	count_emit(writer, CODE_STORE(BPF_W, NUMBER, (int32_t)loss));
	count_emit_find(writer, writer->program->maps->losses, NUMBER);
	count_emit(writer, CODE_JUMP_IF(BPF_JEQ, BPF_REG_0, 0, 3));
	count_emit(writer, CODE_LOAD(BPF_DW, BPF_REG_1, BPF_REG_0, 0));
	count_emit(writer, CODE_ADD(BPF_REG_1, 1));
	count_emit(writer, CODE_PUT_REG(BPF_DW, BPF_REG_0, 0, BPF_REG_1));
}

/* Unless register 0 is other than 0, counts the loss and ends the program. */
static void count_emit_need(struct count_writer *writer, enum count_loss loss)
{
	uint32_t found = writer->code->n;

	count_emit(writer, CODE_JUMP_IF(BPF_JNE, BPF_REG_0, 0, 0));
	count_emit_loss(writer, loss);
	count_emit_leave_if(writer, CODE_JUMP);
	bpf_land(writer->code, found);
}

static void count_emit_zero(struct count_writer *writer, struct count_place place, uint32_t size)
{
	for (uint32_t i = 0; i < size; i += 8)
		count_emit(writer, CODE_PUT(BPF_DW, place.base & 15, place.at + (int)i, 0));
}

/* If the call in register 0 failed, counts that and clears the text at @place. */
static void count_emit_read_check(struct count_writer *writer, struct count_place place)
{
	uint32_t fine = writer->code->n;

	count_emit(writer, CODE_JUMP_IF(BPF_JSGE, BPF_REG_0, 0, 0));
	count_emit(writer, CODE_PUT(BPF_B, place.base & 15, place.at, 0));
	count_emit_loss(writer, COUNT_LOSS_UNREAD);
	bpf_land(writer->code, fine);
}

/* Reads a text that is part of the event. */
static void count_emit_own_text(struct count_writer *writer, const struct event_field *field,
				struct count_place place, uint32_t size)
{
	if (field->place == EVENT_PLACE_FIXED && field->size && field->size < size)
		size = field->size;
	count_emit(writer, CODE_MOVE(BPF_REG_3, BPF_REG_6));
	if (field->place == EVENT_PLACE_FIXED) {
		count_emit(writer, CODE_ADD(BPF_REG_3, (int32_t)field->offset));
	} else {
		count_emit(writer, CODE_LOAD(BPF_W, BPF_REG_1, BPF_REG_6, (int16_t)field->offset));
		count_emit(writer, CODE_MATH(BPF_AND, BPF_REG_1, 0xffff));
		count_emit(writer, CODE_MATH_REG(BPF_ADD, BPF_REG_3, BPF_REG_1));
		if (field->place == EVENT_PLACE_REL_LOC)
			count_emit(writer, CODE_ADD(BPF_REG_3, (int32_t)field->offset + 4));
	}
	count_emit_address(writer, BPF_REG_1, place);
	count_emit(writer, CODE_SET(BPF_REG_2, (int32_t)size));
	count_emit(writer, CODE_CALL(BPF_FUNC_probe_read_kernel_str));
	count_emit_read_check(writer, place);
}

/* Reads the text that a pointer refers to; kernel addresses are the upper half. */
static void count_emit_far_text(struct count_writer *writer, const struct event_field *field,
				struct count_place place, uint32_t size)
{
	uint32_t kernel, done;

	bpf_emit_field(writer->code, field->offset, field->elem_size, false, NUMBER);
	count_emit(writer, CODE_MOVE(BPF_REG_3, BPF_REG_0));
	count_emit_address(writer, BPF_REG_1, place);
	count_emit(writer, CODE_SET(BPF_REG_2, (int32_t)size));
	kernel = writer->code->n;
	count_emit(writer, CODE_JUMP_IF(BPF_JSLT, BPF_REG_3, 0, 0));
	count_emit(writer, CODE_CALL(BPF_FUNC_probe_read_user_str));
	done = writer->code->n;
	count_emit(writer, CODE_JUMP);
	bpf_land(writer->code, kernel);
	count_emit(writer, CODE_CALL(BPF_FUNC_probe_read_kernel_str));
	bpf_land(writer->code, done);
	count_emit_read_check(writer, place);
}

/* Stores the ID of the current stack in register 0; -1: unknown. */
static void count_emit_stack(struct count_writer *writer, bool is_user)
{
	uint32_t fine, none;

	count_emit(writer, CODE_MOVE(BPF_REG_1, BPF_REG_6));
	bpf_emit_number(writer->code, BPF_REG_2, BPF_PSEUDO_MAP_FD,
			(uint32_t)writer->program->maps->stacks);
	count_emit(writer, CODE_SET(BPF_REG_3, is_user ? BPF_F_USER_STACK : 0));
	count_emit(writer, CODE_CALL(BPF_FUNC_get_stackid));
	fine = writer->code->n;
	count_emit(writer, CODE_JUMP_IF(BPF_JSGE, BPF_REG_0, 0, 0));
	/* EFAULT: there is none, as in user space without a kernel stack. */
	none = writer->code->n;
	count_emit(writer, CODE_JUMP_IF(BPF_JEQ, BPF_REG_0, -EFAULT, 0));
	count_emit_loss(writer, COUNT_LOSS_NO_STACK);
	bpf_land(writer->code, none);
	count_emit(writer, CODE_SET(BPF_REG_0, -1));
	bpf_land(writer->code, fine);
}

static int count_emit_number_field(struct count_writer *writer, const struct event_field *field)
{
	if (field->is_common)
		return err_set(writer->err, -ENOTSUP,
			       "unsupported when counting in the kernel: the common field '%s'",
			       field->name);
	bpf_emit_field(writer->code, field->offset, field->elem_size,
		       field->is_signed && field->kind != EVENT_FIELD_POINTER, NUMBER);
	return 0;
}

/* Loads the address of the probed function, or one near its start, into register 0. */
static void count_emit_function(struct count_writer *writer)
{
	count_emit(writer, CODE_MOVE(BPF_REG_1, BPF_REG_6));
	count_emit(writer, CODE_CALL(BPF_FUNC_get_func_ip));
}

/* Loads a number into register 0. */
static int count_emit_number(struct count_writer *writer, const struct count_from *from)
{
	const struct count_program *program = writer->program;

	switch (from->fact) {
	case COUNT_FACT_FIELD:
		return count_emit_number_field(writer, from->field);
	case COUNT_FACT_PID:
		count_emit(writer, CODE_CALL(BPF_FUNC_get_current_pid_tgid));
		count_emit(writer, CODE_MATH(BPF_LSH, BPF_REG_0, 32));
		count_emit(writer, CODE_MATH(BPF_RSH, BPF_REG_0, 32));
		return 0;
	case COUNT_FACT_TGID:
		count_emit(writer, CODE_CALL(BPF_FUNC_get_current_pid_tgid));
		count_emit(writer, CODE_MATH(BPF_RSH, BPF_REG_0, 32));
		return 0;
	case COUNT_FACT_CPU:
		count_emit(writer, CODE_CALL(BPF_FUNC_get_smp_processor_id));
		return 0;
	case COUNT_FACT_EVENT:
		bpf_emit_number(writer->code, BPF_REG_0, 0, program->site_index);
		return 0;
	case COUNT_FACT_FUNC:
		if (program->is_shared) {
			count_emit_function(writer);
			return 0;
		}
		if (program->site->source->kind == COUNT_PROFILE) {
			count_emit(writer,
				   CODE_LOAD(BPF_DW, BPF_REG_0, BPF_REG_6, function_format_ip()));
			return 0;
		}
		bpf_emit_number(writer->code, BPF_REG_0, 0, program->function);
		return 0;
	case COUNT_FACT_KSTACK:
	case COUNT_FACT_USTACK:
		count_emit_stack(writer, from->fact == COUNT_FACT_USTACK);
		return 0;
	default:
		return err_set(writer->err, -ENOTSUP, "not a number");
	}
}

/* Stores one column at @place. */
static int count_emit_column(struct count_writer *writer, const struct count_column *column,
			     const struct count_from *from, struct count_place place)
{
	int r;

	if (column->kind != COUNT_COLUMN_TEXT) {
		r = count_emit_number(writer, from);
		if (r == 0)
			count_emit(writer,
				   CODE_PUT_REG(BPF_DW, place.base & 15, place.at, BPF_REG_0));
		return r;
	}
	count_emit_zero(writer, place, column->size);
	if (from->fact == COUNT_FACT_COMM) {
		count_emit_address(writer, BPF_REG_1, place);
		count_emit(writer, CODE_SET(BPF_REG_2, COUNT_COMM_SIZE));
		count_emit(writer, CODE_CALL(BPF_FUNC_get_current_comm));
	} else if (count_field_is_pointer_to_text(from->field)) {
		count_emit_far_text(writer, from->field, place, column->size);
	} else {
		count_emit_own_text(writer, from->field, place, column->size);
	}
	return 0;
}

/* Ends the program for events of processes that are not wanted. */
static void count_emit_process(struct count_writer *writer)
{
	const int32_t process = writer->program->plan->process;
	const int32_t excluded = writer->program->excluded;

	if (!process && !excluded)
		return;
	count_emit(writer, CODE_CALL(BPF_FUNC_get_current_pid_tgid));
	count_emit(writer, CODE_MATH(BPF_RSH, BPF_REG_0, 32));
	if (process)
		count_emit_leave_if(writer, CODE_JUMP_IF(BPF_JNE, BPF_REG_0, process, 0));
	if (excluded)
		count_emit_leave_if(writer, CODE_JUMP_IF(BPF_JEQ, BPF_REG_0, excluded, 0));
}

static bool count_has_filters(const struct count_site *site)
{
	return site->source->filter || site->filter;
}

/* Jumps to @reject if a filter does not accept the event. */
static int count_emit_filters(struct count_writer *writer, struct bpf_jumps *reject)
{
	const struct count_site *site = writer->program->site;
	const struct filter_bpf bpf = { .code = writer->code,
					.reject = reject,
					.scratch = SCRATCH,
					.is_event = site->source->kind == COUNT_EVENT };
	int r = 0;

	if (site->source->filter)
		r = filter_bpf_emit(site->source->filter, site->format, &bpf, writer->err);
	if (r == 0 && site->filter)
		r = filter_bpf_emit(site->filter, site->format, &bpf, writer->err);
	return r;
}

/*
 * Stores at CHOSEN whether the filters accept the event: an end that they reject must nevertheless
 * take its begin away.
 */
static int count_emit_choice(struct count_writer *writer)
{
	int r;

	count_emit(writer, CODE_STORE(BPF_DW, CHOSEN, 0));
	r = count_emit_filters(writer, &writer->reject);
	if (r < 0)
		return r;
	count_emit(writer, CODE_STORE(BPF_DW, CHOSEN, 1));
	bpf_land_all(writer->code, &writer->reject);
	return 0;
}

/* Ends the program if CHOSEN is 0. */
static void count_emit_leave_unchosen(struct count_writer *writer)
{
	count_emit(writer, CODE_LOAD(BPF_DW, BPF_REG_1, BPF_REG_10, CHOSEN));
	count_emit_leave_if(writer, CODE_JUMP_IF(BPF_JEQ, BPF_REG_1, 0, 0));
}

/* Loads what identifies the thread into register 0; the idle threads of all CPUs have PID 0. */
static void count_emit_thread(struct count_writer *writer)
{
	uint32_t known;

	count_emit(writer, CODE_CALL(BPF_FUNC_get_current_pid_tgid));
	known = writer->code->n;
	count_emit(writer, CODE_JUMP_IF(BPF_JNE, BPF_REG_0, 0, 0));
	count_emit(writer, CODE_CALL(BPF_FUNC_get_smp_processor_id));
	count_emit(writer, CODE_MATH(BPF_XOR, BPF_REG_0, -1));
	bpf_land(writer->code, known);
}

/* Stores the key of the pair: the thread or a value, and the function. */
static int count_emit_open_key(struct count_writer *writer)
{
	const struct count_program *program = writer->program;
	int r = 0;

	if (program->is_traced) {
		/* The difference of two pointers is a number, which a key can contain. */
		count_emit_map(writer, program->maps->losses);
		count_emit(writer, CODE_MOVE(BPF_REG_0, BPF_REG_6));
		count_emit(writer, CODE_MATH_REG(BPF_SUB, BPF_REG_0, BPF_REG_1));
	} else if (program->layout->by_thread) {
		count_emit_thread(writer);
	} else {
		r = count_emit_number(writer, &program->site->pair);
	}
	if (r < 0)
		return r;
	count_emit(writer, CODE_STORE_REG(BPF_DW, OPEN_KEY, BPF_REG_0));
	if (program->is_shared)
		count_emit_function(writer);
	else
		bpf_emit_number(writer->code, BPF_REG_0, 0, program->pair);
	count_emit(writer, CODE_STORE_REG(BPF_DW, OPEN_KEY + 8, BPF_REG_0));
	return 0;
}

/* Makes FRAME the address of the frame with the number in register 1, in the entry in FRAME. */
static void count_emit_frame_address(struct count_writer *writer)
{
	count_emit(writer, CODE_MATH(BPF_AND, BPF_REG_1, COUNT_NESTED_MAX - 1));
	count_emit(writer,
		   CODE_MATH(BPF_MUL, BPF_REG_1, (int32_t)writer->program->layout->frame_size));
	count_emit(writer, CODE_ADD(FRAME, 8));
	count_emit(writer, CODE_MATH_REG(BPF_ADD, FRAME, BPF_REG_1));
}

/* Stores the columns that the begin has, and its time, in the frame at @base + @at. */
static int count_emit_frame(struct count_writer *writer, struct count_place frame)
{
	const struct count_program *program = writer->program;
	const struct count_layout *layout = program->layout;
	const struct count_site *site = program->site;
	int r = 0;

	for (size_t i = 0; r == 0 && i < program->columns->n_keys; i++)
		if (layout->frame_keys[i])
			r = count_emit_column(
				writer, &program->columns->keys[i], &site->keys[i],
				(struct count_place){ frame.base,
						      frame.at + (int)layout->frame_keys[i] });
	if (r == 0 && layout->frame_value) {
		r = count_emit_number(writer, &site->value);
		if (r == 0)
			count_emit(writer,
				   CODE_PUT_REG(BPF_DW, frame.base & 15,
						frame.at + (int)layout->frame_value, BPF_REG_0));
	}
	/* Last, so that it does not include the time of the above. */
	count_emit(writer, CODE_CALL(BPF_FUNC_ktime_get_ns));
	count_emit(writer, CODE_PUT_REG(BPF_DW, frame.base & 15, frame.at, BPF_REG_0));
	return r;
}

static int count_write_begin_by_key(struct count_writer *writer)
{
	uint32_t fine;
	int r = count_emit_frame(writer, (struct count_place){ BPF_REG_10, AREA });

	if (r < 0)
		return r;
	count_emit_map(writer, writer->program->maps->open);
	bpf_emit_place(writer->code, BPF_REG_2, OPEN_KEY);
	bpf_emit_place(writer->code, BPF_REG_3, AREA);
	count_emit(writer, CODE_SET(BPF_REG_4, BPF_ANY));
	count_emit(writer, CODE_CALL(BPF_FUNC_map_update_elem));
	fine = writer->code->n;
	count_emit(writer, CODE_JUMP_IF(BPF_JSGE, BPF_REG_0, 0, 0));
	count_emit_loss(writer, COUNT_LOSS_NOT_BEGUN);
	bpf_land(writer->code, fine);
	return 0;
}

/* Inserts the value at the place in register 3 for OPEN_KEY or AREA, and finds it again. */
static void count_emit_insert(struct count_writer *writer, int map, int key)
{
	count_emit_map(writer, map);
	bpf_emit_place(writer->code, BPF_REG_2, key);
	count_emit(writer, CODE_SET(BPF_REG_4, BPF_NOEXIST));
	count_emit(writer, CODE_CALL(BPF_FUNC_map_update_elem));
	/* Another CPU may have been faster: find that. */
	count_emit_find(writer, map, key);
}

static int count_write_begin_by_thread(struct count_writer *writer)
{
	const struct count_maps *maps = writer->program->maps;
	uint32_t found, fits;

	count_emit_find(writer, maps->open, OPEN_KEY);
	found = writer->code->n;
	count_emit(writer, CODE_JUMP_IF(BPF_JNE, BPF_REG_0, 0, 0));
	count_emit(writer, CODE_STORE(BPF_W, NUMBER, 0));
	count_emit_find(writer, maps->empty, NUMBER);
	count_emit_leave_if(writer, CODE_JUMP_IF(BPF_JEQ, BPF_REG_0, 0, 0));
	count_emit(writer, CODE_MOVE(BPF_REG_3, BPF_REG_0));
	count_emit_insert(writer, maps->open, OPEN_KEY);
	count_emit_need(writer, COUNT_LOSS_NOT_BEGUN);
	bpf_land(writer->code, found);
	count_emit(writer, CODE_MOVE(FRAME, BPF_REG_0));
	count_emit(writer, CODE_LOAD(BPF_DW, BPF_REG_1, FRAME, 0));
	/* If an end was missed, frames remain: begin anew instead of never counting again. */
	fits = writer->code->n;
	count_emit(writer, CODE_JUMP_IF(BPF_JLT, BPF_REG_1, COUNT_NESTED_MAX, 0));
	count_emit(writer, CODE_PUT(BPF_DW, FRAME, 0, 0));
	count_emit_loss(writer, COUNT_LOSS_NOT_BEGUN);
	count_emit(writer, CODE_SET(BPF_REG_1, 0));
	bpf_land(writer->code, fits);
	count_emit(writer, CODE_MOVE(BPF_REG_2, BPF_REG_1));
	count_emit(writer, CODE_ADD(BPF_REG_2, 1));
	count_emit(writer, CODE_PUT_REG(BPF_DW, FRAME, 0, BPF_REG_2));
	count_emit_frame_address(writer);
	if (count_has_filters(writer->program->site)) {
		/* Calls nest: the end of one that is not chosen must not take another's begin. */
		count_emit(writer, CODE_PUT(BPF_DW, FRAME, 0, 0));
		count_emit_leave_unchosen(writer);
	}
	return count_emit_frame(writer, (struct count_place){ FRAME, 0 });
}

static int count_write_begin(struct count_writer *writer)
{
	int r = 0;

	count_emit_process(writer);
	if (!writer->program->layout->by_thread)
		r = count_emit_filters(writer, &writer->leave);
	else if (count_has_filters(writer->program->site))
		r = count_emit_choice(writer);
	if (r == 0)
		r = count_emit_open_key(writer);
	if (r < 0)
		return r;
	return writer->program->layout->by_thread ? count_write_begin_by_thread(writer) :
						    count_write_begin_by_key(writer);
}

static void count_emit_copy(struct count_writer *writer, int to, uint32_t from, uint32_t size)
{
	for (uint32_t i = 0; i < size; i += 8) {
		count_emit(writer, CODE_LOAD(BPF_DW, BPF_REG_0, FRAME, (int16_t)(from + i)));
		count_emit(writer, CODE_PUT_REG(BPF_DW, BPF_REG_10, to + (int)i, BPF_REG_0));
	}
}

static void count_emit_delete(struct count_writer *writer)
{
	count_emit_map(writer, writer->program->maps->open);
	bpf_emit_place(writer->code, BPF_REG_2, OPEN_KEY);
	count_emit(writer, CODE_CALL(BPF_FUNC_map_delete_elem));
}

/* Ends the program if register 0 is 0: an end without a begin. */
static void count_emit_need_begin(struct count_writer *writer)
{
	uint32_t found = writer->code->n;

	count_emit(writer, CODE_JUMP_IF(BPF_JNE, BPF_REG_0, 0, 0));
	count_emit_leave_unchosen(writer);
	count_emit_loss(writer, COUNT_LOSS_UNPAIRED);
	count_emit_leave_if(writer, CODE_JUMP);
	bpf_land(writer->code, found);
}

/* Finds the begin, copies what it has, and removes it. */
static int count_emit_take_begin(struct count_writer *writer)
{
	const struct count_program *program = writer->program;
	const struct count_layout *layout = program->layout;
	int r = count_emit_open_key(writer);
	uint32_t outer = 0, early;

	if (r < 0)
		return r;
	count_emit_find(writer, program->maps->open, OPEN_KEY);
	count_emit_need_begin(writer);
	count_emit(writer, CODE_MOVE(FRAME, BPF_REG_0));
	if (layout->by_thread) {
		count_emit(writer, CODE_LOAD(BPF_DW, BPF_REG_0, FRAME, 0));
		count_emit_need_begin(writer);
		count_emit(writer, CODE_MOVE(BPF_REG_1, BPF_REG_0));
		count_emit(writer, CODE_ADD(BPF_REG_1, -1));
		count_emit(writer, CODE_PUT_REG(BPF_DW, FRAME, 0, BPF_REG_1));
		count_emit(writer, CODE_STORE_REG(BPF_DW, DEPTH, BPF_REG_1));
		count_emit_frame_address(writer);
		/* A begin without a time is that of a call that was not chosen. */
		count_emit(writer, CODE_LOAD(BPF_DW, BPF_REG_0, FRAME, 0));
		count_emit(writer, CODE_JUMP_IF(BPF_JNE, BPF_REG_0, 0, 1));
		count_emit(writer, CODE_STORE(BPF_DW, CHOSEN, 0));
	}
	if (program->plan->is_latency) {
		count_emit(writer, CODE_CALL(BPF_FUNC_ktime_get_ns));
		count_emit(writer, CODE_LOAD(BPF_DW, BPF_REG_1, FRAME, 0));
		count_emit(writer, CODE_MOVE(VALUE, BPF_REG_0));
		count_emit(writer, CODE_MATH_REG(BPF_SUB, VALUE, BPF_REG_1));
		/* Clocks of CPUs can differ by a little. */
		early = writer->code->n;
		count_emit(writer, CODE_JUMP_IF(BPF_JSGE, VALUE, 0, 0));
		count_emit(writer, CODE_SET(VALUE, 0));
		bpf_land(writer->code, early);
	} else if (layout->frame_value) {
		count_emit(writer, CODE_LOAD(BPF_DW, VALUE, FRAME, (int16_t)layout->frame_value));
	}
	for (size_t i = 0; i < program->columns->n_keys; i++)
		if (layout->frame_keys[i])
			count_emit_copy(writer, AREA + (int)program->columns->keys[i].offset,
					layout->frame_keys[i], program->columns->keys[i].size);
	if (layout->by_thread) {
		count_emit(writer, CODE_LOAD(BPF_DW, BPF_REG_1, BPF_REG_10, DEPTH));
		outer = writer->code->n;
		count_emit(writer, CODE_JUMP_IF(BPF_JNE, BPF_REG_1, 0, 0));
	}
	count_emit_delete(writer);
	if (layout->by_thread)
		bpf_land(writer->code, outer);
	return 0;
}

/* Stores the bin of VALUE in register 1, as spread_bin() computes it. */
static void count_emit_bin(struct count_writer *writer)
{
	uint32_t negative = 0, small, done;

	if (writer->program->columns->is_signed) {
		negative = writer->code->n;
		count_emit(writer, CODE_JUMP_IF(BPF_JSLT, VALUE, 0, 0));
	}
	count_emit(writer, CODE_MOVE(BPF_REG_1, VALUE));
	small = writer->code->n;
	count_emit(writer, CODE_JUMP_IF(BPF_JLT, BPF_REG_1, SMALL, 0));
	/* The number of the highest bit, by halving the width. */
	count_emit(writer, CODE_SET(BPF_REG_2, -SUB_BITS));
	count_emit(writer, CODE_MOVE(BPF_REG_3, BPF_REG_1));
	for (int step = 32; step; step /= 2) {
		count_emit(writer, CODE_MOVE(BPF_REG_4, BPF_REG_3));
		count_emit(writer, CODE_MATH(BPF_RSH, BPF_REG_4, step));
		count_emit(writer, CODE_JUMP_IF(BPF_JEQ, BPF_REG_4, 0, 2));
		count_emit(writer, CODE_MOVE(BPF_REG_3, BPF_REG_4));
		count_emit(writer, CODE_ADD(BPF_REG_2, step));
	}
	/* The verifier must know that the shift is below 64. */
	count_emit(writer, CODE_MATH(BPF_AND, BPF_REG_2, 63));
	count_emit(writer, CODE_MATH_REG(BPF_RSH, BPF_REG_1, BPF_REG_2));
	count_emit(writer, CODE_MATH(BPF_LSH, BPF_REG_2, SUB_BITS));
	count_emit(writer, CODE_MATH_REG(BPF_ADD, BPF_REG_1, BPF_REG_2));
	if (writer->program->columns->is_signed) {
		done = writer->code->n;
		count_emit(writer, CODE_JUMP);
		bpf_land(writer->code, negative);
		count_emit(writer, CODE_SET(BPF_REG_1, COUNT_BIN_NEGATIVE));
		bpf_land(writer->code, done);
	}
	bpf_land(writer->code, small);
}

static void count_emit_add(struct count_writer *writer)
{
	const bool is_signed = writer->program->columns->is_signed;
	uint32_t first, larger, smaller, done;

	count_emit(writer, CODE_LOAD(BPF_DW, BPF_REG_1, BPF_REG_0, 0));
	count_emit(writer, CODE_MOVE(BPF_REG_2, BPF_REG_1));
	count_emit(writer, CODE_ADD(BPF_REG_2, 1));
	count_emit(writer, CODE_PUT_REG(BPF_DW, BPF_REG_0, 0, BPF_REG_2));
	if (!writer->program->columns->has_value)
		return;
	count_emit(writer, CODE_LOAD(BPF_DW, BPF_REG_2, BPF_REG_0, 8));
	count_emit(writer, CODE_MATH_REG(BPF_ADD, BPF_REG_2, VALUE));
	count_emit(writer, CODE_PUT_REG(BPF_DW, BPF_REG_0, 8, BPF_REG_2));
	first = writer->code->n;
	count_emit(writer, CODE_JUMP_IF(BPF_JEQ, BPF_REG_1, 0, 0));
	count_emit(writer, CODE_LOAD(BPF_DW, BPF_REG_2, BPF_REG_0, 16));
	larger = writer->code->n;
	count_emit(writer, CODE_JUMP_IF_REG(is_signed ? BPF_JSGE : BPF_JGE, VALUE, BPF_REG_2, 0));
	count_emit(writer, CODE_PUT_REG(BPF_DW, BPF_REG_0, 16, VALUE));
	bpf_land(writer->code, larger);
	count_emit(writer, CODE_LOAD(BPF_DW, BPF_REG_2, BPF_REG_0, 24));
	smaller = writer->code->n;
	count_emit(writer, CODE_JUMP_IF_REG(is_signed ? BPF_JSLE : BPF_JLE, VALUE, BPF_REG_2, 0));
	count_emit(writer, CODE_PUT_REG(BPF_DW, BPF_REG_0, 24, VALUE));
	done = writer->code->n;
	count_emit(writer, CODE_JUMP);
	bpf_land(writer->code, first);
	count_emit(writer, CODE_PUT_REG(BPF_DW, BPF_REG_0, 16, VALUE));
	count_emit(writer, CODE_PUT_REG(BPF_DW, BPF_REG_0, 24, VALUE));
	bpf_land(writer->code, smaller);
	bpf_land(writer->code, done);
}

/* Stores the keys that this site has. */
static int count_emit_keys(struct count_writer *writer)
{
	const struct count_columns *columns = writer->program->columns;
	int r = 0;

	for (size_t i = 0; r == 0 && i < columns->n_keys; i++) {
		const struct count_from *from = &writer->program->site->keys[i];

		if (from->fact != COUNT_FACT_NONE)
			r = count_emit_column(
				writer, &columns->keys[i], from,
				(struct count_place){ BPF_REG_10,
						      AREA + (int)columns->keys[i].offset });
	}
	return r;
}

static void count_emit_bin_key(struct count_writer *writer)
{
	const struct count_layout *layout = writer->program->layout;

	if (layout->has_bins)
		count_emit_bin(writer);
	if (layout->is_array && !layout->has_bins)
		count_emit(writer, CODE_STORE(BPF_W, AREA, 0));
	else if (layout->is_array)
		count_emit(writer, CODE_STORE_REG(BPF_W, AREA, BPF_REG_1));
	else if (layout->has_bins)
		count_emit(writer,
			   CODE_STORE_REG(BPF_DW, (int16_t)(AREA + (int)layout->key_size - 8),
					  BPF_REG_1));
}

static void count_emit_sums(struct count_writer *writer)
{
	const int map = writer->program->maps->sums;
	uint32_t found;

	count_emit_find(writer, map, AREA);
	if (!writer->program->layout->is_array) {
		found = writer->code->n;
		count_emit(writer, CODE_JUMP_IF(BPF_JNE, BPF_REG_0, 0, 0));
		count_emit_zero(writer, (struct count_place){ BPF_REG_10, EMPTY_SUMS },
				sizeof(struct count_sums));
		bpf_emit_place(writer->code, BPF_REG_3, EMPTY_SUMS);
		count_emit_insert(writer, map, AREA);
		bpf_land(writer->code, found);
	}
	count_emit_need(writer, COUNT_LOSS_FULL);
	count_emit_add(writer);
}

static int count_write_counted(struct count_writer *writer)
{
	const struct count_program *program = writer->program;
	int r = 0;

	count_emit_process(writer);
	if (!program->layout->is_paired) {
		r = count_emit_filters(writer, &writer->leave);
	} else {
		r = count_emit_choice(writer);
		if (r == 0)
			r = count_emit_take_begin(writer);
		if (r == 0)
			count_emit_leave_unchosen(writer);
	}
	if (r == 0 && program->columns->has_value && !program->plan->is_latency &&
	    !program->layout->frame_value) {
		r = count_emit_number(writer, &program->site->value);
		count_emit(writer, CODE_MOVE(VALUE, BPF_REG_0));
	}
	if (r == 0)
		r = count_emit_keys(writer);
	if (r < 0)
		return r;
	count_emit_bin_key(writer);
	count_emit_sums(writer);
	return 0;
}

int count_program_write(const struct count_program *program, struct bpf_code *code,
			struct fathom_err *err)
{
	struct count_writer writer = { .program = program, .code = code, .err = err };
	int r;

	count_emit(&writer, CODE_MOVE(BPF_REG_6, BPF_REG_1));
	r = program->site->is_begin ? count_write_begin(&writer) : count_write_counted(&writer);
	if (r < 0)
		return r;
	bpf_land_all(code, &writer.leave);
	count_emit(&writer, CODE_SET(BPF_REG_0, 0));
	count_emit(&writer, CODE_LEAVE);
	return 0;
}
