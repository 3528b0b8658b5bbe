/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "render/why-outcome.h"

#include <inttypes.h>

#include "analyze/signals.h"
#include "base/errno-name.h"
#include "base/quote.h"
#include "base/str.h"
#include "render/signals.h"

#define OTHERS_MAX 20

static const struct {
	const char *word, *text;
} evidences[] = {
	[EVIDENCE_RETRIED] = { "retried", "a later attempt succeeded" },
	[EVIDENCE_EXPECTED] = { "expected", "programs make this call to see whether it fails" },
	[EVIDENCE_NONE] = { "none", "the program went on" },
	[EVIDENCE_LAST] = { "last", "the program ended right after it" },
	[EVIDENCE_MESSAGE] = { "message", "the program wrote its message right after it" },
	[EVIDENCE_OBJECT] = { "object", "the message names what the call was about" },
	[EVIDENCE_ERROR] = { "error", "the message has the words of this error" },
	[EVIDENCE_BOTH] = { "both",
			    "the message has the words of this error and names what the call was about" },
};

const char *why_evidence_text(enum evidence_kind kind)
{
	return evidences[kind].text;
}

static const char *process_name(const struct process *process)
{
	return process && process->program ? str_base_name(process->program) : "pid";
}

void why_put_process(const struct failures *failures, const struct failure *failure,
		     struct strbuf *text)
{
	const struct processes *processes = &failures->evidences.processes;
	const struct process *command = failures_command(failures);
	const struct process *process =
		processes_find(processes, failure->evidence.process, failure->end);

	if (!command || !process || process->pid == command->pid)
		return;
	quote_addf(text, "%s-%" PRId32, process_name(process), process->pid);
	if (signals_put_ending(text, " (", process_ending(processes, process)))
		strbuf_addc(text, ')');
}

/* Whose message explains most, and what it is; NULL: nothing. *@ret_last: see evidences_message(). */
static const char *message_of(const struct failures *failures, int32_t *ret_process,
			      const char **ret_last)
{
	const struct process *command = failures_command(failures);
	int32_t process = command ? command->pid : 0;

	/* The process that failed may be one that the command started. */
	for (size_t i = failures->n; i--;)
		if (failures->found[i].evidence.kind >= EVIDENCE_MESSAGE &&
		    failures_is_chosen(failures, i)) {
			process = failures->found[i].evidence.process;
			break;
		}
	*ret_process = process;
	return evidences_message(&failures->evidences, process, ret_last);
}

static void put_end(const struct process_ending *ending, struct out *out)
{
	char name[SIGNAL_NAME_SIZE];

	if (ending->how == PROCESS_KILLED && ending->signal)
		quote_printf(out->stream, " was killed by %s%s", signal_name(ending->signal, name),
			     ending->dump == PROCESS_DUMPED ? ", core dumped" : "");
	else if (ending->how == PROCESS_KILLED)
		quote_printf(out->stream, " was killed by a signal");
	else if (ending->code)
		quote_printf(out->stream, " failed with exit code %" PRId32, ending->code);
	else
		quote_printf(out->stream, " succeeded (exit code 0)");
}

void why_put_outcome(const struct failures *failures, size_t shown, struct out *out)
{
	struct process_ending ending = failures_ending(failures);
	enum command_outcome outcome = failures_outcome(failures);
	const struct process *command = failures_command(failures), *writer;
	const char *last, *message;
	int32_t pid;

	message = message_of(failures, &pid, &last);
	writer = processes_find(&failures->evidences.processes, pid, UINT64_MAX);
	if (outcome == COMMAND_UNKNOWN)
		return;
	quote_printf(out->stream, "%s%s%s", out_style(out, OUT_NAME),
		     command && command->program ? process_name(command) : "the command",
		     out_style(out, OUT_PLAIN));
	put_end(&ending, out);
	if (outcome == COMMAND_SUCCEEDED && !shown && failures->n) {
		quote_printf(out->stream,
			     failures->n == 1 ? "; 1 system call failed and was handled:\n" :
						"; %zu system calls failed and were handled:\n",
			     failures->n);
		return;
	}
	if (outcome == COMMAND_FAILED && !shown)
		quote_printf(out->stream, ", and no system call that failed explains it");
	quote_printf(out->stream, ".\n");
	if (message && (shown || outcome == COMMAND_FAILED))
		quote_printf(out->stream, "%s wrote: %s%s%s\n",
			     writer == command ? "It" : process_name(writer), message,
			     last ? " ... " : "", last ?: "");
	if (!shown && failures->n)
		quote_printf(out->stream, "These failed and were handled:\n");
	else
		fputc('\n', out->stream);
}

void why_put_others(const struct failures *failures, struct out *out)
{
	for (size_t i = 0; i < failures->n; i++) {
		const struct failure *failure = &failures->found[i];

		if (i == OTHERS_MAX) {
			quote_printf(out->stream, "  and %zu more; --all explains each\n",
				     failures->n - i);
			return;
		}
		quote_printf(out->stream, "  %s = -%s%s: %s\n", failure->text,
			     errno_name(failure->error) ?: "?",
			     failure->count > 1 ? " (several times)" : "",
			     why_evidence_text(failure->evidence.kind));
	}
}

void why_json_outcome(const struct failures *failures, struct json *json)
{
	const struct process *command = failures_command(failures);
	const char *last, *message;
	int32_t pid;

	message = message_of(failures, &pid, &last);
	if (failures_outcome(failures) == COMMAND_UNKNOWN)
		return;
	json_begin_object(json, "command");
	json_string(json, "program", command ? command->program : NULL);
	if (command)
		json_s64(json, "pid", command->pid);
	signals_json_ending(json, failures_ending(failures));
	json_string(json, "wrote", message);
	json_string(json, "wrote_last", last);
	json_end_object(json);
}

void why_json_evidence(const struct evidence *evidence, struct json *json)
{
	json_string(json, "evidence", evidences[evidence->kind].word);
	json_string(json, "object", evidence->object);
}
