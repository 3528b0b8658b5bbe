/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Loads and stores of numbers at any alignment and in either byte order. @big selects big-endian;
 * if it is a constant, the compiler emits a single load or store, with a byte swap where needed.
 */
#ifndef FATHOM_FORMAT_BYTES_H
#define FATHOM_FORMAT_BYTES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define BYTES_HOST_BIG (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)

static inline uint16_t load_u16(const void *p, bool big)
{
	uint16_t v;

	memcpy(&v, p, sizeof(v));
	return big == BYTES_HOST_BIG ? v : __builtin_bswap16(v);
}

static inline uint32_t load_u32(const void *p, bool big)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return big == BYTES_HOST_BIG ? v : __builtin_bswap32(v);
}

static inline uint64_t load_u64(const void *p, bool big)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return big == BYTES_HOST_BIG ? v : __builtin_bswap64(v);
}

static inline void store_u16(void *p, uint16_t v, bool big)
{
	v = big == BYTES_HOST_BIG ? v : __builtin_bswap16(v);
	memcpy(p, &v, sizeof(v));
}

static inline void store_u32(void *p, uint32_t v, bool big)
{
	v = big == BYTES_HOST_BIG ? v : __builtin_bswap32(v);
	memcpy(p, &v, sizeof(v));
}

static inline void store_u64(void *p, uint64_t v, bool big)
{
	v = big == BYTES_HOST_BIG ? v : __builtin_bswap64(v);
	memcpy(p, &v, sizeof(v));
}

#endif
