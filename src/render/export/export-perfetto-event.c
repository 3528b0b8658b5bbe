/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Encodes an event: time, task, and a message with its fields. Fields that exceed
 * PERFETTO_EVENT_MAX are omitted and counted.
 */
#include "render/export/export-field.h"
#include "render/export/export-perfetto.h"

/* An event being encoded. */
struct put {
	struct export *export;
	const struct event_format *format;
	const struct fathom_event *event;
	uint8_t *p;
	const uint8_t *end; /* end of the available space */
	uint8_t *outer, *inner; /* start of the event, and of its message */
	bool cut;
};

static void export_perfetto_event_begin(struct put *put, struct export *export,
					const struct perfetto_plan *plan, struct perfetto_cpu *cpu,
					const struct fathom_event *event)
{
	uint8_t *p = cpu->events + cpu->len;

	put->export = export;
	put->format = plan->format;
	put->event = event;
	put->end = p + PERFETTO_EVENT_MAX;
	put->cut = false;
	put->outer = pb_tag(p, BUNDLE_EVENT, PB_BYTES) + 2;
	p = pb_number(put->outer, EVENT_TIMESTAMP, event->time);
	p = pb_number(p, EVENT_PID, (uint32_t)event->pid);
	put->inner = pb_tag(p, plan->number, PB_BYTES) + 2;
	put->p = pb_padded(put->inner, plan->head, plan->head_len);
}

static void export_perfetto_event_end(struct put *put, struct perfetto_cpu *cpu)
{
	pb_close2(put->inner, put->p);
	pb_close2(put->outer, put->p);
	cpu->len = (size_t)(put->p - cpu->events);
	put->export->shortened += put->cut;
}

/* Returns whether there is space for @len bytes and their header. */
static bool has_room(struct put *put, size_t len)
{
	if (__builtin_expect((size_t)(put->end - put->p) >= len + PERFETTO_HEAD_MAX, 1))
		return true;
	put->cut = true;
	return false;
}

/* Writes the prefix of a value of @len bytes in a generic event. */
static uint8_t *export_perfetto_event_put_name(uint8_t *p, const struct perfetto_op *op, size_t len)
{
	*p++ = 2 << 3 | PB_BYTES;
	p = pb_varint(p, op->name_len + len);
	return pb_padded(p, op->name, op->name_len);
}

static void export_perfetto_event_put_number(struct put *put, const struct perfetto_op *op,
					     uint64_t value)
{
	if (!has_room(put, op->name_len))
		return;
	if (op->name_len)
		put->p = pb_varint(
			export_perfetto_event_put_name(put->p, op, pb_varint_size(value)), value);
	else
		put->p = pb_number(put->p, op->number, value);
}

static void export_perfetto_event_put_string(struct put *put, const struct perfetto_op *op,
					     const char *s, size_t len)
{
	size_t room = (size_t)(put->end - put->p);

	if (!has_room(put, op->name_len))
		return;
	room -= op->name_len + (size_t)PERFETTO_HEAD_MAX;
	if (len > room) {
		len = room;
		put->cut = true;
	}
	if (op->name_len)
		put->p = export_perfetto_event_put_name(put->p, op, pb_varint_size(len) + len);
	else
		put->p = pb_tag(put->p, op->number, PB_BYTES);
	put->p = pb_varint(put->p, len);
	memcpy(put->p, s, len);
	put->p += len;
}

static void export_perfetto_event_put_elements(struct put *put, const struct perfetto_op *op)
{
	uint64_t value;

	for (size_t i = 0;
	     !put->cut && event_field_element(put->format, op->field, put->event->data,
					      put->event->size, i, &value);
	     i++)
		export_perfetto_event_put_number(put, op, value);
}

