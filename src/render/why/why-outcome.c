/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "render/why/why-outcome.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <string.h>

#include "analyze/why/causes.h"
#include "analyze/tasks/signals.h"
#include "base/errno-name.h"
#include "base/quote.h"
#include "base/str.h"
#include "render/command/signals.h"
#include "render/report/user-stack.h"
#include "render/why/why-killed.h"
#include "render/why/why-row.h"

#define OTHERS_MAX   20
#define CHILDREN_MAX 5

static const struct {
	const char *word, *text;
} evidences[] = {
	[EVIDENCE_SHARED] = { "shared", "the successful command has the same failure" },
	[EVIDENCE_RETRIED] = { "retried", "a later attempt succeeded" },
	[EVIDENCE_EXPECTED] = { "expected", "programs expect this error" },
	[EVIDENCE_NONE] = { "none", "the program continued" },
	[EVIDENCE_LAST] = { "last", "the program ended right after it" },
	[EVIDENCE_MESSAGE] = { "message", "the program wrote its message right after it" },
	[EVIDENCE_OBJECT] = { "object", "the message contains the path or request" },
	[EVIDENCE_ERROR] = { "error", "the message contains the error text" },
	[EVIDENCE_BOTH] = { "both", "the message contains the error text and the path or request" },
};

bool why_put_evidence(const struct evidence *evidence, struct strbuf *text)
{
	if (evidence->kind > EVIDENCE_NONE)
		quote_adds(text, evidences[evidence->kind].text);
	if (evidence->shared)
		quote_addf(text, "%s%s", text->len ? ", though " : "",
			   evidences[EVIDENCE_SHARED].text);
	return text->len > 0;
}

static const char *process_name(const struct process *process)
{
	return process && process->program ? str_base_name(process->program) : "pid";
}

/* Appends "cat-158"; @process may be NULL. */
static void put_process(struct strbuf *text, const struct process *process, int32_t pid)
{
	quote_addf(text, "%s-%" PRId32, process_name(process), pid);
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
	put_process(text, process, process->pid);
	if (signals_put_ending(text, " (", process_ending(processes, process)))
		strbuf_addc(text, ')');
}

/*
 * Returns the most relevant message, with the process that wrote it, or NULL. For *@ret_last see
 * evidences_message().
 */
static const char *why_outcome_message_of(const struct failures *failures, int32_t *ret_process,
					  const char **ret_last)
{
	const struct process *command = failures_command(failures);
	int32_t process = command ? command->pid : 0;

	/* The failure may be in a process that the command started. */
	for (size_t i = failures->n; i--;)
		if (failures->found[i].evidence.kind >= EVIDENCE_MESSAGE &&
		    failures_is_chosen(failures, i)) {
			process = failures->found[i].evidence.process;
			break;
		}
	*ret_process = process;
	return evidences_message(&failures->evidences, process, ret_last);
}

/* Appends why the kernel sent SIGSEGV or SIGBUS, as a clause. Returns false if that is unknown. */
static bool put_fault(const struct failures *failures, const struct process *process,
		      struct strbuf *text)
{
	struct evidence_page page;

	switch (evidences_fault(&failures->evidences, process->pid, &page)) {
	case FAULT_PAGE:
		quote_addf(text, "accessing address 0x%" PRIx64 "%s", page.address,
			   why_killed_page(&page));
		return true;
	case FAULT_GENERAL:
		strbuf_adds(text,
			    "probably for a general protection fault (a non-canonical address or "
			    "a privileged instruction)");
		return true;
	case FAULT_UNKNOWN:
		break;
	}
	return false;
}

