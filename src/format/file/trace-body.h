/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The bodies of the sections that a kernel is described with, from HEADER_INFO to
 * CMDLINES: texts with their sizes in front, and lists of such texts. Version 6 has
 * nothing but these sizes to tell where one body ends and the next begins, so a body must
 * be whole before it goes into such a file.
 */
#ifndef FATHOM_FORMAT_FILE_TRACE_BODY_H
#define FATHOM_FORMAT_FILE_TRACE_BODY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/file/trace-encode.h"
#include "format/event/view.h"

/* The ids of these sections, in the order of version 6. */
#define TRACE_BODIES 6
extern const uint16_t trace_bodies[TRACE_BODIES];

/* Passes over the body of the section @id; the reader fails when it is cut off or damaged. */
void trace_body_skip(unsigned id, struct reader *reader);
/* How many of the @size bytes are the body; 0 when it is cut off or damaged. */
size_t trace_body_length(unsigned id, const void *bytes, size_t size, bool big_endian);
/* Encodes a body of what is there of it; of no bytes one that says nothing. */
void trace_body_repair(unsigned id, const void *bytes, size_t size, struct trace_encoder *e);

#endif
