/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Probes at source lines. In programs, places are file offsets; in the kernel, which can be loaded
 * anywhere, they are relative to a symbol.
 */
#include "symbols/probe/probe-parts.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "process/confined-call.h"
#include "symbols/kernel/kernel-file.h"
#include "symbols/dwarf/source-places.h"
#include "symbols/user/user-program.h"

#define fail(...) probe_finder_fail(__VA_ARGS__)

/* Returns the package to install in this distribution; @release is that of the kernel. */
static void name_package(const char *root, const char *release, char *package, size_t size)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };
	char path[PATH_MAX];
	bool is_read;

	snprintf(path, sizeof(path), "%s/etc/os-release", root);
	is_read = confined_read(path, &text) >= 0 && text.s;
	if (is_read && strstr(text.s, "ID=ubuntu"))
		snprintf(package, size, "the package linux-image-unsigned-%s-dbgsym", release);
	else if (is_read && strstr(text.s, "debian"))
		snprintf(package, size, "the package linux-image-%s-dbg", release);
	else if (is_read && (strstr(text.s, "fedora") || strstr(text.s, "rhel")))
		snprintf(package, size, "the package kernel-debuginfo-%s", release);
	else if (is_read && strstr(text.s, "suse"))
		snprintf(package, size, "the package kernel-default-debuginfo");
	else
		snprintf(package, size, "the debug package of kernel %s", release);
}

static int no_kernel_file(const struct probe_finder *finder, const char *root, const char *release)
{
	char package[160];

	name_package(root, release, package, sizeof(package));
	return fail(finder, finder->probe->function_at,
		    "no kernel debug information: install %.100s, which contains vmlinux, or use "
		    "FUNCTION+OFFSET",
		    package);
}

static void read_release(const char *root, char *release, size_t size)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/proc/sys/kernel/osrelease", root);
	release[0] = '\0';
	if (confined_read(path, &text) == 0)
		snprintf(release, size, "%.*s", (int)strcspn(strbuf_str(&text), "\n"),
			 strbuf_str(&text));
}

int probe_open_kernel(struct probe_finder *finder, const struct probe_where *where)
{
	size_t at = finder->probe->function_at;
	char path[PATH_MAX], release[128];
	struct fathom_err why = { 0 };
	bool found = where->vmlinux;
	int r;

	read_release(where->root, release, sizeof(release));
	if (found)
		snprintf(path, sizeof(path), "%s", where->vmlinux);
	else
		found = kernel_file_find(where->root, release, path, sizeof(path));
	if (!found)
		return no_kernel_file(finder, where->root, release);
	finder->path = arena_strdup(&finder->sites->arena, path);
	r = finder->path ? user_program_open(path, &finder->program, &why) : -ENOMEM;
	if (r == -ENOMEM)
		return err_nomem(finder->err);
	if (r < 0)
		return fail(finder, at, "%.200s", why.message);
	if (!where->is_elsewhere && !kernel_file_is_running(where->root, &finder->program->elf))
		return fail(finder, at,
			    "'%.100s' does not match the running kernel (%.60s): different build "
			    "ID",
			    path, release);
	return 0;
}

/* Converts an address in the kernel's file to a place. False: not in a function. */
static bool place_in_kernel(const struct probe_finder *finder, uint64_t address,
			    struct probe_site *site)
{
	uint64_t start, other;

	site->symbol = user_program_function_at(finder->program, address, &start);
	if (!site->symbol)
		return false;
	/* If several functions have the same name, the kernel would choose an arbitrary one. */
	if (!user_program_symbol(finder->program, site->symbol, &other)) {
		site->symbol = "_text";
		if (!user_program_symbol(finder->program, site->symbol, &start) || start > address)
			return false;
	} else {
		site->symbol = arena_strdup(&finder->sites->arena, site->symbol);
	}
	site->offset = address - start;
	return site->symbol;
}

static int no_lines(const struct probe_finder *finder, int code, const struct fathom_err *why)
{
	const struct probe *probe = finder->probe;

	if (code == -ENOMEM)
		return err_nomem(finder->err);
	if (code == -ENOTSUP)
		return fail(finder, probe->function_at,
			    "source lines are not supported: fathom was built without libdw; use "
			    "FUNCTION+OFFSET");
	if (code == -ENODATA)
		return fail(finder, probe->function_at,
			    "no debug information in '%.80s': build it with -g, or install its "
			    "debug package (-dbgsym, -debuginfo)",
			    finder->path);
	return fail(finder, probe->function_at, "%.200s", why->message);
}

int probe_find_lines(const struct probe_finder *finder)
{
	const struct probe *probe = finder->probe;
	struct probe_sites *sites = finder->sites;
	_cleanup_close_ int fd = user_program_open_debug(finder->program);
	struct fathom_err why = { 0 };
	struct source_places places;
	int r = fd >= 0 ? source_places_find(fd, probe->source, probe->line, &sites->arena, &places,
					     &why) :
			  (fd == -ENOMEM ? fd : -ENODATA);

	if (r < 0)
		return no_lines(finder, r, &why);
	if (probe_make_room(finder, places.n) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < places.n; i++) {
		struct probe_site site = probe_new_site(finder, probe->function, 0);
		uint64_t address = places.addresses[i];

		/* Functions dropped by the linker still have lines, at address 0. */
		if (probe_is_user(probe) ?
			    !elf_file_offset(&finder->program->elf, address, &site.offset) ||
				    !user_program_has_code(finder->program, site.offset) :
			    !place_in_kernel(finder, address, &site))
			continue;
		probe_add_site(finder, &site);
	}
	sites->matched = sites->n;
	if (places.line != probe->line)
		sites->line = places.line;
	return sites->n ? 0 :
			  fail(finder, probe->function_at, "no code of this line in '%.100s'",
			       finder->path);
}
