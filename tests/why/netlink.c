/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * netlink WHAT INTERFACE: requests that the kernel answers with an error, for the commands of
 * tests/why.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/rtnetlink.h>
#include <net/route.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>
/* Queries an interface, or removes it. Returns the error of the reply. */
static int ask(int type, const char *name)
{
	struct {
		struct nlmsghdr head;
		struct ifinfomsg info;
		struct rtattr attr;
		char name[16];
	} request = { { sizeof(request), (unsigned short)type, NLM_F_REQUEST | NLM_F_ACK, 1, 0 } };
	struct {
		struct nlmsghdr head;
		struct nlmsgerr error;
		char rest[8192];
	} answer;
	struct sockaddr_nl to = { .nl_family = AF_NETLINK };
	int fd = socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE);
	request.attr = (struct rtattr){ sizeof(request.attr) + sizeof(request.name), IFLA_IFNAME };
	strncpy(request.name, name, 15);
	if (sendto(fd, &request, sizeof(request), 0, (void *)&to, sizeof(to)) < 0 ||
	    recv(fd, &answer, sizeof(answer), 0) < 0)
		return EIO;
	return answer.head.nlmsg_type == NLMSG_ERROR ? -answer.error.error : 0;
}
/* The old interface, whose error has no text that a program can get. */
static int add_route(void)
{
	struct sockaddr_in address = { .sin_family = AF_INET };
	struct rtentry route = { .rt_flags = RTF_UP | RTF_GATEWAY };

	inet_aton("192.0.2.0", &address.sin_addr);
	memcpy(&route.rt_dst, &address, sizeof(address));
	inet_aton("255.255.255.0", &address.sin_addr);
	memcpy(&route.rt_genmask, &address, sizeof(address));
	inet_aton("198.51.100.1", &address.sin_addr);
	memcpy(&route.rt_gateway, &address, sizeof(address));
	return ioctl(socket(AF_INET, SOCK_DGRAM, 0), SIOCADDRT, &route) < 0 ? errno : 0;
}

int main(int argc, char **argv)
{
	int error = *argv[1] == 'i' ? add_route() :
				      ask(*argv[1] == 'd' ? RTM_DELLINK : RTM_GETLINK, argv[2]);
	switch (*argv[1]) {
	case 'h': /* handled */
		return error ? 0 : 6;
	case 'm': /* another failure matters */
		if (open("nofile", O_RDONLY) >= 0)
			return 0;
		fprintf(stderr, "nofile: %s\n", strerror(errno));
		return 4;
	case 's': /* silent */
		return error ? 3 : 0;
	}
	if (!error)
		return 0;
	fprintf(stderr, "cannot have it: %s\n", strerror(error));
	return 3;
}
