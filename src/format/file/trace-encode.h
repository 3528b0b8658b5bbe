/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Encodes the parts of a trace.dat: the head of the file, sections, options, and the bodies of
 * metadata sections. Everything is appended to a strbuf, of which the first byte is at the file
 * offset @base; there is no I/O. Running out of memory is recorded in @out.err, and everything
 * appended afterwards is dropped, so callers check it once.
 *
 * The bodies (trace_encode_formats() and so on) are the same in versions 6 and 7. Sections, and
 * options with a chain, exist only in version 7. The caller zero-initializes an encoder, sets @base
 * and @big_endian, and releases it with trace_encoder_done().
 */
#ifndef FATHOM_FORMAT_FILE_TRACE_ENCODE_H
#define FATHOM_FORMAT_FILE_TRACE_ENCODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"

struct trace_encoder {
	struct strbuf out;
	uint64_t base;
	bool big_endian;
};

#define _cleanup_trace_encoder_ __attribute__((cleanup(trace_encoder_done)))
void trace_encoder_done(struct trace_encoder *e);

/* Returns the file offset of the next byte. */
static inline uint64_t trace_encode_pos(const struct trace_encoder *e)
{
	return e->base + e->out.len;
}

void trace_encode_u16(struct trace_encoder *e, uint16_t v);
void trace_encode_u32(struct trace_encoder *e, uint32_t v);
void trace_encode_u64(struct trace_encoder *e, uint64_t v);
void trace_encode_bytes(struct trace_encoder *e, const void *bytes, size_t size);
/* Includes the NUL. */
void trace_encode_string(struct trace_encoder *e, const char *s);
/* Overwrites a number that was appended before; @at is its file offset. */
void trace_encode_patch_u32(struct trace_encoder *e, uint64_t at, uint32_t v);
void trace_encode_patch_u64(struct trace_encoder *e, uint64_t at, uint64_t v);

struct trace_head {
	unsigned version; /* 6 or 7 */
	uint8_t long_size;
	uint32_t page_size;
	/* version 7 only; "none" and "" without compression */
	const char *compression, *compression_version;
};

/* Returns the file offset at which to patch in the offset of the first options; 0 for version 6. */
uint64_t trace_encode_head(struct trace_encoder *e, const struct trace_head *head);

/*
 * Begins a section of version 7. @description is a byte offset in the strings. Returns a handle for
 * trace_encode_section_end(), which fills in the size.
 */
uint64_t trace_encode_section(struct trace_encoder *e, uint16_t id, uint16_t flags,
			      uint32_t description);
void trace_encode_section_end(struct trace_encoder *e, uint64_t section);

void trace_encode_option(struct trace_encoder *e, uint16_t id, const void *data, uint32_t size);
void trace_encode_option_u64(struct trace_encoder *e, uint16_t id, uint64_t v);
/*
 * Begins an option that is appended piecemeal. Returns a handle for trace_encode_option_end(),
 * which fills in the size.
 */
uint64_t trace_encode_option_begin(struct trace_encoder *e, uint16_t id);
void trace_encode_option_end(struct trace_encoder *e, uint64_t option);
/* Ends the options of version 7. @next is the offset of the next section of options, or 0. */
void trace_encode_options_done(struct trace_encoder *e, uint64_t next);

/* Texts preceded by their size: in 4 bytes (kallsyms, printk) or 8. */
void trace_encode_text32(struct trace_encoder *e, const void *text, size_t size);
void trace_encode_text64(struct trace_encoder *e, const void *text, size_t size);

struct trace_state;
/* The option FATHOM_STATE. */
void trace_encode_state(struct trace_encoder *e, const struct trace_state *state);

#endif
