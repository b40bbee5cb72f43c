/**
 * Clients that make an inspector hold as much as possible: `holders.js <number of the attack> <port> <connections> <one |
 * many>`, from one address or from one each. Prints how many are still open when all bytes are sent, and ends with
 * standard input.
 */
import { connect, type Socket } from 'node:net';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { clientBytes, type HoldingAttack, holdingAttacks } from '../../../daemon/inspectors/testing/holding.ts';
import { addressOf } from './addresses.ts';

const concurrentDials = 64;
const settleMs = 1000;

const [attack = 0, port = 0, count = 0] = process.argv.slice(2).map(Number);
const isOne = process.argv[5] === 'one';
const bytes = clientBytes(holdingAttacks[attack] as HoldingAttack);

/** Connects and sends the bytes. Resolves when they are sent, or the daemon has closed the connection. */
function hold(index: number): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', localAddress: addressOf(isOne ? 0 : index) });
  socket.on('error', () => {}).resume();
  return new Promise((resolve) => {
    socket.on('close', () => resolve(socket)).on('connect', () => socket.write(bytes, () => resolve(socket)));
  });
}

const sockets: Socket[] = [];
let next = 0;
async function holdInTurn(): Promise<void> {
  while (next < count) {
    next += 1;
    sockets.push(await hold(next));
  }
}

await Promise.all(Array.from({ length: concurrentDials }, holdInTurn));
await sleep(settleMs);
process.stdout.write(`${JSON.stringify({ open: sockets.filter(({ destroyed }) => !destroyed).length })}\n`);
process.stdin.resume().on('end', () => process.exit());
