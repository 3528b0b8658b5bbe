/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The format of a journal: consecutive records, each with its number and a checksum. An incomplete
 * record, and everything after it, does not count: a setting is changed only after its record is
 * complete. A journal is only valid in the boot that it was written in, so numbers have the byte
 * order of the machine.
 */
#ifndef FATHOM_RECORD_SESSION_JOURNAL_FORMAT_H
#define FATHOM_RECORD_SESSION_JOURNAL_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fathom/err.h>

#include "base/strbuf.h"

enum record_type {
	RECORD_BEGIN = 1, /* enum record_begin_field */
	RECORD_GUARDIAN, /* PID, start time */
	RECORD_TOP, /* the session uses the top level */
	RECORD_INSTANCE, /* name: will be created next */
	RECORD_EVENT, /* "GROUP/NAME": will be added next */
	RECORD_SETTING, /* instance ("": top level), file, previous value */
	RECORD_SYSCTL, /* file relative to /proc/sys, previous value */
	RECORD_VOID, /* number of a record whose object was not created after all */
	RECORD_KEPT, /* the session continues without the process that started it */
	RECORD_FAILED, /* message: restoring has failed */
	RECORD_BUFFER, /* name ("": the main one), instance ("": top level): a buffer */
	RECORD_TYPES,
};

/* The fields of RECORD_BEGIN; all are text. */
enum record_begin_field {
	BEGIN_VERSION, /* of the format: JOURNAL_VERSION */
	BEGIN_ID, /* session ID */
	BEGIN_BOOT, /* boot ID of the kernel */
	BEGIN_PID, /* PID of the recorder */
	BEGIN_START, /* its start time, in clock ticks since boot, to detect a reused PID */
	BEGIN_PID_NAMESPACE, /* inode number; PIDs are meaningless in another one */
	BEGIN_TIME, /* seconds since the Epoch */
	BEGIN_COMMAND, /* the command line */
	BEGIN_FIELDS,
};

#define JOURNAL_VERSION	   "1"
#define RECORD_FIELDS_MAX  BEGIN_FIELDS
#define RECORD_PAYLOAD_MAX ((size_t)64 << 20)

struct record {
	enum record_type type;
	bool is_void; /* revoked by a RECORD_VOID */
	size_t nfields;
	const char *field[RECORD_FIELDS_MAX]; /* point into the bytes that were parsed */
};

struct records {
	struct record *list;
	size_t n, cap;
	size_t size; /* bytes of complete records */
	size_t torn; /* bytes after them */
};

/*
 * Appends the bytes of record @number. Returns 0 or a negative errno; -E2BIG if the fields are too
 * large.
 */
int record_encode(struct strbuf *bytes, uint32_t number, enum record_type type,
		  const char *const *fields, size_t nfields);

/*
 * Parses the records in @bytes, which must outlive @ret_records. The first one must be a
 * RECORD_BEGIN of this version. Returns 0, -EBADMSG if it is not, or -ENOMEM.
 */
int records_parse(const void *bytes, size_t size, struct records *ret_records,
		  struct fathom_err *err);
void records_done(struct records *records);
#define _cleanup_records_ __attribute__((cleanup(records_done)))

#endif
