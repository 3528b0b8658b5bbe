/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The description of the kernel in a trace.dat: the layout of pages and events, function names,
 * format strings. It is read from the running kernel once, in the encoding of the file's sections.
 * Functions return 0 or a negative errno.
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

#define METADATA_SECTIONS 8 /* the maximum number of sections */

enum metadata_flags {
	METADATA_ALL_FORMATS = 1, /* all events, not only enabled ones */
	METADATA_SYMBOLS = 2, /* kernel symbols, even if no event prints them */
	METADATA_TYPES = 4, /* the kernel's BTF, for function arguments */
	METADATA_SAMPLES = 8, /* the format of CPU samples */
	METADATA_WATCH = 16, /* the format of hits of watched memory */
	METADATA_RETURNS = 32, /* the format of function return values */
};

struct metadata {
	struct trace_encoder header_info, ftrace_events, event_formats, kallsyms, printk, types;
	bool has_symbols; /* all of kallsyms were required and read */
	size_t n_formats;
};

#define _cleanup_metadata_ __attribute__((cleanup(metadata_done)))

struct metadata_source {
	const char *root; /* the root for tracefs_find() */
	int tracefs; /* descriptor of the tracefs directory */
	const int *places; /* descriptors of the recorded instances */
	size_t n_places;
	unsigned flags; /* enum metadata_flags */
	const char *enums; /* names of enums, see record/file/enum-names.h; NULL: none */
	const char *symbols; /* symbols to use, in the format of /proc/kallsyms; NULL: read them */
	const struct session_env *env; /* where to cache kernel symbols; NULL: nowhere */
};

/*
 * Reads the description. Enabled events are taken from the instances' set_event, so events must be
 * enabled before.
 */
int metadata_read(const struct metadata_source *source, struct metadata *ret_metadata,
		  struct fathom_err *err);
void metadata_done(struct metadata *metadata);
/*
 * Fills in @sections, of METADATA_SECTIONS elements. Returns how many it has used. Their bodies
 * belong to @metadata.
 */
size_t metadata_sections(const struct metadata *metadata, struct trace_out_section *sections);

/* Appends the contents of /proc/kallsyms as a section body. */
int metadata_read_kallsyms(const char *root, struct trace_encoder *body, struct fathom_err *err);
/* Reads the size of a ring-buffer page, in bytes, of the instance @place. */
int metadata_page_size(int place, uint32_t *ret_size, struct fathom_err *err);

#endif
