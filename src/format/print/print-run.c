/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Runs programs. The record is untrusted: each read is checked against its length. The compiler
 * guarantees that the stack neither overflows nor underflows, and that jumps go forward to an
 * operation of the program.
 */
#include <string.h>

#include "format/event/c-type.h"
#include "format/print/print-program.h"

#define NAMED_MAX  16 /* fields of an event */
#define NAMES_SIZE 1024

static inline uint64_t print_run_load(const unsigned char *p, unsigned size, bool is_signed,
				      bool swap)
{
	uint16_t n2;
	uint32_t n4;
	uint64_t n8;

	switch (size) {
	case 1:
		return is_signed ? (uint64_t)(int64_t)(int8_t)*p : *p;
	case 2:
		memcpy(&n2, p, sizeof(n2));
		n2 = swap ? __builtin_bswap16(n2) : n2;
		return is_signed ? (uint64_t)(int64_t)(int16_t)n2 : n2;
	case 4:
		memcpy(&n4, p, sizeof(n4));
		n4 = swap ? __builtin_bswap32(n4) : n4;
		return is_signed ? (uint64_t)(int64_t)(int32_t)n4 : n4;
	case 8:
		memcpy(&n8, p, sizeof(n8));
		return swap ? __builtin_bswap64(n8) : n8;
	default:
		return 0;
	}
}

static inline bool print_run_inside(const struct print_run *run, uint32_t offset, uint32_t size)
{
	return offset <= run->len && size <= run->len - offset;
}

static inline uint64_t load_field(struct print_run *run, const struct print_op *op)
{
	if (!print_run_inside(run, op->a, op->size)) {
		run->unknown = true;
		return 0;
	}
	return print_run_load(run->record + op->a, op->size, op->sign, run->program->swap);
}

/* A single number without padding. */
static void print_run_field_number(struct print_run *run, const struct print_op *op)
{
	uint64_t value;

	if (!print_run_inside(run, op->a, op->size)) {
		text_str(run->text, PRINT_UNKNOWN);
		return;
	}
	value = print_run_load(run->record + op->a, op->size, op->sign, run->program->swap);
	value = c_type_narrow(value, op->b, op->flag == 'd');
	if (op->flag == 'd')
		text_s64(run->text, (int64_t)value);
	else if (op->flag == 'u')
		text_u64(run->text, value);
	else
		text_hex(run->text, value);
}

static void field_string(struct print_run *run, const struct print_op *op)
{
	const char *s = (const char *)run->record + op->a;

	if (print_run_inside(run, op->a, op->b))
		print_name(run, s, strnlen(s, op->b ? op->b : run->len - op->a));
	else
		text_str(run->text, PRINT_UNKNOWN);
}

/* The location of a dynamic field's bytes; unknown if they are not in the record. */
static uint64_t print_run_dynamic(struct print_run *run, const struct print_op *op)
{
	const uint64_t nothing = print_make_memory(UINT32_MAX, 1);
	uint32_t loc, offset, size;

	if (!print_run_inside(run, op->a, op->size) || (op->size != 4 && op->size != 2))
		return nothing;
	loc = (uint32_t)print_run_load(run->record + op->a, op->size, false, run->program->swap);
	offset = loc & 0xffff;
	size = loc >> 16;
	if (op->flag == EVENT_PLACE_REL_LOC)
		offset += op->a + op->size;
	if (op->flag == EVENT_PLACE_OFFSET && offset <= run->len)
		size = run->len - offset;
	return print_run_inside(run, offset, size) ? print_make_memory(offset, size) : nothing;
}

static void dynamic_string(struct print_run *run, const struct print_op *op)
{
	size_t len;
	const char *s = (const char *)print_memory(run, print_run_dynamic(run, op), &len);

	if (s)
		print_name(run, s, strnlen(s, len));
	else
		text_str(run->text, PRINT_UNKNOWN);
}

static uint64_t print_run_memory(struct print_run *run, const struct print_op *op)
{
	if (!print_run_inside(run, op->a, op->b)) {
		run->unknown = true;
		return 0;
	}
	return print_make_memory(op->a, op->b ? op->b : run->len - op->a);
}

