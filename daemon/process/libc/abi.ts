/**
 * Numbers and layouts of the Linux ABI, from the headers of the kernel, and of libuv. The same on x64 and arm64, except
 * `architectures`.
 */

interface Architecture {
  /** Numbers of system calls that have no function in libc, or only since glibc 2.35 (asm/unistd.h). */
  readonly calls: { readonly epollWait: bigint };
  /** `struct epoll_event` in 32-bit words (linux/eventpoll.h). Packed on x64 only. */
  readonly epollEvent: { readonly words: number; readonly data: number };
}

export const architectures: Readonly<Record<string, Architecture>> = {
  x64: { calls: { epollWait: 441n }, epollEvent: { words: 3, data: 1 } },
  arm64: { calls: { epollWait: 441n }, epollEvent: { words: 4, data: 2 } },
};

/** Address families and socket types (linux/socket.h, linux/net.h). */
export const family = { unix: 1, ipv4: 2, ipv6: 10, netlink: 16 } as const;
export const stream = 1;
export const raw = 3;
/** `NETLINK_NETFILTER` (linux/netlink.h). */
export const netfilter = 12;
/** `O_NONBLOCK`, `SOCK_NONBLOCK` (asm-generic/fcntl.h). */
export const nonBlocking = 0x800;
/** `O_CLOEXEC`, `SOCK_CLOEXEC`, `EPOLL_CLOEXEC`: child processes do not inherit the descriptor. */
export const closeOnExec = 0x80000;

/** Levels and names of socket options (asm-generic/socket.h, linux/tcp.h, linux/in6.h). */
export const option = {
  reuseAddress: [1, 2],
  error: [1, 4],
  linger: [1, 13],
  reusePort: [1, 15],
  noDelay: [6, 1],
  quickAck: [6, 12],
  ipv6Only: [41, 26],
} as const;
export type SocketOption = (typeof option)[keyof typeof option];

/** `SHUT_RD`, `SHUT_WR` (shutdown(2)). */
export const shutdownRead = 0;
export const shutdownWrite = 1;

/** Events and operations of epoll (linux/eventpoll.h). */
export const epoll = {
  in: 0x1,
  urgent: 0x2,
  out: 0x4,
  error: 0x8,
  hangUp: 0x10,
  peerEnded: 0x2000,
  edge: 0x8000_0000,
  add: 1,
  remove: 2,
} as const;

/** `SPLICE_F_MOVE | SPLICE_F_NONBLOCK` (linux/splice.h). */
export const spliceFlags = 3;
/** Commands of fcntl(2): `F_SETFD`, `F_SETFL` and `F_SETPIPE_SZ` (asm-generic/fcntl.h, linux/fcntl.h). */
export const fcntlCommands = { setCloseOnExec: 2, setStatus: 4, setPipeSize: 1031 } as const;

/** `PR_SET_PDEATHSIG` (linux/prctl.h). */
export const setParentDeathSignal = 1;

/** `UV_PREPARE` of `uv_handle_type` (uv.h). */
export const uv = { prepare: 9 } as const;

/** `POLLIN` (poll(2)). */
export const pollReadable = 1;
