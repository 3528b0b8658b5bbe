/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The internals of the CTF output. The layout of each event format is planned once:
 * export-ctf-metadata.c describes it for readers, export-ctf.c writes events accordingly. Sizes are
 * in bytes.
 */
#ifndef FATHOM_RENDER_EXPORT_EXPORT_CTF_H
#define FATHOM_RENDER_EXPORT_EXPORT_CTF_H

#include "base/arena.h"
#include "base/strbuf.h"
#include "format/event/event-format.h"
#include "render/export.h"

/* A packet is written when it has reached this size; it has room for one more event. */
#define CTF_PACKET_FULL ((size_t)32 << 10)
#define CTF_EVENT_MAX	((size_t)64 << 10)
/* CPUs are files; the first file is the description. */
#define CTF_CPUS (EXPORT_FILES_MAX - 1)

#define CTF_MAGIC 0xc1fc1fc1U
/* The size of the packet header, and of the header of an event. */
#define CTF_PACKET_HEAD (2 * 4 + 5 * 8 + 4)
#define CTF_EVENT_HEAD	(2 + 8 + 4)

enum ctf_kind {
	CTF_NUMBER, /* as many bytes as in the event */
	CTF_STRING, /* NUL-terminated */
	CTF_SEQUENCE, /* the number of elements, followed by these */
};

struct ctf_field {
	const struct event_field *field; /* NULL: the whole event */
	enum ctf_kind kind;
	uint8_t size; /* of the number, or of an element */
	bool is_signed;
};

struct ctf_plan {
	const struct event_format *format; /* NULL: unknown event */
	uint32_t n_fields;
	struct ctf_field *fields;
};

struct ctf_cpu {
	size_t len; /* 0: no packet has been started */
	uint64_t begin, last; /* times of the packet's first and last event */
	uint64_t discarded; /* lost events since the start of the trace */
	uint8_t packet[CTF_PACKET_FULL + CTF_EVENT_MAX];
};

struct ctf {
	struct arena arena;
	struct ctf_plan **plans; /* by event ID */
	struct ctf_cpu **cpus;
	size_t n_cpus;
	bool big; /* the trace is big-endian */
	bool nomem;
	int err; /* 0, or the first negative errno while writing files */
};

/*
 * Describes the trace and all events that have a plan. Errors are kept in @text. In
 * export-ctf-metadata.c.
 */
void ctf_write_metadata(struct export *export, struct strbuf *text);

#endif
