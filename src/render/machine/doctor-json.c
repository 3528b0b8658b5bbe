/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The report of fathom doctor as JSON; fathom-doctor(1) documents its members. */
#include "render/machine/doctor.h"

#include "render/kit/json-document.h"
#include "render/machine/state-json.h"

static void write_machine(struct json *json, const struct doctor_report *report)
{
	const struct host *host = report->host;
	const struct tracefs *tracefs = report->tracefs;

	json_begin_object(json, "machine");
	json_string(json, "release", host->release);
	json_bool(json, "root", host->is_root);
	json_bool(json, "user_namespace", host->user_namespace);
	json_string(json, "container", host->container);
	json_string(json, "lockdown", host_lockdown_name(host->lockdown));
	json_string(json, "tracefs", tracefs_state_name(tracefs->state));
	json_string(json, "tracefs_path", tracefs->path);
	json_end_object(json);
}

static void write_features(struct json *json, const struct fathom_features *features)
{
	json_begin_array(json, "features");
	for (size_t i = 0; i < fathom_features_count(features); i++) {
		const struct fathom_feature *feature = fathom_features_at(features, i);

		json_begin_object(json, NULL);
		json_string(json, "id", feature->id);
		json_string(json, "title", feature->title);
		json_string(json, "group", feature->group);
		json_string(json, "state", fathom_feature_state_name(feature->state));
		json_string(json, "value", feature->value);
		json_string(json, "how", feature->how);
		json_string(json, "why", feature->why);
		json_string(json, "fix", feature->fix);
		json_string(json, "instead", feature->instead);
		json_end_object(json);
	}
	json_end_array(json);
}

static void write_buffers(struct json *json, const struct trace_state *state)
{
	json_begin_array(json, "buffers");
	for (size_t i = 0; i < state->buffers.count; i++)
		state_json_buffer(json, &state->buffers.items[i]);
	json_end_array(json);
}

static void write_programs(struct json *json, const struct trace_state *state)
{
	json_begin_array(json, "bpf");
	for (size_t i = 0; i < state->bpf.count; i++) {
		const struct state_bpf *bpf = &state->bpf.items[i];

		json_begin_object(json, NULL);
		json_u64(json, "id", bpf->id);
		json_string(json, "type", bpf->type);
		json_string(json, "name", bpf->name);
		json_string(json, "target", bpf->target);
		json_end_object(json);
	}
	json_end_array(json);
}

static void doctor_json_write_holders(struct json *json, const struct trace_state *state)
{
	json_begin_array(json, "processes");
	for (size_t i = 0; i < state->holders.count; i++)
		state_json_holder(json, &state->holders.items[i]);
	json_end_array(json);
}

static void doctor_json_write_functions(struct json *json, const struct trace_state *state)
{
	json_u64(json, "functions", state->functions);
	json_begin_array(json, "callbacks");
	for (size_t i = 0; i < state->callbacks.count; i++) {
		json_begin_object(json, NULL);
		json_string(json, "name", state->callbacks.items[i].name);
		json_u64(json, "functions", state->callbacks.items[i].functions);
		json_end_object(json);
	}
	json_end_array(json);
}

static void write_leftovers(struct json *json, const struct trace_state *state)
{
	json_begin_array(json, "leftovers");
	for (size_t i = 0; i < state->leftovers.count; i++) {
		const struct state_leftover *left = &state->leftovers.items[i];

		json_begin_object(json, NULL);
		json_string(json, "kind", left->kind);
		json_string(json, "name", left->name);
		json_s64(json, "pid", left->pid);
		json_end_object(json);
	}
	json_end_array(json);
}

static void write_recordings(struct json *json, const struct left_recordings *left)
{
	json_begin_array(json, "unfinished_recordings");
	for (size_t i = 0; left && i < left->n; i++) {
		json_begin_object(json, NULL);
		json_string(json, "path", left->list[i].path);
		json_s64(json, "pid", left->list[i].pid);
		json_end_object(json);
	}
	json_end_array(json);
}

void doctor_write_json(struct strbuf *buf, const struct doctor_report *report, bool csv)
{
	static const char *const verdicts[] = { [FATHOM_VERDICT_USABLE] = "usable",
						[FATHOM_VERDICT_LIMITED] = "limited",
						[FATHOM_VERDICT_UNUSABLE] = "unusable" };
	const struct trace_state *state = report->state;
	const struct completeness completeness = { .unreadable = state->unseen.count > 0 };
	_cleanup_json_csv_ struct json_csv table = {
		.member = "features", .columns = "id title group state value how why fix instead"
	};
	struct json json;

	json_document_begin_csv(&json, buf, csv ? &table : NULL);
	json_string(&json, "verdict", verdicts[fathom_features_verdict(report->features)]);
	json_string(&json, "obstacle", fathom_features_obstacle(report->features));
	json_string(&json, "advice", fathom_features_advice(report->features));
	json_bool(&json, "tried", report->tried);
	write_machine(&json, report);
	write_features(&json, report->features);
	if (report->prices)
		price_table_json(report->prices, &json, "cost");
	json_begin_object(&json, "state");
	json_bool(&json, "active", trace_state_active(state));
	write_buffers(&json, state);
	state_json_texts(&json, "dynamic_events", &state->dynamic_events);
	doctor_json_write_functions(&json, state);
	write_programs(&json, state);
	doctor_json_write_holders(&json, state);
	write_leftovers(&json, state);
	write_recordings(&json, report->recordings);
	state_json_pairs(&json, "unseen", &state->unseen, "what", "why");
	json_end_object(&json);
	json_document_end(&json, &completeness);
}
