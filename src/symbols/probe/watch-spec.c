/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "symbols/probe/watch-spec.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/err.h"

/* The maximum length of a hardware watchpoint, in bytes. */
#define PART_MAX 8

/* Parses a text that consists of a number, decimal or with 0x. */
static bool watch_spec_parse_number(const char *text, uint64_t *ret_number)
{
	char *end;

	if (!isdigit((unsigned char)text[0]))
		return false;
	errno = 0;
	*ret_number = strtoull(text, &end, 0);
	return !*end && !errno;
}

/* Removes a suffix ":rw"; other words after a colon belong to the name. */
static void cut_access(char *text, struct watch_spec *spec)
{
	char *colon = strrchr(text, ':');

	if (!colon || !colon[1] || (colon > text && colon[-1] == ':') ||
	    strspn(colon + 1, "rwx") != strlen(colon + 1))
		return;
	for (const char *p = colon + 1; *p; p++)
		spec->access |= *p == 'r' ? WATCH_READ : *p == 'w' ? WATCH_WRITE : WATCH_EXECUTE;
	*colon = '\0';
}

static int cut_length(char *text, struct watch_spec *spec, struct fathom_err *err)
{
	char *slash = strrchr(text, '/');

	if (!slash)
		return 0;
	if (strchr(slash, ':'))
		return err_set(err, -EINVAL,
			       "invalid variable '%s': expected 'VARIABLE PROGRAM', such as "
			       "'counter ./program'",
			       text);
	if (!watch_spec_parse_number(slash + 1, &spec->length) || !spec->length)
		return err_set(err, -EINVAL, "invalid length '%s': expected a number of bytes",
			       slash + 1);
	*slash = '\0';
	return 0;
}

static int cut_offset(char *text, struct watch_spec *spec, struct fathom_err *err)
{
	char *plus = strrchr(text, '+');

	if (!plus)
		return 0;
	if (!watch_spec_parse_number(plus + 1, &spec->address))
		return err_set(err, -EINVAL, "invalid offset '%s': expected a number of bytes",
			       plus + 1);
	*plus = '\0';
	return 0;
}

/* Parses "(TYPE)" before the name and moves *@text past it. */
static int cut_type(char **text, struct watch_spec *spec, struct fathom_err *err)
{
	char *end = strchr(*text, ')');

	if (**text != '(')
		return 0;
	if (!end)
		return err_set(err, -EINVAL, "missing ')' after the type in '%s'", *text);
	*end = '\0';
	spec->type = *text + 1;
	*text = end + 1;
	return 0;
}

static int parse_rest(char *text, struct watch_spec *spec, struct arena *arena,
		      struct fathom_err *err)
{
	size_t len;
	int r = cut_offset(text, spec, err);

	if (r == 0)
		r = cut_type(&text, spec, err);
	if (r < 0)
		return r;
	spec->path = "";
	len = spec->type ? strcspn(text, ".[") : strlen(text);
	if (text[len]) {
		spec->path = arena_strdup(arena, text + len);
		if (!spec->path)
			return err_nomem(err);
		text[len] = '\0';
	}
	if (isdigit((unsigned char)text[0])) {
		uint64_t address;

		if (!watch_spec_parse_number(text, &address))
			return err_set(err, -EINVAL, "invalid address '%s'", text);
		spec->address += address;
	} else {
		spec->symbol = text;
	}
	return *text ? 0 : err_set(err, -EINVAL, "no variable or address to watch given");
}

int watch_spec_parse(const char *text, struct arena *arena, struct watch_spec *ret_spec,
		     struct fathom_err *err)
{
	struct watch_spec spec = { 0 };
	char *copy = arena_strdup(arena, text), *shown = arena_strdup(arena, text);
	int r;

