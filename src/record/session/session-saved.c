/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The settings whose previous values are in the journal of a session, and which may therefore be
 * changed without saving them again.
 */
#include "record/session/session-parts.h"

#include <errno.h>

#include "base/mem.h"
#include "base/str.h"

int session_note_saved(struct session *session, const char *instance, const char *file,
		       uint32_t record)
{
	struct saved_file saved = { .file = arena_strdup(&session->arena, file), .record = record };

	if (instance)
		saved.instance = arena_strdup(&session->arena, instance);
	if (!saved.file || (instance && !saved.instance) ||
	    mem_reserve(&session->saved, &session->saved_cap, session->nsaved + 1, sizeof(saved)) <
		    0)
		return -ENOMEM;
	session->saved[session->nsaved++] = saved;
	return 0;
}

struct saved_file *session_find_saved(const struct session *session, const char *instance,
				      const char *file)
{
	for (size_t i = 0; i < session->nsaved; i++) {
		struct saved_file *saved = &session->saved[i];

		if (!saved->instance != !instance || !str_eq(saved->file, file))
			continue;
		if (!instance || str_eq(saved->instance, instance))
			return saved;
	}
	return NULL;
}
