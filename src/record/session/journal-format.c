/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "record/session/journal-format.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"

static const char mark[4] = { 'f', 'j', 'r', '\n' };

struct head {
	char mark[4];
	uint32_t type;
	uint32_t number; /* from 0 */
	uint32_t size; /* of the payload: fields, each terminated by NUL */
	uint64_t sum; /* of the fields above and the payload */
};

static const size_t fields_of[RECORD_TYPES] = {
	[RECORD_BEGIN] = BEGIN_FIELDS,
	[RECORD_GUARDIAN] = 2,
	[RECORD_INSTANCE] = 1,
	[RECORD_EVENT] = 1,
	[RECORD_SETTING] = 3,
	[RECORD_SYSCTL] = 2,
	[RECORD_VOID] = 1,
	[RECORD_KEPT] = 0,
	[RECORD_TOP] = 0,
	[RECORD_FAILED] = 1,
	[RECORD_BUFFER] = 2,
};

/* FNV-1a: detects torn writes, not tampering. */
static uint64_t sum_add(uint64_t sum, const void *bytes, size_t size)
{
	const unsigned char *p = bytes;

	for (size_t i = 0; i < size; i++)
		sum = (sum ^ p[i]) * 0x100000001b3u;
	return sum;
}

static uint64_t journal_format_sum_of(const struct head *head, const void *payload)
{
	uint64_t sum = sum_add(0xcbf29ce484222325u, head, offsetof(struct head, sum));

	return sum_add(sum, payload, head->size);
}

int record_encode(struct strbuf *bytes, uint32_t number, enum record_type type,
		  const char *const *fields, size_t nfields)
{
	struct head head = { .type = type, .number = number };
	size_t start = bytes->len, size = 0;

	for (size_t i = 0; i < nfields; i++) {
		size += strlen(fields[i]) + 1;
		if (size > RECORD_PAYLOAD_MAX)
			return -E2BIG;
	}
	memcpy(head.mark, mark, sizeof(mark));
	head.size = (uint32_t)size;
	strbuf_add(bytes, &head, sizeof(head));
	for (size_t i = 0; i < nfields; i++)
		strbuf_add(bytes, fields[i], strlen(fields[i]) + 1);
	if (bytes->err)
		return bytes->err;
	head.sum = journal_format_sum_of(&head, bytes->s + start + sizeof(head));
	memcpy(bytes->s + start, &head, sizeof(head));
	return 0;
}

/* Splits the payload into fields. Returns false if their number does not match the type. */
static bool split_fields(const char *payload, size_t size, struct record *record)
{
	const char *end = payload + size;

	if (record->type < RECORD_BEGIN || record->type >= RECORD_TYPES)
		return false;
	for (const char *p = payload; p < end;) {
		const char *nul = memchr(p, '\0', (size_t)(end - p));

		if (!nul || record->nfields == RECORD_FIELDS_MAX)
			return false;
		record->field[record->nfields++] = p;
		p = nul + 1;
	}
	return record->nfields == fields_of[record->type];
}

/* Parses the record at @bytes. Returns its size, or 0 if it is incomplete. */
static size_t parse_one(const char *bytes, size_t size, size_t number, struct record *record)
{
	struct head head;

	if (size < sizeof(head))
		return 0;
	memcpy(&head, bytes, sizeof(head));
	if (memcmp(head.mark, mark, sizeof(mark)) != 0 || head.number != number ||
	    head.size > RECORD_PAYLOAD_MAX || head.size > size - sizeof(head) ||
	    head.sum != journal_format_sum_of(&head, bytes + sizeof(head)))
		return 0;
	*record = (struct record){ .type = head.type };
	if (!split_fields(bytes + sizeof(head), head.size, record))
		return 0;
	return sizeof(head) + head.size;
}

static void apply_voids(struct records *records)
{
	for (size_t i = 0; i < records->n; i++) {
		unsigned long number;

		if (records->list[i].type != RECORD_VOID)
			continue;
		number = strtoul(records->list[i].field[0], NULL, 10);
		if (number < i)
			records->list[number].is_void = true;
	}
}

static int check_begin(const struct records *records, struct fathom_err *err)
{
	if (records->n == 0 || records->list[0].type != RECORD_BEGIN)
		return err_set(err, -EBADMSG, "the journal has no header");
	if (!str_eq(records->list[0].field[BEGIN_VERSION], JOURNAL_VERSION))
		return err_set(err, -EBADMSG,
			       "the journal was written by another version of "
			       "fathom");
	return 0;
}

int records_parse(const void *bytes, size_t size, struct records *ret_records,
		  struct fathom_err *err)
{
	_cleanup_records_ struct records records = { 0 };
	int r;

	while (records.size < size) {
		struct record record;
		size_t taken = parse_one((const char *)bytes + records.size, size - records.size,
					 records.n, &record);

		if (taken == 0)
			break;
		if (mem_reserve(&records.list, &records.cap, records.n + 1, sizeof(struct record)) <
		    0)
			return err_nomem(err);
		records.list[records.n++] = record;
		records.size += taken;
	}
	records.torn = size - records.size;
	r = check_begin(&records, err);
	if (r < 0)
		return r;
	apply_voids(&records);
	*ret_records = TAKE_STRUCT(records, { 0 });
	return 0;
}

void records_done(struct records *records)
{
	free(records->list);
	*records = (struct records){ 0 };
}
