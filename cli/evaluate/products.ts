/** Finds the product for whose files a rule was made, in the table in contract/policy/products. */
import { pathToFileURL } from 'node:url';
import { patternOf, sampleOf } from '../../contract/generate/product-pattern.ts';
import { readProducts } from '../../contract/generate/product-table.ts';
import { builtInRules } from '../../contract/policy/builtin-rules.ts';
import { families } from '../../contract/policy/product-families.ts';
import type { Product, ProductFile } from '../../contract/policy/products.ts';
import { compileRegex } from '../../contract/regex/compile.ts';
import { packageRoot } from '../../platform/assets.ts';

export interface NamedFile {
  readonly name: string;
  readonly product: string;
  /** What the file reveals, as a clause. */
  readonly reveals: string;
  /** Documentation of the product that names the path of the file. */
  readonly source: string;
}

type TableFile = ProductFile & Pick<Product, 'product' | 'group' | 'source'>;

const productsFolder = pathToFileURL(`${packageRoot}/contract/policy/products/`);

/** Returns the files of a rule and of its parts `<rule>-2` and so on. Empty for a rule that is not from the table. */
function familyFiles(rule: string): TableFile[] {
  const family = families.find(({ id }) => id === rule.replace(/-[0-9]+$/, ''));
  if (!family) return [];
  const files = readProducts(productsFolder).flatMap(({ files, ...product }) =>
    files.map((file) => ({ ...product, ...file })),
  );
  return files.filter((file) => family.includes(file));
}

const namedFile = ({ name, product, why, source }: TableFile): NamedFile => ({ name, product, reveals: why, source });

export function filesOf(rule: string): NamedFile[] {
  const files = familyFiles(rule);
  const pattern = builtInRules.find(({ id }) => id === rule)?.pattern;
  if (files.length === 0 || pattern === undefined) return [];
  const regex = compileRegex(pattern);
  return files.filter(({ name }) => regex.test(sampleOf(name))).map(namedFile);
}

/** Returns the product file that the path names, or undefined. Prefers the file with the longest name. */
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
  return file && namedFile(file);
}
