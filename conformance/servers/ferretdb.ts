/**
 * MongoDB of FerretDB. Build it from its Go module (`build/version/version.txt` must contain a version).
 */
import { type RealServer, right, user } from './server.ts';

const program = '/usr/local/bin/ferretdb';

export const ferretdb: RealServer = {
  name: 'FerretDB',
  needs: { [program]: 'FerretDB 1' },
  protocols: ['mongodb'],
  serve: ({ folder, ports }) => ({
    program,
    args: [
      ...['--handler=sqlite', `--sqlite-url=file:${folder}/`, `--state-dir=${folder}`],
      ...[`--listen-addr=127.0.0.1:${ports.mongodb}`, '--telemetry=disable', '--debug-addr=-', '--log-level=error'],
      ...['--test-enable-new-auth', `--setup-username=${user}`, `--setup-password=${right}`, '--setup-database=admin'],
    ],
  }),
};
