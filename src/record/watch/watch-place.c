/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "record/watch/watch-place-parts.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "process/confined-call.h"
#include "base/files/file.h"
#include "base/negative-errno.h"
#include "base/str.h"
#include "symbols/elf/elf-object.h"
#include "symbols/user/program-path.h"
#include "symbols/dwarf/program-types.h"
#include "symbols/user/user-program.h"

/* The length of a symbol without a size. */
#define LENGTH_GUESS 8
#define SHOWN_MAX    4

/* The first mapping of a file in a process, which has its lowest address. */
struct mapped {
	uint64_t start;
	const char *path;
};

/* Parses a line of /proc/PID/maps. Returns false if it is not a file. */
static bool watch_place_parse_line(char *line, struct mapped *mapped)
{
	char *path = strchr(line, '/');

	mapped->start = strtoull(line, NULL, 16);
	mapped->path = path;
	return path && !strstr(path, " (deleted)");
}

/* Searches for the symbol in an open file that is mapped at @start. */
static int watch_place_find_in_file(int fd, const char *path, uint64_t start, const char *name,
				    struct watch_place *place, struct strbuf *several)
{
	static const struct elf_opener opener = { user_program_open_file, NULL };
	struct elf_object object = { 0 };
	struct elf_source source;
	struct elf_file file;
	int r = elf_source_fd(fd, &source);

	if (r == 0)
		r = elf_file_init(&file, &source, NULL);
	if (r < 0)
		return r;
	r = elf_object_find(&file, path, &opener, name, &object, several);
	if (r == 0)
		*place = (struct watch_place){ .address = start - elf_file_base(&file) +
							  object.address,
					       .length = object.size,
					       .is_function = object.is_function };
	elf_file_done(&file);
	return r;
}

static bool is_file(int fd, const struct stat *only)
{
	struct stat st;

	return fstat(fd, &st) == 0 && st.st_dev == only->st_dev && st.st_ino == only->st_ino;
}

/* Searches all files of a process, or only @only. The program itself is the first. */
static int find_in_maps(pid_t pid, const char *exe, const struct stat *only, char *maps,
			const char *name, struct watch_place *place, struct strbuf *several)
{
	const char *last = "";
	int r = -ENOENT;

	for (char *line; r == -ENOENT && (line = str_next_line(&maps));) {
		_cleanup_close_ int fd = -1;
		struct mapped mapped;
		char path[4200];

		if (!watch_place_parse_line(line, &mapped) || str_eq(mapped.path, last))
			continue;
		last = mapped.path;
		if (str_eq(mapped.path, exe))
			snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
		else
			snprintf(path, sizeof(path), "/proc/%d/root%s", (int)pid, mapped.path);
		fd = confined_open(path);
		if (fd < 0 || (only && !is_file(fd, only)))
			continue;
		r = watch_place_find_in_file(fd, mapped.path, mapped.start, name, place, several);
		if (r == -ENOTUNIQ || r == -EOPNOTSUPP || r == -ENOMEM)
			return r;
		if (r < 0)
			r = -ENOENT;
	}
	return r;
}

static int not_found(int code, const char *name, const char *exe, const struct strbuf *several,
		     struct fathom_err *err)
{
	if (code == -ENOMEM)
		return err_nomem(err);
	if (code == -ENOTUNIQ)
		return err_set(err, code, "ambiguous symbol '%s' in '%s': use one of %s", name, exe,
			       strbuf_str(several));
	if (code == -EOPNOTSUPP)
		return err_set(
			err, code,
			"thread-local symbol '%s' has no fixed address: give the address in one "
			"thread",
			name);
	if (strpbrk(name, ".[") && !strchr(name, ':'))
		return err_set(
			err, code,
			"no symbol '%s' in '%s': for a member, give the type of the variable, "
			"as in '(struct foo)%s'",
			name, exe, name);
	return err_set(
		err, code,
		"no symbol '%s' in '%s': stripped or optimized away; use 'nm' to list its symbols",
		name, exe);
}

/* Finds the file that a user means, as seen by the process; its program without a name. */
static int watch_place_find_file(const char *name, pid_t pid, char path[PATH_MAX],
				 struct fathom_err *err)
{
	struct arena arena = { 0 };
	const char *found = NULL;
	int r = 0;

	/* A relative path starts in our working directory. */
	if (name)
		r = program_path_find("", name[0] != '/' && strchr(name, '/') ? 0 : pid, name,
				      &arena, &found, err);
	if (r == 0 && found)
		snprintf(path, PATH_MAX, "%s", found);
	else if (r == 0)
		snprintf(path, PATH_MAX, "/proc/%d/exe", (int)pid);
	arena_done(&arena);
	return r;
}

/* Reads the path of the program of a process, for messages. */
static int read_exe(pid_t pid, char exe[PATH_MAX], struct fathom_err *err)
{
	char path[64];
	ssize_t len;

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
	len = readlink(path, exe, PATH_MAX - 1);
	if (len < 0)
		return err_set_errno(err, negative_errno(), "cannot find the program of process %d",
				     (int)pid);
	exe[len] = '\0';
	return 0;
}

