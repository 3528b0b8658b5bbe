/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "render/why/why-killed.h"

#include <inttypes.h>
#include <signal.h>
#include <string.h>

#include "base/quote.h"
#include "base/str.h"
#include "render/report/user-stack.h"

#define NULL_AREA 4096 /* the first page is never mapped */

const char *why_killed_page(const struct evidence_page *page)
{
	static const char *const forbidden[] = {
		[ACCESS_UNKNOWN] = " (access not permitted)",
		[ACCESS_READ] = " (page not readable)",
		[ACCESS_WRITE] = " (page not writable)",
		[ACCESS_EXECUTE] = " (page not executable)",
	};

	if (page->address < NULL_AREA)
		return " (null pointer)";
	if (page->signal != SIGSEGV)
		return "";
	if (page->code == SEGV_ACCERR)
		return forbidden[page->access];
	return page->code == SEGV_MAPERR ? " (not mapped)" : "";
}

const struct user_stack *why_killed_stack(const struct failures *failures,
					  const struct process *process,
					  const struct process_ending *ending)
{
	return process && ending->how == PROCESS_KILLED && ending->signal ?
		       evidences_stack(&failures->evidences, process->pid, ending->signal) :
		       NULL;
}

/*
 * Prefers the innermost frame in the program to those in libraries. Returns false if no frame is
 * known.
 */
static bool why_killed_find_place(struct user_symbols *users, const struct user_stack *stack,
				  const struct process *process, struct user_symbol *ret_symbol)
{
	const char *program = process->program ? str_base_name(process->program) : "";

	for (unsigned i = 0; user_stack_find(users, stack, i, ret_symbol); i++)
		if (ret_symbol->path && str_eq(str_base_name(ret_symbol->path), program))
			return true;
	return user_stack_find(users, stack, 0, ret_symbol);
}

/* Appends ", code of libc.so.6". Only executable mappings are recorded, so data cannot be named. */
static void put_mapping(struct strbuf *text, const struct failures *failures,
			struct user_symbols *users, const struct user_stack *stack,
			const struct process *process)
{
	const struct user_mapping *mapping;
	struct evidence_page page;
	bool known;

	if (evidences_fault(&failures->evidences, process->pid, &page) != FAULT_PAGE)
		return;
	mapping = user_maps_find(&users->maps, stack->process, stack->time, page.address, &known);
	if (mapping && mapping->executable && *mapping->path == '/')
		quote_addf(text, ", code of %s", str_base_name(mapping->path));
}

void why_killed_put(struct strbuf *text, const struct failures *failures,
		    struct user_symbols *users, const struct user_stack *stack,
		    const struct process *process)
{
	const struct source_frame *frames;
	struct user_symbol symbol;
	const char *file, *function;
	size_t n;

	if (!stack)
		return;
	put_mapping(text, failures, users, stack, process);
	if (!why_killed_find_place(users, stack, process, &symbol))
		return;
	file = symbol.path ? str_base_name(symbol.path) : NULL;
	n = user_symbols_lines(users, &symbol, &frames);
	function = n && frames[0].function ? frames[0].function : symbol.name;
	if (function)
		quote_addf(text, ", in %s()%s%s", function, file ? " of " : "", file ?: "");
	else if (file)
		quote_addf(text, ", at %s+0x%" PRIx64, file, symbol.offset);
	if (n && frames[0].file)
		quote_addf(text, " at %s:%" PRIu32, str_base_name(frames[0].file), frames[0].line);
}

void why_killed_json(struct json *json, const struct failures *failures, struct user_symbols *users,
		     const struct user_stack *stack, const struct process *process)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };

	if (!stack)
		return;
	why_killed_put(&text, failures, users, stack, process);
	json_string(json, "killed_in", text.len ? text.s + strlen(", ") : NULL);
	user_stack_json(json, "killed_stack", users, stack);
	if (text.err)
		json->buf->err = text.err;
}
