/** Families of files that become rules, each for one reason. A file belongs to the first family that includes it. */
import type { Product, ProductFile } from './products.ts';
import type { RuleSize } from './rule-sizes.ts';

export interface Family {
  readonly id: string;
  readonly category: string;
  readonly size: RuleSize;
  readonly why: string;
  readonly includes: (file: ProductFile & { readonly group: Product['group'] }) => boolean;
  /**
   * Where the names of each rule of the family start in sorted order. A family has several rules when one pattern would
   * have more than 2,048 bytes. New names must not move other names: when a rule is full, add a start after its last
   * name.
   */
  readonly starts: readonly string[];
}

type Row = Omit<Family, 'size'>;

const standardFamilies: readonly Row[] = [
  {
    id: 'file-ai',
    category: 'config',
    why: 'One of the settings, keys, prompts or the history of an AI assistant or agent, by its fixed name.',
    includes: ({ group }) => group === 'ai',
    starts: ['', 'gemini/'],
  },
  {
    id: 'file-device',
    category: 'config',
    why: 'Provisioning, settings or logs of a phone, router, camera or VPN: they hold passwords of accounts and networks.',
    includes: ({ group, kind }) => kind === 'provisioning' || group === 'device',
    starts: ['', 'cgi/', 'j'],
  },
  {
    id: 'file-settings',
    category: 'config',
    why: 'Settings of a product, framework or CMS in the place that its documentation names: they hold passwords and keys.',
    includes: ({ kind }) => kind === 'settings' || kind === 'prompt',
    starts: ['', 'conf/c', 'env', 'kni', 'set'],
  },
  {
    id: 'file-secret',
    category: 'keys',
    why: 'Keys, tokens, passwords or credentials in a file with the fixed name that a product gives it.',
    includes: ({ kind }) => kind === 'secret',
    starts: ['', 'cl', 'dj', 'includes', 'mon', 'r', 'sm'],
  },
  {
    id: 'file-log',
    category: 'log',
    why: 'A log of a product: it shows addresses, sessions, queries and paths of the server.',
    includes: ({ kind }) => kind === 'log',
    starts: ['', 'n'],
  },
  {
    id: 'file-dump',
    category: 'dump',
    why: 'A database, dump, export, backup or data store of a product in the place where the product writes it.',
    includes: ({ kind }) => kind === 'dump' || kind === 'backup' || kind === 'blob',
    starts: ['', 'backup/', 'files', 'sq'],
  },
  {
    id: 'file-manifest',
    category: 'develop',
    why: 'A manifest or lock file that lists the exact versions of libraries and plugins, so that known bugs can be chosen.',
    includes: ({ kind }) => kind === 'manifest' || kind === 'lock',
    starts: [''],
  },
  {
    id: 'file-script',
    category: 'develop',
    why: 'A script of installation, deployment or tests: it shows how the server is built, or runs for everyone.',
    includes: ({ kind }) => kind === 'script',
    starts: [''],
  },
  {
    id: 'file-state',
    category: 'develop',
    why: 'State that a product keeps beside its program: sessions, caches, queues, histories and version control.',
    includes: ({ kind }) => kind === 'state' || kind === 'history',
    starts: ['', 'latest/meta-data/i'],
  },
];

const extendedFamilies: readonly Row[] = [
  {
    id: 'extended-settings',
    category: 'config',
    why: 'Settings of a product by a name that some honest sites serve, such as demonstrations and code hosts.',
    includes: ({ kind }) => kind === 'settings' || kind === 'prompt' || kind === 'provisioning',
    starts: [''],
  },
  {
    id: 'extended-secret',
    category: 'keys',
    why: 'Keys or credentials by a name that some honest sites and interfaces serve.',
    includes: ({ kind }) => kind === 'secret',
    starts: [''],
  },
  {
    id: 'extended-manifest',
    category: 'develop',
    why: 'A manifest, lock file or script by a name that package and code hosts and download pages serve.',
    includes: ({ kind }) => kind === 'manifest' || kind === 'lock' || kind === 'script',
    starts: [''],
  },
  {
    id: 'extended-data',
    category: 'dump',
    why: 'Data, logs or state of a product by a name that some honest sites serve.',
    includes: ({ kind }) => kind !== 'settings' && kind !== 'secret',
    starts: [''],
  },
];

const withSize = (rows: readonly Row[], size: RuleSize): Family[] =>
  rows.map((row) => ({ ...row, size, includes: (file) => file.size === size && row.includes(file) }));

export const families: readonly Family[] = [
  ...withSize(standardFamilies, 'standard'),
  ...withSize(extendedFamilies, 'extended'),
];
