// SPDX-License-Identifier: GPL-2.0-or-later
/* Processes that start others, send signals, and end in known ways. */
#include "truth.h"

static void say_signals(int number, int to, unsigned count)
{
	truth("{\"fact\": \"signals\", \"signal\": %d, \"pid\": %d, \"count\": %u}", number, to,
	      count);
}

static void say_end(int pid, int status)
{
	if (WIFSIGNALED(status))
		truth("{\"fact\": \"end\", \"pid\": %d, \"signal\": %d}", pid, WTERMSIG(status));
	else
		truth("{\"fact\": \"end\", \"pid\": %d, \"code\": %d}", pid, WEXITSTATUS(status));
}

static void say_started(unsigned count)
{
	truth("{\"fact\": \"started\", \"count\": %u}", count);
}

static unsigned handled;

static void handle(int number)
{
	(void)number;
	handled++;
}

static void handle_signal(int number, int flags)
{
	struct sigaction action = { .sa_handler = handle, .sa_flags = flags };

	sigaction(number, &action, NULL);
}

static int children(unsigned n)
{
	unsigned well = 0;

	for (unsigned i = 0; i < n; i++) {
		pid_t child = fork();
		int status;

		if (!child) {
			syscall(SYS_getppid);
			_exit(0);
		}
		waitpid(child, &status, 0);
		well += WIFEXITED(status) && !WEXITSTATUS(status);
	}
	say_started(well);
	truth("{\"fact\": \"calls\", \"name\": \"getppid\", \"count\": %u}", well);
	truth("{\"fact\": \"calls\", \"name\": \"wait4\", \"count\": %u}", well);
	truth("{\"fact\": \"no_signals\"}");
	return well == n ? 0 : 1;
}

static pid_t start_true(void)
{
	pid_t child = vfork();

	if (!child) {
		execl("/bin/true", "true", (char *)NULL);
		_exit(127);
	}
	return child;
}

/* With vfork(), and another program. */
static int programs(void)
{
	for (int i = 0; i < 5; i++) {
		pid_t child = start_true();
		int status;

		waitpid(child, &status, 0);
		say_end(child, status);
	}
	say_started(5);
	truth("{\"fact\": \"calls\", \"name\": \"execve\", \"count\": 6}");
	return 0;
}

/* Each one in another way. */
static int ends(void)
{
	static const int codes[] = { 0, 1, 9, 127, 255 };
	static const int signals[] = { SIGTERM, SIGSEGV, SIGABRT, SIGKILL };
	unsigned n = 0;

	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++, n++) {
		pid_t child = fork();
		int status;

		if (!child)
			_exit(codes[i]);
		waitpid(child, &status, 0);
		say_end(child, status);
	}
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++, n++) {
		const struct rlimit none = { 0, 0 };
		pid_t child = fork();
		int status;

		if (!child) {
			setrlimit(RLIMIT_CORE, &none);
			kill(getpid(), signals[i]);
			_exit(0);
		}
		waitpid(child, &status, 0);
		say_end(child, status);
		say_signals(signals[i], child, 1);
	}
	say_started(n);
	return 0;
}

static int kill_itself(void)
{
	truth("{\"fact\": \"end\", \"pid\": %d, \"signal\": %d}", getpid(), SIGTERM);
	kill(getpid(), SIGTERM);
	pause();
	return 0;
}

static int fault(void)
{
	const struct rlimit none = { 0, 0 };
	volatile char *page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	setrlimit(RLIMIT_CORE, &none);
	truth("{\"fact\": \"end\", \"pid\": %d, \"signal\": %d}", getpid(), SIGSEGV);
	truth("{\"fact\": \"signals\", \"signal\": %d, \"pid\": %d, \"count\": 1}", SIGSEGV,
	      getpid());
	*page = 1;
	return 0;
}

static int to_itself(void)
{
	handle_signal(SIGUSR1, 0);
	for (int i = 0; i < 10; i++)
		kill(getpid(), SIGUSR1);
	say_signals(SIGUSR1, getpid(), handled);
	truth("{\"fact\": \"calls\", \"name\": \"kill\", \"count\": 10}");
	truth("{\"fact\": \"errors\", \"name\": \"rt_sigreturn\", \"error\": \"\", \"count\": 0}");
	truth("{\"fact\": \"end\", \"pid\": %d, \"code\": 0}", getpid());
	return 0;
}

/* Signals of two kinds, one of them ignored, from a child. */
static int from_child(void)
{
	pid_t child;

	handle_signal(SIGUSR1, SA_RESTART);
	handle_signal(SIGUSR2, SA_RESTART);
	child = fork();
	if (!child) {
		for (int i = 0; i < 3; i++) {
			kill(getppid(), SIGUSR1);
			nap(20);
		}
		for (int i = 0; i < 2; i++) {
			kill(getppid(), SIGUSR2);
			nap(20);
		}
		_exit(0);
	}
	waitpid(child, NULL, 0);
	say_signals(SIGUSR1, getpid(), 3);
	say_signals(SIGUSR2, getpid(), 2);
	truth("{\"fact\": \"calls\", \"name\": \"kill\", \"count\": 5}");
	return 0;
}

