/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Calls as pprof's profile.proto, compressed with gzip: a sample for each path of functions, with
 * its number of calls and self time. A function is a location and a function with the same number.
 * Strings are written in the order of their numbers; names of functions are last.
 */
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "format/compress/gzip.h"
#include "render/export.h"
#include "render/time/flame.h"
#include "render/kit/protobuf.h"

/* Fields of messages, numbered as in profile.proto. */
enum {
	PROFILE_SAMPLE_TYPE = 1,
	PROFILE_SAMPLE = 2,
	PROFILE_MAPPING = 3,
	PROFILE_LOCATION = 4,
	PROFILE_FUNCTION = 5,
	PROFILE_STRING_TABLE = 6,
	PROFILE_DURATION_NANOS = 10,
	PROFILE_PERIOD_TYPE = 11,
	PROFILE_PERIOD = 12,
	PROFILE_DEFAULT_SAMPLE_TYPE = 14,
	VALUE_TYPE = 1,
	VALUE_UNIT = 2,
	SAMPLE_LOCATION_ID = 1,
	SAMPLE_VALUE = 2,
	MAPPING_ID = 1,
	MAPPING_FILENAME = 5,
	MAPPING_HAS_FUNCTIONS = 7,
	LOCATION_ID = 1,
	LOCATION_MAPPING_ID = 2,
	LOCATION_ADDRESS = 3,
	LOCATION_LINE = 4,
	LINE_FUNCTION_ID = 1,
	FUNCTION_ID = 1,
	FUNCTION_NAME = 2,
	FUNCTION_SYSTEM_NAME = 3,
};

/* The first string must be empty. */
enum {
	STRING_EMPTY,
	STRING_CALLS,
	STRING_COUNT,
	STRING_WALL,
	STRING_NANOSECONDS,
	STRING_CPU,
	STRING_ASLEEP,
	STRING_KERNEL,
	STRINGS,
};

static const char *const strings[STRINGS] = {
	"", "calls", "count", "wall", "nanoseconds", "cpu", "off-cpu", "[kernel.kallsyms]",
};

/* The values of a sample, in this order; times are those of flame graphs. */
static const struct {
	unsigned type, unit;
	enum flame_by by;
} values[] = {
	{ STRING_CALLS, STRING_COUNT, 0 },
	{ STRING_WALL, STRING_NANOSECONDS, FLAME_WALL },
	{ STRING_CPU, STRING_NANOSECONDS, FLAME_CPU },
	{ STRING_ASLEEP, STRING_NANOSECONDS, FLAME_OFF },
};

#define KERNEL_MAPPING 1
/* Space for a message with a few numbers. */
#define SMALL (8 * PB_NUMBER_MAX)

struct pprof {
	struct gzip gzip;
	uint64_t *shares[ARRAY_SIZE(values)]; /* by node; none for the number of calls */
	struct strbuf buf;
	bool nomem;
};

static void export_pprof_take(void *data, const void *bytes, size_t len)
{
	struct sink *sink = data;

	text_bytes(&sink->text, bytes, len);
	sink_flush_if_full(sink);
}

static void put_message(struct pprof *pprof, unsigned field, const void *bytes, size_t len)
{
	uint8_t head[PB_NUMBER_MAX];

	gzip_add(&pprof->gzip, head,
		 (size_t)(pb_varint(pb_tag(head, field, PB_BYTES), len) - head));
	gzip_add(&pprof->gzip, bytes, len);
}

static void export_pprof_put_number(struct pprof *pprof, unsigned field, uint64_t value)
{
	uint8_t buf[PB_NUMBER_MAX];

	gzip_add(&pprof->gzip, buf, (size_t)(pb_number(buf, field, value) - buf));
}

static void put_value_type(struct pprof *pprof, unsigned field, unsigned type, unsigned unit)
{
	uint8_t buf[SMALL], *p = pb_number(pb_number(buf, VALUE_TYPE, type), VALUE_UNIT, unit);

	put_message(pprof, field, buf, (size_t)(p - buf));
}

static void export_pprof_put_head(struct pprof *pprof, const struct export_calls *calls)
{
	uint8_t buf[SMALL], *p;

	for (size_t i = 0; i < ARRAY_SIZE(values); i++)
		put_value_type(pprof, PROFILE_SAMPLE_TYPE, values[i].type, values[i].unit);
	p = pb_number(buf, MAPPING_ID, KERNEL_MAPPING);
	p = pb_number(p, MAPPING_FILENAME, STRING_KERNEL);
	p = pb_number(p, MAPPING_HAS_FUNCTIONS, true);
	put_message(pprof, PROFILE_MAPPING, buf, (size_t)(p - buf));
	export_pprof_put_number(pprof, PROFILE_DURATION_NANOS, calls->duration);
	put_value_type(pprof, PROFILE_PERIOD_TYPE, STRING_WALL, STRING_NANOSECONDS);
	export_pprof_put_number(pprof, PROFILE_PERIOD, 1);
	export_pprof_put_number(pprof, PROFILE_DEFAULT_SAMPLE_TYPE, STRING_WALL);
}

