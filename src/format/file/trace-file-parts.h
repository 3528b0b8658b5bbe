/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Shared by the files that parse a trace file. These functions return 0 or -ENOMEM unless they say
 * otherwise: damage is noted in @file->damage and is not an error.
 */
#ifndef FATHOM_FORMAT_FILE_TRACE_FILE_PARTS_H
#define FATHOM_FORMAT_FILE_TRACE_FILE_PARTS_H

#include "format/file/trace-file.h"

/* trace-file-v6.c, trace-file-v7.c: everything after the initial bytes. */
int trace_file_parse_v6(struct trace_file *file, struct reader *reader);
int trace_file_parse_v7(struct trace_file *file, struct reader *reader, uint64_t options_offset);

/*
 * trace-file-options.c: parses options up to DONE. *@ret_next is the offset of the next ones, or 0.
 */
int trace_options_parse(struct trace_file *file, struct reader *reader, uint64_t in_file,
			uint64_t *ret_next);
/* Parses "[local] global ..."; the clock is "" if none is in brackets. */
int trace_clock_parse(struct trace_file *file, const char *text, size_t len,
		      const char **ret_clock);
/* trace-file-buffers.c: parses an option BUFFER or BUFFER_TEXT. */
int trace_buffer_option(struct trace_file *file, struct reader *reader, bool is_text);
/* Adds an empty buffer. Returns -E2BIG if there are too many. Invalidates pointers to buffers. */
int trace_buffer_add(struct trace_file *file, const char *name, struct trace_buffer **ret_buffer);
/* Reads @n rows of offset and size, each preceded by the number of the CPU if @numbered. */
int trace_buffer_cpus(struct trace_file *file, struct trace_buffer *buffer, struct reader *reader,
		      uint32_t n, bool numbered);

/* trace-file-state.c: parses the option FATHOM_STATE, which precedes the buffers. */
int trace_state_option(struct trace_file *file, struct reader *reader);
/* Corrects the offset and size of a CPU of an unfinished file to the data that is there. */
void trace_state_correct(const struct trace_file *file, uint32_t page_size, struct trace_cpu *cpu);

/* trace-file-sections.c: adds a section unless one at its offset is known. */
int trace_section_add(struct trace_file *file, const struct trace_section *section);
/* Reads the page layout from the section HEADER_INFO. Falls back to a default, with a note. */
int trace_file_layout(struct trace_file *file);

#endif
