/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The defects of a file, with their positions. Only the first DAMAGE_NOTES_MAX notes are kept, so
 * that a thoroughly damaged file costs no more than a slightly damaged one; the rest is counted.
 * damage_add() is thread-safe. Read the notes only while no thread adds any.
 */
#ifndef FATHOM_FORMAT_PAGE_DAMAGE_H
#define FATHOM_FORMAT_PAGE_DAMAGE_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#define DAMAGE_NOTES_MAX 64

struct damage_note {
	uint64_t offset; /* in the file, in bytes */
	char text[168];
};

struct damage {
	struct damage_note notes[DAMAGE_NOTES_MAX];
	size_t count; /* notes kept */
	uint64_t total; /* notes added, without duplicates of those kept */
	pthread_mutex_t lock;
};

void damage_init(struct damage *damage);
void damage_done(struct damage *damage);
/* Adds a note, unless an equal one is kept already. */
void damage_add(struct damage *damage, uint64_t offset, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif
