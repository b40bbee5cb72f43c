/** The protocols that tcp-guard inspects, and the options of those that have some. */
import * as z from 'zod/mini';
import { filePath, formed, HostPattern, refined } from '../schema/fields.ts';
import { defaulted, list, optional } from '../schema/kinds.ts';
import { typeNumber } from './record-types.ts';

export const protocols = [
  'generic',
  'ssh',
  'tls',
  'http',
  'smtp',
  'imap',
  'pop3',
  'ftp',
  'postgres',
  'mysql',
  'redis',
  'mongodb',
  'mqtt',
  'ldap',
  'vnc',
  'rdp',
  'dns',
  'minecraft',
] as const;
export type Protocol = (typeof protocols)[number];

export const isProtocol = (value: unknown): value is Protocol => protocols.includes(value as Protocol);

const mostEntries = 1000; // lists that people write; one is searched for each connection

const flag = (description: string) => defaulted(z.boolean(), false, description);
const names = (description: string) => defaulted(list(HostPattern, mostEntries), [], description);
const words = (form: RegExp, expected: string, description: string) =>
  defaulted(list(formed(form, expected, 64), mostEntries), [], description);

const ja4 = /^[tqd][0-9a-z]{2}[di]\d{4}[0-9a-z]{2}_[0-9a-f]{12}_[0-9a-f]{12}$/;
const redisCommand = /^[A-Za-z0-9._-]+(?: [A-Za-z0-9._-]+)?$/;
/** A name that is mistyped would refuse nothing. */
const recordType = () =>
  refined(16, (name) =>
    typeNumber(name) === undefined ? 'expected a record type such as ANY, AXFR or TYPE65' : undefined,
  );
const versions = ['1.0', '1.1', '1.2', '1.3'] as const;

/** One row per protocol that has options. */
const blocks = {
  ssh: () =>
    z.strictObject({
      ban_on_probable: flag('Short sessions count as failed logins; automation looks the same.'),
    }),
  tls: () =>
    z.strictObject({
      allow_sni: names('Server names, exact or *.suffix; only these, when not empty.'),
      deny_sni: names('Server names that are refused.'),
      min_version: optional(z.enum(versions), 'Oldest version a client may offer as its best.'),
      deny_ja4: words(ja4, 'a JA4 fingerprint', 'Client fingerprints that are refused.'),
    }),
  http: () =>
    z.strictObject({
      policy: optional(filePath(), 'A guard.json that requests are held to.'),
      allow_hosts: names('Host headers, exact or *.suffix; only these, when not empty.'),
    }),
  smtp: () =>
    z.strictObject({
      deny_domains: names('Sender domains that are refused, exact or *.suffix.'),
      deny_helo: words(/^[\x21-\x7e]+$/, 'a name or an address literal', 'Names in HELO or EHLO that are refused.'),
      require_starttls: flag('No mail and no login before STARTTLS.'),
    }),
  ftp: () =>
    z.strictObject({
      deny_foreign_port: flag("PORT and EPRT to another address than the client's own are refused."),
    }),
  redis: () =>
    z.strictObject({
      deny_commands: words(
        redisCommand,
        'a command such as FLUSHALL or CONFIG SET',
        'Commands that are refused, in any case.',
      ),
    }),
  ldap: () =>
    z.strictObject({
      deny_anonymous: flag(
        'Binds without a password are refused, and requests before a bind, but for reading the root entry.',
      ),
    }),
  mqtt: () => z.strictObject({ deny_anonymous: flag('Connections without a user name are refused.') }),
  dns: () =>
    z.strictObject({
      deny_types: defaulted(list(recordType(), mostEntries), [], 'Record types that are refused.'),
    }),
} satisfies Partial<Record<Protocol, () => z.ZodMiniType>>;

type Blocks = { [Name in keyof typeof blocks]: z.ZodMiniOptional<ReturnType<(typeof blocks)[Name]>> };

/** Protocols that have a block of options. */
export const blockNames = Object.keys(blocks) as (keyof typeof blocks)[];

/** The blocks as keys of a service: optional, each named like its protocol. */
export function protocolBlocks(): Blocks {
  const entries = blockNames.map((name) => [name, optional(blocks[name](), `Only with protocol ${name}.`)]);
  return Object.fromEntries(entries) as Blocks;
}