/* A call that a signal interrupts, and one that continues after it. */
static int interrupted(bool restarts)
{
	int fds[2], r;
	char byte;
	pid_t child;

	if (pipe(fds) < 0)
		return 2;
	handle_signal(SIGUSR1, restarts ? SA_RESTART : 0);
	child = fork();
	if (!child) {
		nap(60);
		kill(getppid(), SIGUSR1);
		nap(60);
		_exit(write(fds[1], "x", 1) == 1 ? 0 : 1);
	}
	r = (int)read(fds[0], &byte, 1);
	if (restarts) {
		truth("{\"fact\": \"errors\", \"name\": \"read\", \"error\": \"\", \"count\": 0}");
		if (r != 1)
			return 1;
	} else {
		truth("{\"fact\": \"errors\", \"name\": \"read\", \"error\": \"EINTR\", \"count\": 1}");
		if (r >= 0 || errno != EINTR)
			return 1;
	}
	while (waitpid(child, NULL, 0) < 0)
		;
	say_signals(SIGUSR1, getpid(), 1);
	return 0;
}

static int paused(void)
{
	handle_signal(SIGALRM, 0);
	alarm(1);
	pause();
	truth("{\"fact\": \"errors\", \"name\": \"pause\", \"error\": \"EINTR\", \"count\": 1}");
	say_signals(SIGALRM, getpid(), 1);
	return 0;
}

static void *wait_for_ever(void *data)
{
	for (;;)
		pause();
	return data;
}

/* Sleeping threads end with their process: they receive no signal. */
static int idle_threads(void)
{
	pthread_t thread;

	for (int i = 0; i < 3; i++)
		pthread_create(&thread, NULL, wait_for_ever, NULL);
	nap(50);
	truth("{\"fact\": \"no_signals\"}");
	truth("{\"fact\": \"end\", \"pid\": %d, \"code\": 0}", getpid());
	return 0;
}

static void *end_all(void *data)
{
	nap(50);
	exit(5);
	return data;
}

static int thread_exits(void)
{
	pthread_t thread;

	truth("{\"fact\": \"end\", \"pid\": %d, \"code\": 5}", getpid());
	truth("{\"fact\": \"no_signals\"}");
	pthread_create(&thread, NULL, end_all, NULL);
	pause();
	return 0;
}

static void *become_another(void *data)
{
	nap(50);
	execl("/bin/true", "true", (char *)NULL);
	return data;
}

/* The thread that calls exec becomes the process; the others end without being killed. */
static int thread_execs(void)
{
	pthread_t thread;

	truth("{\"fact\": \"end\", \"pid\": %d, \"code\": 0}", getpid());
	truth("{\"fact\": \"no_signals\"}");
	truth("{\"fact\": \"tasks\", \"count\": 2}");
	truth("{\"fact\": \"calls\", \"name\": \"execve\", \"count\": 2}");
	truth("{\"fact\": \"errors\", \"name\": \"execve\", \"error\": \"\", \"count\": 0}");
	pthread_create(&thread, NULL, become_another, NULL);
	pause();
	return 0;
}

/* A grandchild outlives its parents. */
static int orphan(void)
{
	int lives[2];
	char nothing;
	pid_t child;

	if (pipe(lives) < 0)
		return 1;
	child = fork();
	if (!child) {
		pid_t grandchild = fork();

		if (!grandchild) {
			prctl(PR_SET_NAME, "orphan");
			for (int i = 0; i < 5; i++)
				nap(40);
			truth("{\"fact\": \"end\", \"pid\": %d, \"code\": 3}", getpid());
			_exit(3);
		}
		_exit(0);
	}
	waitpid(child, NULL, 0);
	say_started(2);
	/* Recorded until it has ended: nothing can be written then. */
	close(lives[1]);
	if (read(lives[0], &nothing, 1) != 0)
		return 1;
	truth("{\"fact\": \"end\", \"pid\": %d, \"code\": 7}", getpid());
	return 7;
}

int main(int argc, char **argv)
{
	return IS("children")	   ? children(20) :
	       IS("many-children") ? children(300) :
	       IS("programs")	   ? programs() :
	       IS("ends")	   ? ends() :
	       IS("kill-itself")   ? kill_itself() :
	       IS("fault")	   ? fault() :
	       IS("to-itself")	   ? to_itself() :
	       IS("from-child")	   ? from_child() :
	       IS("interrupted")   ? interrupted(false) :
	       IS("restarted")	   ? interrupted(true) :
	       IS("paused")	   ? paused() :
	       IS("idle-threads")  ? idle_threads() :
	       IS("thread-exits")  ? thread_exits() :
	       IS("thread-execs")  ? thread_execs() :
	       IS("orphan")	   ? orphan() :
				     no_workload(argv);
}
