/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the files of the Perfetto output share. Events are gathered per CPU, in the bytes that
 * they will have in the file; such a bundle is written when it is full. All packets are of one
 * sequence, so that the numbers of symbols mean the same in all of them: before a bundle stands
 * whatever symbol was numbered since the last one.
 */
#ifndef FATHOM_RENDER_EXPORT_EXPORT_PERFETTO_H
#define FATHOM_RENDER_EXPORT_EXPORT_PERFETTO_H

#include "base/arena.h"
#include "read/event-table.h"
#include "render/export/export-call.h"
#include "render/export/export-field.h"
#include "render/export/export-slices.h"
#include "render/export.h"
#include "render/kit/protobuf.h"
#include "symbols/kernel/kallsyms.h"

/* An event takes at most this, so that two bytes are enough for its length. */
#define PERFETTO_EVENT_MAX (PB_LENGTH2_MAX - 16)
/* What a number in a message, a short string and what is around an event take at most. */
#define PERFETTO_HEAD_MAX 48
/* A bundle with so many bytes of events is written. */
#define PERFETTO_BUNDLE_FULL ((size_t)32 << 10)
/* Rows of a bundle's table of task switches, and of that of wake-ups. */
#define PERFETTO_ROWS  256
#define PERFETTO_NAMES (2 * PERFETTO_ROWS)
#define PERFETTO_SLOTS 1024 /* to find a name by its bytes; a power of two */
/* Symbols and tasks that wait to be written; a name that is longer is cut. */
#define PERFETTO_SYMBOLS_FULL ((size_t)64 << 10)
#define PERFETTO_TASKS_FULL   ((size_t)16 << 10)
#define PERFETTO_NAME_MAX     512
/* Pids of Linux are below this. */
#define PERFETTO_PIDS (1 << 22)
/* Perfetto refuses more CPUs. */
#define PERFETTO_CPUS 1024
#define PERFETTO_COMM 16

/* Fields of TracePacket, FtraceEventBundle, FtraceEvent and others, as their .proto files say. */
enum {
	TRACE_PACKET = 1,

	PACKET_FTRACE_EVENTS = 1,
	PACKET_PROCESS_TREE = 2,
	PACKET_CLOCK_SNAPSHOT = 6,
	PACKET_TIMESTAMP = 8,
	PACKET_SEQUENCE_ID = 10,
	PACKET_INTERNED_DATA = 12,
	PACKET_SEQUENCE_FLAGS = 13,
	PACKET_SYSTEM_INFO = 45,
	PACKET_FIRST_ON_SEQUENCE = 87,

	SEQUENCE_CLEARED = 1,
	SEQUENCE_NEEDED = 2,

	BUNDLE_CPU = 1,
	BUNDLE_EVENT = 2,
	BUNDLE_LOST = 3,
	BUNDLE_COMPACT = 4,

	EVENT_TIMESTAMP = 1,
	EVENT_PID = 2,
	EVENT_PRINT = 3,
	EVENT_SCHED_SWITCH = 4,
	EVENT_SCHED_WAKING = 20,
	EVENT_GENERIC = 327,
	EVENT_SYS_ENTER = 329,
	EVENT_SYS_EXIT = 330,
	EVENT_FUNCGRAPH_ENTRY = 437,
	EVENT_FUNCGRAPH_EXIT = 438,

	INTERNED_KERNEL_SYMBOLS = 26,
};

struct perfetto_switch {
	uint64_t time;
	int64_t prev_state;
	int32_t next_pid, next_prio;
	uint16_t name;
};

struct perfetto_waking {
	uint64_t time;
	int32_t pid, target_cpu, prio;
	uint16_t name;
	uint8_t flags;
};

/* What is kept for a CPU, most of it for the bundle that is being filled. */
struct perfetto_cpu {
	int32_t pid; /* of its last event */
	int32_t running; /* the task that was switched to */
	bool switched; /* the switches before are known, and @running */
	bool lost; /* events were, before this bundle */
	struct export_call call;

	uint32_t n_switches, n_wakings, n_names;
	size_t len; /* of @events */
	struct perfetto_switch switches[PERFETTO_ROWS];
	struct perfetto_waking wakings[PERFETTO_ROWS];
	char names[PERFETTO_NAMES][PERFETTO_COMM];
	uint16_t slots[PERFETTO_SLOTS]; /* number of a name + 1; 0: free */
	uint8_t events[PERFETTO_BUNDLE_FULL + PERFETTO_EVENT_MAX + PERFETTO_HEAD_MAX];
};

/* Where the last slice of a task was put. */
struct perfetto_track {
	uint64_t time;
	uint32_t cpu;
	bool is_used;
};

enum perfetto_kind {
	PERFETTO_FIELDS, /* field by field, as its ops say */
	PERFETTO_SWITCH,
	PERFETTO_WAKING,
	PERFETTO_CALL, /* a system call begins or ends */
	PERFETTO_TEXT, /* one string: what the report shows */
	PERFETTO_NEW_TASK,
};

