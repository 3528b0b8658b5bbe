/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copies sections of the trace to the new file: all except options, strings and events. */
#include <errno.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/mem.h"
#include "format/file/trace-body.h"
#include "write/trace-dat-parts.h"

static bool is_body(unsigned id)
{
	return id >= TRACE_ID_HEADER_INFO && id <= TRACE_ID_CMDLINES;
}

/* Sections that exist once: the one that the options refer to. */
static bool is_single(unsigned id)
{
	return is_body(id) || id == TRACE_ID_BTF_FILE || id == TRACE_ID_MODULES_FILE;
}

static bool is_written_elsewhere(unsigned id)
{
	return id == TRACE_ID_DONE || id == TRACE_ID_BUFFER || id == TRACE_ID_BUFFER_TEXT ||
	       id == TRACE_ID_STRINGS;
}

static int by_offset(const void *a, const void *b)
{
	const struct dat_section *x = a, *y = b;

	return (x->of->offset > y->of->offset) - (x->of->offset < y->of->offset);
}

int dat_find_sections(struct dat_out *out)
{
	const struct trace_section *single[TRACE_SECTION_IDS] = { 0 };
	const struct trace_file *file = out->file;

	for (unsigned id = 0; id < TRACE_SECTION_IDS; id++)
		single[id] = is_single(id) ? trace_file_section(file, id) : NULL;
	for (size_t i = 0; i < file->n_sections; i++) {
		const struct trace_section *section = &file->sections[i];

		if (is_written_elsewhere(section->id) ||
		    (is_single(section->id) && single[section->id] != section))
			continue;
		if (mem_reserve(&out->sections, &out->cap_sections, out->n_sections + 1,
				sizeof(*out->sections)) < 0)
			return err_nomem(out->err);
		out->sections[out->n_sections++] = (struct dat_section){ .of = section };
	}
	if (out->n_sections)
		qsort(out->sections, out->n_sections, sizeof(*out->sections), by_offset);
	return 0;
}

struct dat_section *dat_section_at(struct dat_out *out, uint64_t offset)
{
	struct trace_section key_of = { .offset = offset };
	struct dat_section key = { .of = &key_of };

	if (!out->n_sections)
		return NULL;
	return bsearch(&key, out->sections, out->n_sections, sizeof(key), by_offset);
}

struct dat_section *dat_section(struct dat_out *out, unsigned id)
{
	for (size_t i = 0; i < out->n_sections; i++)
		if (out->sections[i].of->id == id)
			return &out->sections[i];
	return NULL;
}

/* Returns the plan's replacement for the section. */
static int make_symbols(struct dat_out *out, uint8_t **ret_bytes, size_t *ret_size)
{
	_cleanup_trace_encoder_ struct trace_encoder e = { .big_endian = out->e.big_endian };

	trace_encode_text32(&e, strbuf_str(out->plan->symbols), out->plan->symbols->len);
	*ret_bytes = e.out.err ? NULL : mem_dup(strbuf_str(&e.out), e.out.len);
	*ret_size = e.out.len;
	return *ret_bytes ? 0 : err_nomem(out->err);
}

/* Reads the section. *@ret_bytes is NULL, with a note, if it is unreadable. */
static int trace_dat_sections_load(struct dat_out *out, const struct trace_section *section,
				   uint8_t **ret_bytes, size_t *ret_size)
{
	_cleanup_free_ uint8_t *bytes = NULL;
	struct fathom_err err = { 0 };
	size_t size = 0;
	int r;

	if (section->id == TRACE_ID_KALLSYMS && out->plan->symbols)
		return make_symbols(out, ret_bytes, ret_size);
	r = trace_section_length(out->file, section, &size, &err);

	*ret_bytes = NULL;
	*ret_size = 0;
	if (r == 0) {
		bytes = mem_alloc(size ? size : 1);
		if (!bytes)
			return err_nomem(out->err);
		r = trace_section_read(out->file, section, bytes, size, &err);
	}
	if (r == -ENOMEM)
		return err_nomem(out->err);
	if (r < 0) {
		damage_add(out->damage, section->offset, "%s; skipped", fathom_err_text(&err));
		return 0;
	}
	*ret_bytes = TAKE_PTR(bytes);
	*ret_size = size;
	return 0;
}

