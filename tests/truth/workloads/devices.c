// SPDX-License-Identifier: GPL-2.0-or-later
/* Makes known numbers of block requests and of softirqs. */
#include "truth.h"

#include <arpa/inet.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#define DISK	"/dev/nullb0" /* takes 10 ms per request */
#define DISK_NS 10000000

static void say_requests(const char *operation, unsigned count, unsigned bytes)
{
	truth("{\"fact\": \"requests\", \"operation\": \"%s\", \"count\": %u, \"bytes\": %u, "
	      "\"least_ns\": %d, \"depth\": 1}",
	      operation, count, bytes, DISK_NS);
}

/* One after the other, bypassing the cache. */
static int requests(void)
{
	int fd = open(DISK, O_RDWR | O_DIRECT);
	char *block = mmap(NULL, 65536, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	unsigned n = 0;

	if (fd < 0) {
		perror(DISK);
		return 2;
	}
	for (int i = 0; i < 20; i++)
		n += pwrite(fd, block, 8192, i * 1048576L) == 8192;
	for (int i = 0; i < 10; i++)
		n += pread(fd, block, 16384, i * 1048576L) == 16384;
	say_requests("write", 20, 20 * 8192);
	say_requests("read", 10, 10 * 16384);
	truth("{\"fact\": \"disk\", \"count\": 30, \"bytes\": %d}", 20 * 8192 + 10 * 16384);
	return n == 30 ? 0 : 2;
}

/* The kernel's own count of a softirq, on all CPUs. */
static unsigned long softirqs(const char *name)
{
	char line[65536];
	unsigned long sum = 0;
	FILE *file = fopen("/proc/softirqs", "r");

	while (file && fgets(line, sizeof(line), file)) {
		char *colon = strchr(line, ':'), *word, *rest;

		if (!colon || strncmp(colon - strlen(name), name, strlen(name)) != 0)
			continue;
		for (word = strtok_r(colon + 1, " \n", &rest); word;
		     word = strtok_r(NULL, " \n", &rest))
			sum += strtoul(word, NULL, 10);
	}
	if (file)
		fclose(file);
	return sum;
}

static void loopback_up(int fd)
{
	struct ifreq request = { .ifr_name = "lo" };

	if (ioctl(fd, SIOCGIFFLAGS, &request) == 0) {
		request.ifr_flags |= IFF_UP;
		ioctl(fd, SIOCSIFFLAGS, &request);
	}
}

/* Each packet to itself raises NET_RX, and waits until it has run. */
static int packets(void)
{
	struct sockaddr_in address = { .sin_family = AF_INET,
				       .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof(address);
	int in = socket(AF_INET, SOCK_DGRAM, 0), out = socket(AF_INET, SOCK_DGRAM, 0);
	unsigned long before;
	char byte = 'x';

	loopback_up(out);
	if (bind(in, (struct sockaddr *)&address, len) < 0 ||
	    getsockname(in, (struct sockaddr *)&address, &len) < 0)
		return 2;
	before = softirqs("NET_RX");
	for (int i = 0; i < 100; i++)
		if (sendto(out, &byte, 1, 0, (struct sockaddr *)&address, len) != 1 ||
		    recv(in, &byte, 1, 0) != 1)
			return 2;
	truth("{\"fact\": \"softirqs\", \"name\": \"NET_RX\", \"at_least\": %lu, \"at_most\": %lu}",
	      softirqs("NET_RX") - before, softirqs("NET_RX") - before + 10);
	return 0;
}

int main(int argc, char **argv)
{
	return IS("requests") ? requests() : IS("packets") ? packets() : no_workload(argv);
}
