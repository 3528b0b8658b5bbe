/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/syscalls/netlink.h"

#include <linux/netlink.h>
#include <stdlib.h>

#include "base/cleanup.h"

#define PREFIX "netlink:"

/* Requests of NETLINK_ROUTE are grouped by four: new, delete, get, set. */
#define NEW_DEL_GET(first, what)                                                  \
	[(first)] = PREFIX "RTM_NEW" what, [(first) + 1] = PREFIX "RTM_DEL" what, \
	[(first) + 2] = PREFIX "RTM_GET" what
#define RTM_LINK_FIRST 16
#define RTM_LINK_LAST  19

static const char *const route_names[] = {
	NEW_DEL_GET(16, "LINK"),
	[19] = PREFIX "RTM_SETLINK",
	NEW_DEL_GET(20, "ADDR"),
	NEW_DEL_GET(24, "ROUTE"),
	NEW_DEL_GET(28, "NEIGH"),
	NEW_DEL_GET(32, "RULE"),
	NEW_DEL_GET(36, "QDISC"),
	NEW_DEL_GET(40, "TCLASS"),
	NEW_DEL_GET(44, "TFILTER"),
	NEW_DEL_GET(48, "ACTION"),
	[52] = PREFIX "RTM_NEWPREFIX",
	[58] = PREFIX "RTM_GETMULTICAST",
	[62] = PREFIX "RTM_GETANYCAST",
	[64] = PREFIX "RTM_NEWNEIGHTBL",
	[66] = PREFIX "RTM_GETNEIGHTBL",
	[67] = PREFIX "RTM_SETNEIGHTBL",
	NEW_DEL_GET(72, "ADDRLABEL"),
	[78] = PREFIX "RTM_GETDCB",
	[79] = PREFIX "RTM_SETDCB",
	NEW_DEL_GET(80, "NETCONF"),
	NEW_DEL_GET(84, "MDB"),
	NEW_DEL_GET(88, "NSID"),
	[94] = PREFIX "RTM_GETSTATS",
	[95] = PREFIX "RTM_SETSTATS",
	NEW_DEL_GET(100, "CHAIN"),
	NEW_DEL_GET(104, "NEXTHOP"),
	NEW_DEL_GET(108, "LINKPROP"),
	NEW_DEL_GET(112, "VLAN"),
	NEW_DEL_GET(116, "NEXTHOPBUCKET"),
	NEW_DEL_GET(120, "TUNNEL"),
};

static const char *const protocol_names[] = {
	[NETLINK_ROUTE] = PREFIX "route",
	[NETLINK_USERSOCK] = PREFIX "user",
	[NETLINK_SOCK_DIAG] = PREFIX "sock_diag",
	[NETLINK_NFLOG] = PREFIX "nflog",
	[NETLINK_XFRM] = PREFIX "xfrm",
	[NETLINK_SELINUX] = PREFIX "selinux",
	[NETLINK_ISCSI] = PREFIX "iscsi",
	[NETLINK_AUDIT] = PREFIX "audit",
	[NETLINK_FIB_LOOKUP] = PREFIX "fib_lookup",
	[NETLINK_CONNECTOR] = PREFIX "connector",
	[NETLINK_NETFILTER] = PREFIX "netfilter",
	[NETLINK_KOBJECT_UEVENT] = PREFIX "kobject_uevent",
	[NETLINK_GENERIC] = PREFIX "generic",
	[NETLINK_RDMA] = PREFIX "rdma",
	[NETLINK_CRYPTO] = PREFIX "crypto",
};

const char *netlink_name(int protocol, uint16_t type)
{
	const char *name = NULL;

	if (protocol == NETLINK_ROUTE && type < ARRAY_SIZE(route_names))
		name = route_names[type];
	if (!name && protocol >= 0 && (size_t)protocol < ARRAY_SIZE(protocol_names))
		name = protocol_names[protocol];
	return name ?: "netlink";
}

/* Reads two bytes of the request, in the byte order of the recorded machine. */
static bool read_u16(const struct decoded_event *decoded, size_t at, size_t *ret_value)
{
	bool big = decoded->entry->format->abi.big_endian;
	uint8_t low, high;

	if (!decoded_byte(decoded, at + big, &low) || !decoded_byte(decoded, at + !big, &high))
		return false;
	*ret_value = low | (size_t)high << 8;
	return true;
}

static bool read_name(const struct decoded_event *decoded, size_t at, size_t len,
		      char device[static NETLINK_DEVICE_SIZE])
{
	size_t n;

	for (n = 0; n < len && n < NETLINK_DEVICE_SIZE; n++) {
		uint8_t byte;

		if (!decoded_byte(decoded, at + n, &byte))
			return false;
		device[n] = (char)byte;
		if (!byte)
			return n > 0;
	}
	if (n == NETLINK_DEVICE_SIZE || !n)
		return false;
	device[n] = '\0';
	return true;
}

bool netlink_device(const struct decoded_event *decoded, char device[static NETLINK_DEVICE_SIZE])
{
	enum {
		HEADER = 16, /* struct nlmsghdr */
		LINK_HEADER = 16, /* struct ifinfomsg */
		ATTRIBUTE = 4, /* struct rtattr */
		IFLA_IFNAME = 3,
		IFLA_ALT_IFNAME = 53,
	};
	uint16_t type = decoded->netlink.type;
	size_t all, len, kind;

	if (!decoded->netlink.head || type < RTM_LINK_FIRST || type > RTM_LINK_LAST ||
	    !read_u16(decoded, 0, &all))
		return false;
	for (size_t at = HEADER + LINK_HEADER; at + ATTRIBUTE <= all;
	     at += (len + 3) & ~(size_t)3) {
		if (!read_u16(decoded, at, &len) || !read_u16(decoded, at + 2, &kind) ||
		    len < ATTRIBUTE || at + len > all)
			return false;
		if (kind == IFLA_IFNAME || kind == IFLA_ALT_IFNAME)
			return read_name(decoded, at + ATTRIBUTE, len - ATTRIBUTE, device);
	}
	return false;
}

#define NO_SOCKET (-2) /* instead of a protocol */

static uint64_t netlink_key_of(int32_t process, int32_t fd)
{
	return (uint64_t)(uint32_t)process << 32 | (uint32_t)fd;
}

void netlink_sockets_add(struct netlink_sockets *sockets, int32_t process, int32_t fd, int protocol)
{
	int *place = u64_map_element(&sockets->keys, netlink_key_of(process, fd),
				     &sockets->protocols, &sockets->n, &sockets->cap,
				     sizeof(*place));

	if (place)
		*place = protocol;
	else
		sockets->nomem = true;
}

void netlink_sockets_remove(struct netlink_sockets *sockets, int32_t process, int32_t fd)
{
	uint32_t at = u64_map_get(&sockets->keys, netlink_key_of(process, fd));

	if (at != U64_MAP_NONE)
		sockets->protocols[at] = NO_SOCKET;
}

bool netlink_sockets_find(const struct netlink_sockets *sockets, int32_t process, int32_t fd,
			  int *ret_protocol)
{
	uint32_t at = u64_map_get(&sockets->keys, netlink_key_of(process, fd));

	if (at == U64_MAP_NONE || sockets->protocols[at] == NO_SOCKET)
		return false;
	*ret_protocol = sockets->protocols[at];
	return true;
}

void netlink_sockets_done(struct netlink_sockets *sockets)
{
	free(sockets->protocols);
	u64_map_done(&sockets->keys);
}
