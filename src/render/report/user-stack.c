/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "render/report/user-stack.h"

#include <inttypes.h>

#include "base/quote.h"
#include "base/str.h"
#include "format/event/sample-event.h"

/*
 * All addresses but the innermost are return addresses; the call may be the last instruction of its
 * function.
 */
static void report_user_stack_find(struct user_symbols *symbols, const struct user_stack *stack,
				   unsigned i, struct user_symbol *ret_symbol)
{
	bool returned = i > 0;

	user_symbols_find(symbols, stack->process, stack->time, stack->frames[i] - returned,
			  ret_symbol);
	ret_symbol->offset += returned;
}

static void user_stack_put_source(struct strbuf *buf, const struct source_frame *frame)
{
	if (frame->file)
		quote_addf(buf, " %s:%" PRIu32, str_base_name(frame->file), frame->line);
}

static void user_stack_put_frame(struct strbuf *buf, struct user_symbols *symbols,
				 const struct user_symbol *symbol, uint64_t address,
				 const char *arrow)
{
	const struct source_frame *frames;
	const char *file = symbol->path ? str_base_name(symbol->path) : NULL;
	size_t n = user_symbols_lines(symbols, symbol, &frames);

	for (size_t i = 0; i + 1 < n; i++) {
		quote_adds(buf, frames[i].function ?: "?");
		user_stack_put_source(buf, &frames[i]);
		quote_addf(buf, " (inlined) %s ", arrow);
	}
	if (symbol->name)
		quote_adds(buf, symbol->name);
	else if (file)
		quote_addf(buf, "%s+0x%" PRIx64, file, symbol->offset);
	else
		quote_addf(buf, "0x%" PRIx64, address);
	if (n)
		user_stack_put_source(buf, &frames[n - 1]);
	if (symbol->name && file)
		quote_addf(buf, " [%s]", file);
}

/*
 * The kernel follows frame pointers. Code built without them uses the register for other values, so
 * the chain ends at an address without code.
 */
static bool user_stack_is_code(const struct user_symbol *symbol)
{
	return symbol->why != USER_NO_MAPS && symbol->why != USER_NOT_MAPPED &&
	       symbol->why != USER_NO_CODE;
}

bool user_stack_find(struct user_symbols *symbols, const struct user_stack *stack, unsigned i,
		     struct user_symbol *ret_symbol)
{
	if (i >= stack->n)
		return false;
	report_user_stack_find(symbols, stack, i, ret_symbol);
	return user_stack_is_code(ret_symbol);
}

bool user_stack_put(struct strbuf *buf, struct user_symbols *symbols,
		    const struct user_stack *stack, bool utf8)
{
	const char *arrow = utf8 ? "←" : "<-";
	unsigned i;

	for (i = 0; i < stack->n; i++) {
		struct user_symbol symbol;

		if (!user_stack_find(symbols, stack, i, &symbol))
			break;
		if (i)
			quote_addf(buf, " %s ", arrow);
		user_stack_put_frame(buf, symbols, &symbol, stack->frames[i], arrow);
	}
	if (!i)
		return false;
	if (i == USER_STACK_MAX)
		quote_addf(buf, " %s ...", arrow);
	else if (stack->is_unwound && sample_end_text(stack->end))
		quote_addf(buf, " %s %s", arrow, sample_end_text(stack->end));
	else if (!stack->is_unwound && (i < stack->n || i == 1))
		quote_addf(buf, " %s ? (no frame pointers)", arrow);
	else if (!stack->is_unwound)
		strbuf_adds(buf, " (by frame pointers: the caller of the first may be missing)");
	return true;
}

void user_frame_json(struct json *json, struct user_symbols *symbols,
		     const struct user_symbol *symbol, uint64_t address)
{
	const struct source_frame *frames;
	size_t n = user_symbols_lines(symbols, symbol, &frames);

	json_begin_object(json, NULL);
	json_address(json, "address", address);
	json_string(json, "function", symbol->name);
	if (symbol->name || symbol->path)
		json_u64(json, "offset", symbol->offset);
	json_string(json, "file", symbol->path);
	if (!symbol->name)
		json_string(json, "unresolved", user_unresolved_text(symbol->why));
	if (n)
		json_begin_array(json, "source");
	for (size_t i = 0; i < n; i++) {
		json_begin_object(json, NULL);
		json_string(json, "function", frames[i].function);
		json_string(json, "file", frames[i].file);
		json_u64(json, "line", frames[i].line);
		json_end_object(json);
	}
	if (n)
		json_end_array(json);
	json_end_object(json);
}

void user_stack_json(struct json *json, const char *key, struct user_symbols *symbols,
		     const struct user_stack *stack)
{
	json_begin_array(json, key);
	for (unsigned i = 0; i < stack->n; i++) {
		struct user_symbol symbol;

		report_user_stack_find(symbols, stack, i, &symbol);
		user_frame_json(json, symbols, &symbol, stack->frames[i]);
	}
	json_end_array(json);
}
