/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Copies options of the trace to the new file, mostly unchanged. Offsets of sections are replaced
 * by the new ones; options that describe the layout of the old file are dropped.
 */

#include "format/bytes.h"
#include "write/trace-dat-parts.h"

static void trace_dat_options_put_clock(struct dat_out *out, const char *clock)
{
	uint64_t option = trace_encode_option_begin(&out->e, TRACE_ID_TRACECLOCK);

	strbuf_addc(&out->e.out, '[');
	strbuf_add(&out->e.out, clock, strlen(clock));
	trace_encode_string(&out->e, "]");
	trace_encode_option_end(&out->e, option);
	out->has_clock = true;
}

/* In version 6 the option can be empty: then it only says that each CPU table has a clock. */
static void copy_clock(struct dat_out *out, const struct trace_option *option)
{
	if (!option->size || !option->data) {
		if (out->file->clock[0])
			trace_dat_options_put_clock(out, out->file->clock);
		return;
	}
	trace_encode_option(&out->e, option->id, option->data, option->size);
	out->has_clock = true;
}

/* In version 6, the clocks of buffers require this option. */
static void add_clock(struct dat_out *out)
{
	for (size_t i = 0; i < out->plan->n_buffers && !out->has_clock; i++)
		if (out->plan->buffers[i].clock[0])
			trace_dat_options_put_clock(out, out->plan->buffers[i].clock);
}

static void put_cpu_count(struct dat_out *out)
{
	uint64_t option = trace_encode_option_begin(&out->e, TRACE_ID_CPUCOUNT);

	trace_encode_u32(&out->e, out->plan->machine_cpus);
	trace_encode_option_end(&out->e, option);
}

/* Returns the section whose offset the option begins with, even if the option is unknown. */
static struct dat_section *pointed_at(struct dat_out *out, const struct trace_option *option)
{
	struct dat_section *section;

	if (!option->data || option->size < sizeof(uint64_t))
		return NULL;
	section = dat_section_at(out, load_u64(option->data, out->e.big_endian));
	return section && section->of->id == option->id ? section : NULL;
}

static bool trace_dat_options_is_pointer(unsigned id)
{
	return (id >= TRACE_ID_HEADER_INFO && id <= TRACE_ID_CMDLINES) || id == TRACE_ID_BTF_FILE ||
	       id == TRACE_ID_MODULES_FILE;
}

/* Writes an option with the offset of @section, followed by the rest of @option, if any. */
static void put_pointer(struct dat_out *out, struct dat_section *section,
			const struct trace_option *option)
{
	uint64_t at = trace_encode_option_begin(&out->e, section->of->id);

	section->pointer_at = dat_pos(out);
	trace_encode_u64(&out->e, section->at);
	if (option && option->size > sizeof(uint64_t))
		trace_encode_bytes(&out->e, option->data + sizeof(uint64_t),
				   option->size - sizeof(uint64_t));
	trace_encode_option_end(&out->e, at);
}

/* In version 6, bodies have fixed places, and only two other kinds of sections are supported. */
static bool has_place(const struct dat_out *out, const struct dat_section *section)
{
	if (out->version != 6)
		return section->at;
	return section->of->id == TRACE_ID_BTF_FILE || section->of->id == TRACE_ID_MODULES_FILE;
}

/* Copies an option that is too long to be kept in memory from the file. */
static int copy_long(struct dat_out *out, const struct trace_option *option)
{
	struct source *source = &out->plan->trace->source;
	uint8_t head[6] = { 0 };

	/* For an option in a compressed section, only the location of the section is known. */
	if (option->offset < sizeof(head) ||
	    source_read(source, option->offset - sizeof(head), head, sizeof(head)) !=
		    (long)sizeof(head) ||
	    load_u16(head, out->e.big_endian) != option->id ||
	    load_u32(head + 2, out->e.big_endian) != option->size) {
		damage_add(out->damage, option->offset, "compressed option of %u bytes skipped",
			   option->size);
		return 0;
	}
	trace_encode_bytes(&out->e, head, sizeof(head));
	return dat_append_range(out, source->fd, option->offset, option->size);
}

static int copy_option(struct dat_out *out, const struct trace_option *option)
{
	struct dat_section *section = pointed_at(out, option);

	if (section || trace_dat_options_is_pointer(option->id)) {
		if (section && has_place(out, section) && !section->pointer_at)
			put_pointer(out, section, option);
		return 0;
	}
	if (!option->data)
		return copy_long(out, option);
	trace_encode_option(&out->e, option->id, option->data, option->size);
	return out->e.out.len > TRACE_OPTION_COPY_MAX ? dat_flush(out) : 0;
}

int dat_put_options(struct dat_out *out)
{
	bool v7 = out->version == 7, counted = false;
	int r = 0;

	/*
	 * Sections without option: version 6 has no options for sections, and a damaged file may
	 * lack some.
	 */
	for (size_t i = 0; i < out->n_sections; i++)
		if (trace_dat_options_is_pointer(out->sections[i].of->id) &&
		    has_place(out, &out->sections[i]))
			put_pointer(out, &out->sections[i], NULL);
	for (size_t i = 0; i < out->file->n_options && r == 0; i++) {
		const struct trace_option *option = &out->file->options[i];

		switch (option->id) {
		case TRACE_ID_BUFFER:
		case TRACE_ID_BUFFER_TEXT:
		case TRACE_ID_FATHOM_STATE:
			break;
		case TRACE_ID_TRACECLOCK:
			copy_clock(out, option);
			break;
		case TRACE_ID_CPUCOUNT:
			if (v7 && !counted)
				put_cpu_count(out);
			counted = true;
			break;
		default:
			r = copy_option(out, option);
		}
	}
	if (v7 && !counted)
		put_cpu_count(out);
	if (!v7 && !out->has_clock)
		add_clock(out);
	return r;
}
