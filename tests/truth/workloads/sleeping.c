// SPDX-License-Identifier: GPL-2.0-or-later
/* Sleeps, works and waits for known times. */
#include "truth.h"

#include <poll.h>
#include <sys/epoll.h>

static void say_calls(const char *name, unsigned count, uint64_t asleep)
{
	truth("{\"fact\": \"calls\", \"name\": \"%s\", \"count\": %u}", name, count);
	truth("{\"fact\": \"asleep\", \"name\": \"%s\", \"ns\": %llu}", name,
	      (unsigned long long)asleep);
}

static void say_busy(uint64_t ns)
{
	truth("{\"fact\": \"program\", \"pid\": %d, \"ns\": %llu}", getpid(),
	      (unsigned long long)ns);
}

/* Sleeps three times, then works. */
static int naps(void)
{
	uint64_t asleep = 0;

	for (int i = 0; i < 3; i++)
		asleep += nap(100);
	say_busy(busy(100));
	say_calls("clock_nanosleep", 3, asleep);
	return 0;
}

/* With a known distribution: 45 short sleeps, 5 long ones. */
static int spread(void)
{
	uint64_t asleep = 0, longest = 0;

	for (int i = 0; i < 50; i++) {
		uint64_t length = nap(i % 10 == 9 ? 30 : 2);

		asleep += length;
		longest = length > longest ? length : longest;
	}
	say_calls("clock_nanosleep", 50, asleep);
	truth("{\"fact\": \"longest\", \"name\": \"clock_nanosleep\", \"ns\": %llu}",
	      (unsigned long long)longest);
	return 0;
}

/* Never sleeps. */
static int work(void)
{
	say_busy(busy(200));
	truth("{\"fact\": \"calls\", \"name\": \"clock_nanosleep\", \"count\": 0}");
	return 0;
}

static int polls(void)
{
	uint64_t start = now();
	int fds[2];
	struct pollfd ask;

	if (pipe(fds) < 0)
		return 2;
	ask = (struct pollfd){ .fd = fds[0], .events = POLLIN };
	for (int i = 0; i < 5; i++)
		poll(&ask, 1, 20);
	say_calls("poll", 5, now() - start);
	return 0;
}

static int epolls(void)
{
	struct epoll_event event;
	int fd = epoll_create1(0);
	uint64_t start = now();

	for (int i = 0; i < 5; i++)
		epoll_wait(fd, &event, 1, 20);
	say_calls("epoll_wait", 5, now() - start);
	return 0;
}

/* Yields the CPU and gets it back at once: not a sleep. */
static int yields(void)
{
	for (int i = 0; i < 300; i++)
		sched_yield();
	truth("{\"fact\": \"calls\", \"name\": \"sched_yield\", \"count\": 300}");
	truth("{\"fact\": \"asleep\", \"name\": \"sched_yield\", \"ns\": 0}");
	return 0;
}

int main(int argc, char **argv)
{
	return IS("naps")   ? naps() :
	       IS("spread") ? spread() :
	       IS("work")   ? work() :
	       IS("polls")  ? polls() :
	       IS("epolls") ? epolls() :
	       IS("yields") ? yields() :
			      no_workload(argv);
}
