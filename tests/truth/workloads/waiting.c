// SPDX-License-Identifier: GPL-2.0-or-later
/* Tasks that wait for each other, or for a CPU, and know for how long and for which waker. */
#include "truth.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int held;
static bool holder_works;

/* @ns includes the time that it waited for a CPU, at most @delay. */
static void say_wait(const char *waiter, int tid, const char *call, const char *waker,
		     int waker_tid, unsigned count, uint64_t ns, uint64_t delay)
{
	truth("{\"fact\": \"wait\", \"comm\": \"%s\", \"pid\": %d, \"name\": \"%s\", \"waker\": \"%s\", "
	      "\"waker_pid\": %d, \"count\": %u, \"ns\": %llu, \"delay_ns\": %llu}",
	      waiter, tid, call, waker, waker_tid, count, (unsigned long long)ns,
	      (unsigned long long)delay);
}

static void *hold(void *data)
{
	prctl(PR_SET_NAME, "holder");
	pthread_mutex_lock(&lock);
	held = gettid();
	if (holder_works)
		busy(150);
	else
		nap(150);
	pthread_mutex_unlock(&lock);
	return data;
}

static void *want(void *data)
{
	uint64_t start, ns;

	prctl(PR_SET_NAME, "waiter");
	start = now();
	pthread_mutex_lock(&lock);
	ns = now() - start;
	say_wait("waiter", gettid(), "futex", "holder", held, 1, ns, cpu_delay());
	pthread_mutex_unlock(&lock);
	return data;
}

static int locks(bool works)
{
	pthread_t a, b;

	holder_works = works;
	pthread_create(&a, NULL, hold, NULL);
	while (!held)
		nap(5);
	pthread_create(&b, NULL, want, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}

/* A producer wakes a consumer with each message. */
static int messages(void)
{
	int fds[2], status;
	uint64_t asleep = 0;
	unsigned n = 0;
	char byte = 'x';
	pid_t producer;

	if (pipe(fds) < 0)
		return 2;
	producer = fork();
	if (!producer) {
		prctl(PR_SET_NAME, "producer");
		for (int i = 0; i < 10; i++) {
			nap(30);
			if (write(fds[1], &byte, 1) != 1)
				_exit(2);
		}
		nap(30);
		_exit(0);
	}
	prctl(PR_SET_NAME, "consumer");
	for (; n < 10; n++) {
		uint64_t start = now();

		if (read(fds[0], &byte, 1) != 1)
			return 2;
		asleep += now() - start;
	}
	say_wait("consumer", getpid(), "read", "producer", producer, n, asleep, cpu_delay());
	waitpid(producer, &status, 0);
	return 0;
}

/* Two on one CPU: together they get at most its time, and each could have run all the time. */
static int rivals(int n)
{
	for (int i = 0; i < n; i++) {
		if (fork())
			continue;
		prctl(PR_SET_NAME, i ? "rival1" : "rival0");
		stay_on(0);
		nap(20);

		uint64_t start = now(), before = cpu_time(), wall, cpu;

		busy(300);
		cpu = cpu_time();
		wall = now() - start;
		truth("{\"fact\": \"competition\", \"pid\": %d, \"cpu_ns\": %llu, \"runnable_ns\": %llu}",
		      getpid(), (unsigned long long)cpu,
		      (unsigned long long)(wall - (cpu - before)));
		_exit(0);
	}
	while (wait(NULL) > 0)
		;
	return 0;
}

/* Writes that never sleep, next to a task that takes their CPU away. */
static int disturbed(void)
{
	int fd = open("/dev/null", O_WRONLY);
	pid_t other;
	uint64_t end;
	unsigned n = 0;

	stay_on(0);
	other = fork();
	if (!other) {
		prctl(PR_SET_NAME, "other");
		busy(400);
		_exit(0);
	}
	for (end = now() + UINT64_C(300000000); now() < end; n++)
		if (write(fd, "x", 1) != 1)
			return 2;
	truth("{\"fact\": \"calls\", \"name\": \"write\", \"count\": %u}", n);
	truth("{\"fact\": \"asleep\", \"name\": \"write\", \"ns\": 0}");
	waitpid(other, NULL, 0);
	return 0;
}

/* Stopped for a while by its parent. */
static int stopped(void)
{
	pid_t child = fork();
	uint64_t start, ns;

	if (!child) {
		prctl(PR_SET_NAME, "stopped");
		for (;;)
			nap(10);
	}
	nap(50);
	kill(child, SIGSTOP);
	waitpid(child, NULL, WUNTRACED);
	start = now();
	nap(100);
	kill(child, SIGCONT);
	ns = now() - start;
	nap(50);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	truth("{\"fact\": \"stopped\", \"pid\": %d, \"ns\": %llu}", child, (unsigned long long)ns);
	return 0;
}

/* Migrates between two CPUs, back and forth. */
static int moves(void)
{
	if (sysconf(_SC_NPROCESSORS_ONLN) < 2) {
		nap(5);
		truth("{\"fact\": \"moves\", \"pid\": %d, \"count\": 0}", getpid());
		return 0;
	}
	stay_on(0);
	nap(5);
	for (int i = 0; i < 10; i++) {
		stay_on(i % 2 == 0);
		nap(2);
	}
	truth("{\"fact\": \"moves\", \"pid\": %d, \"at_least\": 10, \"at_most\": 13}", getpid());
	return 0;
}

/* How often it was switched out, by the kernel's own count; and before that, perhaps unrecorded. */
static int switches(void)
{
	struct rusage before, after;

	getrusage(RUSAGE_SELF, &before);
	for (int i = 0; i < 40; i++)
		nap(1);
	getrusage(RUSAGE_SELF, &after);
	truth("{\"fact\": \"switches\", \"pid\": %d, \"voluntary\": %ld, \"preempted\": %ld, "
	      "\"early\": %ld}",
	      getpid(), after.ru_nvcsw - before.ru_nvcsw, after.ru_nivcsw - before.ru_nivcsw,
	      before.ru_nvcsw + before.ru_nivcsw);
	return 0;
}

int main(int argc, char **argv)
{
	return IS("lock-asleep") ? locks(false) :
	       IS("lock-busy")	 ? locks(true) :
	       IS("messages")	 ? messages() :
	       IS("rivals")	 ? rivals(2) :
	       IS("alone")	 ? rivals(1) :
	       IS("disturbed")	 ? disturbed() :
	       IS("stopped")	 ? stopped() :
	       IS("moves")	 ? moves() :
	       IS("switches")	 ? switches() :
				   no_workload(argv);
}
