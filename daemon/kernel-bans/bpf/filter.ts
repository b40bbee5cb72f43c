/**
 * The program that the kernel runs for each packet of a listening socket. It drops and counts the first packet (SYN)
 * of a connection from a refused address. Every other packet passes, because accepted sockets inherit the program.
 */
import type { RefusalReason } from '../mechanism.ts';
import { Assembler } from './assembler.ts';
import { keyBytes } from './key.ts';

/** Descriptors of the maps of a list. A value is the end of its entry, nanoseconds of the kernel's monotonic clock. */
export interface EndingMaps {
  readonly reason: RefusalReason;
  readonly addresses: number;
  readonly networks: number;
}

export interface CountMaps {
  /** A map with one entry (`stateValue`): which map of `counts` is in use, and when the lease of `hasLease` ends. */
  readonly state: number;
  /**
   * Maps with the number of dropped packets by address and slot. A slot is a service and a reason. `state` names the
   * map in use.
   */
  readonly counts: readonly [number, number];
  /** The map with dropped packets by slot, for addresses that `counts` had no room for. */
  readonly uncounted: number;
}

export interface Filter extends CountMaps {
  /** Whether the filter drops packets only until its lease ends. This process extends the lease while it runs. */
  readonly hasLease: boolean;
  /** The map of networks whose packets always pass. */
  readonly passed: number;
  readonly refused: readonly EndingMaps[];
  /** The map of networks that the configuration denies to the service. */
  readonly denied: number;
  readonly slotOf: (reason: RefusalReason) => number;
}

/** Functions of the kernel (`enum bpf_func_id`, linux/bpf.h). */
const helpers = { lookup: 1, update: 2, nanoseconds: 5, loadBytes: 26, loadBytesRelative: 68 } as const;
/** `BPF_HDR_START_NET`: offsets count from the start of the IP header. */
const networkHeader = 1;
/** `__sk_buff.protocol`, and its values: EtherTypes in network byte order (linux/if_ether.h). */
const protocolOffset = 16;
const etherTypes = { 4: 0x0008, 6: 0xdd86 } as const;
/** Offset of the source address in the IP header, and its length (RFC 791 3.1, RFC 8200 3). */
const sources = { 4: { offset: 12, bytes: 4 }, 6: { offset: 8, bytes: 16 } } as const;
/** The byte of the flags in the TCP header, and two of them (RFC 9293 3.1). */
const flagsOffset = 13;
const flags = { syn: 0x02, ack: 0x10 } as const;
/** Flag of an update that fails when the key exists (`BPF_NOEXIST`, linux/bpf.h). */
const onlyNewFlag = 1;

/** Offsets from the end of the stack. A prefix, an address and a key of the counts share the same bytes: see key.ts. */
const slotAt = 8;
const addressAt = slotAt + keyBytes.address;
const prefixAt = addressAt + 4;
const scratchAt = prefixAt + 8;
const counterAt = scratchAt + 8;
const addressBits = keyBytes.address * 8;

/** Offsets in the value of the map `state`: the end of the lease, and the index of the map of `counts` in use. */
export const stateValue = { leaseEnd: 0, active: 8, bytes: 16 } as const;

/** Results of the program: the number of bytes of the packet that the kernel keeps. -1: all of them. */
const verdicts = { drop: 0, pass: -1 } as const;

/** Passes packets that begin no connection. Stores the packet in register 6. */
function passOtherPackets(program: Assembler): void {
  program.move(6, 1).set(2, flagsOffset).stackAddress(3, scratchAt).set(4, 1).call(helpers.loadBytes);
  program.jumpIf(0, 'notEqual', 0, 'pass');
  program.load('byte', 1, 10, -scratchAt).and(1, flags.syn | flags.ack);
  program.jumpIf(1, 'notEqual', flags.syn, 'pass');
}

function readSource(program: Assembler, family: 4 | 6): void {
  const { offset, bytes } = sources[family];
  program.storeConstant('word', 10, -addressAt, family);
  for (let rest = bytes + 4; rest < keyBytes.address; rest += 4)
    program.storeConstant('word', 10, -addressAt + rest, 0);
  program
    .move(1, 6)
    .set(2, offset)
    .stackAddress(3, addressAt - 4)
    .set(4, bytes)
    .set(5, networkHeader);
  program.call(helpers.loadBytesRelative).jumpIf(0, 'notEqual', 0, 'pass');
}

