import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { reasonToSkip, runClient, startServer } from '../../conformance/servers/running.ts';
import { right } from '../../conformance/servers/server.ts';
import { curlAnonymously, vsftpd } from '../../conformance/servers/vsftpd.ts';
import { until } from '../../platform/testing/until.ts';
import { freePorts } from '../support/guardcli.ts';
import { startGuard } from './process.ts';

const bytes = 3_000_000;
const hash = (path: string): string => createHash('sha256').update(readFileSync(path)).digest('hex');

/** With this option, curl connects to the address that the server announces. */
const honest = '--no-ftp-skip-pasv-ip';
const modes = { PASV: ['--disable-epsv', honest], EPSV: [] };
const globals = { 'one process': {}, 'node:net': { data_plane: 'net' }, workers: { workers: 2 } };

for (const [where, global] of Object.entries(globals))
  test(`curl transfers files in passive mode, ${where}`, { skip: reasonToSkip(vsftpd) }, async (t) => {
    const [before, port] = (await freePorts(2)) as [number, number];
    const { folder, ports, write } = await startServer(t, vsftpd);
    const passive = { ports: `${port}-${port}` };
    const service = { listen: `127.0.0.1:${before}`, upstream: `127.0.0.1:${ports.ftp}`, protocol: 'ftp' };
    const guard = await startGuard(
      t,
      { services: { ftp: { ...service, ftp: { passive } } } },
      { ...global, log_level: 'debug' },
    );
    assert.doesNotMatch(guard.stderr(), /passive/);
    const curl = (path: string, ...args: string[]) => runClient(curlAnonymously(before, path, right, '-v', ...args));
    const source = write('source', '');
    for (const [mode, args] of Object.entries(modes)) {
      writeFileSync(source, randomBytes(bytes));
      const copy = join(folder, `copy-${mode}`);
      const sent = await curl(`in/${mode}`, ...args, '-T', source);
      assert.equal(sent.status, 0, sent.output);
      assert.match(sent.output, new RegExp(`> ${mode}\\b`));
      assert.equal(hash(join(folder, 'files/in', mode)), hash(source));
      const taken = await curl(`in/${mode}`, ...args, '-o', copy);
      assert.equal(taken.status, 0, taken.output);
      assert.equal(hash(copy), hash(source));
      const listed = await curl('in/', ...args);
      assert.match(listed.output, new RegExp(` ${bytes} .* ${mode}$`, 'm'));
    }
    const data = () => guard.events().filter(({ facts }) => facts?.connection === 'data');
    await until(() => data().length === 6, 'all data connections to be recorded');
    assert.deepEqual(new Set(data().map(({ reason }) => reason)), new Set(['data_closed']));
    const sum = (key: 'bytes_in' | 'bytes_out') => data().reduce((total, event) => total + event[key], 0);
    assert.equal(sum('bytes_in'), 2 * bytes);
    assert.ok(sum('bytes_out') > 2 * bytes);
  });
