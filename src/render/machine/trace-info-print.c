/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/quote.h"
#include "base/strbuf.h"
#include "read/context/notes.h"
#include "render/kit/completeness-read.h"
#include "render/kit/out.h"
#include "render/machine/trace-info-parts.h"

static void trace_info_print_row(struct out *out, const char *label, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static void trace_info_print_row(struct out *out, const char *label, const char *fmt, ...)
{
	va_list ap;

	quote_printf(out->stream, "%s%-12s%s", out_style(out, OUT_NAME), label,
		     out_style(out, OUT_PLAIN));
	va_start(ap, fmt);
	quote_vprintf(out->stream, fmt, ap);
	va_end(ap);
	fputc('\n', out->stream);
}

static void print_file(const struct trace_info *info, const struct fathom_trace_info *about,
		       struct out *out)
{
	trace_info_print_row(out, "file", "%s, %" PRIu64 " bytes", info->path, about->file_size);
	trace_info_print_row(out, "format",
			     "trace.dat version %u, %s endian, %u-bit kernel, %u-byte pages",
			     about->version, about->big_endian ? "big" : "little",
			     about->kernel_long_size * 8, about->page_size);
	trace_info_print_row(out, "compression", "%s%s%s", about->compression,
			     *about->compression_version ? " " : "", about->compression_version);
	if (about->unfinished)
		trace_info_print_row(
			out, "unfinished",
			"still being recorded, or the recorder was killed (see 'fathom recover')");
	/* trace-cmd only notes its version. */
	if (*about->tracer)
		trace_info_print_row(out, "recorded by", "%s%s",
				     isdigit((unsigned char)about->tracer[0]) ? "trace-cmd " : "",
				     about->tracer);
	if (*about->uname)
		trace_info_print_row(out, "machine", "%s, %u CPUs", about->uname, about->cpus);
	else
		trace_info_print_row(out, "machine", "%u CPUs", about->cpus);
	trace_info_print_row(out, "clock", "%s%s", *about->clock ? about->clock : "unknown",
			     about->tsc_mult ? " (cycles, shown in seconds)" : "");
	if (info->has_events)
		trace_info_print_row(out, "time",
				     "%" PRIu64 ".%09" PRIu64 " to %" PRIu64 ".%09" PRIu64
				     ", %.6f seconds",
				     info->first / 1000000000, info->first % 1000000000,
				     info->last / 1000000000, info->last % 1000000000,
				     (double)(info->last - info->first) / 1e9);
	else
		trace_info_print_row(out, "time", "no events");
}

/* Prints notes by fathom's recorder. */
static void print_notes(const struct trace_info *info, struct out *out)
{
	struct note_place place = { 0 };
	struct note note;

	while (notes_next(info->trace, &place, &note)) {
		char key[16];

		snprintf(key, sizeof(key), "%.*s", (int)note.key_len, note.key);
		trace_info_print_row(out, key, "%.*s", (int)note.value_len, note.value);
	}
}

static void print_lost(uint64_t lost, bool unknown, struct out *out)
{
	if (!lost && !unknown)
		return;
	if (lost)
		out_printf(out, OUT_WARN, ", %" PRIu64 "%s lost", lost, unknown ? " or more" : "");
	else
		out_printf(out, OUT_WARN, ", an unknown number lost");
}

static void print_rate(const struct trace_info_cpu *cpu, struct out *out)
{
	if (cpu->events && cpu->last > cpu->first)
		quote_printf(out->stream, ", %.0f/s",
			     (double)cpu->events * 1e9 / (double)(cpu->last - cpu->first));
}

static void print_buffers(const struct trace_info *info, struct out *out)
{
	struct fathom_trace_buffer buffer;
	size_t at = 0;

	for (uint32_t b = 0; fathom_trace_buffer(info->trace, b, &buffer) == 0; b++) {
		fputc('\n', out->stream);
		trace_info_print_row(out, "buffer", "%s%s%s, %u-byte pages%s",
				     *buffer.name ? buffer.name : "top",
				     *buffer.clock ? ", clock " : "", buffer.clock,
				     buffer.page_size,
				     buffer.is_text ? ", text of a latency tracer" : "");
		for (; at < info->n_cpus && info->cpus[at].buffer == b; at++) {
			const struct trace_info_cpu *cpu = &info->cpus[at];

			quote_printf(out->stream, "  CPU %-5" PRIu32 " %12" PRIu64 " bytes",
				     cpu->cpu, cpu->bytes);
			if (info->what & TRACE_INFO_COUNT) {
				quote_printf(out->stream, " %12" PRIu64 " events", cpu->events);
				print_rate(cpu, out);
				print_lost(cpu->lost, cpu->lost_unknown, out);
			}
			fputc('\n', out->stream);
		}
	}
}

struct count {
	uint64_t n;
	unsigned id;
};

static int compare_counts(const void *a, const void *b)
{
	const struct count *ca = a, *cb = b;

	if (ca->n != cb->n)
		return ca->n < cb->n ? 1 : -1;
	return (ca->id > cb->id) - (ca->id < cb->id);
}

/*
 * Lists the kinds of events that occurred, the most frequent first. Returns their number or
 * -ENOMEM.
 */
static long sort_counts(const struct trace_info *info, struct count **ret_counts)
{
	struct count *counts = mem_zalloc(EVENT_TABLE_IDS, sizeof(*counts));
	size_t n = 0;

	if (!counts)
		return -ENOMEM;
	for (unsigned id = 0; id < EVENT_TABLE_IDS; id++)
		if (info->counts[id])
			counts[n++] = (struct count){ info->counts[id], id };
	qsort(counts, n, sizeof(*counts), compare_counts);
	*ret_counts = counts;
	return (long)n;
}

static const struct event_format *format_of(const struct trace_info *info, unsigned id)
{
	/* The table caches parsed formats, so looking one up is not const. */
	struct event_entry *entry =
		event_table_find((struct event_table *)(uintptr_t)&info->events, id);

	return entry ? entry->format : NULL;
}

static int print_counts(const struct trace_info *info, struct out *out)
{
	_cleanup_free_ struct count *counts = NULL;
	long n = sort_counts(info, &counts);

	if (n < 0)
		return (int)n;
	fputc('\n', out->stream);
	trace_info_print_row(out, "events", "%" PRIu64 " of %ld kinds", info->total, n);
	for (long i = 0; i < n; i++) {
		const struct event_format *format = format_of(info, counts[i].id);

		if (format)
			quote_printf(out->stream, "  %12" PRIu64 " %s:%s\n", counts[i].n,
				     format->system, format->name);
		else
			quote_printf(out->stream, "  %12" PRIu64 " unknown, id %u\n", counts[i].n,
				     counts[i].id);
	}
	if (info->lost || info->lost_unknown) {
		quote_printf(out->stream, "  %12" PRIu64 " ", info->lost);
		out_printf(out, OUT_WARN, "lost%s\n",
			   info->lost_unknown ? ", and an unknown number more" : "");
	}
	return 0;
}

static void print_formats(const struct trace_info *info, struct out *out)
{
	fputc('\n', out->stream);
	trace_info_print_row(out, "formats", "%zu, %zu unusable", info->events.n, info->n_failed);
	for (size_t i = 0; i < info->n_failed; i++)
		quote_printf(out->stream, "  %s:%s: %s\n", info->failed[i].system,
			     info->failed[i].name ? info->failed[i].name : "?",
			     info->failed[i].reason);
}

static void print_sections(const struct trace_info *info, struct out *out)
{
	struct fathom_trace_section section;
	struct fathom_trace_option option;

	fputc('\n', out->stream);
	for (size_t i = 0; fathom_trace_section_at(info->trace, i, &section) == 0; i++)
		trace_info_print_row(out, "section",
				     "%2u %-14s %10" PRIu64 " bytes at %" PRIu64 "%s%s%s",
				     section.id, section.name, section.size, section.offset,
				     section.flags & 1 ? ", compressed" : "",
				     *section.description ? ", " : "", section.description);
	for (size_t i = 0; fathom_trace_option(info->trace, i, &option) == 0; i++)
		trace_info_print_row(out, "option", "%2u %-14s %10zu bytes at %" PRIu64, option.id,
				     option.name, option.size, option.offset);
}

static void print_damage(const struct trace_info *info, struct out *out)
{
	uint64_t n = fathom_trace_damage_count(info->trace);
	struct fathom_trace_damage damage;

	fputc('\n', out->stream);
	if (!n) {
		trace_info_print_row(out, "damage", "none found%s",
				     info->what & TRACE_INFO_COUNT ? "" :
								     " (--count reads all of it)");
		return;
	}
	trace_info_print_row(out, "damage", "%" PRIu64 " faults", n);
	for (size_t i = 0; fathom_trace_damage(info->trace, i, &damage) == 0; i++) {
		out_printf(out, OUT_BAD, "  byte %" PRIu64, damage.offset);
		quote_printf(out->stream, ": %s\n", damage.text);
	}
}

int trace_info_print(const struct trace_info *info, struct out *out)
{
	int r = 0;

	print_file(info, fathom_trace_info(info->trace), out);
	print_notes(info, out);
	print_buffers(info, out);
	if (info->what & TRACE_INFO_COUNT)
		r = print_counts(info, out);
	if (info->what & TRACE_INFO_FORMATS)
		print_formats(info, out);
	if (info->what & TRACE_INFO_SECTIONS)
		print_sections(info, out);
	print_damage(info, out);
	return r;
}

static void json_file(const struct trace_info *info, struct json *json)
{
	const struct fathom_trace_info *about = fathom_trace_info(info->trace);

	json_string(json, "file", info->path);
	json_u64(json, "file_bytes", about->file_size);
	json_u64(json, "format_version", about->version);
	json_bool(json, "big_endian", about->big_endian);
	json_u64(json, "kernel_long_bytes", about->kernel_long_size);
	json_u64(json, "page_bytes", about->page_size);
	json_string(json, "compression", about->compression);
	json_string(json, "recorder", about->tracer);
	json_string(json, "uname", about->uname);
	json_u64(json, "cpu_count", about->cpus);
	json_string(json, "clock", about->clock);
	json_bool(json, "unfinished", about->unfinished);
	if (info->has_events) {
		json_u64(json, "first_time_ns", info->first);
		json_u64(json, "last_time_ns", info->last);
	}
}

static void json_cpu(const struct trace_info *info, const struct trace_info_cpu *cpu,
		     struct json *json)
{
	json_begin_object(json, NULL);
	json_u64(json, "cpu", cpu->cpu);
	json_u64(json, "data_bytes", cpu->bytes);
	if (cpu->has_events) {
		json_u64(json, "first_time_ns", cpu->first);
		json_u64(json, "last_time_ns", cpu->last);
	}
	if (info->what & TRACE_INFO_COUNT) {
		json_u64(json, "event_count", cpu->events);
		json_u64(json, "lost_event_count", cpu->lost);
		json_bool(json, "lost_count_is_minimum", cpu->lost_unknown);
	}
	json_end_object(json);
}

static void json_buffers(const struct trace_info *info, struct json *json)
{
	struct fathom_trace_buffer buffer;
	size_t at = 0;

	json_begin_array(json, "buffers");
	for (uint32_t b = 0; fathom_trace_buffer(info->trace, b, &buffer) == 0; b++) {
		json_begin_object(json, NULL);
		json_string(json, "name", buffer.name);
		json_string(json, "clock", buffer.clock);
		json_u64(json, "page_bytes", buffer.page_size);
		json_begin_array(json, "cpus");
		for (; at < info->n_cpus && info->cpus[at].buffer == b; at++)
			json_cpu(info, &info->cpus[at], json);
		json_end_array(json);
		json_end_object(json);
	}
	json_end_array(json);
}

static int json_counts(const struct trace_info *info, struct json *json)
{
	_cleanup_free_ struct count *counts = NULL;
	long n = sort_counts(info, &counts);

	if (n < 0)
		return (int)n;
	json_u64(json, "event_count", info->total);
	json_u64(json, "lost_event_count", info->lost);
	json_bool(json, "lost_count_is_minimum", info->lost_unknown);
	json_begin_array(json, "counts");
	for (long i = 0; i < n; i++) {
		const struct event_format *format = format_of(info, counts[i].id);

		json_begin_object(json, NULL);
		json_string(json, "system", format ? format->system : NULL);
		json_string(json, "event", format ? format->name : NULL);
		json_u64(json, "id", counts[i].id);
		json_u64(json, "count", counts[i].n);
		json_end_object(json);
	}
	json_end_array(json);
	return 0;
}

static void json_formats(const struct trace_info *info, struct json *json)
{
	json_u64(json, "format_count", info->events.n);
	json_begin_array(json, "failed_formats");
	for (size_t i = 0; i < info->n_failed; i++) {
		json_begin_object(json, NULL);
		json_string(json, "system", info->failed[i].system);
		json_string(json, "event", info->failed[i].name);
		json_string(json, "reason", info->failed[i].reason);
		json_end_object(json);
	}
	json_end_array(json);
}

static void json_damage(const struct trace_info *info, struct json *json)
{
	struct fathom_trace_damage damage;

	json_u64(json, "damage_count", fathom_trace_damage_count(info->trace));
	json_begin_array(json, "damage");
	for (size_t i = 0; fathom_trace_damage(info->trace, i, &damage) == 0; i++) {
		json_begin_object(json, NULL);
		json_u64(json, "offset", damage.offset);
		json_string(json, "text", damage.text);
		json_end_object(json);
	}
	json_end_array(json);
}

int trace_info_print_json(const struct trace_info *info, bool csv, FILE *stream)
{
	_cleanup_json_csv_ struct json_csv table = { .member = "counts",
						     .columns = "system event id count" };
	_cleanup_strbuf_ struct strbuf buf = { 0 };
	struct completeness completeness;
	struct json json;
	int r = completeness_read(info->trace, NULL, &completeness);

	if (r < 0)
		return r;
	completeness.lost_known = info->what & TRACE_INFO_COUNT;
	completeness.lost = info->lost;
	completeness.lost_more = info->lost_unknown;
	json_document_begin_csv(&json, &buf, csv ? &table : NULL);
	json_file(info, &json);
	json_buffers(info, &json);
	if (info->what & TRACE_INFO_COUNT)
		r = json_counts(info, &json);
	if (info->what & TRACE_INFO_FORMATS)
		json_formats(info, &json);
	json_damage(info, &json);
	json_document_end(&json, &completeness);
	return r ?: out_put(stream, &buf);
}
