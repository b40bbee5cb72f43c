/**
 * The C functions that tcp-guard calls, with the number of their arguments. Most are in section 2 of the manual. On x64
 * and arm64, pointers and `size_t` have 64 bits. `ssize_t` is declared with 32 bits, because this program has no larger
 * buffers.
 */

/**
 * Every argument is declared as a pointer, which takes a whole register: a function reads the part of the register that
 * its parameter has. node:ffi looks up the range of each argument with an integer type, and V8 optimizes the calls only
 * while all arguments of the process have one type. With integer types, a call costs 0.2 to 0.6 microseconds more, and a
 * connection makes 17 calls.
 */
const call = (count: number) =>
  ({ arguments: Array.from({ length: count }, () => 'pointer' as const), return: 'i32' }) as const;

export const declarations = {
  accept4: call(4),
  bind: call(3),
  close: call(1),
  connect: call(3),
  epoll_create1: call(1),
  epoll_ctl: call(4),
  epoll_wait: call(4),
  fcntl: call(3),
  getpeername: call(3),
  getsockname: call(3),
  getsockopt: call(5),
  listen: call(2),
  pipe2: call(2),
  poll: call(3),
  /** `PR_SET_PDEATHSIG` has one argument, an unsigned long. */
  prctl: call(2),
  read: call(3),
  sched_yield: call(0),
  setsockopt: call(5),
  shutdown: call(2),
  socket: call(3),
  socketpair: call(4),
  splice: call(6),
  /** syscall(2), for epoll_pwait2(2). A call ignores arguments that it does not have. */
  syscall: call(6),
  write: call(3),
  /** errno(3): the address of this thread's `errno`, in glibc and musl. */
  __errno_location: { ...call(0), return: 'pointer' },
  /** Functions of libuv: docs.libuv.org. */
  uv_handle_size: { ...call(1), return: 'u64' },
  uv_backend_fd: call(1),
  uv_backend_timeout: call(1),
  uv_prepare_init: call(2),
  uv_prepare_start: call(2),
  uv_prepare_stop: call(1),
} as const;
