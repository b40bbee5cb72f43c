/** Calls C functions. Each call returns its result or a negative error number. */
import { constants } from 'node:os';
import { getSystemErrorMap } from 'node:util';
import { architectures, type SocketOption, setParentDeathSignal, spliceFlags, uv } from './abi.ts';
import { Block } from './block.ts';
import { declarations } from './declarations.ts';

export type Ffi = typeof import('node:ffi');
type Functions = ReturnType<Ffi['dlopen']>['functions'] & {
  readonly [Name in keyof typeof declarations]: (...args: bigint[]) => never;
};

/** Error numbers such as `EAGAIN`. */
export const { errno } = constants;

/** The error of a call, with the fields of Node's system errors. `result`: the negative error number. */
export function callError(call: string, result: number): NodeJS.ErrnoException {
  const [code, message] = getSystemErrorMap().get(result) ?? [`error ${-result}`, 'unknown error'];
  return Object.assign(new Error(`${call}: ${message}`), { code, errno: result, syscall: call });
}

/** Returns the result of a call. @throws when the call failed */
export function succeeded(call: string, result: number): number {
  if (result < 0) throw callError(call, result);
  return result;
}

/** Blocks whose address C holds. They stay alive until the process exits. */
const pinnedBlocks = new Set<Block>();

const none = 0n;

/** Words below this number are cached: creating a bigint costs half as much as a call. */
const cachedWords: (bigint | undefined)[] = new Array(32_768).fill(undefined);

function createWord(value: number): bigint {
  const created = BigInt.asUintN(64, BigInt(value)); // a negative number in two's complement
  if (value >= 0 && value < cachedWords.length) cachedWords[value] = created;
  return created;
}

/** An argument of a call as the 64 bits of its register. */
const word = (value: number): bigint => cachedWords[value] ?? createWord(value);

/** Node's event loop, through libuv. */
export interface NodeLoop {
  /** A descriptor that is readable while the loop has events. */
  readonly fd: number;
  /** How long the loop would wait for events, milliseconds. -1: without a limit. 0: it has other work. */
  readonly timeoutMs: () => number;
  /** Keeps the process running until `stop`. */
  readonly start: () => void;
  readonly stop: () => void;
}

const stops: (() => void)[] = [];

/** Calls `stop` when the process exits. Node then runs the event loop once more, and no callback may run in it. */
function stopAtExit(stop: () => void): void {
  if (stops.length === 0)
    process.once('exit', () => {
      for (const each of stops) each();
    });
  stops.push(stop);
}

export class Libc {
  readonly architecture: (typeof architectures)[string];
  readonly #ffi: Ffi;
  readonly #library: import('node:ffi').DynamicLibrary;
  readonly #call: Functions;
  /** The `errno` of this thread. Read it directly after a call. */
  readonly #errno: Int32Array;
  /** The length argument of calls that return a socket address or an option. Such a call reads it and writes it. */
  readonly #length: Block;
  readonly #integer: Block;
  /** A `struct timespec`. */
  readonly #timeout: Block;

  /** @throws Error when the platform is not supported, Node or libc lacks a function, or permissions forbid it */
  constructor(ffi: Ffi) {
    const architecture = architectures[process.arch];
    if (process.platform !== 'linux' || !architecture)
      throw new Error(`${process.platform} on ${process.arch} is not supported`);
    this.architecture = architecture;
    this.#ffi = ffi;
    const { lib, functions } = ffi.dlopen(null, declarations);
    this.#library = lib;
    this.#call = functions as unknown as Functions;
    this.#errno = new Int32Array(ffi.toArrayBuffer(functions.__errno_location(), 4, false));
    this.#length = this.allocate(4);
    this.#integer = this.allocate(8);
    this.#timeout = this.allocate(16);
  }

  allocate(size: number): Block {
    return new Block(size, this.#ffi.getRawPointer);
  }

  /** Keeps a block alive until the process exits. */
  pin(block: Block): Block {
    pinnedBlocks.add(block);
    return block;
  }

  #result(value: number): number {
    return value < 0 ? -(this.#errno[0] as number) : value;
  }

  socket(family: number, type: number, protocol = 0): number {
    return this.#result(this.#call.socket(word(family), word(type), word(protocol)));
  }

  /** Creates a pair of sockets. Writes both descriptors as words. */
  socketPair(family: number, type: number, into: Block): number {
    return this.#result(this.#call.socketpair(word(family), word(type), none, into.address(0, 8)));
  }

  bind(fd: number, address: Block, length: number): number {
    return this.#result(this.#call.bind(word(fd), address.address(0, length), word(length)));
  }

  listen(fd: number, backlog: number): number {
    return this.#result(this.#call.listen(word(fd), word(backlog)));
  }

  /** Accepts a connection. Writes the client's address, which is complete when the block has room for every family. */
  accept(fd: number, address: Block, flags: number): number {
    this.#length.words[0] = address.size;
    return this.#result(
      this.#call.accept4(word(fd), address.address(0, address.size), this.#length.address(0, 4), word(flags)),
    );
  }

  connect(fd: number, address: Block, length: number): number {
    return this.#result(this.#call.connect(word(fd), address.address(0, length), word(length)));
  }

