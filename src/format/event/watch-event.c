/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "format/event/watch-event.h"

#include <linux/perf_event.h>
#include <string.h>

#include "format/bytes.h"
#include "format/event/common-fields.h"

/* Offsets of the fields, as in the format below. */
enum {
	TYPE_AT = 0,
	PID_AT = 4,
	IP_AT = 8,
	ADDRESS_AT = 16,
	OLD_AT = 24,
	NEW_AT = 32,
	TGID_AT = 40,
	LENGTH_AT = 44,
	KNOWN_AT = 48,
	ACCESS_AT = 52,
	USER_AT = 56,
	KERNEL_AT = 60,
	STACK_AT = 64,
	WHAT_AT = 68,
};

const char watch_event_format[] =
	"name: watch\n"
	"ID: 65533\n"
	"format:\n" EVENT_COMMON_FIELDS "\n"
	"\tfield:u64 ip;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:u64 address;\toffset:16;\tsize:8;\tsigned:0;\n"
	"\tfield:u64 old;\toffset:24;\tsize:8;\tsigned:0;\n"
	"\tfield:u64 new;\toffset:32;\tsize:8;\tsigned:0;\n"
	"\tfield:int tgid;\toffset:40;\tsize:4;\tsigned:1;\n"
	"\tfield:unsigned int length;\toffset:44;\tsize:4;\tsigned:0;\n"
	"\tfield:unsigned int known;\toffset:48;\tsize:4;\tsigned:0;\n"
	"\tfield:unsigned int access;\toffset:52;\tsize:4;\tsigned:0;\n"
	"\tfield:unsigned int user;\toffset:56;\tsize:4;\tsigned:0;\n"
	"\tfield:unsigned int kernel;\toffset:60;\tsize:4;\tsigned:0;\n"
	"\tfield:__data_loc u64[] stack;\toffset:64;\tsize:4;\tsigned:0;\n"
	"\tfield:__data_loc char[] what;\toffset:68;\tsize:4;\tsigned:0;\n"
	"\n"
	"print fmt: \"%s: old=0x%llx new=0x%llx known=%u by %pS tgid=%d\", __get_str(what), "
	"REC->old, REC->new, REC->known, (void *)REC->ip, REC->tgid\n";

/* Writes the NUL-terminated name, padded to a multiple of 4. Returns the size. */
static uint32_t put_what(const char *what, uint8_t *out)
{
	uint32_t len = (uint32_t)strnlen(what, WATCH_EVENT_WHAT_MAX - 4), size = (len + 4) & ~3u;

	memset(out, 0, size);
	memcpy(out, what, len);
	return size;
}

uint32_t watch_event_write(const struct perf_layout *layout, const struct perf_record *record,
			   const struct watch_event *event, uint8_t *out)
{
	bool big = layout->big;
	bool is_user = (record->misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_USER;
	uint32_t kernel, n, what, end;

	memset(out, 0, WATCH_EVENT_HEAD);
	n = sample_stack_write(layout, record, out + WATCH_EVENT_HEAD, &kernel);
	if (!n) {
		store_u64(out + WATCH_EVENT_HEAD, record->ip, big);
		kernel = !is_user;
		n = 1;
	}
	what = WATCH_EVENT_HEAD + n * 8;
	end = what + put_what(event->what, out + what);
	store_u16(out + TYPE_AT, WATCH_EVENT_ID, big);
	store_u32(out + PID_AT, (uint32_t)record->tid, big);
	store_u64(out + IP_AT, record->ip, big);
	store_u64(out + ADDRESS_AT, event->address, big);
	store_u64(out + OLD_AT, event->before, big);
	store_u64(out + NEW_AT, event->after, big);
	store_u32(out + TGID_AT, (uint32_t)record->pid, big);
	store_u32(out + LENGTH_AT, event->length, big);
	store_u32(out + KNOWN_AT, event->known, big);
	store_u32(out + ACCESS_AT, event->access, big);
	store_u32(out + USER_AT, is_user, big);
	store_u32(out + KERNEL_AT, kernel, big);
	store_u32(out + STACK_AT, n * 8 << 16 | WATCH_EVENT_HEAD, big);
	store_u32(out + WHAT_AT, (uint32_t)(strlen((const char *)out + what) + 1) << 16 | what,
		  big);
	return end;
}
