/** Clients of every protocol that make the daemon hold as many bytes as possible. Its memory stays below a container's. */
import { setTimeout as sleep } from 'node:timers/promises';
import { protocols } from '../../../contract/daemon/protocols.ts';
import { clientBytes, type HoldingAttack, holdingAttacks } from '../../../daemon/inspectors/testing/holding.ts';
import { freePort } from '../../../platform/free-ports.ts';
import { scratchFolder } from '../../../platform/scratch-folder.ts';
import { megabytes, repeatDuring } from '../../measure/measure.ts';
import type { Row } from '../../measure/row.ts';
import { mostConnections, type SoakDaemon, type SoakSetting, startSoakDaemon } from './daemon.ts';
import { startProgram } from './program.ts';

/** The limit of the packaged manifests. */
const containerBytes = 256 * 1024 * 1024;
/** Bytes that all connections of an attack send. More would only take longer. */
const sentBytes = 512 * 1024 * 1024;
const sampleMs = 200;

/** Descriptors of the clients' process. */
const countOf = (attack: HoldingAttack): number =>
  Math.min(mostConnections - 200, Math.floor(sentBytes / clientBytes(attack).length));

const servicesText = (ports: ReadonlyMap<string, number>, upstream: number): string =>
  Array.from(
    ports,
    ([protocol, port]) =>
      `  ${protocol}: {listen: "127.0.0.1:${port}", upstream: "127.0.0.1:${upstream}", protocol: ${protocol}, ` +
      `max_connections: ${mostConnections}, timeouts: {first_byte: 5m}}`,
  ).join('\n');

interface Held {
  readonly peakBytes: number;
  readonly open: number;
}

async function attackDaemon(daemon: SoakDaemon, port: number, attack: number, from: 'one' | 'many'): Promise<Held> {
  const count = countOf(holdingAttacks[attack] as HoldingAttack);
  const clients = startProgram('soak/clients.js', 'hold', attack, port, count, from);
  let peakBytes = 0;
  try {
    const { open } = await repeatDuring(clients.nextLine<{ open: number }>(), async () => {
      peakBytes = Math.max(peakBytes, daemon.memory());
      await sleep(sampleMs);
    });
    return { peakBytes, open };
  } finally {
    await clients.stop();
    await daemon.waitUntilSettled();
  }
}

function rowOf({ protocol, what }: HoldingAttack, from: string, count: number, { peakBytes, open }: Held): Row {
  return {
    name: `${protocol}: ${what}, ${count} connections of ${from} (${open} stay open)`,
    measured: megabytes(peakBytes),
    against: megabytes(containerBytes),
    ratio: peakBytes / containerBytes,
    budget: '<= 1 of a container',
    holds: peakBytes <= containerBytes,
  };
}

export async function* heldRows(plane: SoakSetting['plane'], upstream: number): AsyncGenerator<Row> {
  const free = await Promise.all(protocols.map(freePort));
  const ports = new Map(protocols.map((protocol, index) => [protocol, free[index] as number]));
  const services = `services:\n${servicesText(ports, upstream)}`;
  const daemon = await startSoakDaemon(scratchFolder('guard-held-'), { plane, workers: 1, services });
  try {
    for (const [index, attack] of holdingAttacks.entries())
      for (const from of ['one', 'many'] as const) {
        const held = await attackDaemon(daemon, ports.get(attack.protocol) as number, index, from);
        yield rowOf(attack, from === 'one' ? 'one address' : 'as many addresses', countOf(attack), held);
      }
  } finally {
    await daemon.stop();
  }
}
