/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "format/event/return-event.h"

#include <string.h>

#include "format/bytes.h"
#include "format/event/common-fields.h"

/* Offsets of the fields, as in the format below. */
enum {
	TYPE_AT = 0,
	PID_AT = 4,
	FUNC_AT = 8,
	RET_AT = 24,
};

const char return_event_format[] =
	"name: returned\n"
	"ID: 65532\n"
	"format:\n" EVENT_COMMON_FIELDS "\n"
	"\tfield:unsigned long __probe_func;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:unsigned long __probe_ret_ip;\toffset:16;\tsize:8;\tsigned:0;\n"
	"\tfield:s64 ret;\toffset:24;\tsize:8;\tsigned:1;\n"
	"\n"
	"print fmt: \"%pS returned %lld\", (void *)REC->__probe_func, REC->ret\n";

void return_event_write(int32_t tid, uint64_t function, int64_t result, bool big,
			uint8_t out[RETURN_EVENT_SIZE])
{
	memset(out, 0, RETURN_EVENT_SIZE);
	store_u16(out + TYPE_AT, RETURN_EVENT_ID, big);
	store_u32(out + PID_AT, (uint32_t)tid, big);
	store_u64(out + FUNC_AT, function, big);
	store_u64(out + RET_AT, (uint64_t)result, big);
}
