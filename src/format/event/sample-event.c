/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "format/event/sample-event.h"

#include <linux/perf_event.h>
#include <string.h>

#include "format/bytes.h"
#include "format/event/common-fields.h"

/* Offsets of the fields, as in the format below. */
enum {
	TYPE_AT = 0,
	PID_AT = 4,
	IP_AT = 8,
	NS_AT = 16,
	TGID_AT = 24,
	USER_AT = 28,
	KERNEL_AT = 32,
	STACK_AT = 36,
	END_AT = 40,
	EVENT_AT = 44,
};

const char sample_format[] =
	"name: sample\n"
	"ID: 65534\n"
	"format:\n" EVENT_COMMON_FIELDS "\n"
	"\tfield:u64 ip;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:u64 ns;\toffset:16;\tsize:8;\tsigned:0;\n"
	"\tfield:int tgid;\toffset:24;\tsize:4;\tsigned:1;\n"
	"\tfield:unsigned int user;\toffset:28;\tsize:4;\tsigned:0;\n"
	"\tfield:unsigned int kernel;\toffset:32;\tsize:4;\tsigned:0;\n"
	"\tfield:__data_loc u64[] stack;\toffset:36;\tsize:4;\tsigned:0;\n"
	"\tfield:unsigned int end;\toffset:40;\tsize:4;\tsigned:0;\n"
	"\tfield:unsigned int event;\toffset:44;\tsize:4;\tsigned:0;\n"
	"\n"
	"print fmt: \"%pS tgid=%d user=%u ns=%llu stack=%s\", (void *)REC->ip, REC->tgid, "
	"REC->user, REC->ns, __print_array(__get_dynamic_array(stack), "
	"__get_dynamic_array_len(stack) / 8, 8)\n";

/* A marker determines the mode of the addresses after it. */
static bool is_mark(uint64_t address)
{
	return address >= (uint64_t)PERF_CONTEXT_MAX;
}

uint32_t sample_stack_write(const struct perf_layout *layout, const struct perf_record *record,
			    uint8_t *out, uint32_t *ret_kernel)
{
	uint32_t n = 0, kernel = 0;
	bool is_user = false;

	for (uint32_t i = 0; i < record->n_chain && n < SAMPLE_FRAMES_MAX; i++) {
		uint64_t address = perf_record_frame(layout, record, i);

		if (is_mark(address)) {
			is_user = address == (uint64_t)PERF_CONTEXT_USER;
			continue;
		}
		/* The kernel may report a frame at 0 above the outermost function. */
		if (!address)
			continue;
		store_u64(out + (size_t)n * 8, address, layout->big);
		n++;
		kernel += !is_user;
	}
	*ret_kernel = kernel;
	return n;
}

uint16_t sample_record_event(const struct perf_layout *layout, const struct perf_record *record)
{
	/* The raw data of an event begins with its ID; other samples have zeros there. */
	return record->raw && record->raw_size >= 2 ? load_u16(record->raw, layout->big) : 0;
}

uint32_t sample_event_write(const struct perf_layout *layout, const struct perf_record *record,
			    uint64_t ns, uint8_t *out)
{
	uint16_t event = sample_record_event(layout, record);
	bool big = layout->big;
	uint32_t n, kernel;

	memset(out, 0, SAMPLE_HEAD);
	n = sample_stack_write(layout, record, out + SAMPLE_HEAD, &kernel);
	store_u16(out + TYPE_AT, SAMPLE_ID, big);
	store_u32(out + PID_AT, (uint32_t)record->tid, big);
	store_u64(out + IP_AT, record->ip, big);
	store_u64(out + NS_AT, event ? 0 : ns, big);
	store_u32(out + TGID_AT, (uint32_t)record->pid, big);
	store_u32(out + USER_AT,
		  (record->misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_USER, big);
	store_u32(out + KERNEL_AT, kernel, big);
	store_u32(out + EVENT_AT, event, big);
	store_u32(out + STACK_AT, n * 8 << 16 | SAMPLE_HEAD, big);
	return SAMPLE_HEAD + n * 8;
}

void sample_event_set_event(uint8_t *event, uint16_t id, bool big)
{
	store_u32(event + EVENT_AT, id, big);
}

void sample_event_set_end(uint8_t *event, enum sample_end end, bool big)
{
	store_u32(event + END_AT, (uint32_t)end, big);
}

uint32_t sample_event_set_frames(uint8_t *event, const uint64_t *frames, uint32_t n,
				 enum sample_end end, bool big)
{
	uint32_t kernel = load_u32(event + KERNEL_AT, big);

	if (n > SAMPLE_FRAMES_MAX - kernel) {
		n = SAMPLE_FRAMES_MAX - kernel;
		end = SAMPLE_END_ROOM;
	}
	for (uint32_t i = 0; i < n; i++)
		store_u64(event + SAMPLE_HEAD + (size_t)(kernel + i) * 8, frames[i], big);
	store_u32(event + STACK_AT, (kernel + n) * 8 << 16 | SAMPLE_HEAD, big);
	sample_event_set_end(event, end, big);
	return SAMPLE_HEAD + (kernel + n) * 8;
}

const char *sample_end_text(uint64_t end)
{
	static const char *const texts[SAMPLE_ENDS] = {
		[SAMPLE_END_COPY] = "[stack truncated]",
		[SAMPLE_END_NO_RULES] = "[no unwind information]",
		[SAMPLE_END_NO_FILE] = "[no file to unwind with]",
		[SAMPLE_END_NOWHERE] = "[caller not found]",
		[SAMPLE_END_ROOM] = "[too deep]",
		[SAMPLE_END_LATE] = "[not unwound: frame pointers only]",
		[SAMPLE_END_OTHER_ABI] = "[32-bit: frame pointers only]",
	};

	return end < SAMPLE_ENDS ? texts[end] : NULL;
}
