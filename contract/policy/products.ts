/** The form of the table of products: files whose names reveal settings, secrets, logs or data. */
import * as z from 'zod/mini';
import { ruleSizes } from './rule-sizes.ts';

export const fileKinds = [
  'settings',
  'secret',
  'log',
  'dump',
  'backup',
  'blob',
  'manifest',
  'lock',
  'script',
  'history',
  'state',
  'provisioning',
  'prompt',
] as const;
export type FileKind = (typeof fileKinds)[number];

export const productGroups = [
  'web-server',
  'framework',
  'cms',
  'cms-plugin',
  'ci',
  'cloud',
  'container',
  'database',
  'queue',
  'mail',
  'vpn',
  'device',
  'editor',
  'ai',
  'tool',
  'convention',
] as const;

/**
 * The end of a URL path, in any letter case. `*`: one or more characters except a slash. `#`: one or more digits. A
 * final slash: everything below the folder. `^/` at the start: only at the root.
 */
const Name = z
  .string()
  .check(z.regex(/^(?:\^\/)?(?:[A-Za-z0-9 !$%&'()+,.:;=@[\]_{}~#*-]+\/)*[A-Za-z0-9 !$%&'()+,.:;=@[\]_{}~#*-]+\/?$/));

const sentencePart = z.string().check(z.regex(/^[^\n]{1,160}$/));

const ProductFile = z.strictObject({
  name: Name,
  kind: z.enum(fileKinds),
  size: z.enum(ruleSizes),
  /** What the file reveals. Extended names also say which honest sites serve them. */
  why: sentencePart,
});
export type ProductFile = z.output<typeof ProductFile>;

export const Product = z.strictObject({
  product: sentencePart,
  group: z.enum(productGroups),
  /** The page and section of the documentation that says where the files are. */
  source: z.string().check(z.regex(/^[^\n]{10,400}$/)),
  files: z.array(ProductFile).check(z.minLength(1)),
});
export type Product = z.output<typeof Product>;
