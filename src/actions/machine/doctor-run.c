/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "actions/machine/doctor-run.h"

#include "base/err.h"
#include "base/str.h"
#include "kernel/features/features.h"
#include "kernel/state/state.h"
#include "record/plan.h"
#include "record/session/session-list.h"
#include "render/machine/doctor.h"

/* Exit statuses of 'fathom doctor', see its man page. */
enum {
	EXIT_LIMITED = 3,
	EXIT_UNUSABLE = 4,
};

/* Returns whether the session is active or detached. */
static bool is_in_use(const struct session_list *sessions, const struct state_leftover *left)
{
	for (size_t i = 0; i < sessions->n; i++) {
		const struct session_info *session = &sessions->list[i];
		const char *rest = str_after(left->name, session->id);

		if (session->state != SESSION_ALIVE && session->state != SESSION_KEPT)
			continue;
		if ((rest && str_eq(rest, ".journal")) ||
		    str_has_word(session->instances, " ", left->name))
			return true;
	}
	return false;
}

/*
 * Instances of sessions are not leftovers. Without permission to list sessions, everything counts
 * as one.
 */
static void drop_sessions(struct trace_state *state)
{
	_cleanup_session_env_ struct session_env env = SESSION_ENV_NONE;
	_cleanup_session_list_ struct session_list sessions = { 0 };
	size_t kept = 0;

	if (session_env_open("", &env, NULL) < 0 || session_list_read(&env, &sessions, NULL) < 0)
		return;
	for (size_t i = 0; i < state->leftovers.count; i++)
		if (!is_in_use(&sessions, &state->leftovers.items[i]))
			state->leftovers.items[kept++] = state->leftovers.items[i];
	state->leftovers.count = kept;
}

/* Lists unfinished recordings, if we may see them. */
static void find_recordings(struct left_recordings *left)
{
	_cleanup_session_env_ struct session_env env = SESSION_ENV_NONE;

	if (session_env_open("", &env, NULL) == 0 && env.journals >= 0)
		left_recordings_read(env.journals, false, left);
}

/* Reads the current users of tracing before probing features, which would count as one. */
static int doctor_run_look(bool mount, struct trace_state *ret_state, struct fathom_err *err)
{
	_cleanup_tracefs_ struct tracefs tracefs = TRACEFS_NONE;
	int r = tracefs_find("", &tracefs, err);

	if (r == 0 && mount && tracefs.state == TRACEFS_NOT_MOUNTED) {
		r = tracefs_mount("", err);
		if (r == 0)
			r = tracefs_find("", &tracefs, err);
	}
	if (r == 0)
		r = trace_state_read("", &tracefs, ret_state, err);
	if (r == 0)
		drop_sessions(ret_state);
	return r;
}

/*
 * Without root, unknown features are assumed to exist, except fprobes, which not all kernels have.
 */
static bool has_feature(const struct fathom_features *features, const char *id)
{
	const struct fathom_feature *feature = fathom_features_find(features, id);

	if (!feature || feature->state == FATHOM_FEATURE_NO)
		return false;
	return feature->state != FATHOM_FEATURE_UNKNOWN || !str_eq(id, "probe.fprobe");
}

/* Prices of what this kernel supports. Measuring changes no setting. */
static struct price_table find_prices(const struct fathom_features *features)
{
	static const char *const ids[PROBE_COST_KINDS] = {
		[PROBE_COST_FUNCTION] = "tracer.function",
		[PROBE_COST_GRAPH_CALL] = "tracer.function_graph",
		[PROBE_COST_KPROBE] = "probe.kprobe",
		[PROBE_COST_KRETPROBE] = "probe.kretprobe",
		[PROBE_COST_FPROBE] = "probe.fprobe",
		[PROBE_COST_FPROBE_RETURN] = "probe.fprobe",
		[PROBE_COST_UPROBE] = "probe.uprobe",
		[PROBE_COST_URETPROBE] = "probe.uretprobe",
		[PROBE_COST_WATCHPOINT] = "perf.breakpoint",
	};
	struct price_table prices = { .syscall_ns = event_price_syscall_ns(),
				      .kinds = { [PROBE_COST_EVENT] = true } };

	for (unsigned i = 0; i < PROBE_COST_KINDS; i++)
		if (ids[i])
			prices.kinds[i] = has_feature(features, ids[i]);
	return prices;
}

static int print_report(struct out *out, const struct doctor_args *args,
			const struct doctor_report *report, struct fathom_err *err)
{
	_cleanup_strbuf_ struct strbuf buf = { 0 };

	if (!args->json && !args->csv)
		return doctor_print_text(out, report, args->verbose) < 0 ? err_nomem(err) : 0;
	doctor_write_json(&buf, report, args->csv);
	return out_write(out, &buf) < 0 ? err_nomem(err) : 0;
}

int doctor_run(const struct action *action)
{
	static const int codes[] = { [FATHOM_VERDICT_USABLE] = EXIT_OK,
				     [FATHOM_VERDICT_LIMITED] = EXIT_LIMITED,
				     [FATHOM_VERDICT_UNUSABLE] = EXIT_UNUSABLE };
	const struct doctor_args *args = action->args;
	_cleanup_features_ struct fathom_features *features = NULL;
	_cleanup_trace_state_ struct trace_state state = { 0 };
	_cleanup_left_recordings_ struct left_recordings recordings = { 0 };
	struct doctor_report report;
	struct price_table prices;
	struct fathom_err err = { 0 };

	if (action_takes_no_operands(action, &err) < 0 ||
	    action_one_format(args->json, args->csv, &err) < 0)
		return action_usage_error(action, &err);
	if (doctor_run_look(args->mount, &state, &err) < 0 ||
	    fathom_features_probe(args->may_try ? FATHOM_FEATURES_TRY : 0, &features, &err) < 0)
		return action_failed(action, &err);
	report = (struct doctor_report){ .features = features,
					 .state = &state,
					 .tracefs = features_tracefs(features),
					 .host = features_host(features),
					 .tried = args->may_try,
					 .recordings = &recordings };
	find_recordings(&recordings);
	if (args->cost) {
		prices = find_prices(features);
		report.prices = &prices;
	}
	if (print_report(action->out, args, &report, &err) < 0)
		return action_failed(action, &err);
	return codes[fathom_features_verdict(features)];
}