enum perfetto_op_kind {
	OP_NUMBER,
	OP_STRING,
	OP_ELEMENTS, /* numbers, each with the tag */
	OP_SYMBOL, /* a number that stands for the symbol */
	OP_SYMBOL_NAME,
	OP_TEXT,
};

/* A field that is written. */
struct perfetto_op {
	const struct event_field *field;
	enum perfetto_op_kind kind;
	uint8_t number; /* of the field in the message; in a generic event: that of the value */
	uint8_t name_len; /* 0: it is no generic event */
	const uint8_t *name; /* bytes of a generic event's field up to the value; padded */
};

/* How events of one id are written. */
struct perfetto_plan {
	const struct event_format *format; /* NULL: nothing describes them */
	enum perfetto_kind kind;
	uint32_t number; /* of the message in FtraceEvent */
	uint32_t n_ops;
	struct perfetto_op *ops;
	const uint8_t *head; /* bytes before the fields; padded */
	uint32_t head_len;
	/* Fields that its kind needs: a function; a switch; a wake-up; the number of a system call. */
	const struct event_field *fields[6];
	const struct event_field *flags;
	enum export_call_kind call;
	struct perfetto_plan
		*plain; /* the same event with all its fields, when it is told otherwise */
};

struct perfetto {
	struct arena arena;
	const struct kallsyms *kallsyms;
	struct kallsyms_cache cache;
	uint32_t *symbol_ids; /* by their place in kallsyms; 0: not written yet */
	uint32_t n_symbols;
	struct slices slices; /* on: instead of the events of functions and system calls */
	uint32_t *frame_ids; /* symbols, by their frame; 0: not written yet */
	size_t n_frame_ids, cap_frame_ids;
	struct perfetto_track *tracks; /* by the number of the task */
	size_t n_tracks, cap_tracks;
	struct strbuf name;
	struct perfetto_plan **plans; /* by event id */
	struct perfetto_plan unknown;
	struct perfetto_cpu **cpus;
	size_t n_cpus;
	uint8_t *known_pids; /* bits */
	uint64_t first_time;
	bool started;
	bool nomem;

	size_t symbols_len, tasks_len;
	uint8_t symbols[PERFETTO_SYMBOLS_FULL + PERFETTO_NAME_MAX + PERFETTO_HEAD_MAX];
	uint8_t tasks[PERFETTO_TASKS_FULL + 2 * PERFETTO_NAME_MAX + 2 * PERFETTO_HEAD_MAX];
	/* For the tables of a bundle while it is written, and for texts. */
	uint8_t scratch[PERFETTO_ROWS * (5 + 6) * PB_VARINT_MAX +
			PERFETTO_NAMES * (PERFETTO_COMM + 2) + 16 * PB_NUMBER_MAX];
};

/*
 * export-perfetto-symbol.c: the number for the symbol that @address is in; the address itself when there
 * is none.
 */
uint64_t perfetto_symbol(struct perfetto *perfetto, uint64_t address);
/* The number for the name of a frame; 0 without memory. */
uint32_t perfetto_frame_symbol(struct perfetto *perfetto, uint32_t frame);

/* export-perfetto-plan.c: how events of that id are written; never NULL. */
const struct perfetto_plan *perfetto_make_plan(struct export *export, unsigned id);

/* export-perfetto-event.c: adds the event to the bundle, in the form of its fields. */
void perfetto_put_fields(struct export *export, const struct perfetto_plan *plan,
			 struct perfetto_cpu *cpu, const struct fathom_event *event);
/* The beginning or end of a call, of a task on that CPU. */
void perfetto_put_slice(struct perfetto_cpu *cpu, bool begins, uint64_t time, int32_t pid,
			uint64_t symbol);
/* What the report says about the event, as its only field. */
void perfetto_put_text(struct export *export, const struct perfetto_plan *plan,
		       struct perfetto_cpu *cpu, struct fathom_event *event);

/*
 * export-perfetto-sched.c: adds a switch or a wake-up to the tables of the bundle. False: it has
 * to be told field by field.
 */
bool perfetto_put_switch(const struct perfetto_plan *plan, struct perfetto_cpu *cpu,
			 const struct fathom_event *event);
bool perfetto_put_waking(const struct perfetto_plan *plan, struct perfetto_cpu *cpu,
			 const struct fathom_event *event);
/* Writes the tables to @p and forgets them. */
uint8_t *perfetto_write_tables(struct perfetto_cpu *cpu, uint8_t *p);
/* Bytes of the two tables that are full, or no more names: the bundle has to be written. */
static inline bool perfetto_tables_full(const struct perfetto_cpu *cpu)
{
	return cpu->n_switches == PERFETTO_ROWS || cpu->n_wakings == PERFETTO_ROWS;
}

#endif
