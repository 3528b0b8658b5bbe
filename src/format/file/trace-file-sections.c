/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The sections of a trace file of either version: their names, finding, reading and decompressing
 * them, and the page layout that one of them contains.
 */
#include <errno.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/mem.h"
#include "format/file/trace-file-parts.h"

static const char *const id_names[] = {
	"OPTIONS",	  "DATE",	  "CPUSTAT",  "BUFFER",	  "TRACECLOCK",	 "UNAME",
	"HOOK",		  "OFFSET",	  "CPUCOUNT", "VERSION",  "PROCMAPS",	 "TRACEID",
	"TIME_SHIFT",	  "GUEST",	  "TSC2NSEC", "STRINGS",  "HEADER_INFO", "FTRACE_EVENTS",
	"EVENT_FORMATS",  "KALLSYMS",	  "PRINTK",   "CMDLINES", "BUFFER_TEXT", "BTF_FILE",
	"LAST_BOOT_INFO", "MODULES_FILE",
};

const char *trace_id_name(unsigned id)
{
	if (id == TRACE_ID_FATHOM_STATE)
		return "FATHOM_STATE";
	if (id == TRACE_ID_FATHOM_INFO)
		return "FATHOM_INFO";
	if (id == TRACE_ID_FATHOM_MAPS)
		return "FATHOM_MAPS";
	if (id == TRACE_ID_FATHOM_FILE)
		return "FATHOM_FILE";
	if (id == TRACE_ID_FATHOM_FUNCTIONS)
		return "FATHOM_FUNCTIONS";
	return id < ARRAY_SIZE(id_names) ? id_names[id] : "unknown";
}

int trace_section_add(struct trace_file *file, const struct trace_section *section)
{
	for (size_t i = 0; i < file->n_sections; i++)
		if (file->sections[i].offset == section->offset)
			return 0;
	if (file->n_sections >= TRACE_SECTIONS_MAX)
		return 0;
	if (mem_reserve(&file->sections, &file->cap_sections, file->n_sections + 1,
			sizeof(*file->sections)) < 0)
		return -ENOMEM;
	file->sections[file->n_sections++] = *section;
	return 0;
}

const struct trace_section *trace_file_section(const struct trace_file *file, unsigned id)
{
	uint64_t at = id < TRACE_SECTION_IDS ? file->section_at[id] : 0;
	const struct trace_section *first = NULL;

	for (size_t i = 0; i < file->n_sections; i++) {
		const struct trace_section *section = &file->sections[i];

		if (section->id != id)
			continue;
		if (!first || section->offset == at)
			first = section;
	}
	return first;
}

/* Reads the two sizes that precede compressed data. Returns false if they are impossible. */
static bool compressed_sizes(const struct trace_file *file, const struct trace_section *section,
			     uint32_t *ret_in, uint32_t *ret_out)
{
	struct reader reader;

	reader_init(&reader, &file->view, section->body, section->body + section->size,
		    file->big_endian);
	*ret_in = reader_u32(&reader);
	*ret_out = reader_u32(&reader);
	return !reader.failed && *ret_in <= reader_left(&reader) && *ret_out <= INFLATE_SECTION_MAX;
}

int trace_section_length(const struct trace_file *file, const struct trace_section *section,
			 size_t *ret_size, struct fathom_err *err)
{
	uint32_t in, out;

	if (section->flags & TRACE_SECTION_COMPRESSED) {
		if (!compressed_sizes(file, section, &in, &out))
			return err_set_at(err, -EBADMSG, section->offset,
					  "section '%s' is truncated or damaged",
					  trace_id_name(section->id));
		*ret_size = out;
		return 0;
	}
	if (section->size > INFLATE_SECTION_MAX)
		return err_set_at(err, -EFBIG, section->offset, "section '%s' is too large",
				  trace_id_name(section->id));
	*ret_size = (size_t)section->size;
	return 0;
}

int trace_section_read(const struct trace_file *file, const struct trace_section *section,
		       void *buf, size_t size, struct fathom_err *err)
{
	_cleanup_free_ void *packed = NULL;
	struct inflater inflater = { 0 };
	uint32_t in, out;
	long got;
	int r;

	if (!(section->flags & TRACE_SECTION_COMPRESSED)) {
		got = file->view.read(file->view.ctx, section->body, buf, size);
		return got == (long)size ?
			       0 :
			       err_set_at(err, got < 0 ? (int)got : -EIO, section->body,
					  "cannot read section '%s'", trace_id_name(section->id));
	}
	if (!compressed_sizes(file, section, &in, &out) || out != size)
		return err_set_at(err, -EBADMSG, section->offset, "section '%s' is damaged",
				  trace_id_name(section->id));
	packed = mem_alloc(in);
	if (!packed)
		return err_nomem(err);
	got = file->view.read(file->view.ctx, section->body + 8, packed, in);
	if (got != (long)in)
		return err_set_at(err, got < 0 ? (int)got : -EIO, section->body,
				  "cannot read section '%s'", trace_id_name(section->id));
	r = inflater_run(&inflater, file->compression, packed, in, buf, size);
	inflater_done(&inflater);
	if (r == -ENOMEM)
		return err_nomem(err);
	if (r < 0)
		return err_set_at(err, r, section->offset, "cannot decompress section '%s'%s%s",
				  trace_id_name(section->id),
				  r == -ENOTSUP ? ": unknown compression " : "",
				  r == -ENOTSUP ? file->compression_name : "");
	return 0;
}

/* The section is "header_page\0", u64 size, text. The text determines file->layout. */
static int read_layout(struct trace_file *file, const uint8_t *bytes, size_t size,
		       struct fathom_err *err)
{
	static const char tag[] = "header_page";
	struct page_layout layout;
	uint64_t len;
	int r;

	if (size < sizeof(tag) + 8 || memcmp(bytes, tag, sizeof(tag)) != 0)
		return err_set(err, -EINVAL, "no page header at the expected offset");
	len = load_u64(bytes + sizeof(tag), file->big_endian);
	if (len > size - sizeof(tag) - 8)
		return err_set(err, -EINVAL, "page header truncated");
	r = page_layout_parse((const char *)bytes + sizeof(tag) + 8, (size_t)len, file->big_endian,
			      &layout, err);
	if (r < 0)
		return r;
	file->layout = layout;
	return 0;
}

int trace_file_layout(struct trace_file *file)
{
	const struct trace_section *section = trace_file_section(file, TRACE_ID_HEADER_INFO);
	_cleanup_free_ void *bytes = NULL;
	struct fathom_err err = { 0 };
	size_t size = 0;
	int r = -ENOENT;

	file->layout = page_layout_default(file->user_long_size, file->page_size, file->big_endian);
	if (section)
		r = trace_section_length(file, section, &size, &err);
	if (r == 0) {
		/*
		 * The text has half a kilobyte; a larger section contains something else after it.
		 */
		bytes = mem_alloc(size);
		if (!bytes)
			return -ENOMEM;
		r = trace_section_read(file, section, bytes, size, &err);
	}
	if (r == 0)
		r = read_layout(file, bytes, size, &err);
	if (r == -ENOMEM)
		return r;
	if (r < 0)
		damage_add(&file->damage, section ? section->offset : 0,
			   "%s; assuming the usual page layout",
			   section ? fathom_err_text(&err) : "no page header");
	return 0;
}
