import { decoys } from '../policy/decoys.ts';
import { limits } from '../policy/limits.ts';
import { answerStripped, mirror, requestStripped } from '../policy/mirror.ts';
import { type ModeRow, modes } from '../policy/modes.ts';
import { reference } from '../policy/reference.ts';
import { inlineCode, table } from './markdown.ts';

const nameList = (names: readonly string[]): string => names.map(inlineCode).join(', ');

function modeTable(): string {
  const rows = Object.entries(modes).map(([name, { summary, statusCode }]: [string, ModeRow]) => [
    inlineCode(name),
    summary,
    String(statusCode ?? ''),
  ]);
  return table(['mode', 'a blocked client gets', 'status'], rows);
}

function referenceTable(): string {
  const names = (isShown: boolean) =>
    Object.entries(modes)
      .filter(([, { showsReference }]) => showsReference === isShown)
      .map(([name]) => name);
  return table(
    ['modes', 'reference'],
    [
      [nameList(names(true)), `header \`${reference.header}\`, and text of the default page`],
      [nameList(names(false)), 'event and access log only: the response would unmask itself, or has no reader'],
    ],
  );
}

function mirrorTable(): string {
  const sets = [mirror.forwardedFor, mirror.forwardedHost, mirror.forwardedProto, mirror.reason, mirror.loopMark];
  return table(
    ['headers', 'which'],
    [
      ['taken out both ways', `${nameList(mirror.hopByHop)}, and what \`connection\` names`],
      ['set in the request', nameList(sets)],
      ['set in the answer', `\`content-security-policy: ${mirror.contentSecurityPolicy}\``],
    ],
  );
}

const strippedTable = (stripped: Readonly<Record<string, string>>): string =>
  table(
    ['headers', 'why'],
    Object.entries(stripped).map(([name, reason]) => [inlineCode(name), reason]),
  );

function decoyTable(): string {
  const rows = decoys.map(({ name, match, contentType }) => [
    name,
    match && inlineCode(match),
    inlineCode(contentType),
  ]);
  return table(['decoy', 'for paths that match', 'content type'], rows);
}

/** Bounds of response modes that a policy cannot change. */
const bounds = {
  lingerBytes: 'bytes of a body that are read behind an answer, so that the connection can go on',
  lingerSeconds: 'seconds for that',
  mirrorDialSeconds: 'seconds to reach the target of `proxy`, and for its TLS handshake',
  mirrorHeadBytes: 'bytes of the head of its answer, with those of interim ones',
  mirrorIdleConnections: 'connections to it that are kept',
  captchaVerifySeconds: 'seconds for a verification at the provider of the captcha',
} as const satisfies Partial<Record<keyof typeof limits, string>>;

function boundTable(): string {
  const rows = Object.entries(bounds).map(([name, what]) => [what, String(limits[name as keyof typeof bounds])]);
  return table(['bound', 'value'], rows);
}

export const modesTables = {
  modes: modeTable,
  references: referenceTable,
  'mirrored-headers': mirrorTable,
  'stripped-from-requests': () => strippedTable(requestStripped),
  'stripped-from-answers': () => strippedTable(answerStripped),
  decoys: decoyTable,
  'fixed-bounds': boundTable,
} as const;
