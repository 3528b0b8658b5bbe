/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the files that parse a trace file tell each other. */
#ifndef FATHOM_FORMAT_FILE_TRACE_FILE_PARTS_H
#define FATHOM_FORMAT_FILE_TRACE_FILE_PARTS_H

#include "format/file/trace-file.h"

/* trace-file-v6.c, trace-file-v7.c: all behind the initial bytes. Only -ENOMEM is a failure. */
int trace_file_parse_v6(struct trace_file *file, struct reader *reader);
int trace_file_parse_v7(struct trace_file *file, struct reader *reader, uint64_t options_offset);

/* trace-file-options.c: options up to DONE; *@ret_next is where they go on, 0 at the end. */
int trace_options_parse(struct trace_file *file, struct reader *reader, uint64_t in_file,
			uint64_t *ret_next);
/* Takes "[local] global ..." apart; "" when no clock is in brackets. */
int trace_clock_parse(struct trace_file *file, const char *text, size_t len,
		      const char **ret_clock);
/* trace-file-buffers.c: the data of an option BUFFER or BUFFER_TEXT. */
int trace_buffer_option(struct trace_file *file, struct reader *reader, bool is_text);
/* Adds an empty buffer; -E2BIG when there are too many. */
int trace_buffer_add(struct trace_file *file, const char *name, struct trace_buffer **ret_buffer);
/* Reads @n table rows of offset and size (and, before them, the CPU's number with @numbered). */
int trace_buffer_cpus(struct trace_file *file, struct trace_buffer *buffer, struct reader *reader,
		      uint32_t n, bool numbered);

/* trace-file-state.c: the option FATHOM_STATE, which stands before the buffers. */
int trace_state_option(struct trace_file *file, struct reader *reader);
/* Corrects what the table says about a CPU of an unfinished file to what is there. */
void trace_state_correct(const struct trace_file *file, uint32_t page_size, struct trace_cpu *cpu);

/* trace-file-sections.c: adds it, unless one is known at its offset. */
int trace_section_add(struct trace_file *file, const struct trace_section *section);
/* Reads header_page out of the section HEADER_INFO; leaves a default and a note when it cannot. */
int trace_file_layout(struct trace_file *file);

#endif