/* Returns a valid body: *@bytes, or its repaired copy in @fixed. */
static int mend(struct dat_out *out, unsigned id, uint8_t *const *bytes, size_t *size,
		struct trace_encoder *fixed, const uint8_t **ret_bytes)
{
	size_t length;

	*ret_bytes = *bytes;
	if (!is_body(id))
		return 0;
	length = *bytes ? trace_body_length(id, *bytes, *size, out->e.big_endian) : 0;
	/* In version 7, a section may continue after the body, for future extensions. */
	if (length && out->version == 6)
		*size = length;
	if (length)
		return 0;
	if (*bytes)
		damage_add(out->damage, trace_file_section(out->file, id)->offset,
			   "section '%s' is damaged; its intact part was kept", trace_id_name(id));
	fixed->big_endian = out->e.big_endian;
	trace_body_repair(id, *bytes ? (const void *)*bytes : "", *size, fixed);
	if (fixed->out.err)
		return err_nomem(out->err);
	*ret_bytes = (const uint8_t *)strbuf_str(&fixed->out);
	*size = fixed->out.len;
	return 0;
}

int dat_put_body(struct dat_out *out, unsigned id)
{
	_cleanup_trace_encoder_ struct trace_encoder fixed = { 0 };
	struct dat_section *section = dat_section(out, id);
	_cleanup_free_ uint8_t *bytes = NULL;
	const uint8_t *whole = NULL;
	size_t size = 0;
	int r = section ? trace_dat_sections_load(out, section->of, &bytes, &size) : 0;

	if (r == 0)
		r = mend(out, id, &bytes, &size, &fixed, &whole);
	if (r == 0)
		r = dat_append(out, whole, size);
	return r;
}

/* Writes a section with its header, compressed if the file is. */
static int trace_dat_sections_put(struct dat_out *out, uint16_t id, uint32_t description,
				  const void *bytes, size_t size)
{
	struct dat_pool *pool = size ? out->pool : NULL;
	_cleanup_free_ uint8_t *packed = NULL;
	uint64_t at;
	int r = 0;

	if (pool)
		r = dat_pool_block(pool, bytes, size, out->e.big_endian, &packed, &size);
	if (r < 0)
		return err_nomem(out->err);
	/* Version 6 has no strings. */
	at = trace_encode_section(&out->e, id, pool ? TRACE_SECTION_COMPRESSED : 0,
				  out->version == 6 ? 0 : description);
	r = dat_append(out, pool ? packed : bytes, size);
	if (r == 0)
		r = dat_patch_u64(out, at + 8, size);
	return r;
}

int dat_put_section(struct dat_out *out, struct dat_section *section)
{
	_cleanup_trace_encoder_ struct trace_encoder fixed = { 0 };
	_cleanup_free_ uint8_t *bytes = NULL;
	const uint8_t *whole = NULL;
	uint64_t at = dat_pos(out);
	size_t size;
	int r = trace_dat_sections_load(out, section->of, &bytes, &size);

	if (r == 0 && bytes)
		r = mend(out, section->of->id, &bytes, &size, &fixed, &whole);
	if (r == 0 && bytes)
		r = trace_dat_sections_put(out, section->of->id, section->of->description_id, whole,
					   size);
	if (r < 0 || !bytes)
		return r;
	section->at = at;
	return section->pointer_at ? dat_patch_u64(out, section->pointer_at, at) : 0;
}

int dat_put_strings(struct dat_out *out)
{
	_cleanup_strbuf_ struct strbuf all = { 0 };
	uint32_t description = 0;

	for (size_t i = 0; i < out->file->n_sections; i++) {
		const struct trace_section *section = &out->file->sections[i];
		_cleanup_free_ uint8_t *bytes = NULL;
		size_t size;
		int r;

		if (section->id != TRACE_ID_STRINGS)
			continue;
		r = trace_dat_sections_load(out, section, &bytes, &size);
		if (r < 0)
			return r;
		if (bytes && size <= TRACE_OPTION_COPY_MAX - all.len) {
			strbuf_add(&all, bytes, size);
			description = section->description_id;
		}
	}
	if (all.err)
		return err_nomem(out->err);
	return all.len ?
		       trace_dat_sections_put(out, TRACE_ID_STRINGS, description, all.s, all.len) :
		       0;
}
