/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Random but reproducible records for a format, as a kernel could have written them for that event.
 */
#ifndef FATHOM_TESTS_ORACLE_RECORD_H
#define FATHOM_TESTS_ORACLE_RECORD_H

#include "format/event/event-format.h"

/* The maximum length of a record; as many zero bytes follow, for readers that overrun. */
#define RECORD_MAX 16384

/* Addresses that have a symbol: SYMBOLS functions of SYMBOL_SIZE bytes from SYMBOL_BASE on. */
#define SYMBOL_BASE 0xffffffff81000000ULL
#define SYMBOL_SIZE 0x100
#define SYMBOLS	    8
/* Addresses that have a printk string, 16 bytes apart. */
#define PRINTK_BASE 0xffffffff82000000ULL
#define PRINTKS	    4

struct record {
	unsigned char bytes[2 * RECORD_MAX];
	size_t len;
	uint64_t seed;
};

/* Fills @record with number @i of the records for @format. */
void record_make(struct record *record, const struct event_format *format, unsigned i);

#endif
