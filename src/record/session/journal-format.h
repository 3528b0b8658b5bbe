/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The bytes of a journal: records, one behind the other, each with its number and
 * a checksum. A record that was not written to its end, and all behind it, does
 * not count: a setting is changed only after its record is complete. A journal
 * never outlives the boot that it was written in, so numbers are in the
 * machine's own byte order.
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
	RECORD_GUARDIAN, /* pid, start time */
	RECORD_TOP, /* the session uses the top level of tracefs */
	RECORD_INSTANCE, /* name: is about to be made */
	RECORD_EVENT, /* "GROUP/NAME": is about to be added */
	RECORD_SETTING, /* instance ("": top level), file, value that it had */
	RECORD_SYSCTL, /* file below /proc/sys, value that it had */
	RECORD_VOID, /* number of a record: that thing was not made after all */
	RECORD_KEPT, /* the session goes on without the process that began it */
	RECORD_FAILED, /* message: putting back was tried and did not succeed */
	RECORD_BUFFER, /* name ("": the main one), instance ("": top level): a buffer of the session */
	RECORD_TYPES,
};

/* What RECORD_BEGIN says; all are text. */
enum record_begin_field {
	BEGIN_VERSION, /* of the format: JOURNAL_VERSION */
	BEGIN_ID, /* of the session */
	BEGIN_BOOT, /* the kernel's boot id */
	BEGIN_PID, /* of the recorder */
	BEGIN_START, /* of that process, in clock ticks since boot; tells a reused pid */
	BEGIN_PID_NAMESPACE, /* inode number; pids mean nothing in another */
	BEGIN_TIME, /* seconds since 1970 */
	BEGIN_COMMAND, /* the command line */
	BEGIN_FIELDS,
};

#define JOURNAL_VERSION	   "1"
#define RECORD_FIELDS_MAX  BEGIN_FIELDS
#define RECORD_PAYLOAD_MAX ((size_t)64 << 20)

struct record {
	enum record_type type;
	bool is_void; /* a RECORD_VOID takes it back */
	size_t nfields;
	const char *field[RECORD_FIELDS_MAX]; /* point into the bytes that were parsed */
};

struct records {
	struct record *list;
	size_t n, cap;
	size_t size; /* of the complete records, in bytes */
	size_t torn; /* bytes behind them */
};

/* Appends the bytes of record number @number; -E2BIG when the fields are too large. */
int record_encode(struct strbuf *bytes, uint32_t number, enum record_type type,
		  const char *const *fields, size_t nfields);

/*
 * Finds the records in @bytes, which must outlive @ret_records. The first is
 * always a RECORD_BEGIN of this version with its fields; -EBADMSG when it is not.
 */
int records_parse(const void *bytes, size_t size, struct records *ret_records,
		  struct fathom_err *err);
void records_done(struct records *records);
#define _cleanup_records_ __attribute__((cleanup(records_done)))

#endif
