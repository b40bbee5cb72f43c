/**
 * The C functions that tcp-guard calls. Most are in section 2 of the manual. On x64 and arm64, pointers and `size_t`
 * have 64 bits. `ssize_t` is declared with 32 bits, because this program has no larger buffers.
 */
export const declarations = {
  accept4: { arguments: ['i32', 'pointer', 'pointer', 'i32'], return: 'i32' },
  bind: { arguments: ['i32', 'pointer', 'u32'], return: 'i32' },
  close: { arguments: ['i32'], return: 'i32' },
  connect: { arguments: ['i32', 'pointer', 'u32'], return: 'i32' },
  epoll_create1: { arguments: ['i32'], return: 'i32' },
  epoll_ctl: { arguments: ['i32', 'i32', 'i32', 'pointer'], return: 'i32' },
  epoll_wait: { arguments: ['i32', 'pointer', 'i32', 'i32'], return: 'i32' },
  fcntl: { arguments: ['i32', 'i32', 'i32'], return: 'i32' },
  getpeername: { arguments: ['i32', 'pointer', 'pointer'], return: 'i32' },
  getsockname: { arguments: ['i32', 'pointer', 'pointer'], return: 'i32' },
  getsockopt: { arguments: ['i32', 'i32', 'i32', 'pointer', 'pointer'], return: 'i32' },
  listen: { arguments: ['i32', 'i32'], return: 'i32' },
  pipe2: { arguments: ['pointer', 'i32'], return: 'i32' },
  poll: { arguments: ['pointer', 'u64', 'i32'], return: 'i32' },
  /** `PR_SET_PDEATHSIG` has one argument, an unsigned long. */
  prctl: { arguments: ['i32', 'u64'], return: 'i32' },
  read: { arguments: ['i32', 'pointer', 'u64'], return: 'i32' },
  sched_yield: { arguments: [], return: 'i32' },
  setsockopt: { arguments: ['i32', 'i32', 'i32', 'pointer', 'u32'], return: 'i32' },
  shutdown: { arguments: ['i32', 'i32'], return: 'i32' },
  socket: { arguments: ['i32', 'i32', 'i32'], return: 'i32' },
  socketpair: { arguments: ['i32', 'i32', 'i32', 'pointer'], return: 'i32' },
  splice: { arguments: ['i32', 'pointer', 'i32', 'pointer', 'u64', 'u32'], return: 'i32' },
  /** syscall(2), for epoll_pwait2(2). A call ignores arguments that it does not have. */
  syscall: { arguments: ['i64', 'i32', 'pointer', 'u64', 'pointer', 'pointer'], return: 'i32' },
  write: { arguments: ['i32', 'pointer', 'u64'], return: 'i32' },
  /** errno(3): the address of this thread's `errno`, in glibc and musl. */
  __errno_location: { arguments: [], return: 'pointer' },
  /** Functions of libuv: docs.libuv.org. */
  uv_handle_size: { arguments: ['i32'], return: 'u64' },
  uv_backend_fd: { arguments: ['pointer'], return: 'i32' },
  uv_backend_timeout: { arguments: ['pointer'], return: 'i32' },
  uv_prepare_init: { arguments: ['pointer', 'pointer'], return: 'i32' },
  uv_prepare_start: { arguments: ['pointer', 'pointer'], return: 'i32' },
  uv_prepare_stop: { arguments: ['pointer'], return: 'i32' },
} as const;
