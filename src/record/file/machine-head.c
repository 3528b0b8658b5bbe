/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "record/file/machine-head.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include <fathom/version.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/files/file.h"
#include "base/mem.h"
#include "format/bytes.h"
#include "format/file/trace-file.h"
#include "record/rings/cpu-stats.h"
#include "record/file/metadata.h"
#include "record/file/task-names.h"
#include "record/file/trace-out-parts.h"

#define OPTIONS_MAX 4

/* The contents of the file until it is written. */
struct parts {
	struct metadata metadata;
	struct trace_encoder names;
	struct strbuf clock;
	struct utsname uname;
	char machine[400], version[64];
	uint8_t cpu_count[4];
	struct trace_out_option options[OPTIONS_MAX];
	size_t n_options;
};

static void parts_done(struct parts *parts)
{
	metadata_done(&parts->metadata);
	trace_encoder_done(&parts->names);
	strbuf_done(&parts->clock);
}

static int machine_head_read_names(const struct machine_head *head, struct trace_encoder *body)
{
	_cleanup_task_names_ struct task_names names = { 0 };
	_cleanup_strbuf_ struct strbuf saved = { 0 }, text = { 0 };
	_cleanup_free_ char *path = mem_printf("%s/proc", head->root);
	_cleanup_close_ int proc = -1;
	int r = path ? 0 : -ENOMEM;

	if (r == 0 && !head->is_copy)
		proc = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (proc >= 0)
		r = task_names_scan(&names, proc, TASK_NAME_AFTER);
	/* The kernel may have been configured to save no names. */
	if (r == 0 && file_read(head->tracefs, "saved_cmdlines", &saved) == -ENOMEM)
		r = -ENOMEM;
	if (r == 0)
		r = task_names_parse(&names, strbuf_str(&saved), TASK_NAME_TRACED);
	if (r < 0)
		return r;
	task_names_print(&names, &text);
	body->big_endian = BYTES_HOST_BIG;
	trace_encode_text64(body, strbuf_str(&text), text.len);
	return text.err ?: body->out.err;
}

static int replace_symbols(const char *path, struct trace_encoder *body, struct fathom_err *err)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };
	int r = file_read(AT_FDCWD, path, &text);

	if (r < 0)
		return err_set_errno(err, r, "cannot read symbols from '%s'", path);
	strbuf_clear(&body->out);
	trace_encode_text32(body, strbuf_str(&text), text.len);
	return body->out.err ? err_nomem(err) : 0;
}

static void machine_head_add_option(struct parts *parts, uint16_t id, const void *data, size_t size)
{
	parts->options[parts->n_options++] = (struct trace_out_option){ id, data, (uint32_t)size };
}

static int add_options(const struct machine_head *head, struct parts *parts)
{
	_cleanup_free_ uint32_t *cpus = NULL;
	size_t n = 0;

	if (file_read(head->tracefs, "trace_clock", &parts->clock) == -ENOMEM)
		return -ENOMEM;
	if (parts->clock.len)
		machine_head_add_option(parts, TRACE_ID_TRACECLOCK, parts->clock.s,
					parts->clock.len + 1);
	if (!head->is_copy && uname(&parts->uname) == 0) {
		snprintf(parts->machine, sizeof(parts->machine), "%s %s %s %s",
			 parts->uname.sysname, parts->uname.nodename, parts->uname.release,
			 parts->uname.machine);
		machine_head_add_option(parts, TRACE_ID_UNAME, parts->machine,
					strlen(parts->machine) + 1);
	}
	snprintf(parts->version, sizeof(parts->version), "fathom %s", fathom_version());
	machine_head_add_option(parts, TRACE_ID_VERSION, parts->version,
				strlen(parts->version) + 1);
	if (cpu_list_read(head->tracefs, &cpus, &n) == -ENOMEM)
		return -ENOMEM;
	if (n) {
		store_u32(parts->cpu_count, cpus[n - 1] + 1, BYTES_HOST_BIG);
		machine_head_add_option(parts, TRACE_ID_CPUCOUNT, parts->cpu_count,
					sizeof(parts->cpu_count));
	}
	return 0;
}

static int machine_head_read_parts(const struct machine_head *head, struct parts *parts,
				   uint32_t *ret_page_size, struct fathom_err *err)
{
	struct metadata_source source = { .root = head->root,
					  .tracefs = head->tracefs,
					  .flags = METADATA_ALL_FORMATS };
	int r;

	if (!head->kallsyms)
		source.flags |= METADATA_SYMBOLS;
	if (!head->is_copy)
		source.flags |= METADATA_TYPES;
	r = metadata_read(&source, &parts->metadata, err);
	if (r == 0)
		r = metadata_page_size(head->tracefs, ret_page_size, err);
	if (r == 0 && head->kallsyms)
		r = replace_symbols(head->kallsyms, &parts->metadata.kallsyms, err);
	if (r < 0)
		return r;
	if (machine_head_read_names(head, &parts->names) < 0 || add_options(head, parts) < 0)
		return err_nomem(err);
	return 0;
}

/* Encodes the sections, and then the options, which point at them. */
static void machine_head_encode(const struct parts *parts, uint32_t page_size,
				struct trace_encoder *e)
{
	struct trace_out_section sections[METADATA_SECTIONS + 1];
	uint64_t offsets[METADATA_SECTIONS + 1], options_at, options;
	size_t n = metadata_sections(&parts->metadata, sections);
	struct trace_head head = { .version = 7,
				   .long_size = sizeof(long),
				   .page_size = page_size,
				   .compression = "none",
				   .compression_version = "" };

	sections[n++] = (struct trace_out_section){ TRACE_ID_CMDLINES, parts->names.out.s,
						    parts->names.out.len };
	options_at = trace_encode_head(e, &head);
	for (size_t i = 0; i < n; i++) {
		offsets[i] = trace_encode_section(e, sections[i].id, 0, 0);
		trace_encode_bytes(e, sections[i].body, sections[i].size);
		trace_encode_section_end(e, offsets[i]);
	}
	options = trace_encode_section(e, TRACE_ID_DONE, 0, 0);
	for (size_t i = 0; i < n; i++)
		trace_encode_option_u64(e, sections[i].id, offsets[i]);
	for (size_t i = 0; i < parts->n_options; i++)
		trace_encode_option(e, parts->options[i].id, parts->options[i].data,
				    parts->options[i].size);
	trace_encode_options_done(e, 0);
	trace_encode_section_end(e, options);
	trace_encode_patch_u64(e, options_at, options);
}

int machine_head_write(const struct machine_head *head, int fd, struct fathom_err *err)
{
	_cleanup_trace_encoder_ struct trace_encoder e = { .big_endian = BYTES_HOST_BIG };
	_cleanup_(parts_done) struct parts parts = { 0 };
	uint32_t page_size = 0;
	int r = machine_head_read_parts(head, &parts, &page_size, err);

	if (r < 0)
		return r;
	machine_head_encode(&parts, page_size, &e);
	if (e.out.err)
		return err_nomem(err);
	r = trace_out_pwrite(fd, e.out.s, e.out.len, 0);
	return r < 0 ? err_set_errno(err, r, "cannot write the header") : 0;
}
