/** The section `intake`: every log whose lines count as failures of clients. */
import * as z from 'zod/mini';
import { logFormatNames, logFormats } from '../logs/formats.ts';
import { filePath, formed, refined } from '../schema/fields.ts';
import { defaulted, list, optional } from '../schema/kinds.ts';
import { type CrossCheck, entriesOf, type Fields, isFields, type Path } from '../schema/problem.ts';
import * as fields from './fields.ts';

const mostSources = 64; // each file is polled continuously

/** Formats that are not those of a server. */
const ownFormats = ['guard', 'access'] as const;

const source = () =>
  z.strictObject({
    file: optional(filePath(), 'A file whose added lines are read, over its rotation too.'),
    unit: optional(
      formed(/^[A-Za-z0-9:_.@-]{1,245}\.service$/, 'a unit such as ssh.service', 255),
      'A unit of systemd, whose messages are read from the journal.',
    ),
    container: optional(
      formed(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,127}$/, 'the name of a container', 128),
      'A container whose messages are read from the journal: Docker with `log-driver: journald`, or Podman.',
    ),
    format: defaulted(
      z.enum([...ownFormats, ...logFormatNames]),
      'guard',
      'What the lines are: events of the guard, an access log, or the log of a server.',
    ),
    policy: optional(
      refined(4096, (path) => (path.startsWith('/') ? undefined : 'expected an absolute path')),
      'For `access`: the policy whose blocked requests count. It is read at the start.',
    ),
    address: optional(
      formed(/^[A-Za-z_][A-Za-z0-9_]{0,63}$/, 'the name of a member', 64),
      'For `access`: the member with the address of the peer in a log in JSON of another server than Caddy and Traefik.',
    ),
    after: defaulted(fields.failures(1), 5, 'Failures that ban an address.'),
    window: defaulted(fields.duration('1s', '1d'), '60s', 'Time window in which they are counted.'),
  });

export const intakeSection = () => list(source(), mostSources);

const places = ['file', 'unit', 'container'] as const;

function* checkSource(entry: Fields, path: Path): ReturnType<CrossCheck> {
  const [first, ...others] = places.filter((key) => entry[key] !== undefined);
  if (first === undefined)
    yield { kind: 'missing_key', message: 'expected one of file, unit and container', path: [...path, 'file'] };
  for (const key of others)
    yield {
      kind: 'conflict',
      message: `${first} and ${key} are mutually exclusive`,
      path: [...path, key],
      isAboutKey: true,
      hint: 'write a separate source for each of them',
    };
  const isOnlyFile = logFormats.some(({ name, onlyFile }) => name === entry.format && onlyFile);
  if (isOnlyFile && first !== undefined && first !== 'file')
    yield {
      kind: 'conflict',
      message: `format ${entry.format} needs file`,
      path: [...path, first],
      isAboutKey: true,
      hint: 'clients can write lines of this format in another log of the server, and the journal has both in one stream',
    };
  const isAccess = entry.format === 'access';
  if (isAccess && entry.policy === undefined)
    yield { kind: 'missing_key', message: 'format access needs a policy', path: [...path, 'policy'] };
  for (const key of ['policy', 'address'])
    if (!isAccess && entry[key] !== undefined)
      yield { kind: 'conflict', message: `${key} needs format access`, path: [...path, key], isAboutKey: true };
}

export const checkIntake: CrossCheck = function* (file) {
  for (const [index, entry] of entriesOf(file.intake).entries())
    if (isFields(entry)) yield* checkSource(entry, ['intake', index]);
};
