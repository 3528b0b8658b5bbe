/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "actions/machine/explain-run.h"

#include <errno.h>
#include <string.h>
#include <sys/utsname.h>

#include "actions/analysis/analysis-input.h"
#include "actions/machine/explain-find.h"
#include "actions/machine/glossary.h"
#include "analyze/calls/call-view.h"
#include "base/cleanup.h"
#include "base/err.h"

/* The function, and the compiler's variants of it. */
static bool explain_run_is_meant(const void *data, const struct func *func)
{
	const char *name = data;
	size_t len = strlen(name);

	return func->name && strncmp(func->name, name, len) == 0 &&
	       (!func->name[len] || func->name[len] == '.');
}

/* The name of a call in a trace: that of the function, not of the system call. */
static const char *called_name(const struct explanation *e)
{
	return e->is_syscall && e->n_symbols ? e->symbols[0].name : e->name;
}

static int read_calls(struct calls_input *input, struct explanation *e, struct report_args *args,
		      int fd, struct fathom_err *err)
{
	const char *name = called_name(e);
	int r = calls_input_read(input, args, fd, e->trace, err);

	if (r == -ENODATA) {
		e->no_calls = "no function calls were recorded";
		*err = (struct fathom_err){ 0 };
		return 0;
	}
	if (r < 0)
		return r;
	if (call_view_below(input->tree, explain_run_is_meant, name, &e->below) < 0 ||
	    call_view_callers(input->tree, explain_run_is_meant, name, &e->callers) < 0)
		return err_nomem(err);
	if (e->below.nodes[CALL_ROOT].child == CALL_NONE)
		e->no_calls = "no calls of it were recorded";
	return 0;
}

static int explain_run_print(const struct explanation *e, bool as_json, struct out *out,
			     struct fathom_err *err)
{
	int r = as_json ? explain_print_json(e, out) : explain_print(e, out);

	return r < 0 ? err_nomem(err) : 0;
}

/* A name that this kernel lacks may be in a recording from another one. */
static int with_trace(const struct action *action, struct explanation *e, int found,
		      struct fathom_err *err)
{
	struct explain_args *args = action->args;
	_cleanup_(calls_input_done) struct calls_input input = { 0 };
	struct fathom_err own = { 0 };
	int r, fd;

	e->trace = action->argv[1];
	fd = analysis_input_enter(e->trace, &own);
	r = fd < 0 ? fd : read_calls(&input, e, &args->report, fd, &own);
	if (r < 0) {
		*err = own;
		return r;
	}
	if (found < 0 && e->no_calls)
		return found;
	if (found < 0)
		e->release = NULL;
	if (!e->no_calls)
		analysis_input_complete(&input.input, action->out);
	r = explain_run_print(e, args->report.json, action->out, err);
	r = r < 0 ? r : analysis_input_report(&input.input, action);
	/* The output refers to it. */
	call_tree_done(&e->below);
	call_tree_done(&e->callers);
	return r;
}

/* Looks the name up in the glossary; stores the entry in @terms and @meaning. */
static int explain_term(struct explanation *e, struct strbuf *terms, struct strbuf *meaning,
			struct fathom_err *err)
{
	int r = glossary_find(glossary_default, e->name, terms, meaning);

	if (r < 0)
		return err_nomem(err);
	if (r) {
		e->terms = strbuf_str(terms);
		e->meaning = strbuf_str(meaning);
	}
	return 0;
}

int explain_run(const struct action *action)
{
	const struct explain_args *args = action->args;
	_cleanup_(explanation_done) struct explanation explanation = { 0 };
	_cleanup_strbuf_ struct strbuf terms = { 0 }, meaning = { 0 };
	struct fathom_err err = { 0 };
	struct explain_query query = { .root = "",
				       .source = args->source,
				       .vmlinux = args->vmlinux };
	struct utsname uts = { 0 };
	int r;

	if (!action->argc || action->argc > 2 || !*action->argv[0])
		err_set(&err, -EINVAL, "no symbol given: use 'fathom explain vfs_read'%s",
			action->argc > 2 ? ", with at most one recording" : "");
	else if (args->recorded && action->argc != 2)
		err_set(&err, -EINVAL, "--recorded requires a recording");
	if (err.code)
		return action_usage_error(action, &err);
	uname(&uts);
	query.name = action->argv[0];
	query.release = uts.release;
	query.version = uts.version;
	explanation.name = query.name;
	explanation.notes = "";
	if (action->argc == 1 && explain_term(&explanation, &terms, &meaning, &err) < 0)
		return action_failed(action, &err);
	if (args->recorded)
		r = err_set(&err, -ENOENT, "no calls of '%.80s' in '%.80s'", query.name,
			    action->argv[1]);
	else
		r = explain_find(&query, &explanation, &err);
	if (r < 0 && r != -ENOMEM && explanation.meaning && !explanation.n_sources) {
		/* The glossary suffices, even if the machine does not know the name. */
		explanation.only_meaning = true;
		r = 0;
	}
	if (r < 0 && r != -ENOENT)
		return action_failed(action, &err);
	if (action->argc == 2)
		r = with_trace(action, &explanation, r, &err);
	else if (r == 0 || explanation.n_sources) {
		err = (struct fathom_err){ 0 };
		r = explain_run_print(&explanation, args->report.json, action->out, &err);
	}
	return r < 0 ? action_failed(action, &err) : r;
}
