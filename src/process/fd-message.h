/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Messages over a SOCK_SEQPACKET socket between processes, optionally with descriptors. */
#ifndef FATHOM_PROCESS_FD_MESSAGE_H
#define FATHOM_PROCESS_FD_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/uio.h>

/* The number of descriptors that a message can carry. */
#define FD_MESSAGE_FILES_MAX 200

/*
 * Sends a message with the descriptor @file, or none if it is -1. @flags are those of sendmsg(2).
 * Returns 0 or a negative errno.
 */
int fd_message_send(int to, const struct iovec *parts, size_t n, int file, int flags);
/*
 * Likewise with @n_files descriptors. Returns -E2BIG if there are more than FD_MESSAGE_FILES_MAX.
 */
int fd_message_send_files(int to, const struct iovec *parts, size_t n, const int *files,
			  size_t n_files, int flags);
/*
 * Receives a message. Returns its length, or 0 if the peer is gone, if the message is longer than
 * @len, or if there is none with MSG_DONTWAIT. @ret_file is the descriptor that came with it, to be
 * closed by the caller, or -1.
 */
size_t fd_message_receive(int from, void *bytes, size_t len, int flags, int *ret_file);
/* Likewise for up to FD_MESSAGE_FILES_MAX descriptors; *@ret_n of them came with the message. */
size_t fd_message_receive_files(int from, void *bytes, size_t len, int flags, int *ret_files,
				size_t *ret_n);

#endif