static void export_pprof_put_strings(struct pprof *pprof, const struct func_table *funcs)
{
	for (size_t i = 0; i < STRINGS; i++)
		put_message(pprof, PROFILE_STRING_TABLE, strings[i], strlen(strings[i]));
	for (size_t i = 0; i < funcs->n; i++) {
		strbuf_clear(&pprof->buf);
		func_put_name(&funcs->list[i], &pprof->buf);
		pprof->nomem |= pprof->buf.err != 0;
		put_message(pprof, PROFILE_STRING_TABLE, strbuf_str(&pprof->buf), pprof->buf.len);
	}
}

static void export_pprof_put_functions(struct pprof *pprof, const struct func_table *funcs)
{
	for (size_t i = 0; i < funcs->n; i++) {
		uint8_t line[SMALL], buf[2 * SMALL];
		uint8_t *p = pb_number(buf, FUNCTION_ID, i + 1);

		p = pb_number(p, FUNCTION_NAME, STRINGS + i);
		p = pb_number(p, FUNCTION_SYSTEM_NAME, STRINGS + i);
		put_message(pprof, PROFILE_FUNCTION, buf, (size_t)(p - buf));
		p = pb_number(buf, LOCATION_ID, i + 1);
		p = pb_number(p, LOCATION_MAPPING_ID, KERNEL_MAPPING);
		p = pb_number(p, LOCATION_ADDRESS, funcs->list[i].address);
		p = pb_bytes(p, LOCATION_LINE, line,
			     (size_t)(pb_number(line, LINE_FUNCTION_ID, i + 1) - line));
		put_message(pprof, PROFILE_LOCATION, buf, (size_t)(p - buf));
	}
}

/* The innermost location comes first. If memory is exhausted, the sample is omitted. */
static void export_pprof_put_sample(struct pprof *pprof, const struct call_tree *tree,
				    uint32_t node)
{
	uint8_t packed[ARRAY_SIZE(values) * PB_VARINT_MAX], *p = packed, *path;
	uint8_t head[2 * PB_NUMBER_MAX], *q;
	size_t depth = 0, len;
	char *room;

	p = pb_varint(p, tree->nodes[node].count);
	for (size_t i = 1; i < ARRAY_SIZE(values); i++)
		p = pb_varint(p, pprof->shares[i][node]);
	for (uint32_t at = node; at != CALL_ROOT; at = tree->nodes[at].parent)
		depth++;
	strbuf_clear(&pprof->buf);
	room = strbuf_room(&pprof->buf, (depth + 4) * PB_NUMBER_MAX + sizeof(packed));
	if (!room) {
		pprof->nomem = true;
		return;
	}
	path = (uint8_t *)room + sizeof(head);
	q = path;
	for (uint32_t at = node; at != CALL_ROOT; at = tree->nodes[at].parent)
		q = pb_varint(q, (uint64_t)tree->nodes[at].func + 1);
	len = (size_t)(q - path);
	q = pb_bytes(q, SAMPLE_VALUE, packed, (size_t)(p - packed));
	/* The head is written directly before the path, whose length is known only now. */
	p = pb_varint(pb_tag(head, SAMPLE_LOCATION_ID, PB_BYTES), len);
	memcpy(path - (p - head), head, (size_t)(p - head));
	put_message(pprof, PROFILE_SAMPLE, path - (p - head), (size_t)(q - path + (p - head)));
}

static void export_pprof_put_samples(struct pprof *pprof, const struct call_tree *tree)
{
	uint32_t at = CALL_ROOT;

	for (bool down = true; at != CALL_NONE;) {
		const struct call_node *node = &tree->nodes[at];

		if (down && at != CALL_ROOT &&
		    (node->count || pprof->shares[1][at] || pprof->shares[3][at]))
			export_pprof_put_sample(pprof, tree, at);
		if (down && node->child != CALL_NONE) {
			at = node->child;
			continue;
		}
		down = node->sibling != CALL_NONE;
		at = down ? node->sibling : node->parent;
	}
}

static int export_pprof_write_calls(struct export *export, const struct export_calls *calls,
				    struct fathom_err *err)
{
	struct pprof *pprof = export->state;

	for (size_t i = 1; i < ARRAY_SIZE(values); i++) {
		pprof->shares[i] = flame_shares(calls->tree, values[i].by);
		if (!pprof->shares[i])
			return err_nomem(err);
	}
	if (gzip_init(&pprof->gzip, export_pprof_take, export->sink) < 0)
		return err_nomem(err);
	export_pprof_put_head(pprof, calls);
	export_pprof_put_strings(pprof, &calls->tree->funcs);
	export_pprof_put_functions(pprof, &calls->tree->funcs);
	export_pprof_put_samples(pprof, calls->tree);
	gzip_end(&pprof->gzip);
	return pprof->nomem ? err_nomem(err) : 0;
}

static void export_pprof_done(struct export *export)
{
	struct pprof *pprof = export->state;

	gzip_done(&pprof->gzip);
	for (size_t i = 0; i < ARRAY_SIZE(values); i++)
		free(pprof->shares[i]);
	strbuf_done(&pprof->buf);
}

const struct export_output export_pprof = {
	.name = "pprof",
	.suffix = ".pb.gz",
	.summary = "profile.proto (gzip): pprof, speedscope, Perfetto",
	.open = "open it with 'pprof -http=:' or at https://www.speedscope.app",
	.flags = EXPORT_BINARY,
	.state_size = sizeof(struct pprof),
	.calls = export_pprof_write_calls,
	.done = export_pprof_done,
};
