/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What netlink requests are called, and what they are about. */
#ifndef FATHOM_ANALYZE_SYSCALLS_NETLINK_H
#define FATHOM_ANALYZE_SYSCALLS_NETLINK_H

#include <stdbool.h>
#include <stdint.h>

#include "analyze/stream/decoded-event.h"
#include "base/u64-map.h"

#define NETLINK_DEVICE_SIZE 16 /* with its end, as the kernel has it */
#define NETLINK_UNKNOWN	    (-1) /* a protocol */

/* "netlink:RTM_NEWLINK", "netlink:generic", or "netlink" if the protocol is not known. */
const char *netlink_name(int protocol, uint16_t type);
/* The network interface that a request of NETLINK_ROUTE names; false: none, or it is not known. */
bool netlink_device(const struct decoded_event *decoded, char device[static NETLINK_DEVICE_SIZE]);

/* Which descriptors of which processes are netlink sockets. Zero-initialised is empty. */
struct netlink_sockets {
	struct u64_map keys; /* places in @protocols */
	int *protocols;
	size_t n, cap;
	bool nomem;
};

void netlink_sockets_add(struct netlink_sockets *sockets, int32_t process, int32_t fd,
			 int protocol);
/* The descriptor is something else now. */
void netlink_sockets_remove(struct netlink_sockets *sockets, int32_t process, int32_t fd);
/* False: it is none, as far as is known. *@ret_protocol may be NETLINK_UNKNOWN. */
bool netlink_sockets_find(const struct netlink_sockets *sockets, int32_t process, int32_t fd,
			  int *ret_protocol);
void netlink_sockets_done(struct netlink_sockets *sockets);

#endif
