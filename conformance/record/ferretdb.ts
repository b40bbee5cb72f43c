/**
 * Records MongoDB of FerretDB with the driver of Node.js. Build the server from its Go module
 * (`build/version/version.txt` must contain a version), and install the driver with `npm install --no-save mongodb`.
 */
import { disconnectAtTurn, startServer } from './commands.ts';
import { account, type RecordedServer } from './server.ts';

const port = 27_117;
const server = '/usr/local/bin/ferretdb';
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
  const url = `mongodb://${account.user}:${password}@127.0.0.1:${at}/?directConnection=true&authMechanism=${mechanism}`;
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

export const ferretdb: RecordedServer = {
  name: 'ferretdb',
  needs: { [server]: 'FerretDB 1', [`node_modules/${driver}`]: `${driver} of npm` },
  start: async (folder) => {
    return startServer({ mongodb: port }, server, [
      ...[
        '--handler=sqlite',
        `--sqlite-url=file:${folder}/`,
        `--state-dir=${folder}`,
        `--listen-addr=127.0.0.1:${port}`,
      ],
      ...['--telemetry=disable', '--debug-addr=-', '--log-level=error', '--test-enable-new-auth'],
      ...[`--setup-username=${account.user}`, `--setup-password=${account.password}`, '--setup-database=admin'],
    ]);
  },
  talks: {
    mongodb: {
      'driver logs in': { talk: (at) => ask(at, account.password, 'SCRAM-SHA-256'), connection },
      'driver logs in with a wrong password': { talk: (at) => ask(at, 'guess', 'SCRAM-SHA-256'), connection },
      'driver logs in by SCRAM-SHA-1': { talk: (at) => ask(at, account.password, 'SCRAM-SHA-1'), connection },
      'driver logs in by SCRAM-SHA-1 with a wrong password': {
        talk: (at) => ask(at, 'guess', 'SCRAM-SHA-1'),
        connection,
      },
      'TLS to a server without TLS': {
        talk: (at) => ask(at, account.password, 'SCRAM-SHA-256', { tls: true }),
        connection: 0,
      },
      'driver disconnects during a login': {
        talk: (at) => disconnectAtTurn(at, 2, (own) => ask(own, account.password, 'SCRAM-SHA-256')),
        connection,
      },
    },
  },
};
