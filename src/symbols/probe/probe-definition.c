/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Generates whole probes in the kernel's syntax, one line of dynamic_events each: the place, and
 * the values with their names. Information about the probed function is collected here, once for
 * all values.
 */
#include "symbols/probe/probe-parts.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "symbols/user/user-program.h"

/* The kernel's limits, with the NUL: for the name of a value, and for a whole line. */
#define LABEL_SIZE 32
#define WRITE_MAX  4095
/* Larger enums are shown as numbers. */
#define ENUMERATORS_MAX 256

/* Names of the common fields, which every event has. */
static bool is_reserved(const char *label)
{
	static const char *const names[] = { "common_type",	     "common_flags",
					     "common_preempt_count", "common_pid",
					     "common_tgid",	     "__probe_ip",
					     "__probe_ret_ip",	     "__probe_func" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (str_eq(names[i], label))
			return true;
	return false;
}

/* Names a value without a name: after the last member, or what represents it. */
static void make_label(const struct probe_node *node, char *label)
{
	switch (node->op) {
	case NODE_DEREF:
	case NODE_ADDRESS:
	case NODE_CAST:
		make_label(node->inner, label);
		break;
	case NODE_INDEX: {
		char inner[LABEL_SIZE];

		make_label(node->inner, inner);
		snprintf(label, LABEL_SIZE, "%.19s_%s%u", inner, node->number < 0 ? "m" : "",
			 (unsigned)(node->number < 0 ? 0 - (uint64_t)node->number :
						       (uint64_t)node->number));
		break;
	}
	case NODE_NUMBER:
		snprintf(label, LABEL_SIZE, "number");
		break;
	default:
		snprintf(label, LABEL_SIZE, "%.*s", LABEL_SIZE - 1, node->name);
	}
	if (is_reserved(label))
		snprintf(label, LABEL_SIZE, "value");
}

/* Returns whether the label is among the first @n. */
static bool probe_definition_is_before(char (*labels)[LABEL_SIZE], size_t n, const char *label)
{
	for (size_t i = 0; i < n; i++)
		if (str_eq(labels[i], label))
			return true;
	return false;
}

/* Names that the user gives to later values take precedence over generated ones. */
static bool is_said_later(const struct probe_arg *arg, const char *label)
{
	for (arg = arg->next; arg; arg = arg->next)
		if (arg->label && str_eq(arg->label, label))
			return true;
	return false;
}

/* Names the @i-th value, @arg. */
static int label_arg(const struct probe_lowering *l, const struct probe_arg *arg,
		     char (*labels)[LABEL_SIZE], size_t i)
{
	char base[LABEL_SIZE];

	if (arg->label) {
		if (strlen(arg->label) >= LABEL_SIZE)
			return complain(l, arg->label_at,
					"field name too long: the kernel accepts %d characters",
					LABEL_SIZE - 1);
		if (is_reserved(arg->label))
			return complain(l, arg->label_at, "reserved field name '%s'", arg->label);
		snprintf(labels[i], LABEL_SIZE, "%s", arg->label);
		if (probe_definition_is_before(labels, i, arg->label))
			return complain(l, arg->label_at, "duplicate field name '%s'", arg->label);
		return 0;
	}
	make_label(arg->node, base);
	snprintf(labels[i], LABEL_SIZE, "%s", base);
	for (unsigned n = 2;
	     probe_definition_is_before(labels, i, labels[i]) || is_said_later(arg, labels[i]); n++)
		snprintf(labels[i], LABEL_SIZE, "%.26s_%u", base, n);
	return 0;
}

/*
 * Finds the function that represents a tracepoint: it has the tracepoint's parameters after one of
 * the kernel's own. The type for BPF is tried last, because it has no names.
 */
static int find_tracepoint(const struct probe *probe, struct types *types,
			   struct type_function *ret_function)
{
	static const char *const prefixes[] = { "__probestub_", "__bpf_trace_", "__traceiter_" };
	char name[256];
	int r = -ENOENT;

	for (size_t i = 0; i < ARRAY_SIZE(prefixes) && r == -ENOENT; i++) {
		snprintf(name, sizeof(name), "%s%.200s", prefixes[i], probe->function);
		r = types_find_function(types, probe->module, name, ret_function);
	}
	if (r == -ENOENT) {
		snprintf(name, sizeof(name), "btf_trace_%.200s", probe->function);
		r = types_find_callback(types, probe->module, name, ret_function);
	}
	return r == 0 && !ret_function->n ? -ENOENT : r;
}

/*
 * A clone such as "f.isra.0" has the return type of the function, but possibly different
 * parameters.
 */
static int find_clone(const struct probe *probe, struct types *types,
		      struct type_function *ret_function)
{
	size_t len = strcspn(probe->function, ".");
	char name[256];

	if (!probe_is_return(probe) || !probe->function[len] || len >= sizeof(name))
		return -ENOENT;
	memcpy(name, probe->function, len);
	name[len] = '\0';
	return types_find_function(types, probe->module, name, ret_function);
}

/* Finds the variables at a place inside a function. */
static int find_variables(struct probe_lowering *l, struct type_function *function)
{
	const struct probe_site *site = l->machine->site;
	int r = types_find_function(l->machine->types, NULL, site->scope, function);

	if (r == -ENOMEM)
		return err_nomem(l->err);
	l->function = r == 0 ? function : NULL;
	l->variables = r == 0 ? site->variables : NULL;
	l->why = "no variables known at this location";
	return 0;
}

/* Finds the type of a function in a program. */
static int find_program_function(struct probe_lowering *l, struct type_function *function)
{
	const struct probe_site *site = l->machine->site;
	int r = site->function && l->probe->kind != PROBE_MARKER ?
			types_find_function(l->machine->types, NULL, site->function, function) :
			-ENOENT;

	if (r == -ENOMEM)
		return err_nomem(l->err);
	if (r == 0)
		l->function = function;
	else if (!l->machine->has_debug_information)
		l->why = "no parameter names: the program has no debug information";
	else
		l->why = r == -ENOTUNIQ ?
				 "no parameter names: several functions have this name but "
				 "different parameters" :
				 "no parameter names: their locations are not certain from the "
				 "debug information";
	return 0;
}

/* The function has no type information: check for a similar name. */
static int find_meant(struct probe_lowering *l)
{
	const struct probe *probe = l->probe;
	struct nearest nearest = { .wanted = probe->function };

	if (probe->kind != PROBE_TRACEPOINT)
		types_offer_functions(l->machine->types, probe->module, &nearest);
	l->why = probe->module ? "no type information for this function in the module" :
				 "no type information for this function (in a module, use "
				 "'k:MODULE:FUNCTION')";
	if (nearest_pick(&nearest))
		l->why = arena_printf(l->arena,
				      "no type information for '%.60s' (did you mean '%.60s'?)",
				      probe->function, nearest_pick(&nearest));
	return l->why ? 0 : err_nomem(l->err);
}

/*
 * Finds the type of the function. It is an error only if parameters are used that it does not have.
 */
static int find_function(struct probe_lowering *l, struct type_function *function)
{
	const struct probe *probe = l->probe;
	int r;

	if (l->machine->site && l->machine->site->scope)
		return find_variables(l, function);
	if (probe_is_user(probe))
		return find_program_function(l, function);
	if (probe->source) {
		l->why = "no variables known at this location";
		return 0;
	}
	l->hidden = probe->kind == PROBE_TRACEPOINT;
	if (!l->machine->types) {
		l->why = "no parameter names: the kernel has no type information "
			 "(CONFIG_DEBUG_INFO_BTF)";
		return 0;
	}
	r = l->hidden ? find_tracepoint(probe, l->machine->types, function) :
			types_find_function(l->machine->types, probe->module, probe->function,
					    function);
	if (r == -ENOENT && !l->hidden) {
		r = find_clone(probe, l->machine->types, function);
		l->is_clone = r == 0;
	}
	if (r == -ENOMEM)
		return err_nomem(l->err);
	if (r == 0)
		l->function = function;
	else if (r == -ENOTUNIQ)
		l->why = "no parameter names: several functions have this name but different "
			 "parameters";
	else
		return find_meant(l);
	return 0;
}

static void probe_definition_add_place(const struct probe *probe, const struct probe_site *site,
				       const char *group, const char *event, struct strbuf *line)
{
	static const char letters[] = { [PROBE_ENTRY] = 'p',
					[PROBE_RETURN] = 'r',
					[PROBE_FPROBE] = 'f',
					[PROBE_FPROBE_RETURN] = 'f',
					[PROBE_TRACEPOINT] = 't' };

	if (probe_is_user(probe)) {
		user_probe_line(line, probe_is_return(probe), group, event, site->path,
				site->offset, site->counter);
		return;
	}
	strbuf_addc(line, letters[probe->kind]);
	if (probe->maxactive && probe->kind == PROBE_RETURN)
		strbuf_addf(line, "%u", probe->maxactive);
	strbuf_addf(line, ":%s/%s ", group, event);
	if (probe->from_text) {
		strbuf_addf(line, "_text+0x%" PRIx64, probe->from_text);
		return;
	}
	if (probe->source) {
		strbuf_addf(line, "%s+0x%" PRIx64, site->symbol, site->offset);
		return;
	}
	/* The kernel finds fprobes and tracepoints of modules by name alone. */
	if (probe->module && (probe->kind == PROBE_ENTRY || probe->kind == PROBE_RETURN))
		strbuf_addf(line, "%s:", probe->module);
	strbuf_adds(line, probe->function);
	if (probe->offset)
		strbuf_addf(line, "+0x%x", (unsigned)probe->offset);
	if (probe->kind == PROBE_FPROBE_RETURN)
		strbuf_adds(line, "%return");
}

/* Returns whether the name is an identifier of C, because other programs read it. */
static bool is_plain_word(const char *name)
{
	for (const char *p = name; *p; p++)
		if (!isalnum((unsigned char)*p) && *p != '_' && !(p == name && *p == '-'))
			return false;
	return *name;
}

static void probe_definition_add_enum(const struct probe_lowering *l, const char *label,
				      struct type type)
{
	const char *name;
	int64_t number;

	if (!l->enums || type_enumerator(type, ENUMERATORS_MAX, &name, &number))
		return;
	for (uint32_t i = 0; type_enumerator(type, i, &name, &number); i++)
		if (is_plain_word(name))
			strbuf_addf(l->enums, "%s:%s %s %" PRId64 " %s\n", l->group, l->event,
				    label, number, name);
}

static int add_args(const struct probe_lowering *l, const struct probe_arg *args,
		    struct strbuf *line)
{
	char(*labels)[LABEL_SIZE];
	size_t n = 0;
	int r = 0;

	for (const struct probe_arg *arg = args; arg; arg = arg->next)
		n++;
	labels = arena_zalloc(l->arena, n + 1, sizeof(*labels));
	if (!labels)
		return err_nomem(l->err);
	n = 0;
	for (const struct probe_arg *arg = args; arg && r == 0; arg = arg->next, n++) {
		const char *fetch = NULL;
		struct type type = { 0 };

		r = label_arg(l, arg, labels, n);
		if (r == 0)
			r = probe_lower_arg(l, arg, &fetch, &type);
		if (r == 0)
			strbuf_addf(line, " %s=%s", labels[n], fetch);
		if (r == 0 && type.btf)
			probe_definition_add_enum(l, labels[n], type);
	}
	return r;
}

int probe_lower(const struct probe *probe, const struct probe_machine *machine, const char *group,
		const char *event, struct strbuf *line, struct strbuf *enums,
		struct fathom_err *err)
{
	_cleanup_(arena_done) struct arena arena = { 0 };
	struct probe_lowering lowering = { .probe = probe,
					   .machine = machine,
					   .arena = &arena,
					   .enums = enums,
					   .group = group,
					   .event = event,
					   .err = err };
	const struct probe_arg *args = probe->args;
	struct type_function function;
	size_t start = line->len;
	int r;

	if ((probe->source || probe_is_user(probe)) && !machine->site)
		return probe_error(probe->text, probe->function_at, err, "%s was not resolved",
				   probe->source ? "source line" : "place in the program");
	r = find_function(&lowering, &function);
	/* A marker comes with a description of its arguments. */
	if (r == 0 && probe->kind == PROBE_MARKER && !probe->has_values)
		r = probe_marker_args(&lowering, &args);
	if (r < 0)
		return r;
	probe_definition_add_place(probe, machine->site, group, event, line);
	r = add_args(&lowering, args, line);
	if (r == 0 && (line->err || (enums && enums->err)))
		r = err_nomem(err);
	if (r == 0 && line->len - start > WRITE_MAX)
		r = probe_error(probe->text, 0, err, "probe too long for the kernel");
	return r;
}
