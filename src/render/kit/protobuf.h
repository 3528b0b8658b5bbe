/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The wire format of protocol buffers, as far as it is written here. Nothing is checked:
 * who calls has seen to it that there is room, for which the sizes are given.
 */
#ifndef FATHOM_RENDER_KIT_PROTOBUF_H
#define FATHOM_RENDER_KIT_PROTOBUF_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The most bytes that a number takes, and a tag with a number behind it. */
#define PB_VARINT_MAX 10
#define PB_TAG_MAX    5
#define PB_NUMBER_MAX (PB_TAG_MAX + PB_VARINT_MAX)
/* Lengths below this can be written in two bytes, whatever they turn out to be. */
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
	/* Seven bits each; 0 takes a byte as well. */
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

/* Copies bytes that were made before; PB_PAD more may be read of them, and written. */
#define PB_PAD 16
static inline uint8_t *pb_padded(uint8_t *p, const uint8_t *bytes, size_t len)
{
	for (size_t i = 0; i < len; i += PB_PAD)
		memcpy(p + i, bytes + i, PB_PAD);
	return p + len;
}

/* The two bytes before @start get the length of what stands from there to @end. */
static inline void pb_close2(uint8_t *start, const uint8_t *end)
{
	size_t len = (size_t)(end - start);

	start[-2] = (uint8_t)(len | 0x80);
	start[-1] = (uint8_t)(len >> 7);
}

#endif
