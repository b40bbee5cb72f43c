/**
 * The C functions that tcp-guard calls, declared from their manual pages. On x64 and arm64, pointers and `size_t` have
 * 64 bits. `ssize_t` is declared with 32 bits, because this program has no larger buffers.
 */
export const declarations = {
  /** accept4(2): int accept4(int sockfd, struct sockaddr *addr, socklen_t *addrlen, int flags) */
  accept4: { arguments: ['i32', 'pointer', 'pointer', 'i32'], return: 'i32' },
  /** bind(2): int bind(int sockfd, const struct sockaddr *addr, socklen_t addrlen) */
  bind: { arguments: ['i32', 'pointer', 'u32'], return: 'i32' },
  /** close(2): int close(int fd) */
  close: { arguments: ['i32'], return: 'i32' },
  /** connect(2): int connect(int sockfd, const struct sockaddr *addr, socklen_t addrlen) */
  connect: { arguments: ['i32', 'pointer', 'u32'], return: 'i32' },
  /** epoll_create1(2): int epoll_create1(int flags) */
  epoll_create1: { arguments: ['i32'], return: 'i32' },
  /** epoll_ctl(2): int epoll_ctl(int epfd, int op, int fd, struct epoll_event *event) */
  epoll_ctl: { arguments: ['i32', 'i32', 'i32', 'pointer'], return: 'i32' },
  /** epoll_wait(2): int epoll_wait(int epfd, struct epoll_event *events, int maxevents, int timeout) */
  epoll_wait: { arguments: ['i32', 'pointer', 'i32', 'i32'], return: 'i32' },
  /** fcntl(2): int fcntl(int fd, int cmd, int arg) */
  fcntl: { arguments: ['i32', 'i32', 'i32'], return: 'i32' },
  /** getpeername(2): int getpeername(int sockfd, struct sockaddr *addr, socklen_t *addrlen) */
  getpeername: { arguments: ['i32', 'pointer', 'pointer'], return: 'i32' },
  /** getsockname(2): int getsockname(int sockfd, struct sockaddr *addr, socklen_t *addrlen) */
  getsockname: { arguments: ['i32', 'pointer', 'pointer'], return: 'i32' },
  /** getsockopt(2): int getsockopt(int sockfd, int level, int optname, void *optval, socklen_t *optlen) */
  getsockopt: { arguments: ['i32', 'i32', 'i32', 'pointer', 'pointer'], return: 'i32' },
  /** listen(2): int listen(int sockfd, int backlog) */
  listen: { arguments: ['i32', 'i32'], return: 'i32' },
  /** pipe(2): int pipe2(int pipefd[2], int flags) */
  pipe2: { arguments: ['pointer', 'i32'], return: 'i32' },
  /** poll(2): int poll(struct pollfd *fds, nfds_t nfds, int timeout) */
  poll: { arguments: ['pointer', 'u64', 'i32'], return: 'i32' },
  /** prctl(2): int prctl(int op, ...). `PR_SET_PDEATHSIG` has one argument, an unsigned long. */
  prctl: { arguments: ['i32', 'u64'], return: 'i32' },
  /** read(2): ssize_t read(int fd, void *buf, size_t count) */
  read: { arguments: ['i32', 'pointer', 'u64'], return: 'i32' },
  /** sched_yield(2): int sched_yield(void) */
  sched_yield: { arguments: [], return: 'i32' },
  /** setsockopt(2): int setsockopt(int sockfd, int level, int optname, const void *optval, socklen_t optlen) */
  setsockopt: { arguments: ['i32', 'i32', 'i32', 'pointer', 'u32'], return: 'i32' },
  /** shutdown(2): int shutdown(int sockfd, int how) */
  shutdown: { arguments: ['i32', 'i32'], return: 'i32' },
  /** socket(2): int socket(int domain, int type, int protocol) */
  socket: { arguments: ['i32', 'i32', 'i32'], return: 'i32' },
  /** socketpair(2): int socketpair(int domain, int type, int protocol, int sv[2]) */
  socketpair: { arguments: ['i32', 'i32', 'i32', 'pointer'], return: 'i32' },
  /** splice(2): ssize_t splice(int fd_in, off_t *off_in, int fd_out, off_t *off_out, size_t len, unsigned int flags) */
  splice: { arguments: ['i32', 'pointer', 'i32', 'pointer', 'u64', 'u32'], return: 'i32' },
  /**
   * syscall(2): long syscall(long number, ...). A call ignores arguments that it does not have.
   * bpf(2): int bpf(int cmd, union bpf_attr *attr, unsigned int size)
   * epoll_pwait2(2): int epoll_pwait2(int epfd, struct epoll_event *events, int maxevents, const struct timespec *timeout, const sigset_t *sigmask)
   */
  syscall: { arguments: ['i64', 'i32', 'pointer', 'u64', 'pointer', 'pointer'], return: 'i32' },
  /** write(2): ssize_t write(int fd, const void *buf, size_t count) */
  write: { arguments: ['i32', 'pointer', 'u64'], return: 'i32' },
  /** errno(3): the address of this thread's `errno`, in glibc and musl */
  __errno_location: { arguments: [], return: 'pointer' },
  /** docs.libuv.org, Handle: size_t uv_handle_size(uv_handle_type type) */
  uv_handle_size: { arguments: ['i32'], return: 'u64' },
  /** docs.libuv.org, Event loop: int uv_backend_fd(const uv_loop_t *loop) */
  uv_backend_fd: { arguments: ['pointer'], return: 'i32' },
  /** docs.libuv.org, Event loop: int uv_backend_timeout(const uv_loop_t *loop) */
  uv_backend_timeout: { arguments: ['pointer'], return: 'i32' },
  /** docs.libuv.org, Prepare handle: int uv_prepare_init(uv_loop_t *loop, uv_prepare_t *prepare) */
  uv_prepare_init: { arguments: ['pointer', 'pointer'], return: 'i32' },
  /** docs.libuv.org, Prepare handle: int uv_prepare_start(uv_prepare_t *prepare, uv_prepare_cb cb) */
  uv_prepare_start: { arguments: ['pointer', 'pointer'], return: 'i32' },
  /** docs.libuv.org, Prepare handle: int uv_prepare_stop(uv_prepare_t *prepare) */
  uv_prepare_stop: { arguments: ['pointer'], return: 'i32' },
} as const;
