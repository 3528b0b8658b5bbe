/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Writes the parts of the protocol buffer wire format that exports use. Functions return the end of
 * the written bytes. Nothing is checked: callers must provide enough space, computed from the sizes
 * below.
 */
#ifndef FATHOM_RENDER_KIT_PROTOBUF_H
#define FATHOM_RENDER_KIT_PROTOBUF_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The maximum sizes of a varint, a tag, and a tag with a varint. */
#define PB_VARINT_MAX 10
#define PB_TAG_MAX    5
#define PB_NUMBER_MAX (PB_TAG_MAX + PB_VARINT_MAX)
/* Lengths below this limit can be written as two bytes before they are known; see pb_close2(). */
#define PB_LENGTH2_MAX 16384

enum pb_wire {
	PB_VARINT = 0,
	PB_BYTES = 2,
};

static inline uint8_t *pb_varint(uint8_t *p, uint64_t value)
{
	while (value >= 0x80) {
		*p++ = (uint8_t)(value | 0x80);
		value >>= 7;
	}
	*p++ = (uint8_t)value;
	return p;
}

static inline size_t pb_varint_size(uint64_t value)
{
	/* Seven bits per byte; 0 takes one byte. */
	return (size_t)(63 - __builtin_clzll(value | 1)) / 7 + 1;
}

static inline uint8_t *pb_tag(uint8_t *p, uint32_t field, enum pb_wire wire)
{
	return pb_varint(p, (uint64_t)field << 3 | wire);
}

static inline uint8_t *pb_number(uint8_t *p, uint32_t field, uint64_t value)
{
	return pb_varint(pb_tag(p, field, PB_VARINT), value);
}

static inline uint8_t *pb_bytes(uint8_t *p, uint32_t field, const void *bytes, size_t len)
{
	p = pb_varint(pb_tag(p, field, PB_BYTES), len);
	memcpy(p, bytes, len);
	return p + len;
}

/*
 * Copies encoded bytes in units of PB_PAD: up to PB_PAD - 1 bytes beyond their end are read, and as
 * many written.
 */
#define PB_PAD 16
static inline uint8_t *pb_padded(uint8_t *p, const uint8_t *bytes, size_t len)
{
	for (size_t i = 0; i < len; i += PB_PAD)
		memcpy(p + i, bytes + i, PB_PAD);
	return p + len;
}

/* Writes the length of what lies between @start and @end into the two bytes before @start. */
static inline void pb_close2(uint8_t *start, const uint8_t *end)
{
	size_t len = (size_t)(end - start);

	start[-2] = (uint8_t)(len | 0x80);
	start[-1] = (uint8_t)(len >> 7);
}

#endif
