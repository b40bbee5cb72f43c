/** Records MongoDB of FerretDB with the driver of Node.js. Install it with `npm install --no-save mongodb`. */
import { ferretdb as server } from '../servers/ferretdb.ts';
import { right, user, wrong } from '../servers/server.ts';
import { disconnectAtTurn } from './commands.ts';
import type { RecordedTalks } from './talks.ts';

const driver = 'mongodb';
const patienceMs = 2000;

interface Driver {
  readonly MongoClient: new (
    url: string,
    options: object,
  ) => {
    connect(): Promise<unknown>;
    db(name: string): { command(command: object): Promise<unknown> };
    close(): Promise<void>;
  };
}

async function ask(at: number, password: string, mechanism: string, options: object = {}): Promise<void> {
  const { MongoClient } = (await import(driver)) as Driver;
  const url = `mongodb://${user}:${password}@127.0.0.1:${at}/?directConnection=true&authMechanism=${mechanism}`;
  const client = new MongoClient(url, { serverSelectionTimeoutMS: patienceMs, maxPoolSize: 1, ...options });
  try {
    await client.connect();
    await client.db('admin').command({ ping: 1 });
  } catch {
    // refused operations are recorded too
  } finally {
    await client.close();
  }
}

/** Index of the recorded connection. The one before it only monitors the server. */
const connection = 1;

export const ferretdb: RecordedTalks = {
  name: 'ferretdb',
  server,
  needs: { [`node_modules/${driver}`]: `${driver} of npm` },
  talks: {
    mongodb: {
      'driver logs in': { talk: (at) => ask(at, right, 'SCRAM-SHA-256'), connection },
      'driver logs in with a wrong password': { talk: (at) => ask(at, wrong, 'SCRAM-SHA-256'), connection },
      'driver logs in by SCRAM-SHA-1': { talk: (at) => ask(at, right, 'SCRAM-SHA-1'), connection },
      'driver logs in by SCRAM-SHA-1 with a wrong password': {
        talk: (at) => ask(at, wrong, 'SCRAM-SHA-1'),
        connection,
      },
      'TLS to a server without TLS': {
        talk: (at) => ask(at, right, 'SCRAM-SHA-256', { tls: true }),
        connection: 0,
      },
      'driver disconnects during a login': {
        talk: (at) => disconnectAtTurn(at, 2, (own) => ask(own, right, 'SCRAM-SHA-256')),
        connection,
      },
    },
  },
};
