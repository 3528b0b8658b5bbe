/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a trace.dat says about the kernel that it comes from: the shape of pages and
 * events, names of functions, format strings. Read from the running kernel once,
 * already in the form that the file's sections have.
 */
#ifndef FATHOM_RECORD_FILE_METADATA_H
#define FATHOM_RECORD_FILE_METADATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fathom/err.h>

#include "format/file/trace-encode.h"
#include "record/session/session-env.h"
#include "record/file/trace-out.h"

#define METADATA_SECTIONS 8 /* at the most */

enum metadata_flags {
	METADATA_ALL_FORMATS = 1, /* of all events, not of those that are on */
	METADATA_SYMBOLS = 2, /* kernel symbols, also when no event's text asks for them */
	METADATA_TYPES = 4, /* the kernel's BTF, for arguments of functions */
	METADATA_SAMPLES = 8, /* the format of samples, which are no event of the kernel's */
	METADATA_WATCH = 16, /* the same of hits of watched memory */
	METADATA_RETURNS = 32, /* the same of results of functions */
};

struct metadata {
	struct trace_encoder header_info, ftrace_events, event_formats, kallsyms, printk, types;
	bool has_symbols; /* all of kallsyms were asked for and read */
	size_t n_formats;
};

#define _cleanup_metadata_ __attribute__((cleanup(metadata_done)))

struct metadata_source {
	const char *root; /* "" but in tests */
	int tracefs; /* the top directory */
	const int *places; /* directories of the instances that are recorded */
	size_t n_places;
	unsigned flags; /* enum metadata_flags */
	const char *enums; /* NULL, or names of numbers in events; see record/file/enum-names.h */
	const char *symbols; /* NULL, or the kernel symbols that matter, as /proc/kallsyms has them */
	const struct session_env *env; /* NULL, or where the text of /proc/kallsyms is kept */
};

/* Events are looked up in the places' set_event, so they must be on already. */
int metadata_read(const struct metadata_source *source, struct metadata *ret_metadata,
		  struct fathom_err *err);
void metadata_done(struct metadata *metadata);
/* Fills @sections, of METADATA_SECTIONS; how many there are. */
size_t metadata_sections(const struct metadata *metadata, struct trace_out_section *sections);

/* Appends the text of /proc/kallsyms as a section body. */
int metadata_read_kallsyms(const char *root, struct trace_encoder *body, struct fathom_err *err);
/* Bytes of a page of the ring buffer in the instance @place. */
int metadata_page_size(int place, uint32_t *ret_size, struct fathom_err *err);

#endif
