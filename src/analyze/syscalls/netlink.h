/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Names and subjects of netlink requests, and descriptors that are netlink sockets. Names are
 * static strings. Not thread-safe.
 */
#ifndef FATHOM_ANALYZE_SYSCALLS_NETLINK_H
#define FATHOM_ANALYZE_SYSCALLS_NETLINK_H

#include <stdbool.h>
#include <stdint.h>

#include "analyze/stream/decoded-event.h"
#include "base/u64-map.h"

#define NETLINK_DEVICE_SIZE 16 /* with the NUL, as in the kernel */
#define NETLINK_UNKNOWN	    (-1) /* a protocol */

/* Returns "netlink:RTM_NEWLINK", "netlink:generic", or "netlink" if the protocol is unknown. */
const char *netlink_name(int protocol, uint16_t type);
/*
 * Finds the network interface named in a request of NETLINK_ROUTE. Returns false if there is none,
 * or if it was not recorded.
 */
bool netlink_device(const struct decoded_event *decoded, char device[static NETLINK_DEVICE_SIZE]);

/*
 * Descriptors that are netlink sockets, by process. Empty when zero-initialized. If memory is
 * exhausted, @nomem is set, and sockets are missing.
 */
struct netlink_sockets {
	struct u64_map keys; /* process and descriptor -> index in @protocols */
	int *protocols;
	size_t n, cap;
	bool nomem;
};

void netlink_sockets_add(struct netlink_sockets *sockets, int32_t process, int32_t fd,
			 int protocol);
/* The descriptor is closed or reused. */
void netlink_sockets_remove(struct netlink_sockets *sockets, int32_t process, int32_t fd);
/*
 * Returns false if the descriptor is not known to be a netlink socket. *@ret_protocol may be
 * NETLINK_UNKNOWN.
 */
bool netlink_sockets_find(const struct netlink_sockets *sockets, int32_t process, int32_t fd,
			  int *ret_protocol);
void netlink_sockets_done(struct netlink_sockets *sockets);

#endif
