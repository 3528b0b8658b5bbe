/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Recordings whose recorder was killed. A recorder leaves a note beside its journal, ".ID.output",
 * that says where its file is, and takes it away when the file is finished. The note of a killed one
 * stays, and counts until its file is finished or gone. Nothing is known of recorders of an earlier boot.
 */
#ifndef FATHOM_RECORD_FILE_LEFT_RECORDINGS_H
#define FATHOM_RECORD_FILE_LEFT_RECORDINGS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/files/new-file.h"
#include "record/session/journal.h"

struct recording_note {
	int dir; /* -1: there is none */
	char name[SESSION_ID_SIZE + sizeof("..output")];
};

#define RECORDING_NOTE_NONE \
	{                   \
		.dir = -1   \
	}

/* Writes one to @dir, the directory of journals, for session @id. 0 or a negative errno. */
int recording_note_write(int dir, const char *id, const struct new_file *file,
			 struct recording_note *ret_note);
/* Takes it away. */
void recording_note_remove(struct recording_note *note);
/* Leaves it for others. */
void recording_note_done(struct recording_note *note);

struct left_recording {
	const char *path;
	long pid; /* of its recorder */
};

struct left_recordings {
	struct left_recording *list;
	size_t n, cap;
	struct arena arena;
};

/* Looks at the notes in @dir; with @tidy those that have become useless are removed. 0 or -ENOMEM. */
int left_recordings_read(int dir, bool tidy, struct left_recordings *ret_left);
void left_recordings_done(struct left_recordings *left);
#define _cleanup_left_recordings_ __attribute__((cleanup(left_recordings_done)))

#endif
