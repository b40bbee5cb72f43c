/** Records Minecraft of minecraft-protocol, with its client. */
import { type EventEmitter, once } from 'node:events';
import { library, minecraft as server, version } from '../servers/minecraft.ts';
import { user } from '../servers/server.ts';
import { disconnectAtTurn } from './commands.ts';
import type { RecordedTalks } from './talks.ts';

interface Library {
  readonly createClient: (options: object) => EventEmitter & { end(reason: string): void };
  readonly ping: (options: object) => Promise<unknown>;
}

const load = async () => ((await import(library)) as { default: Library }).default;
const place = (at: number) => ({ host: '127.0.0.1', port: at, version });

async function ping(at: number): Promise<void> {
  const { ping: ask } = await load();
  await ask(place(at)).catch(() => undefined);
}

async function play(at: number, options: object = {}): Promise<void> {
  const { createClient } = await load();
  const client = createClient({ ...place(at), username: user, auth: 'offline', ...options });
  const ended = once(client, 'end');
  client.on('error', () => client.end('error'));
  for (const event of ['success', 'disconnect']) client.on(event, () => client.end('enough'));
  await ended;
}

export const minecraft: RecordedTalks = {
  name: 'library',
  server,
  talks: {
    minecraft: {
      'client requests the server status': ping,
      'client logs in': (at) => play(at),
      'player who is not on the whitelist': (at) => play(at, { username: 'bob' }),
      'client disconnects when the server responds': (at) => disconnectAtTurn(at, 1, (own) => play(own)),
    },
  },
};
