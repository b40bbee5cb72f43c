import assert from 'node:assert/strict';
import { it } from 'node:test';
import { loadDaemon } from '../load/index.ts';

const refused = [
  {
    source: '{file: ~/caddy.log}',
    message: /^expected a path without ~, which only a shell replaces, found "~\/caddy.log"$/,
  },
  { source: '{file: a.log, unit: ssh.service, format: sshd}', message: /file and unit are mutually exclusive/ },
  { source: '{format: sshd}', message: /one of file, unit and container/ },
  { source: '{unit: ssh, format: sshd}', message: /a unit such as ssh\.service/ },
  { source: '{container: "a b", format: sshd}', message: /the name of a container/ },
  { source: '{file: a.log, format: access}', message: /format access needs a policy/ },
  { source: '{file: a.log, format: access, policy: guard.json}', message: /an absolute path/ },
  { source: '{file: a.log, format: sshdd}', message: /one of guard, access/ },
  { source: '{file: a.log, policy: /x}', message: /policy needs format access/ },
  {
    source: '{file: a.log, format: access, policy: /x, statuses: {4040: 3}}',
    message: /^expected a status such as 404, found "4040"$/,
  },
];
for (const { source, message } of refused)
  it(`intake refuses ${source}`, () => {
    const loaded = loadDaemon(Buffer.from(`version: 1\nintake:\n  - ${source}\n`), 'tcp-guard.yaml');
    assert.ok(!loaded.ok);
    assert.match(loaded.problems.map((problem) => problem.message).join('\n'), message);
  });

it('suggests the format that a name is near to', () => {
  const loaded = loadDaemon(Buffer.from('version: 1\nintake: [{file: a.log, format: ssh}]\n'), 'tcp-guard.yaml');
  assert.ok(!loaded.ok);
  assert.deepEqual(
    loaded.problems.map(({ hint }) => hint),
    ['did you mean "sshd"?'],
  );
});
