/**
 * Records Minecraft of minecraft-protocol, server and client. Install it with `npm install --no-save
 * minecraft-protocol`.
 */
import { type EventEmitter, once } from 'node:events';
import { disconnectAtTurn } from './commands.ts';
import { account, type RecordedServer } from './server.ts';

const port = 25_565 + 10_000;
const library = 'minecraft-protocol';
const version = '1.20.4';

interface Library {
  readonly createServer: (options: object) => EventEmitter & { close(): void };
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
  const client = createClient({ ...place(at), username: account.user, auth: 'offline', ...options });
  const ended = once(client, 'end');
  client.on('error', () => client.end('error'));
  for (const event of ['success', 'disconnect']) client.on(event, () => client.end('enough'));
  await ended;
}

interface Player {
  readonly username: string;
  readonly end: (reason: string) => void;
}

const beforeLogin = (player: Player) => {
  if (player.username !== account.user) player.end('You are not on the list');
};

export const minecraft: RecordedServer = {
  name: 'library',
  needs: { [`node_modules/${library}`]: `${library} of npm` },
  start: async () => {
    const { createServer } = await load();
    const server = createServer({
      ...place(port),
      'online-mode': false,
      motd: 'hello',
      maxPlayers: 2,
      keepAlive: false,
      beforeLogin,
    });
    await once(server, 'listening');
    return { ports: { minecraft: port }, stop: async () => server.close() };
  },
  talks: {
    minecraft: {
      'client requests the server status': ping,
      'client logs in': (at) => play(at),
      'player who is not on the whitelist': (at) => play(at, { username: 'bob' }),
      'client disconnects when the server responds': (at) => disconnectAtTurn(at, 1, (own) => play(own)),
    },
  },
};
