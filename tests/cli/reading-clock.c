/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Preloaded into fathom by tests/cli/reading: advances the monotonic clock by CLOCK_STEP
 * milliseconds each time it is read, and sends the process the signal CLOCK_SIGNAL at reads number
 * CLOCK_AT to CLOCK_UNTIL. fathom checks the clock regularly while it reads, so the test does not
 * depend on the speed of the machine.
 */
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static long reading_clock_number(const char *name)
{
	const char *text = getenv(name);

	return text ? strtol(text, NULL, 10) : 0;
}

__attribute__((visibility("default"))) int clock_gettime(clockid_t clock, struct timespec *ret_time)
{
	static long looks;
	long ms;

	if (clock != CLOCK_MONOTONIC)
		return (int)syscall(SYS_clock_gettime, clock, ret_time);
	looks++;
	if (looks >= reading_clock_number("CLOCK_AT") &&
	    looks <= reading_clock_number("CLOCK_UNTIL"))
		raise((int)reading_clock_number("CLOCK_SIGNAL"));
	ms = 1000 + looks * reading_clock_number("CLOCK_STEP");
	*ret_time = (struct timespec){ .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 };
	return 0;
}