static int work_member(void *data, struct fathom_err *err)
{
	const struct watch_search *search = data;
	struct watch_spec *spec = search->spec;
	_cleanup_(user_program_free_p) struct user_program *program = NULL;
	_cleanup_close_ int fd = -1;
	struct program_wanted wanted = { .types = &spec->type, .n_types = 1 };
	_cleanup_(types_free_p) struct types *types = NULL;
	uint64_t found[2];
	int r = user_program_open(search->path, &program, err);

	if (r < 0)
		return r;
	wanted.fd = fd = user_program_open_debug(program);
	wanted.program_fd = program->fd;
	r = program_types_new(fd >= 0 ? &wanted : NULL, &types);
	if (r < 0)
		return err_nomem(err);
	if (r == 0)
		return err_set(err, -ENOENT,
			       "no debug information in the program for '%s': build it with -g, or "
			       "use NAME+OFFSET/LENGTH",
			       spec->text);
	r = watch_spec_member(spec, types, err);
	if (r < 0)
		return r;
	found[0] = spec->address;
	found[1] = spec->length;
	return confined_send(found, sizeof(found));
}

static int watch_place_refuse(const struct watch_search *search, struct fathom_err *err)
{
	return err_set(err, -EPROTO, "cannot read '%.200s'", search->shown);
}

int watch_search_take_member(void *data, const char *bytes, size_t len, struct fathom_err *err)
{
	const struct watch_search *search = data;
	uint64_t found[2];

	if (len != sizeof(found))
		return watch_place_refuse(search, err);
	memcpy(found, bytes, sizeof(found));
	search->spec->address = found[0];
	search->spec->length = found[1];
	return 0;
}

int watch_member_program(struct watch_spec *spec, const char *file, pid_t pid,
			 struct fathom_err *err)
{
	char path[PATH_MAX], exe[PATH_MAX];
	struct watch_search search = { .spec = spec, .path = path, .shown = file ?: exe };
	int r;

	if (!spec->type)
		return 0;
	r = watch_place_find_file(file, pid, path, err);
	if (r == 0)
		r = read_exe(pid, exe, err);
	if (r < 0)
		return r;
	return confined_call(&(struct confined_call){ .work = work_member,
						      .take = watch_search_take_member,
						      .data = &search,
						      .subject = search.shown },
			     err);
}

static int work_symbol(void *data, struct fathom_err *err)
{
	struct watch_search *search = data;
	_cleanup_strbuf_ struct strbuf several = { 0 };
	int r = find_in_maps(search->pid, search->exe, search->only, search->maps,
			     search->spec->symbol, &search->place, &several);

	if (r < 0)
		return not_found(r, search->spec->symbol, search->shown, &several, err);
	return confined_send(&search->place, sizeof(search->place));
}

int watch_search_take_symbol(void *data, const char *bytes, size_t len, struct fathom_err *err)
{
	struct watch_search *search = data;
	uint64_t found[2];

	if (len != sizeof(search->place))
		return watch_place_refuse(search, err);
	memcpy(found, bytes, sizeof(found));
	search->place = (struct watch_place){
		.address = found[0],
		.length = found[1],
		.is_function = bytes[offsetof(struct watch_place, is_function)] != 0,
	};
	return 0;
}

/* Searches for the symbol in all files of the process, or in the one that was named. */
static int watch_place_find_symbol(const struct watch_spec *spec, const char *file, pid_t pid,
				   struct watch_place *place, struct fathom_err *err)
{
	_cleanup_strbuf_ struct strbuf maps = { 0 };
	char path[PATH_MAX], exe[PATH_MAX];
	struct watch_spec wanted = *spec;
	struct watch_search search = {
		.spec = &wanted, .pid = pid, .exe = exe, .shown = file ?: exe
	};
	struct stat only;
	int r = read_exe(pid, exe, err);

	if (r < 0)
		return r;
	if (file) {
		r = watch_place_find_file(file, pid, path, err);
		if (r == 0 && stat(path, &only) < 0)
			r = err_set_errno(err, negative_errno(), "cannot open '%s'", file);
		if (r < 0)
			return r;
	}
	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	r = file_read(AT_FDCWD, path, &maps);
	if (r < 0)
		return err_set_errno(err, r, "cannot read '%s'", path);
	search.only = file ? &only : NULL;
	search.maps = maps.s;
	r = confined_call(&(struct confined_call){ .work = work_symbol,
						   .take = watch_search_take_symbol,
						   .data = &search,
						   .subject = search.shown },
			  err);
	if (r == 0)
		*place = search.place;
	return r;
}

int watch_place_program(const struct watch_spec *spec, const char *file, pid_t pid,
			struct watch_place *ret_place, struct fathom_err *err)
{
	struct watch_place place = { .length = spec->length };
	int r = spec->symbol ? watch_place_find_symbol(spec, file, pid, &place, err) : 0;