static uint64_t dynamic_checked(struct print_run *run, const struct print_op *op)
{
	uint64_t value = print_run_dynamic(run, op);
	size_t len;

	if (!print_memory(run, value, &len))
		run->unknown = true;
	return value;
}

static uint64_t print_run_element(struct print_run *run, const struct print_op *op, uint64_t mem,
				  uint64_t i)
{
	size_t len;
	const unsigned char *p = print_memory(run, mem, &len);

	if (!p || i >= len / op->size) {
		run->unknown = true;
		return 0;
	}
	return print_run_load(p + i * op->size, op->size, op->sign, run->program->swap);
}

static uint64_t print_run_advance(struct print_run *run, const struct print_op *op, uint64_t mem,
				  uint64_t i)
{
	const int64_t offset = (uint32_t)mem;
	const int64_t bytes = (uint32_t)(mem >> 32);
	const int64_t n = (int64_t)i;

	/* No record is this long, and the product cannot overflow. */
	if (n > INT32_MAX || n < INT32_MIN || n * op->size > bytes || n * op->size < -offset) {
		run->unknown = true;
		return mem;
	}
	return print_make_memory((uint32_t)(offset + n * op->size),
				 (uint32_t)(bytes - n * op->size));
}

static uint64_t swap_bytes(uint64_t value, unsigned size)
{
	switch (size) {
	case 2:
		return __builtin_bswap16((uint16_t)value);
	case 4:
		return __builtin_bswap32((uint32_t)value);
	default:
		return __builtin_bswap64(value);
	}
}

static uint64_t print_run_jiffies(struct print_run *run, uint64_t n, uint64_t per_second)
{
	if (!run->env->hz) {
		run->unknown = true;
		return 0;
	}
	return (uint32_t)((unsigned __int128)n * per_second / run->env->hz);
}

static int clamp_count(uint64_t value)
{
	int n = (int)value;

	return n > PRINT_WIDTH_MAX ? PRINT_WIDTH_MAX : n < -PRINT_WIDTH_MAX ? -PRINT_WIDTH_MAX : n;
}

static void print_run_named(struct print_run *run, const struct print_list *list, uint64_t value)
{
	if (value < list->n && list->names[value]) {
		text_str(run->text, list->before);
		text_str(run->text, list->names[value]);
		text_str(run->text, list->after);
	} else {
		text_str(run->text, list->none);
	}
}

static void print_run_device(struct print_run *run, uint64_t dev)
{
	text_u64(run->text, (uint32_t)dev >> 20);
	text_char(run->text, ':');
	text_u64(run->text, dev & 0xfffff);
}

/* Output operations. Returns the number of values to pop. */
static unsigned print_run_output(struct print_run *run, const struct print_op *op,
				 const uint64_t *top)
{
	if (op->code <= PRINT_OUT_MEMORY)
		run->start = text_len(run->text);
	switch (op->code) {
	case PRINT_OUT_NUMBER:
		print_number(run, op->ptr, top[0]);
		return 1;
	case PRINT_OUT_SYMBOL:
		if (op->sign)
			print_symbol_and_address(run, top[0], op->flag);
		else
			print_symbol(run, top[0], op->flag);
		print_finish(run, op->ptr);
		return 1;
	case PRINT_OUT_POINTER:
		print_pointer(run, op->ptr, top[0]);
		return 1;
	case PRINT_OUT_MEMORY:
		print_pointed(run, op->ptr, top[0]);
		return 1;
	case PRINT_OUT_TEXT:
		text_bytes(run->text, op->ptr, op->a);
		return 0;
	case PRINT_OUT_STRING:
		print_string(run, top[0]);
		return 1;
	case PRINT_OUT_PRINTK:
		print_printk(run, top[0]);
		return 1;
	case PRINT_OUT_FLAGS:
		print_flags(run, op->ptr, top[0], op->size);
		return 1;
	case PRINT_OUT_SYMBOLIC:
		print_symbolic(run, op->ptr, top[0], op->size);
		return 1;
	case PRINT_OUT_HEX:
		print_hex(run, top[-1], top[0], (char)op->flag);
		return 2;
	case PRINT_OUT_ARRAY:
		print_array(run, top[-2], top[-1], top[0]);
		return 3;
	case PRINT_OUT_HEX_DUMP:
		print_hex_dump(run, &(struct print_dump){ op->ptr, top[-5], top[-4], top[-3],
							  top[-2], top[-1], top[0] });
		return 6;
	case PRINT_OUT_BITMASK:
		print_bitmask(run, top[0]);
		return 1;
	case PRINT_OUT_CPULIST:
		print_cpulist(run, top[0]);
		return 1;
	case PRINT_OUT_STACK:
		print_stack(run, top[0]);
		return 1;
	case PRINT_OUT_DEVICE:
		print_run_device(run, top[0]);
		return 1;
	case PRINT_OUT_NAMED:
		print_run_named(run, op->ptr, top[0]);
		return 1;
	case PRINT_OUT_SCSI:
		print_scsi(run, top[-1], top[0]);
		return 2;
	case PRINT_END:
		print_finish(run, op->ptr);
		return 0;
	default:
		return 0;
	}
}