static void put_symbol_name(struct put *put, const struct perfetto_op *op, uint64_t address)
{
	uint64_t start;
	const char *name = report_symbol(put->export->input->report, address, &start);
	char buf[24];
	struct text text;

	if (name) {
		export_perfetto_event_put_string(put, op, name, strlen(name));
		return;
	}
	text_init(&text, buf, sizeof(buf));
	text_str(&text, "0x");
	text_hex(&text, address);
	export_perfetto_event_put_string(put, op, buf, text_len(&text));
}

static void put_rest(struct put *put, const struct perfetto_op *op)
{
	struct perfetto *perfetto = put->export->state;
	const struct fathom_event *event = put->event;
	struct text text;
	const char *s;
	size_t len;

	switch (op->kind) {
	case OP_STRING:
		if (event_field_string(put->format, op->field, event->data, event->size, &s, &len))
			export_perfetto_event_put_string(put, op, s, len);
		break;
	case OP_ELEMENTS:
		export_perfetto_event_put_elements(put, op);
		break;
	case OP_TEXT:
		text_init(&text, (char *)perfetto->scratch, PERFETTO_EVENT_MAX);
		export_field_text(put->format, op->field, event, put->export->input->report, &text);
		put->cut |= text.cut;
		export_perfetto_event_put_string(put, op, text.s, text_len(&text));
		break;
	default:
		break;
	}
}

void perfetto_put_fields(struct export *export, const struct perfetto_plan *plan,
			 struct perfetto_cpu *cpu, const struct fathom_event *event)
{
	struct put put;
	uint64_t value;

	export_perfetto_event_begin(&put, export, plan, cpu, event);
	for (uint32_t i = 0; i < plan->n_ops; i++) {
		const struct perfetto_op *op = &plan->ops[i];

		if (op->kind != OP_NUMBER && op->kind != OP_SYMBOL && op->kind != OP_SYMBOL_NAME) {
			put_rest(&put, op);
			continue;
		}
		if (!export_field_number(plan->format, op->field, event, &value))
			continue;
		if (op->kind == OP_SYMBOL_NAME)
			put_symbol_name(&put, op, value);
		else
			export_perfetto_event_put_number(
				&put, op,
				op->kind == OP_SYMBOL ? perfetto_symbol(export->state, value) :
							value);
	}
	export_perfetto_event_end(&put, cpu);
}

/*
 * Perfetto reads only the time, task and function of calls, which are so short that each length
 * fits in one byte.
 */
void perfetto_put_slice(struct perfetto_cpu *cpu, bool begins, uint64_t time, int32_t pid,
			uint64_t symbol)
{
	uint8_t *p = cpu->events + cpu->len, *outer, *inner;

	*p++ = BUNDLE_EVENT << 3 | PB_BYTES;
	outer = ++p;
	*p++ = EVENT_TIMESTAMP << 3 | PB_VARINT;
	p = pb_varint(p, time);
	*p++ = EVENT_PID << 3 | PB_VARINT;
	p = pb_varint(p, (uint32_t)pid);
	p = pb_tag(p, begins ? EVENT_FUNCGRAPH_ENTRY : EVENT_FUNCGRAPH_EXIT, PB_BYTES);
	inner = ++p;
	*p++ = (uint8_t)((begins ? 2 : 3) << 3 | PB_VARINT);
	p = pb_varint(p, symbol);
	inner[-1] = (uint8_t)(p - inner);
	outer[-1] = (uint8_t)(p - outer);
	cpu->len = (size_t)(p - cpu->events);
}

void perfetto_put_text(struct export *export, const struct perfetto_plan *plan,
		       struct perfetto_cpu *cpu, struct fathom_event *event)
{
	struct perfetto *perfetto = export->state;
	struct text text;
	struct put put;

	export_perfetto_event_begin(&put, export, plan, cpu, event);
	text_init(&text, (char *)perfetto->scratch, PERFETTO_EVENT_MAX);
	report_event_text(export->input->report, event, &text);
	put.cut |= text.cut;
	export_perfetto_event_put_string(&put, &plan->ops[0], text.s, text_len(&text));
	export_perfetto_event_end(&put, cpu);
}
