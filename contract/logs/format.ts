/** The form of a table of log formats: a row a server. */
import * as z from 'zod/mini';
import { formed, text } from '../schema/fields.ts';
import { defaulted, list, optional, required } from '../schema/kinds.ts';
import { report } from '../schema/problem.ts';
import { parseLogPattern } from './pattern.ts';

/** Bounds of log formats, each with its reason. */
export const logFormatBounds = {
  /** Rows of a table. Each line of a log is matched with the patterns of one row. */
  formats: 64,
  /** Patterns of a row. OpenSSH needs ten. */
  lines: 32,
  /** Bytes of a pattern: the check of its place takes quadratic time. */
  patternBytes: 512,
  /** Bytes of a file with rows. A row with ten patterns and their examples has 10 KB. */
  fileBytes: 1024 * 1024,
} as const;

/**
 * What a line says of its client. `ignored`: the line looks like a failure, but is none, or another line counts for it.
 */
export const logOutcomes = ['failure', 'success', 'ignored'] as const;
export type LogOutcome = (typeof logOutcomes)[number];

const longestLine = 4096; // bytes of an example

const example = () => text(longestLine, 1);

function pattern() {
  const check = z.superRefine<string>((value, ctx) => {
    const result = parseLogPattern(value);
    if (!result.ok) report(ctx, { kind: 'bad_regex', message: result.reason });
  });
  return text(logFormatBounds.patternBytes, 1).check(check);
}

const LogLine = z.strictObject({
  outcome: required(z.enum(logOutcomes), 'What the line says of its client.'),
  reporter: optional(
    formed(/^[a-z]{1,16}$/, 'a name such as pam', 16),
    'The part of the server that also reports a login of which another line counts. Its lines are counted separately, so that a login counts once.',
  ),
  pattern: required(
    pattern(),
    'A pattern of the grammar in docs/engine.md for the whole line, with `<address>` and perhaps `<user>` or, with its form, `<user:[^"]*>`. `<attempts>` is a number of failures, at most 99.',
  ),
  matches: defaulted(list(example(), 64), [], 'Lines that the server wrote. The pattern must match each.'),
  forged: defaulted(
    list(example(), 64),
    [],
    'Lines in which the client wrote a false address, 192.0.2.66. It must not be read.',
  ),
});

export const LogFormat = z.strictObject({
  name: required(formed(/^[a-z][a-z0-9-]{0,31}$/, 'a name such as dovecot', 32), 'Value of the key `format`.'),
  title: required(text(64, 1), 'Name of the server.'),
  source: required(text(512, 1), 'Where the lines come from: the version that wrote them, or the file of its source.'),
  programs: defaulted(
    list(text(64, 1), 16),
    [],
    'Names of the programs in the header of syslog: lines of others are skipped. Empty: the server writes its own file.',
  ),
  onlyFile: optional(
    z.boolean(),
    'Whether the log must be a separate file: clients can write whole lines in another log of the server, which the journal has in the same stream.',
  ),
  others: optional(
    z.enum(['requests', 'messages']),
    'What else the log has where a log without a login is usual. `requests`: it is an access log in the format combined. Absent: the server logs each login, so a long log has one.',
  ),
  lines: required(list(LogLine, logFormatBounds.lines, 1), 'The first pattern that matches decides.'),
  nearMisses: defaulted(list(example(), 64), [], 'Lines that no pattern matches.'),
  setup: optional(text(1024, 1), 'Settings with which the server logs addresses.'),
});
export type LogFormat = z.output<typeof LogFormat>;

export const LogFormats = z.strictObject({
  formats: required(list(LogFormat, logFormatBounds.formats, 1), 'The rows of the table.'),
});
