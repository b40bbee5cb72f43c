/** Which product a rule for fixed names of files was made for, from the table in contract/policy/products. */
import { pathToFileURL } from 'node:url';
import { patternOf, sampleOf } from '../../contract/generate/product-pattern.ts';
import { readProducts } from '../../contract/generate/product-table.ts';
import { builtInRules } from '../../contract/policy/builtin-rules.ts';
import { families } from '../../contract/policy/product-families.ts';
import type { Product, ProductFile } from '../../contract/policy/products.ts';
import { compileRegex } from '../../contract/regex/compile.ts';
import { packageRoot } from '../../platform/assets.ts';

/** A row of the table, for one file. */
export interface NamedFile {
  readonly name: string;
  readonly product: string;
  /** What the file reveals. */
  readonly reveals: string;
  /** The documentation that says where the file lies. */
  readonly source: string;
}

type TableFile = ProductFile & Pick<Product, 'product' | 'group' | 'source'>;

const table = pathToFileURL(`${packageRoot}/contract/policy/products/`);

/** The files of the family to which the rule belongs. None: the rule was not made from the table. */
function familyFiles(rule: string): TableFile[] {
  const family = families.find(({ id }) => id === rule.replace(/-[0-9]+$/, ''));
  if (!family) return [];
  const files = readProducts(table).flatMap(({ files, ...product }) => files.map((file) => ({ ...product, ...file })));
  return files.filter((file) => family.includes(file));
}

const shown = ({ name, product, why, source }: TableFile): NamedFile => ({ name, product, reveals: why, source });

/** All files of the table that a rule of this id matches. */
export function filesOf(rule: string): NamedFile[] {
  const files = familyFiles(rule);
  const pattern = builtInRules.find(({ id }) => id === rule)?.pattern;
  if (files.length === 0 || pattern === undefined) return [];
  const regex = compileRegex(pattern);
  return files.filter(({ name }) => regex.test(sampleOf(name))).map(shown);
}

/** The file for which a rule of this id matches a path: of several the longest name, which is the most precise one. */
export function fileAt(rule: string, path: string): NamedFile | undefined {
  const lower = path.toLowerCase();
  const [file] = familyFiles(rule)
    .filter(({ name }) =>
      name
        .toLowerCase()
        .replace(/^\^/, '')
        .split(/[*#]/)
        .every((part) => lower.includes(part.replace(/\/$/, ''))),
    )
    .filter(({ name, size }) => compileRegex(patternOf([name], size)).test(path))
    .toSorted((one, other) => other.name.length - one.name.length);
  return file && shown(file);
}