	if (!copy || !shown)
		return err_nomem(err);
	cut_access(copy, &spec);
	shown[strlen(copy)] = '\0';
	spec.text = shown;
	r = cut_length(copy, &spec, err);
	if (r == 0)
		r = parse_rest(copy, &spec, arena, err);
	if (r < 0)
		return r;
	if (spec.access & WATCH_EXECUTE && spec.access != WATCH_EXECUTE)
		return err_set(err, -EINVAL, "'x' cannot be combined with 'r' or 'w'");
	*ret_spec = spec;
	return 0;
}

static int no_member(struct type type, const char *name, struct fathom_err *err)
{
	struct nearest nearest = { .wanted = name };

	type_offer_members(type, &nearest);
	if (nearest_pick(&nearest))
		return err_set(err, -ENOENT, "no member '%.100s' (did you mean '%.100s'?)", name,
			       nearest_pick(&nearest));
	return err_set(err, -ENOENT, "no member '%.100s'", name);
}

/* Handles one ".name" of the path. */
static int enter_member(struct watch_spec *spec, struct type *type, const char **path,
			struct fathom_err *err)
{
	char name[128];
	size_t len = strcspn(*path + 1, ".[");
	struct type_member member;

	if (!len || len >= sizeof(name))
		return err_set(err, -EINVAL, "expected the name of a member at '%s'", *path);
	memcpy(name, *path + 1, len);
	name[len] = '\0';
	if (type_look(*type).kind == TYPE_POINTER)
		return err_set(
			err, -EINVAL,
			"cannot follow the pointer at '%s': only members of the variable itself "
			"can be watched",
			*path);
	if (type_look(*type).kind != TYPE_STRUCT || type_find_member(*type, name, &member) < 0)
		return no_member(*type, name, err);
	if (member.width)
		return err_set(err, -EINVAL, "cannot watch bitfield '%s': it has no address", name);
	spec->address += member.bit / 8;
	*type = member.type;
	*path += 1 + len;
	return 0;
}

/* Handles one "[number]". */
static int enter_element(struct watch_spec *spec, struct type *type, const char **path,
			 struct fathom_err *err)
{
	struct type_info info = type_look(*type);
	char *end;
	uint64_t i;

	errno = 0;
	i = strtoull(*path + 1, &end, 0);
	if (*end != ']' || errno || !isdigit((unsigned char)(*path)[1]))
		return err_set(err, -EINVAL, "invalid index '%s': expected a number", *path);
	if (info.kind != TYPE_ARRAY || i >= info.n)
		return err_set(err, -EINVAL, "index '%s' is out of range", *path);
	spec->address += i * type_look(info.target).size;
	*type = info.target;
	*path = end + 1;
	return 0;
}

int watch_spec_member(struct watch_spec *spec, struct types *types, struct fathom_err *err)
{
	const char *path = spec->path;
	struct type_info info;
	struct type type;
	int r;

	if (!spec->type)
		return 0;
	if (!types)
		return err_set(err, -ENOENT, "no type information (BTF) in this kernel for '%s'",
			       spec->text);
	r = types_find(types, NULL, spec->type, &type);
	if (r < 0)
		return r == -ENOMEM ? err_nomem(err) : err_set(err, r, "no type '%s'", spec->type);
	while (r == 0 && *path)
		r = *path == '.' ? enter_member(spec, &type, &path, err) :
		    *path == '[' ? enter_element(spec, &type, &path, err) :
				   err_set(err, -EINVAL, "expected '.' or '[' at '%s'", path);
	if (r < 0)
		return r;
	info = type_look(type);
	if (!spec->length)
		spec->length = info.kind == TYPE_ARRAY ?
				       (uint64_t)info.n * type_look(info.target).size :
				       info.size;
	return 0;
}

unsigned watch_parts(uint64_t address, uint64_t length, struct watch_part *parts, unsigned max)
{
	unsigned n = 0;

	while (length) {
		unsigned size = PART_MAX;

		while (size > length || address % size)
			size /= 2;
		if (n == max)
			return 0;
		parts[n++] = (struct watch_part){ address, size };
		address += size;
		length -= size;
	}
	return n;
}
