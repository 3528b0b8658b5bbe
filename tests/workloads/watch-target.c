/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * watch-target: accesses variables a known number of times, from two threads and a child process,
 * and prints how often, one line each. With an argument it waits for a line on stdin first.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

volatile int watch_word = 7;
volatile uint64_t watch_long;
volatile char watch_bytes[12];
volatile int watch_beside; /* never waited for */
char watch_filled[8];
struct watch_pair {
	int first;
	short second[3];
};
volatile struct watch_pair watch_pair;

__attribute__((noinline)) static void write_word(int from, int to)
{
	for (int i = from; i <= to; i++) {
		watch_word = i;
		watch_beside = i;
	}
}

void watch_step(void);

__attribute__((noinline)) void watch_step(void)
{
	__asm__ volatile("" : : : "memory");
}

static void *in_thread(void *arg)
{
	write_word(401, 700);
	return arg;
}

static int in_child(void)
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		write_word(701, 1000);
		_exit(0);
	}
	return pid < 0 || waitpid(pid, &status, 0) != pid || status;
}

/* The kernel writes it. */
static int fill(void)
{
	int fd = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	int bad = 0;

	for (int i = 0; i < 10; i++)
		bad |= read(fd, watch_filled, 8) != 8;
	close(fd);
	return bad;
}

int main(int argc, char **argv)
{
	pthread_t thread;
	uint64_t sum = 0;
	char line[16];

	(void)argv;
	if (argc > 1 && !fgets(line, sizeof(line), stdin))
		return 1;
	write_word(1, 400);
	if (pthread_create(&thread, NULL, in_thread, NULL) || pthread_join(thread, NULL) ||
	    in_child())
		return 1;
	for (uint64_t i = 1; i <= 500; i++) {
		watch_long = i << 32;
		sum += watch_long;
	}
	for (int i = 0; i < 1000; i++)
		watch_step();
	for (int i = 0; i < 12; i++)
		watch_bytes[i] = (char)i;
	for (int i = 0; i < 6; i++) {
		watch_pair.first = i;
		watch_pair.second[i % 3] = (short)(1000 + i);
	}
	if (fill())
		return 1;
	printf("watch_word w 1000\nwatch_long rw 1000\nwatch_long w 500\nwatch_step x 1000\n"
	       "watch_bytes w 12\n");
	return sum ? 0 : 1;
}