/* Values and operators. Returns the new top of the stack. */
static uint64_t *compute(struct print_run *run, const struct print_op *op, uint64_t *top)
{
	switch (op->code) {
	case PRINT_WIDTH:
		run->width = clamp_count(*top);
		return top - 1;
	case PRINT_PRECISION:
		run->limit = run->precision = clamp_count(*top);
		return top - 1;
	case PRINT_CONST:
		*++top = op->imm;
		return top;
	case PRINT_LOAD:
		*++top = load_field(run, op);
		return top;
	case PRINT_MEMORY:
		*++top = print_run_memory(run, op);
		return top;
	case PRINT_DYNAMIC:
		*++top = dynamic_checked(run, op);
		return top;
	case PRINT_DYNAMIC_LEN:
		*top >>= 32;
		return top;
	case PRINT_INDEX:
		top[-1] = print_run_element(run, op, top[-1], top[0]);
		return top - 1;
	case PRINT_ADVANCE:
		top[-1] = print_run_advance(run, op, top[-1], top[0]);
		return top - 1;
	case PRINT_SWAP:
		*top = swap_bytes(*top, op->size);
		return top;
	case PRINT_JIFFIES:
		*top = print_run_jiffies(run, *top, op->imm);
		return top;
	case PRINT_UNKNOWN_VALUE:
		run->unknown = true;
		*++top = 0;
		return top;
	case PRINT_POP:
		return top - 1;
	case PRINT_NARROW:
		top[-(int64_t)op->a] = c_type_narrow(top[-(int64_t)op->a], op->size, op->sign);
		return top;
	case PRINT_NEG:
		*top = 0 - *top;
		return top;
	case PRINT_INVERT:
		*top = ~*top;
		return top;
	case PRINT_NOT:
		*top = !*top;
		return top;
	default:
		if (!print_arithmetic(op, top[-1], top[0], &top[-1]))
			run->unknown = true;
		return top - 1;
	}
}

static inline bool op_is_last(const struct print_op *op, const struct print_op *end)
{
	return op + 1 == end || (op[1].code == PRINT_END && op + 2 == end);
}

