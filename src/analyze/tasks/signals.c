/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/tasks/signals.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#define HANDLER_DEFAULT 0 /* SIG_DFL */
#define HANDLER_IGNORE	1 /* SIG_IGN */
#define NUMBER_MAX	64
#define RT_MIN		34 /* in the C library, which reserves two */

#define BIT(number) (1ULL << (number))

const char *signal_name(int32_t number, char buf[SIGNAL_NAME_SIZE])
{
	const char *name = sigabbrev_np(number);

	if (name)
		snprintf(buf, SIGNAL_NAME_SIZE, "SIG%s", name);
	else if (number == RT_MIN)
		snprintf(buf, SIGNAL_NAME_SIZE, "SIGRTMIN");
	else if (number > RT_MIN && number <= NUMBER_MAX)
		snprintf(buf, SIGNAL_NAME_SIZE, "SIGRTMIN+%" PRId32, number - RT_MIN);
	else
		snprintf(buf, SIGNAL_NAME_SIZE, "signal %" PRId32, number);
	return buf;
}

enum signal_action signal_default_action(int32_t number)
{
	static const uint64_t ignored = BIT(SIGCONT) | BIT(SIGCHLD) | BIT(SIGWINCH) | BIT(SIGURG);
	static const uint64_t stops = BIT(SIGSTOP) | BIT(SIGTSTP) | BIT(SIGTTIN) | BIT(SIGTTOU);
	static const uint64_t dumps = BIT(SIGQUIT) | BIT(SIGILL) | BIT(SIGTRAP) | BIT(SIGABRT) |
				      BIT(SIGFPE) | BIT(SIGSEGV) | BIT(SIGBUS) | BIT(SIGSYS) |
				      BIT(SIGXCPU) | BIT(SIGXFSZ);

	if (number < 1 || number > NUMBER_MAX)
		return SIGNAL_ACTION_UNKNOWN;
	if (number == NUMBER_MAX)
		return SIGNAL_TERMINATES;
	if (ignored >> number & 1)
		return SIGNAL_IGNORED;
	if (stops >> number & 1)
		return SIGNAL_STOPS;
	return dumps >> number & 1 ? SIGNAL_DUMPS : SIGNAL_TERMINATES;
}

enum signal_action signal_delivered(const struct decoded_event *decoded)
{
	if (!decoded->signal.has_action)
		return SIGNAL_ACTION_UNKNOWN;
	if (decoded->signal.handler == HANDLER_IGNORE)
		return SIGNAL_IGNORED;
	return decoded->signal.handler == HANDLER_DEFAULT ?
		       signal_default_action(decoded->signal.number) :
		       SIGNAL_HANDLED;
}

bool signal_is_from_program(const struct decoded_event *decoded)
{
	return decoded->signal.code == SI_USER || decoded->signal.code == SI_QUEUE ||
	       decoded->signal.code == SI_TKILL;
}