	if (r < 0)
		return r;
	/* The size of a part is unknown. */
	if (spec->length || spec->address)
		place.length = spec->length;
	place.address += spec->address;
	if (!place.length) {
		place.length = LENGTH_GUESS;
		place.guessed = !place.is_function;
	}
	*ret_place = place;
	return 0;
}

int watch_read_memory(pid_t pid, uint64_t address, void *bytes, size_t len)
{
	struct iovec here = { bytes, len };
	struct iovec there = { (void *)(uintptr_t)address, len };
	ssize_t n = process_vm_readv(pid, &here, 1, &there, 1, 0);

	return n < 0 ? negative_errno() : (size_t)n == len ? 0 : -EFAULT;
}

int watch_kallsyms(struct kallsyms *ret_kallsyms, struct fathom_err *err)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };
	int r = file_read(AT_FDCWD, "/proc/kallsyms", &text);

	if (r == 0)
		r = kallsyms_init(ret_kallsyms, strbuf_str(&text), text.len);
	return r < 0 ? err_set_errno(err, r, "cannot read '/proc/kallsyms'") : 0;
}

/* Finds the only symbol of that name, or lists several. */
static int watch_place_find_kernel(const struct kallsyms *kallsyms, const char *name,
				   const struct kallsyms_symbol **ret_symbol,
				   struct fathom_err *err)
{
	const struct kallsyms_symbol *found = NULL;
	_cleanup_strbuf_ struct strbuf all = { 0 };
	struct nearest nearest = { .wanted = name };
	unsigned n = 0;

	for (uint32_t i = 0; i < kallsyms->n; i++) {
		const struct kallsyms_symbol *s = &kallsyms->symbols[i];

		nearest_offer(&nearest, kallsyms_name(kallsyms, s));
		if (!str_eq(kallsyms_name(kallsyms, s), name) ||
		    (found && found->address == s->address))
			continue;
		found = s;
		if (++n <= SHOWN_MAX)
			strbuf_addf(&all, "%s%#llx", n > 1 ? ", " : "",
				    (unsigned long long)s->address);
	}
	if (all.err)
		return err_nomem(err);
	if (n > 1)
		return err_set(err, -ENOTUNIQ,
			       "ambiguous kernel symbol '%s': give one of %u addresses: %s%s", name,
			       n, strbuf_str(&all), n > SHOWN_MAX ? ", ..." : "");
	if (!found && nearest_pick(&nearest))
		return err_set(err, -ENOENT, "no kernel symbol '%s' (did you mean '%s'?)", name,
			       nearest_pick(&nearest));
	if (!found)
		return err_set(err, -ENOENT, "no kernel symbol '%s' in /proc/kallsyms", name);
	if (!found->address)
		return err_set(
			err, -EACCES,
			"kernel addresses are hidden: run as root, with kernel.kptr_restrict "
			"below 2");
	*ret_symbol = found;
	return 0;
}

/* Without a known size: the bytes up to the next symbol, at most 8. */
static uint64_t guess_length(const struct kallsyms *kallsyms, const struct kallsyms_symbol *symbol,
			     uint64_t address)
{
	const struct kallsyms_symbol *end = kallsyms->symbols + kallsyms->n, *next = symbol;
	uint64_t length = LENGTH_GUESS;

	while (next < end && next->address <= address)
		next++;
	while (length > 1 && ((next < end && next->address - address < length) || address % length))
		length /= 2;
	return length;
}

/* Linkers mark some variables as code, for example "jiffies" of newer kernels. */
static bool watch_place_is_code(const struct kallsyms *kallsyms,
				const struct kallsyms_symbol *symbol)
{
	/* Lines are "ADDRESS LETTER NAME". */
	char letter = symbol->name >= 2 ? kallsyms->text[symbol->name - 2] : 0;
	uint64_t start, end;

	if (tolower((unsigned char)letter) != 't')
		return false;
	return kallsyms_module(kallsyms, symbol) || !kallsyms_address(kallsyms, "_stext", &start) ||
	       !kallsyms_address(kallsyms, "_etext", &end) ||
	       (symbol->address >= start && symbol->address < end);
}

int watch_place_kernel(const struct watch_spec *spec, const struct kallsyms *kallsyms,
		       struct watch_place *ret_place, struct fathom_err *err)
{
	struct watch_place place = { .address = spec->address, .length = spec->length };
	const struct kallsyms_symbol *symbol = NULL;
	int r;

	if (spec->symbol) {
		r = watch_place_find_kernel(kallsyms, spec->symbol, &symbol, err);
		if (r < 0)
			return r;
		place.address += symbol->address;
		place.is_function = watch_place_is_code(kallsyms, symbol);
	}
	if (!place.length) {
		place.length = symbol ? guess_length(kallsyms, symbol, place.address) :
					LENGTH_GUESS;
		place.guessed = !place.is_function;
	}
	*ret_place = place;
	return 0;
}
