/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "record/watch/watch-target.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/err.h"
#include "record/probes/probe-make.h"

/* Returns the colon after the file, or NULL. The text after the last colon may be the access. */
static const char *find_colon(const char *text)
{
	const char *colon = strchr(text, ':');

	if (text[0] == '(' || isdigit((unsigned char)text[0]) || !colon || colon == text ||
	    colon[1] == ':' || !colon[1])
		return NULL;
	return colon[1 + strspn(colon + 1, "rwx")] ? colon : NULL;
}

int watch_target_parse(const char *text, struct arena *arena, struct watch_target *ret_target,
		       struct fathom_err *err)
{
	const char *colon = find_colon(text);
	struct watch_target target = { 0 };
	int r = watch_spec_parse(colon ? colon + 1 : text, arena, &target.spec, err);

	if (r < 0)
		return r;
	if (colon) {
		target.file = arena_strndup(arena, text, (size_t)(colon - text));
		if (!target.file)
			return err_nomem(err);
	}
	target.is_kernel = !colon &&
			   (target.spec.symbol || target.spec.address >> (8 * sizeof(long) - 1));
	*ret_target = target;
	return 0;
}

static int find_in_kernel(struct watch_target *target, const struct kallsyms *kallsyms,
			  struct fathom_err *err)
{
	_cleanup_probe_base_ struct probe_base base = PROBE_BASE_NONE;
	int r = 0;

	if (target->spec.type) {
		r = probe_base_open(PROBE_BTF_DIR, &base, err);
		if (r == 0)
			r = watch_spec_member(&target->spec, base.machine.types, err);
	}
	if (r < 0)
		return r;
	if (!kallsyms)
		return err_set(err, -ENOENT, "cannot read '/proc/kallsyms'");
	return watch_place_kernel(&target->spec, kallsyms, &target->place, err);
}

/* The upper half of 64-bit addresses belongs to the kernel. */
static int check_half(const struct watch_target *target, struct fathom_err *err)
{
	bool is_kernel = target->place.address >> (8 * sizeof(long) - 1);

	if (is_kernel == target->is_kernel)
		return 0;
	return err_set(err, -EINVAL, "%#" PRIx64 " is not %s", target->place.address,
		       target->is_kernel ? "a kernel address" :
					   "a user address: use --kernel for a kernel address");
}

static int cut_in_parts(struct watch_target *target, struct fathom_err *err)
{
	const struct watch_spec *spec = &target->spec;
	struct watch_part parts[WATCH_TARGET_PARTS];

	target->n =
		watch_parts(target->place.address, target->place.length, parts, WATCH_TARGET_PARTS);
	if (!target->n)
		return err_set(err, -EINVAL,
			       "'%s' is too large (%" PRIu64 " bytes): select a part with "
			       "'%s+OFFSET/LENGTH', at most 8 bytes for each of %d registers",
			       spec->text, target->place.length, spec->symbol ?: "ADDRESS",
			       WATCH_TARGET_PARTS);
	for (unsigned i = 0; i < target->n; i++)
		target->list[i] = (struct breakpoint){ .access = spec->access & WATCH_READ ?
									 BREAKPOINT_READ_WRITE :
									 BREAKPOINT_WRITE,
						       .address = parts[i].address,
						       .length = parts[i].length,
						       .is_kernel = target->is_kernel };
	return 0;
}

int watch_target_find(struct watch_target *target, pid_t pid, const struct kallsyms *kallsyms,
		      struct fathom_err *err)
{
	struct watch_spec *spec = &target->spec;
	int r;

	if (target->is_kernel) {
		r = find_in_kernel(target, kallsyms, err);
	} else {
		r = watch_member_program(spec, target->file, pid, err);
		if (r == 0)
			r = watch_place_program(spec, target->file, pid, &target->place, err);
	}
	if (r == 0)
		r = check_half(target, err);
	if (r < 0)
		return r;
	if (!spec->access)
		spec->access = target->place.is_function ? WATCH_EXECUTE : WATCH_WRITE;
	if (spec->access != WATCH_EXECUTE)
		return cut_in_parts(target, err);
	target->n = 1;
	target->list[0] = (struct breakpoint){ .access = BREAKPOINT_EXECUTE,
					       .address = target->place.address,
					       .is_kernel = target->is_kernel };
	return 0;
}
