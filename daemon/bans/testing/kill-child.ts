/**
 * Child process of kill.test.ts: bans a thousand addresses and prints each one whose ban is acknowledged as durable.
 */
import { setImmediate } from 'node:timers/promises';
import { createBans } from '../index.ts';
import { configOf } from './scratch.ts';

const [dataDir = '.'] = process.argv.slice(2);
const bans = await createBans({ config: configOf(), dataDir, now: Date.now });

async function ban(ip: string): Promise<void> {
  const outcome = await bans.add({ ip, reason: 'killed in between', origin: 'api' });
  if (outcome.ok && outcome.isDurable) process.stdout.write(`${ip}\n`);
}

for (let host = 0; host < 1000; host++) {
  void ban(`10.0.${host >> 8}.${host & 255}`);
  if (host % 7 === 0) await setImmediate();
}
