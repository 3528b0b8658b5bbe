/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "symbols/user/user-program.h"

#include <ctype.h>
#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "process/confined-call.h"
#include "base/err.h"
#include "base/pattern/match.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/strbuf.h"
#include "symbols/user/demangle.h"
#include "symbols/elf/elf-debug-file.h"

int user_program_open_file(void *data, const char *path)
{
	return confined_open(path);
}

int user_program_open_debug(const struct user_program *program)
{
	const struct elf_opener opener = { .open = user_program_open_file };

	if (elf_file_named(&program->elf, ".debug_info") ||
	    elf_file_named(&program->elf, ".zdebug_info"))
		return confined_open(program->path);
	return elf_debug_file_open(&program->elf, program->path, &opener);
}

static int user_program_read(struct user_program *program, struct fathom_err *err)
{
	const struct elf_opener opener = { .open = user_program_open_file };
	struct elf_source source;
	int r;

	program->fd = user_program_open_file(NULL, program->path);
	if (program->fd < 0)
		return err_set_errno(err, program->fd, "cannot open '%.200s'", program->path);
	r = elf_source_fd(program->fd, &source);
	if (r < 0)
		return err_set(err, r, "'%.200s' is not a program: expected a regular file",
			       program->path);
	r = elf_file_init(&program->elf, &source, err);
	if (r < 0)
		return r == -ENOMEM ?
			       r :
			       err_set(err, r, "'%.200s' is not a program: expected an ELF file",
				       program->path);
	r = elf_symbols_collect(&program->elf, program->path, &opener, &program->symbols,
				&program->lack);
	if (r < 0)
		return r == -ENOMEM ? err_nomem(err) :
				      err_set_errno(err, r, "cannot read '%.200s'", program->path);
	symbol_builder_sort(&program->symbols);
	return 0;
}

int user_program_open(const char *path, struct user_program **ret_program, struct fathom_err *err)
{
	_cleanup_(user_program_free_p) struct user_program *program =
		mem_zalloc(1, sizeof(*program));
	int r;

	if (!program)
		return err_nomem(err);
	program->fd = -1;
	program->path = mem_strdup(path);
	if (!program->path)
		return err_nomem(err);
	r = user_program_read(program, err);
	if (r < 0)
		return r;
	*ret_program = TAKE_PTR(program);
	return 0;
}

void user_program_free(struct user_program *program)
{
	if (!program)
		return;
	symbol_builder_done(&program->symbols);
	elf_file_done(&program->elf);
	if (program->fd >= 0)
		close(program->fd);
	free(program->path);
	free(program);
}

/* "f.cold", "f.cold.1", "f.part.0.cold" */
static bool user_program_is_piece(const char *name)
{
	const char *cold = strstr(name, ".cold");

	return cold && (!cold[5] || cold[5] == '.');
}

static const char *user_program_name_of(const struct user_program *program,
					const struct symbol_input *input)
{
	return program->symbols.strings + input->name;
}

static bool user_program_is_glob(const char *name)
{
	return name[strcspn(name, "*?[")];
}

/* A search for functions. */
struct wanted {
	struct match match;
	bool glob; /* only match functions; a name can match a label as well */
	bool readable; /* as in the source of C++ and Rust: "app::save" */
	struct demangler demangler;
	struct strbuf text;
};

/* Matches the whole name, or the name without parameters. */
static bool fits_readable(struct wanted *wanted, const char *name)
{
	size_t len;

	strbuf_clear(&wanted->text);
	if (!demangle(&wanted->demangler, name, &wanted->text) || wanted->text.err)
		return false;
	if (match_test(&wanted->match, wanted->text.s))
		return true;
	len = strcspn(wanted->text.s, "(");
	if (!len)
		return false;
	wanted->text.s[len] = '\0';
	return match_test(&wanted->match, wanted->text.s);
}

static bool user_program_is_wanted(const struct user_program *program,
				   const struct symbol_input *input, struct wanted *wanted)
{
	const char *name = user_program_name_of(program, input);

	if (wanted->glob && (!(input->rank & SYMBOL_FUNCTION) || user_program_is_piece(name)))
		return false;
	return wanted->readable ? fits_readable(wanted, name) : match_test(&wanted->match, name);
}

static void user_program_wanted_done(struct wanted *wanted)
{
	match_done(&wanted->match);
	demangler_done(&wanted->demangler);
	strbuf_done(&wanted->text);
}

int user_program_find(const struct user_program *program, const char *name, struct arena *arena,
		      struct user_function **ret_functions, size_t *ret_n, struct fathom_err *err)
{
	const struct symbol_builder *symbols = &program->symbols;
	struct wanted wanted = { .glob = user_program_is_glob(name),
				 .readable = strstr(name, "::") };
	struct user_function *list;
	size_t n = 0, found = 0;
	int r = match_init(&wanted.match, name, MATCH_WHOLE, err);

	if (r < 0)
		return r;
	if (wanted.readable)
		demangler_load(&wanted.demangler);
	for (size_t i = 0; i < symbols->n; i++)
		n += user_program_is_wanted(program, &symbols->inputs[i], &wanted);
	list = arena_zalloc(arena, n + 1, sizeof(*list));
	for (size_t i = 0; list && n && i < symbols->n; i++) {
		const struct symbol_input *input = &symbols->inputs[i];
		uint64_t offset;

		if (!user_program_is_wanted(program, input, &wanted) ||
		    !elf_file_offset(&program->elf, input->start, &offset))
			continue;
		/* The best name of a place sorts first. */
		if (found && list[found - 1].offset == offset) {
			list[found - 1].is_indirect |= input->is_indirect;
			continue;
		}
		list[found++] = (struct user_function){
			.name = user_program_name_of(program, input),
			.offset = offset,
			.size = input->size,
			.is_indirect = input->is_indirect,
			.is_piece = user_program_is_piece(user_program_name_of(program, input))
		};
	}
	r = wanted.text.err || !list ? err_nomem(err) : 0;
	user_program_wanted_done(&wanted);
	if (r < 0)
		return r;
	*ret_functions = list;
	*ret_n = found;
	return 0;
}

const char *user_program_nearest(const struct user_program *program, const char *name)
{
	struct nearest nearest = { .wanted = name };

	for (size_t i = 0; i < program->symbols.n; i++) {
		const char *candidate = user_program_name_of(program, &program->symbols.inputs[i]);
		const char *rest = str_after(candidate, name);

		/* Suggest a clone made by the compiler. */
		if (rest && *rest == '.' && !user_program_is_piece(candidate))
			return candidate;
		if (program->symbols.inputs[i].rank & SYMBOL_FUNCTION)
			nearest_offer(&nearest, candidate);
	}
	return nearest_pick(&nearest);
}

bool user_program_symbol(const struct user_program *program, const char *name,
			 uint64_t *ret_address)
{
	const struct symbol_input *found = NULL;

	for (size_t i = 0; i < program->symbols.n; i++) {
		const struct symbol_input *input = &program->symbols.inputs[i];

		if (!str_eq(user_program_name_of(program, input), name))
			continue;
		if (found && found->start != input->start)
			return false;
		found = input;
	}
	if (found)
		*ret_address = found->start;
	return found;
}

const char *user_program_function_at(const struct user_program *program, uint64_t address,
				     uint64_t *ret_start)
{
	const struct symbol_input *found = NULL;

	/* The best name of a place sorts first. */
	for (size_t i = 0; i < program->symbols.n; i++) {
		const struct symbol_input *input = &program->symbols.inputs[i];

		if (input->start <= address && (input->rank & SYMBOL_FUNCTION) &&
		    (!found || input->start > found->start))
			found = input;
	}
	if (!found || (found->size && address - found->start >= found->size))
		return NULL;
	*ret_start = found->start;
	return user_program_name_of(program, found);
}

bool user_program_has_code(const struct user_program *program, uint64_t offset)
{
	for (uint32_t i = 0; i < program->elf.n_segments; i++) {
		const struct elf_segment *segment = &program->elf.segments[i];

		if (segment->executable && offset >= segment->offset &&
		    offset - segment->offset < segment->file_size)
			return true;
	}
	return false;
}

bool user_program_is_go(const struct user_program *program)
{
	return elf_file_named(&program->elf, ".go.buildinfo") ||
	       elf_file_named(&program->elf, ".note.go.buildid") ||
	       elf_file_named(&program->elf, ".gopclntab");
}

bool user_program_has_nop5(const struct user_program *program, uint64_t offset)
{
	static const unsigned char nop5[] = { 0x0f, 0x1f, 0x44, 0x00, 0x00 };
	unsigned char code[sizeof(nop5)];

	return program->elf.machine == EM_X86_64 &&
	       elf_source_read(&program->elf.source, offset, code, sizeof(code)) == 0 &&
	       memcmp(code, nop5, sizeof(code)) == 0;
}

bool user_probe_path_is_possible(const char *path)
{
	for (const char *p = path; *p; p++)
		if (isspace((unsigned char)*p) || iscntrl((unsigned char)*p))
			return false;
	return path[0] == '/';
}

void user_probe_line(struct strbuf *line, bool is_return, const char *group, const char *event,
		     const char *path, uint64_t offset, uint64_t counter)
{
	strbuf_addf(line, "%c:%s/%s %s:0x%" PRIx64, is_return ? 'r' : 'p', group, event, path,
		    offset);
	if (counter)
		strbuf_addf(line, "(0x%" PRIx64 ")", counter);
}
