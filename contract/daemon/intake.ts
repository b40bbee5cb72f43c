/** The section `intake`: every log whose lines count as failures of clients. */
import * as z from 'zod/mini';
import { logFormatNames, needsFile, ownFormats } from '../logs/names.ts';
import { formed, refined } from '../schema/fields.ts';
import { defaulted, integer, list, optional } from '../schema/kinds.ts';
import { type CrossCheck, entriesOf, type Fields, isFields, type Path } from '../schema/problem.ts';
import { didYouMean } from '../values/nearest.ts';
import * as fields from './fields.ts';
import { oneOf } from './one-of.ts';

export const mostSources = 64; // each file is polled continuously

const formatNames: readonly string[] = [...ownFormats, ...logFormatNames];

const mostFormatFiles = 16; // each has up to 64 rows

export const formatsKey = () => list(fields.hostPath(), mostFormatFiles);

const source = () =>
  z.strictObject({
    file: optional(
      fields.hostPath(),
      'A file whose added lines are read, over its rotation too. A name with `*` is a pattern for several files of a folder.',
    ),
    unit: optional(
      formed(/^[A-Za-z0-9:_.@-]{1,245}\.service$/, 'a unit such as ssh.service', 255),
      'A unit of systemd, whose messages are read from the journal.',
    ),
    container: optional(
      formed(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,127}$/, 'the name of a container', 128),
      'A container whose messages are read: from the json-file of Docker, or from the journal for Docker with `log-driver: journald` and Podman.',
    ),
    format: defaulted(
      formed(/^[a-z][a-z0-9-]{0,31}$/, 'a name such as sshd', 32),
      'guard',
      `What the lines are: events of the guard, an access log, the log of a server (${logFormatNames.join(', ')}), or a row of \`formats\`.`,
    ),
    policy: optional(
      refined(4096, (path) => (path.startsWith('/') ? undefined : 'expected an absolute path')),
      'For `access`: the policy whose blocked requests count. It is read at the start and at each reload.',
    ),
    address: optional(
      formed(/^[A-Za-z_][A-Za-z0-9_]{0,63}$/, 'the name of a member', 64),
      'For `access`: the member with the address of the peer in a log in JSON of another server than Caddy and Traefik.',
    ),
    statuses: optional(
      z.record(formed(/^[1-5]\d\d$/, 'a status such as 404', 3), integer(1, 10_000)),
      'For `access`: how many responses with a status ban an address within the window, such as `{401: 5, 404: 30}`. Absent: none count.',
    ),
    after: defaulted(fields.failures(1), 5, 'Failures that ban an address.'),
    window: defaulted(fields.duration('1s', '1d'), '60s', 'Time window in which they are counted.'),
  });

export const intakeSection = () => list(source(), mostSources);

const places = ['file', 'unit', 'container'] as const;

function* checkSource(entry: Fields, path: Path): ReturnType<CrossCheck> {
  const first = places.find((key) => entry[key] !== undefined);
  yield* oneOf(entry, path, { keys: places, usual: 'file', noun: 'source' });
  if (typeof entry.file === 'string' && isPattern(entry.file.slice(0, entry.file.lastIndexOf('/') + 1)))
    yield { kind: 'bad_value', message: 'expected * in the name of the file only', path: [...path, 'file'] };
  if (needsFile(entry.format) && first !== undefined && first !== 'file')
    yield {
      kind: 'conflict',
      message: `format ${entry.format} needs file`,
      path: [...path, first],
      isAboutKey: true,
      hint: 'clients can write lines of this format in another log of the server, and the journal has both in one stream',
    };
  const isAccess = entry.format === 'access';
  if (isAccess && entry.policy === undefined)
    yield {
      kind: 'missing_key',
      message: 'format access needs a policy',
      path: [...path, 'policy'],
      hint: 'write policy: /etc/guard/guard.json; guardcli init --dir /etc/guard --ci none writes such a file',
    };
  for (const key of ['policy', 'address', 'statuses'])
    if (!isAccess && entry[key] !== undefined)
      yield { kind: 'conflict', message: `${key} needs format access`, path: [...path, key], isAboutKey: true };
}

/** Whether a `file` is a pattern for several files. */
export const isPattern = (file: string): boolean => file.includes('*');

export const checkIntake: CrossCheck = function* (file) {
  const mayHaveRows = entriesOf(file.formats).length > 0;
  for (const [index, entry] of entriesOf(file.intake).entries()) {
    if (!isFields(entry)) continue;
    const { format } = entry;
    if (typeof format === 'string' && !mayHaveRows && !formatNames.includes(format))
      yield {
        kind: 'bad_value',
        message: `expected one of ${formatNames.join(', ')}, found ${JSON.stringify(format)}`,
        path: ['intake', index, 'format'],
        hint: didYouMean(format, formatNames) ?? 'name a file with a row of this name in formats',
      };
    yield* checkSource(entry, ['intake', index]);
  }
};
