/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The bodies of the sections that describe a kernel, from HEADER_INFO to CMDLINES: texts preceded
 * by their sizes, and lists of such texts. In version 6, only these sizes say where a body ends and
 * the next begins, so a damaged body must be repaired before it is written to such a file. No
 * function keeps state; input is untrusted.
 */
#ifndef FATHOM_FORMAT_FILE_TRACE_BODY_H
#define FATHOM_FORMAT_FILE_TRACE_BODY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/file/trace-encode.h"
#include "format/event/view.h"

/* The IDs of these sections, in the order of version 6. */
#define TRACE_BODIES 6
extern const uint16_t trace_bodies[TRACE_BODIES];

/* Skips the body of section @id. The reader fails if the body is cut off or damaged. */
void trace_body_skip(unsigned id, struct reader *reader);
/* Returns the length of the body at the start of @bytes; 0 if it is cut off or damaged. */
size_t trace_body_length(unsigned id, const void *bytes, size_t size, bool big_endian);
/* Encodes a valid body from the remains of a damaged one, or an empty body if there are none. */
void trace_body_repair(unsigned id, const void *bytes, size_t size, struct trace_encoder *e);

#endif
