/** Clients that post hostile forms as fast as they get responses, in a separate process. */
import { Agent } from 'node:http';
import process from 'node:process';
import { send } from './send.ts';
import { hostileForm } from './texts.ts';

export interface Flood {
  readonly url: string;
  readonly clients: number;
  readonly seconds: number;
}

export type Statuses = Readonly<Record<string, number>>;

async function run({ url, clients, seconds }: Flood): Promise<Statuses> {
  const end = performance.now() + seconds * 1000;
  const statuses: Record<string, number> = {};
  const client = async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    while (performance.now() < end) {
      const status = await send(url, agent, hostileForm);
      statuses[status] = (statuses[status] ?? 0) + 1;
    }
    agent.destroy();
  };
  await Promise.all(Array.from({ length: clients }, client));
  return statuses;
}

process.on('message', async (flood: Flood) => process.send?.(await run(flood)));