static void run_program(struct print_run *run)
{
	/* The first slot is unused, so that the top of an empty stack is in bounds. */
	uint64_t stack[PRINT_STACK_MAX + 1] = { 0 };
	uint64_t *top = stack;
	const struct print_op *ops = run->program->ops;
	const uint32_t n = run->program->n;

	for (uint32_t i = 0; i < n; i++) {
		const struct print_op *op = &ops[i];

		switch (op->code) {
		case PRINT_TEXT:
			text_padded(run->text, op->ptr, op->a);
			break;
		case PRINT_FIELD_NUMBER:
			print_run_field_number(run, op);
			break;
		case PRINT_FIELD_STRING:
			run->last = op_is_last(op, ops + n);
			field_string(run, op);
			break;
		case PRINT_DYNAMIC_STRING:
			run->last = op_is_last(op, ops + n);
			dynamic_string(run, op);
			break;
		case PRINT_FIELD:
			print_field(run->program->format, op->ptr, run->record, run->len,
				    run->text);
			break;
		case PRINT_BEGIN:
			run->start = text_len(run->text);
			run->limit = (int)op->a - 1;
			run->escaped = 0;
			break;
		case PRINT_LOAD:
			*++top = load_field(run, op);
			break;
		case PRINT_NOP:
			break;
		case PRINT_JUMP:
			i = op->a - 1;
			break;
		case PRINT_JUMP_IF_ZERO:
			if (*top-- == 0)
				i = op->a - 1;
			break;
		default:
			run->last = op_is_last(op, ops + n);
			if (op->code < PRINT_OUT_NUMBER)
				top = compute(run, op, top);
			else
				top -= print_run_output(run, op, top);
		}
	}
}

static void print_run_init(struct print_run *run, const struct print_program *program,
			   const struct print_env *env, const void *record, size_t len,
			   struct text *text)
{
	run->program = program;
	run->env = env;
	run->record = record;
	run->len = len > UINT32_MAX ? UINT32_MAX : (uint32_t)len;
	run->text = text;
	run->start = 0;
	run->unknown = false;
	run->width = run->precision = -1;
	run->limit = -1;
	run->escaped = 0;
	run->last = false;
}

/* Does @op print names of one field, perhaps of some of its bits? Its number goes to @ret_value. */
static const struct event_field *named_field(struct print_run *run, const struct print_op *op,
					     size_t before, uint64_t *ret_value)
{
	const struct event_format *format = run->program->format;
	const struct print_op *load = op - 1;
	uint64_t mask = UINT64_MAX;

	if (op->code != PRINT_OUT_FLAGS && op->code != PRINT_OUT_SYMBOLIC)
		return NULL;
	while (before > 1 && (load->code == PRINT_NARROW || load->code == PRINT_NOP)) {
		load--;
		before--;
	}
	if (before > 2 && load->code == PRINT_AND && load[-1].code == PRINT_CONST) {
		mask = load[-1].imm;
		load -= 2;
		before -= 2;
	}
	if (!before || load->code != PRINT_LOAD)
		return NULL;
	for (uint32_t i = 0; i < format->n_fields; i++)
		if (format->fields[i].offset == load->a && format->fields[i].size == load->size) {
			*ret_value = load_field(run, load) & mask;
			return &format->fields[i];
		}
	return NULL;
}

void event_print_names(const struct print_program *program, const struct print_env *env,
		       const void *record, size_t len, event_print_taker *take, void *data)
{
	const struct event_field *done[NAMED_MAX];
	size_t n = 0;

	for (uint32_t i = 0; i < program->n && n < NAMED_MAX; i++) {
		const struct event_field *field;
		char buf[NAMES_SIZE];
		struct print_run run;
		struct text text;
		uint64_t value;
		size_t k = 0;

		text_init(&text, buf, sizeof(buf));
		print_run_init(&run, program, env, record, len, &text);
		field = named_field(&run, &program->ops[i], i, &value);
		/* Some expressions have names for several cases of one field. */
		while (k < n && done[k] != field)
			k++;
		if (!field || k < n || run.unknown)
			continue;
		print_run_output(&run, &program->ops[i], &value);
		if (run.unknown || !text_len(&text))
			continue;
		done[n++] = field;
		take(data, field->name, buf, text_len(&text));
	}
}

void event_print(const struct print_program *program, const struct print_env *env,
		 const void *record, size_t len, struct text *text)
{
	struct print_run run;

	print_run_init(&run, program, env, record, len, text);
	if (program->is_bprint)
		print_bprint(&run);
	else if (program->is_empty)
		event_print_fields(program->format, env, record, len, text);
	else
		run_program(&run);
}
