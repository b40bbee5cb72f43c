import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Assembler } from './assembler.ts';

/** Instructions as `llvm-objdump -d` shows their bytes. */
const bytesOf = (program: Assembler): string[] => Buffer.from(program.assemble()).toString('hex').match(/.{16}/g) ?? [];

const instructions: readonly (readonly [string, (program: Assembler) => Assembler, readonly string[]])[] = [
  ['r6 = r1', (program) => program.move(6, 1), ['bf16000000000000']],
  ['r0 = -1', (program) => program.set(0, -1), ['b7000000ffffffff']],
  ['r1 &= 18', (program) => program.and(1, 18), ['5701000012000000']],
  ['r2 = r10; r2 += -28', (program) => program.stackAddress(2, 28), ['bfa2000000000000', '07020000e4ffffff']],
  ['r1 = *(u8 *)(r10 - 40)', (program) => program.load('byte', 1, 10, -40), ['71a1d8ff00000000']],
  ['r1 = *(u32 *)(r6 + 16)', (program) => program.load('word', 1, 6, 16), ['6161100000000000']],
  ['*(u64 *)(r10 - 48) = 1', (program) => program.storeConstant('double', 10, -48, 1), ['7a0ad0ff01000000']],
  ['lock *(u64 *)(r0 + 0) += r1', (program) => program.atomicAdd(0, 0, 1), ['db10000000000000']],
  ['r1 = map 5', (program) => program.loadMap(1, 5), ['1811000005000000', '0000000000000000']],
  ['call 1', (program) => program.call(1), ['8500000001000000']],
  ['exit', (program) => program.exit(), ['9500000000000000']],
];

for (const [text, write, bytes] of instructions)
  test(`assembles ${text}`, () => assert.deepEqual(bytesOf(write(new Assembler())), bytes));

test('a jump counts the instructions between it and its label, in both directions', () => {
  const program = new Assembler().label('start').jumpIf(0, 'equal', 7, 'end').jumpIfGreater(1, 7, 'end');
  program.loadMap(1, 5).jump('start').label('end').exit();
  const [equal, greater, , , back] = bytesOf(program);
  assert.deepEqual([equal, greater, back], ['1500040007000000', '2d71030000000000', '0500fbff00000000']);
});

test('refuses a label that is missing or defined twice', () => {
  assert.throws(() => new Assembler().jump('end').assemble(), /the label end is not defined/);
  assert.throws(() => new Assembler().label('a').label('a'), /the label a is defined twice/);
});
