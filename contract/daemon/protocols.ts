/** The protocols that a service can have, and their options. */
import * as z from 'zod/mini';
import { formed, HostPattern, refined } from '../schema/fields.ts';
import { defaulted, list, optional, required } from '../schema/kinds.ts';
import { parseAddress } from '../values/address.ts';
import { parsePorts } from '../values/ports.ts';
import { hostPath } from './fields.ts';
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

const mostEntries = 1000; // handwritten lists, searched for each connection

const flag = (description: string) => defaulted(z.boolean(), false, description);
const names = (description: string) => defaulted(list(HostPattern, mostEntries), [], description);
const words = (form: RegExp, expected: string, description: string) =>
  defaulted(list(formed(form, expected, 64), mostEntries), [], description);

const ipv4 = () =>
  refined(15, (value) =>
    parseAddress(value)?.family === 4 && value !== '0.0.0.0' ? undefined : 'expected an IPv4 address',
  );
const ports = () =>
  refined(11, (value) => (parsePorts(value) ? undefined : 'expected a range of ports such as 40000-40099'));

const passiveFtp = () =>
  z.strictObject({
    address: optional(
      ipv4(),
      'Address that clients reach, in replies to PASV; absent: the local address of the control connection.',
    ),
    ports: required(ports(), 'Ports that one data connection each is awaited on, such as 40000-40099.'),
  });

const ja4 = /^[tqd][0-9a-z]{2}[di]\d{4}[0-9a-z]{2}_[0-9a-f]{12}_[0-9a-f]{12}$/;
const redisCommand = /^[A-Za-z0-9._-]+(?: [A-Za-z0-9._-]+)?$/;
/** A record type. Its name is checked, because a mistyped name would refuse no query. */
const recordType = () =>
  refined(16, (name) =>
    typeNumber(name) === undefined ? 'expected a record type such as ANY, AXFR or TYPE65' : undefined,
  );
const versions = ['1.0', '1.1', '1.2', '1.3'] as const;

const optionSections = {
  ssh: () =>
    z.strictObject({
      ban_on_probable: flag('Whether short sessions count as failed logins; sessions of automation are short too.'),
    }),
  tls: () =>
    z.strictObject({
      allow_sni: names('Allowed server names, exact or *.suffix; empty: all.'),
      deny_sni: names('Refused server names, exact or *.suffix.'),
      min_version: optional(z.enum(versions), 'Lowest version that a client may offer as its best.'),
      deny_ja4: words(ja4, 'a JA4 fingerprint', 'Refused client fingerprints.'),
    }),
  http: () =>
    z.strictObject({
      policy: optional(hostPath(), 'Policy file (guard.json) that is applied to requests.'),
      allow_hosts: names('Allowed Host headers, exact or *.suffix; empty: all.'),
    }),
  smtp: () =>
    z.strictObject({
      deny_domains: names('Refused sender domains, exact or *.suffix.'),
      deny_helo: words(/^[\x21-\x7e]+$/, 'a name or an address literal', 'Refused names in HELO and EHLO.'),
      require_starttls: flag('Whether mail and logins before STARTTLS are refused.'),
    }),
  ftp: () =>
    z.strictObject({
      deny_foreign_port: flag('Whether PORT and EPRT with an address other than that of the client are refused.'),
      passive: optional(
        passiveFtp(),
        'Relays data connections of passive mode; absent: clients connect where the server says.',
      ),
    }),
  redis: () =>
    z.strictObject({
      deny_commands: words(
        redisCommand,
        'a command such as FLUSHALL or CONFIG SET',
        'Refused commands, in any letter case.',
      ),
    }),
  ldap: () =>
    z.strictObject({
      deny_anonymous: flag(
        'Whether binds without a password are refused, and requests before a bind except reading the root entry.',
      ),
    }),
  mqtt: () => z.strictObject({ deny_anonymous: flag('Whether connections without a user name are refused.') }),
  dns: () =>
    z.strictObject({
      deny_types: defaulted(list(recordType(), mostEntries), [], 'Refused record types.'),
    }),
} satisfies Partial<Record<Protocol, () => z.ZodMiniType>>;

type Blocks = { [Name in keyof typeof optionSections]: z.ZodMiniOptional<ReturnType<(typeof optionSections)[Name]>> };

export const blockNames = Object.keys(optionSections) as (keyof typeof optionSections)[];

/** Returns the option sections as optional keys of a service. Each key is the name of its protocol. */
export function protocolBlocks(): Blocks {
  const entries = blockNames.map((name) => [name, optional(optionSections[name](), `Only with protocol ${name}.`)]);
  return Object.fromEntries(entries) as Blocks;
}
