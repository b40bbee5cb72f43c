/** Creates maps and loads programs with bpf(2). The kernel frees them when their descriptors and sockets are closed. */
import { option } from '../../process/libc/abi.ts';
import type { Block } from '../../process/libc/block.ts';
import { Descriptor } from '../../process/libc/descriptor.ts';
import { callError, errno, type Libc, succeeded } from '../../process/libc/libc.ts';

const commands = {
  createMap: 0,
  lookup: 1,
  update: 2,
  remove: 3,
  loadProgram: 5,
  lookupBatch: 24,
  takeBatch: 25,
} as const;
const kinds = { hash: 1, array: 2, trie: 11 } as const;
const socketFilter = 1;
/** Flag of a map that allocates memory for an entry when it is added (`BPF_F_NO_PREALLOC`). Tries require it. */
const onDemandFlag = 1;

/** For each command, the size of the part of `union bpf_attr` that it uses, and the offsets of fields. */
const mapAttributes = { size: 72, name: 28 } as const;
const elementAttributes = { size: 32, key: 8, value: 16 } as const;
const batchAttributes = { size: 56, position: 8, keys: 16, values: 24, count: 32, map: 36 } as const;
const programAttributes = { size: 72, code: 8, license: 16, logLevel: 24, logSize: 28, log: 32, name: 48 } as const;
const longestName = 15;
const logBytes = 65_536;
const instructionBytes = 8;

export interface MapShape {
  /** `bpftool map` shows the name. At most 15 characters. */
  readonly name: string;
  readonly kind: keyof typeof kinds;
  readonly keyBytes: number;
  readonly valueBytes: number;
  readonly capacity: number;
}

const writeText = (block: Block, at: number, text: string): void =>
  block.bytes.set(new TextEncoder().encode(text).subarray(0, longestName), at);

export class KernelMap {
  readonly key: Block;
  readonly value: Block;
  readonly shape: MapShape;
  readonly #libc: Libc;
  readonly #descriptor: Descriptor;
  readonly #element: Block;
  /** The attributes of a removal. They have no value, because the kernel refuses a removal with one. */
  readonly #keyOnly: Block;

  /** @throws the error of bpf(2) */
  constructor(libc: Libc, shape: MapShape) {
    const { name, kind, keyBytes, valueBytes, capacity } = shape;
    const block = libc.allocate(mapAttributes.size);
    const flags = kind === 'array' ? 0 : onDemandFlag;
    block.words.set([kinds[kind], keyBytes, valueBytes, capacity, flags]);
    writeText(block, mapAttributes.name, name);
    this.#libc = libc;
    this.shape = shape;
    this.#descriptor = new Descriptor(succeeded('bpf(BPF_MAP_CREATE)', libc.bpf(commands.createMap, block)));
    this.key = libc.allocate(keyBytes);
    this.value = libc.allocate(valueBytes);
    this.#keyOnly = this.#attributes();
    this.#element = this.#attributes();
    this.#element.point(elementAttributes.value, this.value);
  }

  #attributes(): Block {
    const block = this.#libc.allocate(elementAttributes.size);
    block.words[0] = this.fd;
    block.point(elementAttributes.key, this.key);
    return block;
  }

  get fd(): number {
    return this.#descriptor.fd;
  }

  /** Adds or changes the entry in `key` and `value`. Returns a negative error number when it fails. */
  update(): number {
    return this.#libc.bpf(commands.update, this.#element);
  }

  /** Removes the entry of `key`. Returns a negative error number when it fails. */
  remove(): number {
    return this.#libc.bpf(commands.remove, this.#keyOnly);
  }

  close(): void {
    this.#descriptor.close(this.#libc);
    for (const block of [this.#element, this.#keyOnly]) block.words[0] = -1;
  }
}

export class BatchReader {
  readonly keys: Block;
  readonly values: Block;
  readonly #libc: Libc;
  readonly #attributes: Block;

  constructor(libc: Libc, { shape: { keyBytes, valueBytes, capacity } }: KernelMap) {
    this.#libc = libc;
    this.keys = libc.allocate(keyBytes * capacity);
    this.values = libc.allocate(valueBytes * capacity);
    this.#attributes = libc.allocate(batchAttributes.size);
    this.#attributes.point(batchAttributes.position, libc.allocate(8));
    this.#attributes.point(batchAttributes.keys, this.keys);
    this.#attributes.point(batchAttributes.values, this.values);
  }

  /**
   * Reads the entries into `keys` and `values`. Returns their number. With `removes`, also removes them.
   * @throws the error of bpf(2)
   */
  read(map: KernelMap, removes: boolean): number {
    const { view } = this.#attributes;
    view.setUint32(batchAttributes.count, map.shape.capacity, true);
    view.setInt32(batchAttributes.map, map.fd, true);
    const result = this.#libc.bpf(removes ? commands.takeBatch : commands.lookupBatch, this.#attributes);
    // ENOENT: there are no further entries. Every complete read ends with it.
    if (result !== -errno.ENOENT) succeeded('bpf(BPF_MAP_LOOKUP_BATCH)', result);
    return view.getUint32(batchAttributes.count, true);
  }
}

/** Loads a program for sockets. @throws Error with the log of the kernel's verifier, or the error of bpf(2) */
export function loadFilter(libc: Libc, name: string, code: Uint8Array): Descriptor {
  const [instructions, license] = [libc.allocate(code.length), libc.allocate(4)];
  instructions.bytes.set(code);
  writeText(license, 0, 'MIT');
  const block = libc.allocate(programAttributes.size);
  block.words.set([socketFilter, code.length / instructionBytes]);
  block.point(programAttributes.code, instructions);
  block.point(programAttributes.license, license);
  writeText(block, programAttributes.name, name);
  const result = libc.bpf(commands.loadProgram, block);
  if (result >= 0) return new Descriptor(result);
  const reason = result === -errno.EPERM ? '' : verifierLog(libc, block);
  if (reason !== '') throw new Error(`the kernel refused the filter: ${reason}`);
  throw callError('bpf(BPF_PROG_LOAD)', result);
}

/** Loads a refused program again, and returns the log of the kernel's verifier. */
function verifierLog(libc: Libc, block: Block): string {
  const log = libc.allocate(logBytes);
  block.view.setUint32(programAttributes.logLevel, 1, true);
  block.view.setUint32(programAttributes.logSize, logBytes, true);
  block.point(programAttributes.log, log);
  libc.bpf(commands.loadProgram, block);
  return new TextDecoder().decode(log.bytes.subarray(0, log.bytes.indexOf(0)));
}

/** Replaces the filter of a socket. @throws the error of setsockopt(2) */
export function attachFilter(libc: Libc, socket: number, program: Descriptor): void {
  succeeded('setsockopt(SO_ATTACH_BPF)', libc.setOption(socket, option.attachBpf, program.fd));
}
