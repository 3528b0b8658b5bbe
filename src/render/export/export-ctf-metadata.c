/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The file "metadata" of a CTF trace, in TSDL. It names perf as the tracer: perf uses the kernel's
 * names for events and fields, from which readers recognize kernel events.
 *
 * Readers remove an underscore from the start of field names, which protects names that are
 * keywords of TSDL.
 */
#include <inttypes.h>
#include <string.h>

#include "base/quote.h"
#include "read/event-table.h"
#include "render/export/export-ctf.h"

/* Appends text in quotes, without characters that could end it. */
static void export_ctf_metadata_put_quoted(struct strbuf *text, const char *s, size_t len)
{
	strbuf_addc(text, '"');
	for (size_t i = 0; i < len; i++)
		if (s[i] >= ' ' && s[i] < 0x7f && s[i] != '"' && s[i] != '\\')
			strbuf_addc(text, s[i]);
	strbuf_addc(text, '"');
}

/* Appends the @n-th word of @uname. */
static void export_ctf_metadata_put_uname(struct strbuf *text, const char *name, const char *uname,
					  unsigned n)
{
	size_t len;

	for (;;) {
		uname += strspn(uname, " ");
		len = strcspn(uname, " ");
		if (!n--)
			break;
		uname += len;
	}
	if (!len)
		return;
	quote_addf(text, "\t%s = ", name);
	export_ctf_metadata_put_quoted(text, uname, len);
	strbuf_adds(text, ";\n");
}

static void put_integer(struct strbuf *text, unsigned size, bool is_signed, bool is_hex)
{
	quote_addf(text, "integer { size = %u; align = 8; signed = %s;%s }", size * 8,
		   is_signed ? "true" : "false", is_hex ? " base = hex;" : "");
}

/* Appends a name as an identifier, with an underscore in front. */
static void export_ctf_metadata_put_name(struct strbuf *text, const char *name, uint32_t number)
{
	bool changed = !*name;

	strbuf_addc(text, '_');
	for (const char *p = name; *p; p++) {
		bool fits = (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') ||
			    (*p >= '0' && *p <= '9') || *p == '_';

		strbuf_addc(text, fits ? *p : '_');
		changed |= !fits;
	}
	/* Two names may have become equal. */
	if (changed)
		strbuf_addf(text, "_%" PRIu32, number);
}

static void export_ctf_metadata_put_field(struct strbuf *text, const struct ctf_field *field,
					  uint32_t number)
{
	const char *name = field->field ? field->field->name : "bytes";
	bool is_hex = field->field && (field->field->kind == EVENT_FIELD_POINTER ||
				       field->field->kind == EVENT_FIELD_STACK);

	strbuf_adds(text, "\t\t");
	switch (field->kind) {
	case CTF_STRING:
		strbuf_adds(text, "string ");
		export_ctf_metadata_put_name(text, name, number);
		break;
	case CTF_SEQUENCE:
		put_integer(text, 4, false, false);
		strbuf_addf(text, " __length_%" PRIu32 ";\n\t\t", number);
		put_integer(text, field->size, field->is_signed, is_hex);
		strbuf_addc(text, ' ');
		export_ctf_metadata_put_name(text, name, number);
		strbuf_addf(text, "[__length_%" PRIu32 "]", number);
		break;
	default:
		put_integer(text, field->size, field->is_signed, is_hex);
		strbuf_addc(text, ' ');
		export_ctf_metadata_put_name(text, name, number);
		break;
	}
	strbuf_adds(text, ";\n");
}

static void export_ctf_metadata_put_event(struct strbuf *text, const struct ctf_plan *plan,
					  unsigned id)
{
	strbuf_adds(text, "\nevent {\n\tname = ");
	if (plan->format) {
		_cleanup_strbuf_ struct strbuf name = { 0 };

		quote_addf(&name, "%s:%s", plan->format->system, plan->format->name);
		export_ctf_metadata_put_quoted(text, strbuf_str(&name), name.len);
		text->err |= name.err;
	} else {
		strbuf_addf(text, "\"unknown:%u\"", id);
	}
	strbuf_addf(text, ";\n\tid = %u;\n\tstream_id = 0;\n\tfields := struct {\n", id);
	for (uint32_t i = 0; i < plan->n_fields; i++)
		export_ctf_metadata_put_field(text, &plan->fields[i], i);
	strbuf_adds(text, "\t};\n};\n");
}

static void put_trace(struct strbuf *text, const struct fathom_trace_info *info)
{
	quote_addf(text,
		   "/* CTF 1.8 */\n\n"
		   "trace {\n\tmajor = 1;\n\tminor = 8;\n\tbyte_order = %s;\n"
		   "\tpacket.header := struct {\n"
		   "\t\tinteger { size = 32; align = 8; signed = false; base = hex; } magic;\n"
		   "\t\tinteger { size = 32; align = 8; signed = false; } stream_id;\n"
		   "\t};\n};\n\nenv {\n\tdomain = \"kernel\";\n\ttracer_name = \"perf\";\n",
		   info->big_endian ? "be" : "le");
	export_ctf_metadata_put_uname(text, "sysname", info->uname, 0);
	export_ctf_metadata_put_uname(text, "hostname", info->uname, 1);
	export_ctf_metadata_put_uname(text, "kernel_release", info->uname, 2);
	export_ctf_metadata_put_uname(text, "machine", info->uname, 3);
	strbuf_adds(text, "};\n\nclock {\n\tname = trace;\n\tdescription = ");
	export_ctf_metadata_put_quoted(text, info->clock, strlen(info->clock));
	strbuf_adds(text, ";\n\tfreq = 1000000000;\n\toffset = 0;\n};\n\n"
			  "typealias integer { size = 64; align = 8; signed = false; "
			  "map = clock.trace.value; } := time_t;\n"
			  "typealias integer { size = 64; align = 8; signed = false; } := "
			  "uint64_t;\n\n"
			  "stream {\n\tid = 0;\n\tpacket.context := struct {\n"
			  "\t\tuint64_t packet_size;\n\t\tuint64_t content_size;\n"
			  "\t\ttime_t timestamp_begin;\n\t\ttime_t timestamp_end;\n"
			  "\t\tuint64_t events_discarded;\n"
			  "\t\tinteger { size = 32; align = 8; signed = false; } cpu_id;\n\t};\n"
			  "\tevent.header := struct {\n"
			  "\t\tinteger { size = 16; align = 8; signed = false; } id;\n"
			  "\t\ttime_t timestamp;\n\t};\n"
			  "\tevent.context := struct {\n"
			  "\t\tinteger { size = 32; align = 8; signed = true; } perf_tid;\n"
			  "\t};\n};\n");
}

void ctf_write_metadata(struct export *export, struct strbuf *text)
{
	const struct ctf *ctf = export->state;

	put_trace(text, fathom_trace_info(export->input->trace));
	for (unsigned id = 0; id < EVENT_TABLE_IDS; id++)
		if (ctf->plans[id])
			export_ctf_metadata_put_event(text, ctf->plans[id], id);
}
