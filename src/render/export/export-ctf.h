/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the two files of the CTF output share. The layout of each kind of event is made once:
 * one file writes it down for readers, the other one lays events out by it.
 */
#ifndef FATHOM_RENDER_EXPORT_EXPORT_CTF_H
#define FATHOM_RENDER_EXPORT_EXPORT_CTF_H

#include "base/arena.h"
#include "base/strbuf.h"
#include "format/event/event-format.h"
#include "read/event-table.h"
#include "render/export.h"

/* A packet with so many bytes is written; the room for one more event behind that. */
#define CTF_PACKET_FULL ((size_t)32 << 10)
#define CTF_EVENT_MAX	((size_t)64 << 10)
/* CPUs are files, and the first file describes the others. */
#define CTF_CPUS (EXPORT_FILES_MAX - 1)

#define CTF_MAGIC 0xc1fc1fc1U
/* Bytes before the first event of a packet, and before the fields of an event. */
#define CTF_PACKET_HEAD (2 * 4 + 5 * 8 + 4)
#define CTF_EVENT_HEAD	(2 + 8 + 4)

enum ctf_kind {
	CTF_NUMBER, /* as many bytes as in the event */
	CTF_STRING, /* ends with NUL */
	CTF_SEQUENCE, /* the number of elements, then these */
};

struct ctf_field {
	const struct event_field *field; /* NULL: all of the event */
	enum ctf_kind kind;
	uint8_t size; /* of the number, or of an element */
	bool is_signed;
};

struct ctf_plan {
	const struct event_format *format; /* NULL: nothing describes the event */
	uint32_t n_fields;
	struct ctf_field *fields;
};

struct ctf_cpu {
	size_t len; /* 0: no packet is begun */
	uint64_t begin, last; /* times of the packet's first event, and of the last one */
	uint64_t discarded; /* events that were lost, from the start on */
	uint8_t packet[CTF_PACKET_FULL + CTF_EVENT_MAX];
};

struct ctf {
	struct arena arena;
	struct ctf_plan **plans; /* by event id */
	struct ctf_cpu **cpus;
	size_t n_cpus;
	bool big; /* the byte order is that of the trace */
	bool nomem;
	int err; /* of what could not be written: 0 or a negative errno */
};

/* export-ctf-metadata.c: describes the trace and all events that have a plan. */
void ctf_write_metadata(struct export *export, struct strbuf *text);

#endif
