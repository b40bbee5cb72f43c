/** The protocols that tcp-guard inspects, and the options of those that have some. */
import * as z from 'zod';
import { filePath, formed, HostPattern } from '../fields.ts';

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

const mostEntries = 1000; // lists that people write; one is searched for each connection
const names = () => z.array(HostPattern).max(mostEntries).default([]);
const words = (form: RegExp, expected: string) =>
  z
    .array(formed(form, expected, 64))
    .max(mostEntries)
    .default([]);
const flag = () => z.boolean().default(false);

const ja4 = /^[tqd][0-9a-z]{2}[di]\d{4}[0-9a-z]{2}_[0-9a-f]{12}_[0-9a-f]{12}$/;

/** One row per protocol that has options. */
const blocks = {
  ssh: () =>
    z.strictObject({
      ban_on_probable: flag().describe('Short sessions count as failed logins; automation looks the same.'),
    }),
  tls: () =>
    z.strictObject({
      allow_sni: names().describe('Server names, exact or *.suffix; only these, when not empty.'),
      deny_sni: names().describe('Server names that are refused.'),
      min_version: z
        .enum(['1.0', '1.1', '1.2', '1.3'])
        .optional()
        .describe('Oldest version a client may offer as its best.'),
      deny_ja4: words(ja4, 'a JA4 fingerprint').describe('Client fingerprints that are refused.'),
    }),
  http: () =>
    z.strictObject({
      policy: filePath().optional().describe('A guard.json that requests are held to.'),
      allow_hosts: names().describe('Host headers, exact or *.suffix; only these, when not empty.'),
    }),
  smtp: () =>
    z.strictObject({
      deny_domains: names().describe('Sender domains that are refused, exact or *.suffix.'),
      deny_helo: words(/^[\x21-\x7e]+$/, 'a name or an address literal').describe(
        'Names in HELO or EHLO that are refused.',
      ),
      require_starttls: flag().describe('No mail and no login before STARTTLS.'),
    }),
  ftp: () =>
    z.strictObject({
      deny_foreign_port: flag().describe("PORT and EPRT to another address than the client's own are refused."),
    }),
  redis: () =>
    z.strictObject({
      deny_commands: words(/^[A-Za-z.]+(?: [A-Za-z-]+)?$/, 'a command such as FLUSHALL or CONFIG SET').describe(
        'Commands that are refused, in any case.',
      ),
    }),
  ldap: () => z.strictObject({ deny_anonymous: flag().describe('Binds without a password are refused.') }),
  mqtt: () => z.strictObject({ deny_anonymous: flag().describe('Connections without a user name are refused.') }),
  dns: () =>
    z.strictObject({
      deny_types: words(/^[A-Z][A-Z0-9-]*$/, 'a record type such as ANY or AXFR').describe(
        'Record types that are refused.',
      ),
    }),
} satisfies Partial<Record<Protocol, () => z.ZodType>>;

type Blocks = { [Name in keyof typeof blocks]: z.ZodOptional<ReturnType<(typeof blocks)[Name]>> };

/** Protocols that have a block of options. */
export const blockNames = Object.keys(blocks) as (keyof typeof blocks)[];

/** The blocks as keys of a service: optional, each named like its protocol. */
export function protocolBlocks(): Blocks {
  const entries = blockNames.map((name) => [name, blocks[name]().optional().describe(`Only with protocol ${name}.`)]);
  return Object.fromEntries(entries) as Blocks;
}
