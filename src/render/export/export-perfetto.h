/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The internals of the Perfetto output. Events are collected per CPU, in encoded form; such a
 * bundle is written when it is full. All packets belong to one sequence, in which the numbers of
 * symbols are valid: each bundle is preceded by the symbols numbered since the last one. Sizes are
 * in bytes. If memory is exhausted, @nomem is set.
 */
#ifndef FATHOM_RENDER_EXPORT_EXPORT_PERFETTO_H
#define FATHOM_RENDER_EXPORT_EXPORT_PERFETTO_H

#include "base/arena.h"
#include "render/export/export-call.h"
#include "render/export/export-slices.h"
#include "render/export.h"
#include "render/kit/protobuf.h"
#include "symbols/kernel/kallsyms.h"

/* The maximum size of an event, so that its length can be written as two bytes. */
#define PERFETTO_EVENT_MAX (PB_LENGTH2_MAX - 16)
/* The maximum size of a number in a message, a short string, and the envelope of an event. */
#define PERFETTO_HEAD_MAX 48
/* A bundle is written when it has reached this size. */
#define PERFETTO_BUNDLE_FULL ((size_t)32 << 10)
/* The number of rows in the bundle's table of switches, and in that of wakeups. */
#define PERFETTO_ROWS  256
#define PERFETTO_NAMES (2 * PERFETTO_ROWS)
#define PERFETTO_SLOTS 1024 /* of a hash table of names; a power of two */
/* The size at which new symbols and tasks are written; longer names are cut. */
#define PERFETTO_SYMBOLS_FULL ((size_t)64 << 10)
#define PERFETTO_TASKS_FULL   ((size_t)16 << 10)
#define PERFETTO_NAME_MAX     512
/* Linux's pids are below this. */
#define PERFETTO_PIDS (1 << 22)
/* Perfetto rejects more CPUs. */
#define PERFETTO_CPUS 1024
#define PERFETTO_COMM 16

/*
 * Fields of TracePacket, FtraceEventBundle, FtraceEvent and others, numbered as in their .proto
 * files.
 */
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

/* The state of a CPU, mostly the bundle being filled. */
struct perfetto_cpu {
	int32_t pid; /* of its last event */
	int32_t running; /* the task that was switched to */
	bool switched; /* @running is known, because no switch is missing */
	bool lost; /* events were lost before this bundle */
	struct export_call call;

	uint32_t n_switches, n_wakings, n_names;
	size_t len; /* of @events */
	struct perfetto_switch switches[PERFETTO_ROWS];
	struct perfetto_waking wakings[PERFETTO_ROWS];
	char names[PERFETTO_NAMES][PERFETTO_COMM];
	uint16_t slots[PERFETTO_SLOTS]; /* number of a name + 1; 0: empty */
	uint8_t events[PERFETTO_BUNDLE_FULL + PERFETTO_EVENT_MAX + PERFETTO_HEAD_MAX];
};

/* The place of the last slice of a task. */
struct perfetto_track {
	uint64_t time;
	uint32_t cpu;
	bool is_used;
};

enum perfetto_kind {
	PERFETTO_FIELDS, /* field by field, according to its ops */
	PERFETTO_SWITCH,
	PERFETTO_WAKING,
	PERFETTO_CALL, /* start or end of a system call */
	PERFETTO_TEXT, /* one string: the report's text */
	PERFETTO_NEW_TASK,
};

enum perfetto_op_kind {
	OP_NUMBER,
	OP_STRING,
	OP_ELEMENTS, /* numbers, each with a tag */
	OP_SYMBOL, /* the number of a symbol */
	OP_SYMBOL_NAME,
	OP_TEXT,
};

/* A field to be encoded. */
struct perfetto_op {
	const struct event_field *field;
	enum perfetto_op_kind kind;
	uint8_t number; /* of the field in the message; in a generic event, of the value */
	uint8_t name_len; /* 0: not a generic event */
	const uint8_t *name; /* prefix of the value in a generic event, encoded; padded */
};

