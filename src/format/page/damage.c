/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "format/page/damage.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

void damage_init(struct damage *damage)
{
	memset(damage, 0, sizeof(*damage));
	pthread_mutex_init(&damage->lock, NULL);
}

void damage_done(struct damage *damage)
{
	pthread_mutex_destroy(&damage->lock);
}

void damage_add(struct damage *damage, uint64_t offset, const char *fmt, ...)
{
	struct damage_note note = { .offset = offset };
	bool known = false;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(note.text, sizeof(note.text), fmt, ap);
	va_end(ap);
	pthread_mutex_lock(&damage->lock);
	for (size_t i = 0; i < damage->count && !known; i++)
		known = damage->notes[i].offset == offset &&
			strcmp(damage->notes[i].text, note.text) == 0;
	if (!known) {
		damage->total++;
		if (damage->count < DAMAGE_NOTES_MAX)
			damage->notes[damage->count++] = note;
	}
	pthread_mutex_unlock(&damage->lock);
}
