/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What is wrong with a file, and where. Only the first notes are kept, so that a
 * file that is damaged all over costs no more than one that is damaged once; the
 * rest is counted. Zero-initialised is empty. Several readers may add at once.
 */
#ifndef FATHOM_FORMAT_PAGE_DAMAGE_H
#define FATHOM_FORMAT_PAGE_DAMAGE_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#define DAMAGE_NOTES_MAX 64

struct damage_note {
	uint64_t offset; /* in the file */
	char text[168];
};

struct damage {
	struct damage_note notes[DAMAGE_NOTES_MAX];
	size_t count; /* of notes kept */
	uint64_t total; /* of notes made, equal ones once */
	pthread_mutex_t lock;
};

void damage_init(struct damage *damage);
void damage_done(struct damage *damage);
/* A note that is there already is not made again. */
void damage_add(struct damage *damage, uint64_t offset, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif
