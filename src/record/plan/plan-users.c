/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The user functions of a plan, and their probes. All probes belong to two events, so that placing and
 * removing thousands takes no longer than the kernel needs for the probes themselves. Functions that
 * a return probe would break are excluded, or require --yes.
 */
#include "record/plan/plan-users-parts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "process/confined-call.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/files/plain-file.h"
#include "base/str.h"
#include "record/plan/plan-parts.h"
#include "record/price/probe-cost.h"
#include "record/session/session.h"
#include "symbols/elf/elf-symbols.h"
#include "symbols/user/demangle.h"
#include "symbols/probe/probed-functions.h"
#include "symbols/probe/probe-path.h"
#include "symbols/probe/probe.h"
#include "symbols/user/program-path.h"
#include "symbols/user/user-program.h"

void choice_done(struct choice *choice)
{
	free(choice->files);
	free(choice->list);
	u64_map_done(&choice->offsets);
	arena_done(&choice->arena);
}

/*
 * Excludes functions that the compiler and the C library add to every program, and those that
 * return twice or on another stack, which a return probe breaks.
 */
static bool plan_users_is_left_out(const char *name)
{
	static const char names[] =
		"_start _init _fini frame_dummy register_tm_clones deregister_tm_clones "
		"__do_global_dtors_aux __libc_csu_init __libc_csu_fini _dl_relocate_static_pie "
		"setjmp _setjmp __sigsetjmp sigsetjmp vfork __vfork __libc_vfork getcontext "
		"__getcontext swapcontext __swapcontext clone __clone clone3 __clone3 "
		"__clone_internal longjmp _longjmp siglongjmp __longjmp __libc_longjmp "
		"__libc_siglongjmp ____longjmp_chk __longjmp_chk setcontext __setcontext "
		"__restore_rt __start_context";

	return str_has_word(names, " ", name) || str_after(name, "__x86.get_pc_thunk") ||
	       str_after(name, "__asan_") || str_after(name, "_Unwind_");
}

/*
 * Determines whether the program may throw exceptions: unwinding fails at the trampoline of a
 * return probe.
 */
static int may_throw(const struct user_program *program, struct arena *arena, bool *ret_may)
{
	static const char *const names[] = { "__cxa_throw", "__cxa_rethrow",
					     "_Unwind_RaiseException" };
	const struct elf_section *section = elf_file_named(&program->elf, ".dynstr");
	_cleanup_free_ unsigned char *bytes = NULL;
	size_t size = 0;

	*ret_may = false;
	if (section && elf_file_bytes(&program->elf, section, &bytes, &size) == -ENOMEM)
		return -ENOMEM;
	for (size_t i = 0; i < ARRAY_SIZE(names) && !*ret_may; i++) {
		struct user_function *list;
		size_t n = 0;

		if (user_program_find(program, names[i], arena, &list, &n, NULL) == -ENOMEM)
			return -ENOMEM;
		*ret_may = n || (bytes && memmem(bytes, size, names[i], strlen(names[i]) + 1));
	}
	/*
	 * Functions of the C++ library that throw on behalf of others:
	 * _ZSt20__throw_length_errorPKc
	 */
	*ret_may |= bytes && memmem(bytes, size, "__throw_", 8);
	return 0;
}

static int plan_users_add(struct choice *choice, uint32_t file,
			  const struct user_function *function)
{
	char *name;

	if (function->is_indirect || function->is_piece || plan_users_is_left_out(function->name) ||
	    u64_map_get(&choice->offsets, function->offset) != U64_MAP_NONE)
		return 0;
	name = arena_strdup(&choice->arena, function->name);
	if (!name || u64_map_put(&choice->offsets, function->offset) == U64_MAP_NONE ||
	    mem_reserve(&choice->list, &choice->cap, choice->n + 1, sizeof(*choice->list)) < 0)
		return -ENOMEM;
	choice->list[choice->n++] = (struct chosen){ file, name, "", function->offset };
	return 0;
}

/* Adds the functions that match a glob. */
static int add_glob(struct choice *choice, const struct user_program *program, const char *glob,
		    struct fathom_err *err)
{
	uint32_t file = (uint32_t)choice->n_files - 1;
	struct user_function *list;
	const char *hint;
	size_t n;
	int r = user_program_find(program, glob, &choice->arena, &list, &n, err);

	for (size_t i = 0; i < n && r == 0; i++)
		r = plan_users_add(choice, file, &list[i]) < 0 ? err_nomem(err) : 0;
	if (r < 0 || n)
		return r;
	if (str_eq(glob, "*"))
		return err_set(err, -ENOENT, "no function symbols in '%.150s': %s", program->path,
			       elf_symbols_lack_text(program->lack));
	hint = user_program_nearest(program, glob);
	if (hint)
		return err_set(err, -ENOENT,
			       "'%.150s' has no function '%.80s'; did you mean "
			       "'%s'?",
			       program->path, glob, hint);
	return err_set(err, -ENOENT, "'%.150s' has no function '%.80s'", program->path, glob);
}

static int check_program(const struct choice *choice, const struct user_program *program,
			 struct fathom_err *err)
{
	struct arena arena = { 0 };
	bool throws;
	int r;

	r = may_throw(program, &arena, &throws);
	arena_done(&arena);
	if (r < 0)
		return err_nomem(err);
	if (throws && !choice->plan->yes && !user_program_is_go(program))
		return err_set(
			err, -EPERM,
			"'%.150s' may throw exceptions, and one that unwinds through a return "
			"probe crashes the program: use --yes if it throws none",
			program->path);
	return 0;
}

/* Sends functions, as many as fit into a message: offset, name and demangled name of each. */
static int send_chosen(const struct choice *choice, size_t from, struct demangler *demangler)
{
	_cleanup_strbuf_ struct strbuf message = { 0 };
	int r = 0;

	for (size_t i = from; i < choice->n && r == 0; i++) {
		const struct chosen *chosen = &choice->list[i];
		size_t before = message.len;

		strbuf_add(&message, &chosen->offset, sizeof(chosen->offset));
		strbuf_add(&message, chosen->name, strlen(chosen->name) + 1);
		demangle(demangler, chosen->name, &message);
		strbuf_addc(&message, '\0');
		if (message.err)
			return -ENOMEM;
		if (message.len <= CONFINED_MESSAGE_MAX)
			continue;
		/* A function whose name exceeds a message is dropped. */
		if (before) {
			r = confined_send(message.s, before);
			i--;
		}
		strbuf_clear(&message);
	}
	return r < 0 || !message.len ? r : confined_send(message.s, message.len);
}

/* Runs in the confined process. */
static int plan_users_work(void *data, struct fathom_err *err)
{
	const struct choice_search *search = data;
	struct choice *choice = search->choice;
	_cleanup_(user_program_free_p) struct user_program *program = NULL;
	struct demangler demangler = { 0 };
	char *rest = search->globs, is_go;
	size_t from = choice->n;
	int r = user_program_open(search->path, &program, err);

	if (r == 0)
		r = check_program(choice, program, err);
	for (char *glob; r == 0 && (glob = str_next_word(&rest, ", "));)
		r = add_glob(choice, program, glob, err);
	if (r < 0)
		return r;
	demangler_load(&demangler);
	is_go = user_program_is_go(program);
	r = confined_send(&is_go, 1);
	return r < 0 ? r : send_chosen(choice, from, &demangler);
}

/*
 * Copies a string up to its NUL to the arena, as a cell of the table. Returns 0, -EPROTO without a
 * NUL, or -ENOMEM.
 */
static int plan_users_take_name(struct choice *choice, const char **bytes, const char *end,
				const char **ret_name)
{
	size_t len = strnlen(*bytes, (size_t)(end - *bytes));
	char *name;

	if (*bytes + len == end)
		return -EPROTO;
	name = arena_strdup(&choice->arena, *bytes);
	for (char *p = name; p && *p; p++)
		if (*p == '\n' || *p == '\t')
			*p = '?';
	*bytes += len + 1;
	*ret_name = name;
	return name ? 0 : -ENOMEM;
}

/* Receives offset, name and demangled name of a function. */
static int take_chosen(struct choice *choice, const char **bytes, const char *end)
{
	struct chosen chosen = { .file = (uint32_t)choice->n_files - 1 };
	int r;

	if (end - *bytes < (ptrdiff_t)sizeof(chosen.offset) || choice->n > PROBED_FUNCTIONS_MAX)
		return -EPROTO;
	memcpy(&chosen.offset, *bytes, sizeof(chosen.offset));
	*bytes += sizeof(chosen.offset);
	r = plan_users_take_name(choice, bytes, end, &chosen.name);
	if (r == 0)
		r = plan_users_take_name(choice, bytes, end, &chosen.readable);
	if (r == 0)
		r = mem_reserve(&choice->list, &choice->cap, choice->n + 1, sizeof(*choice->list));
	if (r < 0)
		return r;
	choice->list[choice->n++] = chosen;
	choice->files[chosen.file].n++;
	return 0;
}

int choice_take(void *data, const char *bytes, size_t len, struct fathom_err *err)
{
	const struct choice_search *search = data;
	struct choice *choice = search->choice;
	const char *end = bytes + len;
	int r = 0;

	if (len == 1) {
		choice->files[choice->n_files - 1].is_go = bytes[0];
		return 0;
	}
	while (bytes < end && r == 0)
		r = take_chosen(choice, &bytes, end);
	if (r == -ENOMEM)
		return err_nomem(err);
	return r < 0 ? err_set(err, r, "cannot read '%.200s'", search->path) : 0;
}

/* Opens the file, and searches it in a confined process, because anyone may have written it. */
static int search_file(struct choice_search *search, struct fathom_err *err)
{
	struct choice *choice = search->choice;
	_cleanup_close_ int fd = plain_file_open(search->path, err);
	const struct confined_file file = { search->path, fd };
	/* The confined process cannot load the C++ library. */
	static struct demangler demangler;
	const char *probed;

	if (fd < 0)
		return fd;
	probed = probe_path(fd, search->path, &choice->arena);
	if (!probed)
		return err_nomem(err);
	choice->files[choice->n_files++] =
		(struct chosen_file){ .path = search->path, .probe_path = probed };
	if (!demangler.cxx)
		demangler_load(&demangler);
	return confined_call(&(struct confined_call){ .work = plan_users_work,
						      .take = choice_take,
						      .data = search,
						      .subject = search->path,
						      .files = &file,
						      .n_files = 1 },
			     err);
}

static int plan_users_add_file(struct choice *choice, const char *path, const char *globs,
			       struct fathom_err *err)
{
	_cleanup_free_ char *copy = mem_strdup(globs);
	struct choice_search search = { choice, path, copy };

	if (!copy || mem_reserve(&choice->files, &choice->cap_files, choice->n_files + 1,
				 sizeof(*choice->files)) < 0)
		return err_nomem(err);
	for (size_t i = 0; i < choice->n_files; i++)
		if (str_eq(choice->files[i].path, path))
			return err_set(err, -EINVAL,
				       "duplicate file '%.150s': list all its functions in one "
				       "--user-functions",
				       path);
	if (!user_probe_path_is_possible(path))
		return err_set(err, -EINVAL,
			       "cannot probe '%.150s': the kernel rejects paths with spaces", path);
	return search_file(&search, err);
}

static int add_spec(struct choice *choice, const char *spec, struct fathom_err *err)
{
	const char *colon = strchr(spec, ':'), *path = choice->plan->program;
	int r = 0;

	/* "::" belongs to a C++ name. */
	if (colon && colon[1] != ':') {
		const char *file = arena_strndup(&choice->arena, spec, (size_t)(colon - spec));

		if (!file)
			return err_nomem(err);
		r = program_path_find("", 0, file, &choice->arena, &path, err);
		spec = colon + 1;
	} else if (!path) {
		return err_set(err, -EINVAL,
			       "no program for '%.80s': use FILE:GLOB, or give a command", spec);
	}
	return r < 0 ? r : plan_users_add_file(choice, path, spec, err);
}

/* The index of the function is a field of its events. */
static int plan_users_make_probe(struct session *session, const char *group,
				 const struct choice *choice, size_t number, bool is_return,
				 bool is_first, struct fathom_err *err)
{
	const struct chosen *chosen = &choice->list[number];
	const char *path = choice->files[chosen->file].path;
	_cleanup_strbuf_ struct strbuf line = { 0 };
	int r;

	user_probe_line(&line, is_return, group,
			is_return ? PROBED_FUNCTIONS_LEAVE : PROBED_FUNCTIONS_ENTER,
			choice->files[chosen->file].probe_path, chosen->offset, 0);
	strbuf_addf(&line, " " PROBED_FUNCTIONS_NUMBER "=\\%zu:u32", number);
	if (!is_return)
		strbuf_adds(&line, " " PROBED_FUNCTIONS_STACK "=$stack:u64");
	if (line.err)
		return err_nomem(err);
	/* The journal has the name of the event, which covers all its probes. */
	r = is_first ? session_add_event(session, line.s, NULL) :
		       session_extend_event(session, line.s);
	if (r < 0)
		err_set_errno(err, r, "cannot probe '%.80s' of '%.120s'", chosen->name, path);
	return r;
}

static int plan_users_make_event(struct session *session, const char *group,
				 const struct choice *choice, bool is_return,
				 struct fathom_err *err)
{
	bool is_first = true;
	int r = 0;

	for (size_t i = 0; i < choice->n && r == 0; i++) {
		if (is_return && choice->files[choice->list[i].file].is_go)
			continue;
		plan_progress(choice->plan,
			      is_return ? "creating return probes" : "creating probes", i,
			      choice->n);
		r = plan_users_make_probe(session, group, choice, i, is_return, is_first, err);
		is_first = false;
	}
	return r;
}

/* Writes the table for the recording. */
static int plan_users_put_table(const struct choice *choice, const char *group, struct strbuf *out)
{
	size_t file = SIZE_MAX;

	strbuf_addf(out, "e%s\n", group);
	for (size_t i = 0; i < choice->n; i++) {
		const struct chosen *chosen = &choice->list[i];

		if (chosen->file != file)
			strbuf_addf(out, "f%s\n", choice->files[chosen->file].path);
		file = chosen->file;
		strbuf_addf(out, "%c%s", choice->files[file].is_go ? '-' : '+', chosen->name);
		if (chosen->readable[0])
			strbuf_addf(out, "\t%s", chosen->readable);
		strbuf_addc(out, '\n');
	}
	return out->err ? -ENOMEM : 0;
}

static void plan_users_report(const struct choice *choice)
{
	struct plan *plan = choice->plan;

	for (size_t i = 0; i < choice->n_files; i++) {
		const struct chosen_file *file = &choice->files[i];
		unsigned ns = probe_cost_ns(PROBE_COST_UPROBE) +
			      (file->is_go ? 0 : probe_cost_ns(PROBE_COST_URETPROBE));

		plan_note(
			plan,
			"probing %zu function%s of '%s': each call takes about %.0f us longer, in "
			"every process that uses this file",
			file->n, file->n == 1 ? "" : "s", str_base_name(file->path), ns / 1e3);
		if (file->is_go)
			plan_note(
				plan,
				"'%s' is a Go program: only function entries are recorded, because "
				"return probes would crash it",
				str_base_name(file->path));
	}
}

/* Leaves @choice empty if the plan has no user functions. */
static int plan_users_choose(struct choice *choice, struct fathom_err *err)
{
	struct plan *plan = choice->plan;
	int r = 0;

	if (!plan->all_user_functions && !plan->user_functions.n)
		return 0;
	if (plan->all_user_functions)
		r = add_spec(choice, "*", err);
	for (size_t i = 0; i < plan->user_functions.n && r == 0; i++)
		r = add_spec(choice, plan->user_functions.list[i], err);
	if (r < 0)
		return r;
	if (!choice->n)
		return err_set(err, -ENOENT, "no function can be probed");
	if (choice->n > PROBED_FUNCTIONS_MAX || (choice->n > PLAN_USERS_MAX && !plan->yes))
		return err_set(err, -E2BIG,
			       "too many user functions (%zu): select some with "
			       "--user-functions GLOB,..., or use --yes to probe them all",
			       choice->n);
	return 0;
}

int plan_preview_users(struct plan *plan, struct fathom_err *err)
{
	_cleanup_(choice_done) struct choice choice = { .plan = plan };
	int r = plan_users_choose(&choice, err);

	if (r < 0)
		return r;
	plan->preview.user_entries = choice.n;
	for (size_t i = 0; i < choice.n_files; i++)
		plan->preview.user_returns += choice.files[i].is_go ? 0 : choice.files[i].n;
	return 0;
}

int plan_make_users(struct plan *plan, struct session *session, struct fathom_err *err)
{
	_cleanup_(choice_done) struct choice choice = { .plan = plan };
	char group[PLAN_GROUP_SIZE];
	int r = plan_users_choose(&choice, err);

	if (r < 0 || !choice.n)
		return r;
	plan_probe_group(session, group, sizeof(group));
	if (plan_users_put_table(&choice, group, &plan->users) < 0)
		return err_nomem(err);
	plan_users_report(&choice);
	r = plan_users_make_event(session, group, &choice, false, err);
	return r < 0 ? r : plan_users_make_event(session, group, &choice, true, err);
}

int plan_apply_users(const struct plan *plan, struct plan_buffer *buffer, struct session *session,
		     struct fathom_err *err)
{
	static const char *const events[] = { PROBED_FUNCTIONS_LEAVE, PROBED_FUNCTIONS_ENTER };
	char group[PLAN_GROUP_SIZE], path[PLAN_PATH_SIZE];
	int r = 0;

	if (!plan->users.len || buffer != &plan->buffers[0])
		return 0;
	plan_probe_group(session, group, sizeof(group));
	for (size_t i = 0; i < ARRAY_SIZE(events) && r == 0; i++) {
		snprintf(path, sizeof(path), "events/%s/%s/enable", group, events[i]);
		/* Without return probes, there is only one event. */
		if (plan_has_file(buffer->place->fd, path))
			r = plan_set(session, buffer->place, path, KNOB_SET, "1", err);
	}
	return r;
}