  localAddress(fd: number, address: Block): number {
    this.#length.words[0] = address.size;
    return this.#result(this.#call.getsockname(word(fd), address.address(0, address.size), this.#length.address(0, 4)));
  }

  remoteAddress(fd: number, address: Block): number {
    this.#length.words[0] = address.size;
    return this.#result(this.#call.getpeername(word(fd), address.address(0, address.size), this.#length.address(0, 4)));
  }

  /** Reads an integer option. A negative result is an error of the call. */
  option(fd: number, [level, name]: SocketOption): number {
    this.#length.words[0] = 4;
    const { words } = this.#integer;
    const [into, length] = [this.#integer.address(0, 4), this.#length.address(0, 4)];
    const failed = this.#call.getsockopt(word(fd), word(level), word(name), into, length);
    return failed < 0 ? this.#result(failed) : (words[0] as number);
  }

  /** Sets an integer option. `second`: for `struct linger`, which has two integers. */
  setOption(fd: number, [level, name]: SocketOption, value: number, second?: number): number {
    const { words } = this.#integer;
    words[0] = value;
    words[1] = second ?? 0;
    const length = second === undefined ? 4 : 8;
    const from = this.#integer.address(0, length);
    return this.#result(this.#call.setsockopt(word(fd), word(level), word(name), from, word(length)));
  }

  read(fd: number, into: Block, length = into.size): number {
    return this.#result(this.#call.read(word(fd), into.address(0, length), word(length)));
  }

  write(fd: number, from: Block, offset: number, length: number): number {
    return this.#result(this.#call.write(word(fd), from.address(offset, length), word(length)));
  }

  shutdown(fd: number, how: number): number {
    return this.#result(this.#call.shutdown(word(fd), word(how)));
  }

  close(fd: number): number {
    return this.#result(this.#call.close(word(fd)));
  }

  fcntl(fd: number, command: number, value: number): number {
    return this.#result(this.#call.fcntl(word(fd), word(command), word(value)));
  }

  /** Creates a pipe. Writes both descriptors as words: the end to read, then the end to write. */
  pipe(into: Block, flags: number): number {
    return this.#result(this.#call.pipe2(into.address(0, 8), word(flags)));
  }

  /** Moves up to `length` bytes. One end must be a pipe. */
  splice(from: number, to: number, length: number): number {
    return this.#result(this.#call.splice(word(from), none, word(to), none, word(length), word(spliceFlags)));
  }

  epollCreate(flags: number): number {
    return this.#result(this.#call.epoll_create1(word(flags)));
  }

  epollControl(epoll: number, operation: number, fd: number, event: Block): number {
    return this.#result(this.#call.epoll_ctl(word(epoll), word(operation), word(fd), event.address(0, event.size)));
  }

  #addressOf(events: Block, most: number): bigint {
    return events.address(0, most * this.architecture.epollEvent.words * 4);
  }

  /** Polls an epoll without waiting. */
  epollPoll(epoll: number, events: Block, most: number): number {
    return this.#result(this.#call.epoll_wait(word(epoll), this.#addressOf(events, most), word(most), none));
  }

  /** Waits for events of an epoll. `microseconds`: less than a second. Fails with ENOSYS before Linux 5.11. */
  epollWait(epoll: number, events: Block, most: number, microseconds: number): number {
    const { epollWait } = this.architecture.calls;
    this.#timeout.words[2] = microseconds * 1000;
    const [address, timeout] = [this.#addressOf(events, most), this.#timeout.address(0, 16)];
    return this.#result(this.#call.syscall(epollWait, word(epoll), address, word(most), timeout, none));
  }

  /** Lets other threads on this processor run. If a seccomp filter refuses the call, nothing happens. */
  yieldProcessor(): void {
    this.#call.sched_yield();
  }

  /** Makes the kernel kill this process when the thread that started it ends, even while this process is stopped. */
  endWithParent(): number {
    return this.#result(this.#call.prctl(word(setParentDeathSignal), word(constants.signals.SIGKILL)));
  }

  /** Waits for descriptors: `struct pollfd`, two words each. `timeoutMs`: negative without a limit. */
  poll(descriptors: Block, count: number, timeoutMs: number): number {
    return this.#result(this.#call.poll(descriptors.address(0, count * 8), word(count), word(timeoutMs)));
  }

  /**
   * Node's event loop on this thread. Between `start` and `stop`, `beforeWait` is called before the loop waits for
   * events. It must not throw, because Node aborts on an exception in a callback from C. Node does not continue
   * promises after `beforeWait`.
   */
  eventLoop(beforeWait: () => void): NodeLoop {
    const call = this.#call;
    const loop = this.#ffi.getCurrentEventLoop();
    const handle = this.pin(this.allocate(Number(call.uv_handle_size(word(uv.prepare)))));
    const address = handle.address(0, handle.size);
    succeeded('uv_prepare_init', call.uv_prepare_init(loop, address));
    const callback = this.#library.registerCallback({ arguments: ['pointer'], return: 'void' }, beforeWait);
    const stop = () => void call.uv_prepare_stop(address);
    stopAtExit(stop);
    return {
      fd: call.uv_backend_fd(loop),
      timeoutMs: () => call.uv_backend_timeout(loop),
      start: () => void succeeded('uv_prepare_start', call.uv_prepare_start(address, callback)),
      stop,
    };
  }
}