/** Looks up a key on the stack. Sets register 0 to the address of its value, or to 0. */
const lookUp = (program: Assembler, map: number, keyAt: number): Assembler =>
  program.loadMap(1, map).stackAddress(2, keyAt).call(helpers.lookup);

/** Counts the packet in one map, then jumps to `counted`. Jumps to `uncounted` when the map is full. */
function countPacket(program: Assembler, map: number, name: string): void {
  const increment = () => program.set(1, 1).atomicAdd(0, 0, 1).jump('counted');
  lookUp(program, map, addressAt).jumpIf(0, 'equal', 0, `${name} new`);
  increment();
  program.label(`${name} new`).storeConstant('double', 10, -counterAt, 1);
  program
    .loadMap(1, map)
    .stackAddress(2, addressAt)
    .stackAddress(3, counterAt)
    .set(4, onlyNewFlag)
    .call(helpers.update);
  program.jumpIf(0, 'equal', 0, 'counted');
  // The update fails when the map is full, or when another processor has just added the key: then its count exists now.
  lookUp(program, map, addressAt).jumpIf(0, 'equal', 0, 'uncounted');
  increment();
}

/** Jumps to `drop` when the map has an entry of the key that has not ended. Register 7 has the current time. */
function dropUnended(program: Assembler, map: number, keyAt: number, next: string): void {
  lookUp(program, map, keyAt).jumpIf(0, 'equal', 0, next);
  program.load('double', 1, 0, 0).jumpIfGreater(1, 7, 'drop').label(next);
}

/** Sets register 0 to the address of the state's value. Jumps to `missing` when the map does not have it. */
function readState(program: Assembler, { state }: Filter, missing: string): void {
  program.storeConstant('word', 10, -scratchAt, 0);
  lookUp(program, state, scratchAt).jumpIf(0, 'equal', 0, missing);
}

/** Passes the packet when the lease has ended. Register 7 has the current time. */
function checkLease(program: Assembler, filter: Filter): void {
  readState(program, filter, 'pass');
  program.load('double', 1, 0, stateValue.leaseEnd).jumpIfGreater(1, 7, 'leased').jump('pass').label('leased');
}

function countDrop(program: Assembler, filter: Filter): void {
  const { counts, uncounted } = filter;
  const [first, second] = counts;
  readState(program, filter, 'counted');
  program.load('word', 1, 0, stateValue.active).jumpIf(1, 'notEqual', 0, 'second');
  countPacket(program, first, 'first');
  program.label('second');
  countPacket(program, second, 'second');
  program.label('uncounted').move(2, 10).add(2, -slotAt);
  program.loadMap(1, uncounted).call(helpers.lookup).jumpIf(0, 'equal', 0, 'counted');
  program.set(1, 1).atomicAdd(0, 0, 1).label('counted').set(0, verdicts.drop).exit();
}

export function assembleFilter(filter: Filter): Uint8Array {
  const program = new Assembler();
  passOtherPackets(program);
  program.load('word', 1, 6, protocolOffset);
  program.jumpIf(1, 'equal', etherTypes[4], 'ipv4').jumpIf(1, 'notEqual', etherTypes[6], 'pass');
  readSource(program, 6);
  program.jump('source').label('ipv4');
  readSource(program, 4);
  program.label('source').storeConstant('word', 10, -prefixAt, addressBits);
  lookUp(program, filter.passed, prefixAt).jumpIf(0, 'notEqual', 0, 'pass');
  program.call(helpers.nanoseconds).move(7, 0);
  if (filter.hasLease) checkLease(program, filter);
  const setSlot = (reason: RefusalReason) => program.storeConstant('word', 10, -slotAt, filter.slotOf(reason));
  for (const { reason, addresses, networks } of filter.refused) {
    setSlot(reason);
    dropUnended(program, addresses, addressAt, `${reason} addresses`);
    dropUnended(program, networks, prefixAt, `${reason} networks`);
  }
  setSlot('ip_filter');
  lookUp(program, filter.denied, prefixAt).jumpIf(0, 'notEqual', 0, 'drop');
  program.label('pass').set(0, verdicts.pass).exit().label('drop');
  countDrop(program, filter);
  return program.assemble();
}
