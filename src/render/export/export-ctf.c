/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The Common Trace Format 1.8: a directory with a description and a file of packets for each CPU.
 * Numbers are copied unchanged, in the byte order of the trace.
 */
#include "render/export/export-ctf.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "format/bytes.h"
#include "read/event-table.h"

static bool export_ctf_is_number_size(unsigned size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

static struct ctf_field plan_field(const struct event_field *field)
{
	struct ctf_field plan = { .field = field, .kind = CTF_SEQUENCE, .size = 1 };

	switch (field->kind) {
	case EVENT_FIELD_INT:
	case EVENT_FIELD_BOOL:
	case EVENT_FIELD_POINTER:
		if (field->place != EVENT_PLACE_FIXED || !export_ctf_is_number_size(field->size))
			break;
		plan.kind = CTF_NUMBER;
		plan.size = (uint8_t)field->size;
		plan.is_signed = field->is_signed;
		break;
	case EVENT_FIELD_STRING:
		plan.kind = CTF_STRING;
		break;
	case EVENT_FIELD_ARRAY:
	case EVENT_FIELD_STACK:
		if (!export_ctf_is_number_size(field->elem_size))
			break;
		plan.size = field->elem_size;
		plan.is_signed = field->is_signed;
		break;
	default:
		break;
	}
	return plan;
}

/* Returns NULL if memory is exhausted. */
static const struct ctf_plan *export_ctf_make_plan(struct export *export, unsigned id)
{
	struct ctf *ctf = export->state;
	struct event_entry *entry = event_table_find(report_events(export->input->report), id);
	const struct event_format *format = entry ? entry->format : NULL;
	struct ctf_plan *plan = arena_zalloc(&ctf->arena, 1, sizeof(*plan));

	if (plan)
		plan->fields = arena_zalloc(&ctf->arena, format ? format->n_fields + (size_t)1 : 1,
					    sizeof(plan->fields[0]));
	if (!plan || !plan->fields) {
		ctf->nomem = true;
		return NULL;
	}
	plan->format = format;
	if (!format)
		plan->fields[plan->n_fields++] =
			(struct ctf_field){ .kind = CTF_SEQUENCE, .size = 1 };
	for (uint32_t i = 0; format && i < format->n_fields; i++)
		if (!format->fields[i].is_common)
			plan->fields[plan->n_fields++] = plan_field(&format->fields[i]);
	ctf->plans[id] = plan;
	return plan;
}

static struct ctf_cpu *export_ctf_get_cpu(struct ctf *ctf, uint32_t cpu)
{
	size_t cap = ctf->n_cpus;

	if (cpu >= ctf->n_cpus) {
		if (mem_reserve(&ctf->cpus, &cap, cpu + (size_t)1, sizeof(void *)) < 0) {
			ctf->nomem = true;
			return NULL;
		}
		memset(&ctf->cpus[ctf->n_cpus], 0, (cap - ctf->n_cpus) * sizeof(void *));
		ctf->n_cpus = cap;
	}
	if (!ctf->cpus[cpu])
		ctf->cpus[cpu] = mem_zalloc(1, sizeof(struct ctf_cpu));
	if (!ctf->cpus[cpu])
		ctf->nomem = true;
	return ctf->cpus[cpu];
}

static void export_ctf_write_packet(struct export *export, uint32_t number, struct ctf_cpu *cpu)
{
	struct ctf *ctf = export->state;
	uint8_t *p = cpu->packet;
	uint64_t bits = (uint64_t)cpu->len * 8;
	uint64_t words[] = { bits, bits, cpu->begin, cpu->last, cpu->discarded };

	if (!cpu->len)
		return;
	store_u32(p, CTF_MAGIC, ctf->big);
	store_u32(p + 4, 0, ctf->big);
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		store_u64(p + 8 + 8 * i, words[i], ctf->big);
	store_u32(p + 48, number, ctf->big);
	if (!ctf->err)
		ctf->err = export->append(export->append_data, number + 1, p, cpu->len);
	cpu->len = 0;
}

/* Source and destination: the bytes of an event, and the space for them. */
struct room {
	uint8_t *p;
	const uint8_t *end;
};

/* Returns false if there is no space. */
static bool export_ctf_put_number(struct room *room, const struct ctf_field *field,
				  const struct fathom_event *event)
{
	uint64_t offset = field->field->offset;

	if ((size_t)(room->end - room->p) < field->size)
		return false;
	/* A number beyond the end of the event is 0. */
	if (offset + field->size <= event->size)
		memcpy(room->p, (const uint8_t *)event->data + offset, field->size);
	else
		memset(room->p, 0, field->size);
	room->p += field->size;
	return true;
}

static bool export_ctf_put_string(struct room *room, const struct event_format *format,
				  const struct event_field *field, const struct fathom_event *event)
{
	const char *s = "";
	size_t len = 0;

	if (!event_field_string(format, field, event->data, event->size, &s, &len))
		len = 0;
	if ((size_t)(room->end - room->p) <= len)
		return false;
	memcpy(room->p, s, len);
	room->p[len] = 0;
	room->p += len + 1;
	return true;
}

static bool export_ctf_put_sequence(struct room *room, const struct ctf_field *field,
				    const struct event_format *format,
				    const struct fathom_event *event, bool big)
{
	const unsigned char *bytes = event->data;
	size_t len = event->size;

	if (field->field &&
	    !event_field_bytes(format, field->field, event->data, event->size, &bytes, &len))
		len = 0;
	len -= len % field->size;
	if ((size_t)(room->end - room->p) < 4 || (size_t)(room->end - room->p) - 4 < len)
		return false;
	store_u32(room->p, (uint32_t)(len / field->size), big);
	if (len)
		memcpy(room->p + 4, bytes, len);
	room->p += 4 + len;
	return true;
}

static bool export_ctf_put_fields(struct room *room, const struct ctf_plan *plan,
				  const struct fathom_event *event, bool big)
{
	bool fits = true;

	for (uint32_t i = 0; fits && i < plan->n_fields; i++) {
		const struct ctf_field *field = &plan->fields[i];

		if (field->kind == CTF_NUMBER)
			fits = export_ctf_put_number(room, field, event);
		else if (field->kind == CTF_STRING)
			fits = export_ctf_put_string(room, plan->format, field->field, event);
		else
			fits = export_ctf_put_sequence(room, field, plan->format, event, big);
	}
	return fits;
}

static void export_ctf_put_event(struct export *export, const struct ctf_plan *plan,
				 struct ctf_cpu *cpu, const struct fathom_event *event)
{
	struct ctf *ctf = export->state;
	size_t start = cpu->len ? cpu->len : CTF_PACKET_HEAD;
	uint8_t *p = cpu->packet + start;
	/* Readers reject a stream in which time goes back. */
	uint64_t time = event->time < cpu->last ? cpu->last : event->time;
	struct room room = { p + CTF_EVENT_HEAD, cpu->packet + sizeof(cpu->packet) };

	store_u16(p, event->id, ctf->big);
	store_u64(p + 2, time, ctf->big);
	store_u32(p + 10, (uint32_t)event->pid, ctf->big);
	if (!export_ctf_put_fields(&room, plan, event, ctf->big)) {
		export->left_out++;
		return;
	}
	if (!cpu->len)
		cpu->begin = time;
	cpu->last = time;
	cpu->len = (size_t)(room.p - cpu->packet);
	export->events++;
	export->unknown += !plan->format;
}

static void export_ctf_write_event(void *data, struct report_input *input,
				   struct fathom_event *event, struct text *text)
{
	struct export *export = data;
	struct ctf *ctf = export->state;
	const struct ctf_plan *plan = ctf->plans[event->id];
	struct ctf_cpu *cpu = event->cpu < CTF_CPUS ? export_ctf_get_cpu(ctf, event->cpu) : NULL;

	if (!cpu) {
		export->left_out++;
		return;
	}
	if (event->missed) {
		export_ctf_write_packet(export, event->cpu, cpu);
		cpu->discarded += event->missed == FATHOM_MISSED_UNKNOWN ? 1 : event->missed;
	}
	if (!event->data)
		return;
	if (!plan)
		plan = export_ctf_make_plan(export, event->id);
	if (!plan)
		return;
	export_ctf_put_event(export, plan, cpu, event);
	if (cpu->len >= CTF_PACKET_FULL)
		export_ctf_write_packet(export, event->cpu, cpu);
	/* Setting the sink's error stops the reader. */
	if (ctf->err && !export->sink->err)
		export->sink->err = ctf->err;
}

static int export_ctf_begin(struct export *export, struct fathom_err *err)
{
	struct ctf *ctf = export->state;

	ctf->big = fathom_trace_info(export->input->trace)->big_endian;
	ctf->plans = mem_zalloc(EVENT_TABLE_IDS, sizeof(void *));
	return ctf->plans ? 0 : err_nomem(err);
}

static int export_ctf_end(struct export *export, struct fathom_err *err)
{
	struct ctf *ctf = export->state;
	_cleanup_strbuf_ struct strbuf text = { 0 };

	for (size_t i = 0; i < ctf->n_cpus; i++)
		if (ctf->cpus[i])
			export_ctf_write_packet(export, (uint32_t)i, ctf->cpus[i]);
	ctf_write_metadata(export, &text);
	if (ctf->nomem || text.err)
		return err_nomem(err);
	if (!ctf->err)
		ctf->err = export->append(export->append_data, 0, strbuf_str(&text), text.len);
	if (ctf->err)
		return err_set_errno(err, ctf->err, "cannot write the output");
	return 0;
}

static void export_ctf_file_name(unsigned number, char *buf, size_t size)
{
	if (number)
		snprintf(buf, size, "channel0_%u", number - 1);
	else
		snprintf(buf, size, "metadata");
}

static void export_ctf_done(struct export *export)
{
	struct ctf *ctf = export->state;

	for (size_t i = 0; i < ctf->n_cpus; i++)
		free(ctf->cpus[i]);
	free(ctf->cpus);
	free(ctf->plans);
	arena_done(&ctf->arena);
}

const struct export_output export_ctf = {
	.name = "ctf",
	.suffix = ".ctf",
	.summary = "Common Trace Format (a directory): Trace Compass, babeltrace2",
	.open = "open it with babeltrace2 or Trace Compass",
	.flags = EXPORT_BINARY | EXPORT_DIRECTORY,
	.state_size = sizeof(struct ctf),
	.begin = export_ctf_begin,
	.event = export_ctf_write_event,
	.end = export_ctf_end,
	.done = export_ctf_done,
	.file_name = export_ctf_file_name,
};