/* Appends the cause of the process's death, as a clause. Returns false if that is unknown. */
static bool put_killer(const struct failures *failures, const struct process *process,
		       int32_t number, struct strbuf *text)
{
	const struct processes *processes = &failures->evidences.processes;
	const struct process_signal *signal =
		process ? process_signal_find(processes, process, number) : NULL;

	if (signal && signal->sender > 0) {
		strbuf_adds(text, "sent by ");
		if (signal->sender == process->pid)
			strbuf_adds(text, "itself");
		else
			put_process(text, processes_find(processes, signal->sender, UINT64_MAX),
				    signal->sender);
		return true;
	}
	if (number == SIGKILL && process && process->out_of_memory) {
		strbuf_adds(text, "sent by the OOM killer");
		return true;
	}
	/* Before 5.17, the kernel ends the process without a visible signal. */
	if (number == SIGSYS && process && !processes->lost &&
	    (!signal || signal->sender == SENDER_KERNEL)) {
		strbuf_adds(text, "for a system call that a seccomp filter does not allow");
		return true;
	}
	return signal && signal->sender == SENDER_KERNEL &&
	       (number == SIGSEGV || number == SIGBUS) && put_fault(failures, process, text);
}

/* Appends how the process ended. Returns whether that includes the reason. */
static bool put_end(const struct failures *failures, const struct process *process,
		    const struct process_ending *ending, struct strbuf *text)
{
	_cleanup_strbuf_ struct strbuf killer = { 0 };
	char name[SIGNAL_NAME_SIZE];
	bool explained = false;

	if (ending->how == PROCESS_KILLED && ending->signal) {
		quote_addf(text, " was killed by %s", signal_name(ending->signal, name));
		explained = put_killer(failures, process, ending->signal, &killer);
		if (explained) {
			strbuf_adds(text, ", ");
			strbuf_add(text, strbuf_str(&killer), killer.len);
		}
		text->err = text->err ?: killer.err;
		quote_addf(text, "%s", ending->dump == PROCESS_DUMPED ? ", core dumped" : "");
	} else if (ending->how == PROCESS_KILLED) {
		quote_addf(text, " was killed by a signal");
	} else if (ending->code) {
		quote_addf(text, " failed with exit status %" PRId32, ending->code);
	} else {
		quote_addf(text, " succeeded (exit status 0)");
	}
	return explained;
}

/* Ends a sentence, prints it, and clears @text. */
static int why_outcome_put_line(struct out *out, struct strbuf *text)
{
	strbuf_addc(text, '.');
	if (text->err)
		return -ENOMEM;
	out_wrap(out, 0, 0, text->s);
	strbuf_clear(text);
	return 0;
}

/* Prints child processes that failed: a shell exits with the status of the last one. */
static int put_children(const struct failures *failures, struct user_symbols *users,
			const struct process *command, struct out *out, struct strbuf *text)
{
	const struct processes *processes = &failures->evidences.processes;
	size_t n = 0;

	for (size_t i = processes->n; i-- && n < CHILDREN_MAX;) {
		const struct process *process = &processes->list[i];
		struct process_ending ending = process_ending(processes, process);

		if (process == command || process->thread || !process->acted ||
		    !process_ended_badly(&ending))
			continue;
		n++;
		strbuf_adds(text, "Its child process ");
		put_process(text, process, process->pid);
		put_end(failures, process, &ending, text);
		why_killed_put(text, failures, users, why_killed_stack(failures, process, &ending),
			       process);
		if (why_outcome_put_line(out, text) < 0)
			return -ENOMEM;
	}
	return 0;
}

/* Returns the hint for the signal that killed the command, or NULL. */
static const char *signal_help(const struct failures *failures, const struct meanings *causes)
{
	struct process_ending ending = failures_ending(failures);

	return ending.how == PROCESS_KILLED && ending.signal && causes ?
		       causes_of_signal(causes, ending.signal, failures_command(failures)) :
		       NULL;
}

int why_put_outcome(const struct failures *failures, const struct meanings *causes,
		    struct user_symbols *users, size_t shown, const char *cause, struct out *out)
{
	struct process_ending ending = failures_ending(failures);
	enum command_outcome outcome = failures_outcome(failures);
	const struct process *command = failures_command(failures), *writer;
	_cleanup_strbuf_ struct strbuf text = { 0 };
	const char *last, *message, *help = signal_help(failures, causes);
	const struct user_stack *stack;
	bool explained;
	int32_t pid;

