/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Finds recordings whose recorder was killed. A recorder writes a note next to its journal,
 * ".ID.output", with the location of its file, and removes it when the file is finished. The note
 * of a killed recorder remains, and is valid until its file is finished or removed. The notes of an
 * earlier boot are gone.
 */
#ifndef FATHOM_RECORD_FILE_LEFT_RECORDINGS_H
#define FATHOM_RECORD_FILE_LEFT_RECORDINGS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/files/new-file.h"
#include "record/session/journal.h"

struct recording_note {
	int dir; /* descriptor; -1: no note */
	char name[SESSION_ID_SIZE + sizeof("..output")];
};

/* The initial value; a zeroed struct would make recording_note_done() close descriptor 0. */
#define RECORDING_NOTE_NONE \
	{                   \
		.dir = -1   \
	}

/*
 * Writes the note of session @id to @dir, the directory of journals, which is duplicated. Returns 0
 * or a negative errno.
 */
int recording_note_write(int dir, const char *id, const struct new_file *file,
			 struct recording_note *ret_note);
/* Deletes the note, and releases @note. */
void recording_note_remove(struct recording_note *note);
/* Releases @note, but keeps the note. */
void recording_note_done(struct recording_note *note);

struct left_recording {
	const char *path;
	long pid; /* of the recorder */
};

/* Paths belong to the list, and are valid until left_recordings_done(). */
struct left_recordings {
	struct left_recording *list;
	size_t n, cap;
	struct arena arena;
};

/*
 * Reads the notes in @dir; with @tidy, deletes obsolete ones. Files are parsed in a confined
 * process. Returns 0 or -ENOMEM.
 */
int left_recordings_read(int dir, bool tidy, struct left_recordings *ret_left);
void left_recordings_done(struct left_recordings *left);
#define _cleanup_left_recordings_ __attribute__((cleanup(left_recordings_done)))

#endif
