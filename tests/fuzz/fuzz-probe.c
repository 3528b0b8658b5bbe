/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fuzzes the probe language. Input: the text of a probe. It is lowered with the types of
 * types-sample.c for each architecture, and without types; user probes for a function and a marker.
 * The definition for the kernel is a single plain line; errors have a position.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "symbols/probe/probe.h"
#include "symbols/dwarf/program-types.h"
#include "types-sample.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct types *types, *program_types;

static void release(void)
{
	types_free(types);
	types_free(program_types);
}

static void make_types(void)
{
	char path[] = "/tmp/fathom-fuzz-probe-XXXXXX";
	int dir;

	if (!mkdtemp(path))
		abort();
	dir = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0 || types_sample_write(dir) < 0 || types_new(dir, &types, NULL) < 0 ||
	    program_types_new(NULL, &program_types) < 0)
		abort();
	unlinkat(dir, "vmlinux", 0);
	unlinkat(dir, "mod", 0);
	close(dir);
	if (rmdir(path) < 0 || atexit(release))
		abort();
}

static void check_line(const struct strbuf *line)
{
	int open = 0;

	for (size_t i = 0; i < line->len; i++) {
		if (line->s[i] < ' ' || line->s[i] > '~')
			abort();
		open += (line->s[i] == '(') - (line->s[i] == ')');
		if (open < 0)
			abort();
	}
	if (open || line->len > 4095)
		abort();
}

/* Comparison is reflexive. */
static void check_alike(const char *line)
{
	if (!probe_lines_are_alike(line, line))
		abort();
}

static void lower(const struct probe *probe, enum type_abi abi, struct types *with,
		  const struct probe_site *site)
{
	struct probe_machine machine = { abi, with, site };
	struct fathom_err err = { 0 };
	struct strbuf line = { 0 };
	char event[PROBE_NAME_SIZE];
	int r;

	probe_event_name_nth(probe, 2, event);
	probe_event_name(probe, event);
	r = probe_lower(probe, &machine, "group", event, &line, NULL, &err);
	if (r == 0) {
		check_line(&line);
		check_alike(line.s);
	} else if (r != -EINVAL || !strchr(err.message, '^'))
		abort();
	strbuf_done(&line);
}

static void lower_in_program(const struct probe *probe)
{
	struct probe_site site = { .path = "/bin/app",
				   .function = "f",
				   .offset = 0x1234,
				   .counter = 0x56,
				   .arguments = "-4@%edi 8@-16(%rbp) 2@$5 8@%xmm0",
				   .machine = EM_X86_64,
				   .is_64 = true };

	lower(probe, TYPE_ABI_X86_64, program_types, &site);
	site.machine = EM_AARCH64;
	site.arguments = "-4@w1 8@[sp, 8] 2@5 8@d0";
	lower(probe, TYPE_ABI_ARM64, program_types, &site);
	site.is_64 = false;
	lower(probe, TYPE_ABI_OTHER, program_types, &site);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = mem_strndup((const char *)data, size);
	struct fathom_err err = { 0 };
	const struct probe *probe;
	struct arena arena = { 0 };
	int r;

	if (!text)
		return 0;
	if (!types)
		make_types();
	r = probe_parse(text, &arena, &probe, &err);
	if (r == 0 && probe_in_program(probe)) {
		lower_in_program(probe);
	} else if (r == 0) {
		/* Finds a source line. */
		static const struct probe_site site = { .symbol = "vfs_open", .offset = 0x12 };

		lower(probe, TYPE_ABI_X86_64, types, &site);
		lower(probe, TYPE_ABI_ARM64, types, NULL);
		lower(probe, TYPE_ABI_OTHER, NULL, NULL);
	} else if (r != -EINVAL || !strchr(err.message, '^'))
		abort();
	arena_done(&arena);
	free(text);
	return 0;
}
