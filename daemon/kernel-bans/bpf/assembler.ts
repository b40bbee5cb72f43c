/** Assembles eBPF programs: instructions and jumps as RFC 9669 encodes them, little-endian. */

/**
 * A register. Register 0 has the result of a call. Registers 1 to 5 have the arguments, and a call overwrites them.
 * Register 10 has the address of the end of the stack.
 */
export type Register = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10;

/** Width of a memory access: the size field of the operation code. */
const widths = { word: 0x00, byte: 0x10, double: 0x18 } as const;
export type Width = keyof typeof widths;

/** Operation codes (RFC 9669 4, 5). */
const operations = {
  load: 0x61,
  storeConstant: 0x62,
  atomicAdd: 0xc3,
  addConstant: 0x07,
  andConstant: 0x57,
  moveConstant: 0xb7,
  move: 0xbf,
  loadMap: 0x18,
  jumpIfGreater: 0x2d,
  jump: 0x05,
  call: 0x85,
  exit: 0x95,
} as const;

/** Conditional jumps: a register against a constant. */
const conditions = { equal: 0x15, notEqual: 0x55 } as const;
export type Condition = keyof typeof conditions;

/** The source register of a `loadMap` whose constant is the descriptor of a map. */
const mapDescriptor = 1;
const instructionBytes = 8;

interface Instruction {
  readonly code: number;
  readonly to?: Register;
  readonly from?: number;
  readonly offset?: number;
  readonly constant?: number;
  readonly label?: string;
}

export class Assembler {
  readonly #instructions: Instruction[] = [];
  readonly #labels = new Map<string, number>();

  #add(instruction: Instruction): this {
    this.#instructions.push(instruction);
    return this;
  }

  label(name: string): this {
    if (this.#labels.has(name)) throw new TypeError(`the label ${name} is defined twice`);
    this.#labels.set(name, this.#instructions.length);
    return this;
  }

  move(to: Register, from: Register): this {
    return this.#add({ code: operations.move, to, from });
  }

  set(to: Register, constant: number): this {
    return this.#add({ code: operations.moveConstant, to, constant });
  }

  add(to: Register, constant: number): this {
    return this.#add({ code: operations.addConstant, to, constant });
  }

  and(to: Register, constant: number): this {
    return this.#add({ code: operations.andConstant, to, constant });
  }

  /** Sets a register to the address `offset` bytes before the end of the stack. */
  stackAddress(to: Register, offset: number): this {
    return this.move(to, 10).add(to, -offset);
  }

  load(width: Width, to: Register, from: Register, offset: number): this {
    return this.#add({ code: operations.load | widths[width], to, from, offset });
  }

  storeConstant(width: Width, to: Register, offset: number, constant: number): this {
    return this.#add({ code: operations.storeConstant | widths[width], to, offset, constant });
  }

  /** Adds a register to 64 bits of memory, atomically. */
  atomicAdd(to: Register, offset: number, from: Register): this {
    return this.#add({ code: operations.atomicAdd | widths.double, to, from, offset });
  }

  /** Sets a register to a map. This instruction is encoded as two. */
  loadMap(to: Register, descriptor: number): this {
    return this.#add({ code: operations.loadMap, to, from: mapDescriptor, constant: descriptor }).#add({ code: 0 });
  }

  /** Calls a function of the kernel by its number (`enum bpf_func_id`, linux/bpf.h). */
  call(helper: number): this {
    return this.#add({ code: operations.call, constant: helper });
  }

  jump(label: string): this {
    return this.#add({ code: operations.jump, label });
  }

  jumpIf(register: Register, condition: Condition, constant: number, label: string): this {
    return this.#add({ code: conditions[condition], to: register, constant, label });
  }

  /** Jumps when `register` is greater than `other`, as unsigned numbers. */
  jumpIfGreater(register: Register, other: Register, label: string): this {
    return this.#add({ code: operations.jumpIfGreater, to: register, from: other, label });
  }

  exit(): this {
    return this.#add({ code: operations.exit });
  }

  /** @throws TypeError for a jump to a label that is not defined */
  assemble(): Uint8Array {
    const view = new DataView(new ArrayBuffer(this.#instructions.length * instructionBytes));
    this.#instructions.forEach(({ code, to = 0, from = 0, offset, constant = 0, label }, index) => {
      const at = index * instructionBytes;
      view.setUint8(at, code);
      view.setUint8(at + 1, (from << 4) | to);
      view.setInt16(at + 2, label === undefined ? (offset ?? 0) : this.#distance(index, label), true);
      view.setInt32(at + 4, constant, true);
    });
    return new Uint8Array(view.buffer);
  }

  #distance(index: number, label: string): number {
    const target = this.#labels.get(label);
    if (target === undefined) throw new TypeError(`the label ${label} is not defined`);
    return target - index - 1;
  }
}