/* How events with one ID are encoded. */
struct perfetto_plan {
	const struct event_format *format; /* NULL: unknown event */
	enum perfetto_kind kind;
	uint32_t number; /* of the message in FtraceEvent */
	uint32_t n_ops;
	struct perfetto_op *ops;
	const uint8_t *head; /* prefix of the fields, encoded; padded */
	uint32_t head_len;
	/* The fields that its kind needs: of a function, a switch, a wakeup, or a system call. */
	const struct event_field *fields[6];
	const struct event_field *flags;
	enum export_call_kind call;
	struct perfetto_plan *plain; /* the same as a generic event, if this one is not */
};

struct perfetto {
	struct arena arena;
	const struct kallsyms *kallsyms;
	struct kallsyms_cache cache;
	uint32_t *symbol_ids; /* by index of the symbol; 0: not yet numbered */
	uint32_t n_symbols;
	struct slices slices; /* replace the events of functions and system calls */
	uint32_t *frame_ids; /* numbers of names, by frame; 0: not yet numbered */
	size_t n_frame_ids, cap_frame_ids;
	struct perfetto_track *tracks; /* by number of the task */
	size_t n_tracks, cap_tracks;
	struct strbuf name;
	struct perfetto_plan **plans; /* by event ID */
	struct perfetto_plan unknown;
	struct perfetto_cpu **cpus;
	size_t n_cpus;
	uint8_t *known_pids; /* a bitmap */
	uint64_t first_time;
	bool started;
	bool nomem;

	size_t symbols_len, tasks_len;
	uint8_t symbols[PERFETTO_SYMBOLS_FULL + PERFETTO_NAME_MAX + PERFETTO_HEAD_MAX];
	uint8_t tasks[PERFETTO_TASKS_FULL + 2 * PERFETTO_NAME_MAX + 2 * PERFETTO_HEAD_MAX];
	/* For the tables of a bundle while it is written, and for text. */
	uint8_t scratch[PERFETTO_ROWS * (5 + 6) * PB_VARINT_MAX +
			PERFETTO_NAMES * (PERFETTO_COMM + 2) + 16 * PB_NUMBER_MAX];
};

/*
 * Returns the number of the symbol that contains @address, or the address if there is none. In
 * export-perfetto-symbol.c, as is the next one.
 */
uint64_t perfetto_symbol(struct perfetto *perfetto, uint64_t address);
/* Returns the number of the name of a frame, or 0 if memory is exhausted. */
uint32_t perfetto_frame_symbol(struct perfetto *perfetto, uint32_t frame);

/* Returns how events with this ID are encoded; never NULL. In export-perfetto-plan.c. */
const struct perfetto_plan *perfetto_make_plan(struct export *export, unsigned id);

/* Adds an event to the bundle, field by field. In export-perfetto-event.c, as are the next two. */
void perfetto_put_fields(struct export *export, const struct perfetto_plan *plan,
			 struct perfetto_cpu *cpu, const struct fathom_event *event);
/* Adds the start or end of a call by a task on this CPU. */
void perfetto_put_slice(struct perfetto_cpu *cpu, bool begins, uint64_t time, int32_t pid,
			uint64_t symbol);
/* Adds an event with one field, the report's text. */
void perfetto_put_text(struct export *export, const struct perfetto_plan *plan,
		       struct perfetto_cpu *cpu, struct fathom_event *event);

/*
 * Add a switch or a wakeup to the tables of the bundle. Return false if it must be encoded field by
 * field. In export-perfetto-sched.c.
 */
bool perfetto_put_switch(const struct perfetto_plan *plan, struct perfetto_cpu *cpu,
			 const struct fathom_event *event);
bool perfetto_put_waking(const struct perfetto_plan *plan, struct perfetto_cpu *cpu,
			 const struct fathom_event *event);
/* Writes the tables to @p and clears them. Returns the end of the written bytes. */
uint8_t *perfetto_write_tables(struct perfetto_cpu *cpu, uint8_t *p);
/* Returns whether a table is full, so that the bundle must be written. */
static inline bool perfetto_tables_full(const struct perfetto_cpu *cpu)
{
	return cpu->n_switches == PERFETTO_ROWS || cpu->n_wakings == PERFETTO_ROWS;
}

#endif