	if (outcome == COMMAND_UNKNOWN)
		return 0;
	quote_adds(&text, command && command->program ? process_name(command) : "the command");
	explained = put_end(failures, command, &ending, &text);
	stack = why_killed_stack(failures, command, &ending);
	why_killed_put(&text, failures, users, stack, command);
	if (outcome == COMMAND_SUCCEEDED && !shown && failures->n)
		quote_addf(&text,
			   failures->n == 1 ? "; 1 system call failed and was handled" :
					      "; %zu system calls failed and were handled",
			   failures->n);
	if (outcome == COMMAND_FAILED && !shown && !explained)
		strbuf_adds(&text, ", and no failed system call explains it");
	else if (outcome == COMMAND_FAILED && cause)
		quote_addf(&text, ": %s", cause);
	if (why_outcome_put_line(out, &text) < 0 ||
	    (outcome == COMMAND_FAILED && !shown &&
	     put_children(failures, users, command, out, &text) < 0))
		return -ENOMEM;
	if (stack && user_stack_put(&text, users, stack, out->utf8) &&
	    why_put_row(out, "Stack", &text) < 0)
		return -ENOMEM;
	if (help) {
		quote_addf(&text, "Hint: %s", help);
		if (why_outcome_put_line(out, &text) < 0)
			return -ENOMEM;
	}
	message = why_outcome_message_of(failures, &pid, &last);
	writer = processes_find(&failures->evidences.processes, pid, UINT64_MAX);
	if (message && (shown || outcome == COMMAND_FAILED))
		quote_printf(out->stream, "%s wrote: %s%s%s\n",
			     writer == command ? "It" : process_name(writer), message,
			     last ? " ... " : "", last ?: "");
	if (shown)
		fputc('\n', out->stream);
	else if (failures->n && outcome == COMMAND_FAILED)
		quote_printf(out->stream, "System calls that failed and were handled:\n");
	return 0;
}

void why_put_others(const struct failures *failures, struct out *out)
{
	for (size_t i = 0; i < failures->n; i++) {
		const struct failure *failure = &failures->found[i];

		if (i == OTHERS_MAX) {
			quote_printf(out->stream, "  and %zu more; use --all to see each cause\n",
				     failures->n - i);
			return;
		}
		quote_printf(out->stream, "  %s = -%s%s: %s\n", failure->text,
			     errno_name(failure->error) ?: "?",
			     failure->count > 1 ? " (several times)" : "",
			     failure->error == EINTR ? "interrupted by a signal" :
						       evidences[failure->evidence.kind].text);
	}
}

void why_json_outcome(const struct failures *failures, const struct meanings *causes,
		      struct user_symbols *users, struct json *json)
{
	const struct process *command = failures_command(failures);
	struct process_ending ending = failures_ending(failures);
	_cleanup_strbuf_ struct strbuf text = { 0 };
	const char *last, *message;
	int32_t pid;

	message = why_outcome_message_of(failures, &pid, &last);
	if (failures_outcome(failures) == COMMAND_UNKNOWN)
		return;
	json_begin_object(json, "command");
	json_string(json, "executable", command ? command->program : NULL);
	if (command)
		json_s64(json, "pid", command->pid);
	signals_json_ending(json, ending);
	if (ending.how == PROCESS_KILLED) {
		put_killer(failures, command, ending.signal, &text);
		json_string(json, "killed", text.len ? text.s : NULL);
		why_killed_json(json, failures, users, why_killed_stack(failures, command, &ending),
				command);
	}
	json_string(json, "hint", signal_help(failures, causes));
	json_string(json, "wrote", message);
	json_string(json, "wrote_last", last);
	json_end_object(json);
	if (text.err)
		json->buf->err = text.err;
}

void why_json_compared(const struct failures *compared, struct json *json)
{
	json_begin_object(json, "compared");
	json_bool(json, "is_used", failures_outcome(compared) == COMMAND_SUCCEEDED);
	signals_json_ending(json, failures_ending(compared));
	json_u64(json, "failed_count", compared->n_failed);
	json_end_object(json);
}

void why_json_evidence(const struct evidence *evidence, struct json *json)
{
	json_string(json, "evidence", evidences[evidence->kind].word);
	json_bool(json, "shared", evidence->shared);
	json_string(json, "object", evidence->object);
}
