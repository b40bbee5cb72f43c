/** Generates the built-in rules for names of files, from the shapes of names and from the table of products. */
import RE2 from 're2';
import type { BuiltInRule } from '../policy/builtin-rules.ts';
import { shapes } from '../policy/names/index.ts';
import patterns from '../policy/patterns.json' with { type: 'json' };
import { type Family, families } from '../policy/product-families.ts';
import type { Product, ProductFile } from '../policy/products.ts';
import { patternOf, sampleOf, sortKey } from './product-pattern.ts';
import { readProducts } from './product-table.ts';

type Rule = Pick<BuiltInRule, 'action' | 'targets' | 'pattern' | 'size'>;
type OpenFile = ProductFile & Pick<Product, 'group'>;

const productFolder = new URL('../policy/products/', import.meta.url);

/**
 * Returns paths that the rule for a name must match: at the root, in /app, and in a deeper folder. For a name with
 * placeholders, a pattern for deeper folders would have too many states.
 */
export function spellings(name: string): string[] {
  const sample = sampleOf(name);
  if (name.startsWith('^')) return [sample];
  return /[*#]/.test(name) ? [sample, `/app${sample}`] : [sample, `/app${sample}`, `/srv/site${sample}`];
}

/**
 * The handwritten rules and those generated so far. A new rule need not match paths that one of these blocks in the same
 * policies.
 */
class EarlierRules {
  readonly #tests: { readonly blocks: boolean; readonly isExtended: boolean; readonly regex: RE2 }[] = [];

  add({ action, targets, pattern, size }: Rule): void {
    const blocks = action === 'block';
    if (targets.includes('path'))
      this.#tests.push({ blocks, isExtended: size === 'extended', regex: new RE2(pattern, 'u') });
  }

  /** Whether an earlier rule blocks the path in every policy with rules of this size. */
  blocks(path: string, size: Rule['size']): boolean {
    return this.#tests.some(
      (test) => test.blocks && (size === 'extended' || !test.isExtended) && test.regex.test(path),
    );
  }

  /** The first example that no earlier rule matches. */
  probeOf(id: string, examples: readonly string[]): string {
    const probe = examples.find((example) => !this.#tests.some(({ regex }) => regex.test(example)));
    if (probe === undefined) throw new Error(`${id}: former rules match each of its examples`);
    return probe;
  }
}

function shapeRules(earlier: EarlierRules): BuiltInRule[] {
  return shapes.map(({ patterns, ...shape }) => {
    const [near] = shape.nearMisses;
    const rule: BuiltInRule = {
      ...{ ...shape, action: 'block', targets: ['path'], pattern: `(?i)${patterns.join('|')}` },
      ...{ probe: encodeURI(earlier.probeOf(shape.id, shape.matches)), nearProbe: encodeURI(near as string) },
    };
    earlier.add(rule);
    return rule;
  });
}

/**
 * Divides the files of a family, sorted by name, into one part for each of its `starts`. The starts are fixed, so a new
 * name does not move other names to another rule.
 */
function partsOf({ starts }: Family, files: readonly ProductFile[]): ProductFile[][] {
  const parts = starts.map((): ProductFile[] => []);
  for (const file of files.toSorted((one, other) => (sortKey(one.name) < sortKey(other.name) ? -1 : 1))) {
    const index = starts.findLastIndex((start) => start <= sortKey(file.name));
    (parts[index] as ProductFile[]).push(file);
  }
  return parts;
}

const shownExamples = 3;

function familyRule(family: Family, index: number, names: readonly string[], earlier: EarlierRules): BuiltInRule {
  const { category, why, size } = family;
  const id = family.starts.length === 1 ? family.id : `${family.id}-${index + 1}`;
  const pattern = patternOf(names, size);
  const regex = new RE2(pattern, 'u');
  const samples = names.map(sampleOf);
  const probe = earlier.probeOf(id, samples);
  const copy = names.find((name) => !/[*#]|\/$/.test(name));
  const more = copy === undefined || size === 'extended' ? `${probe}/more` : `${sampleOf(copy)}.org`;
  const matches = [probe, ...samples.slice(0, shownExamples), more, ...names.flatMap(spellings)];
  const near = [`/x-${probe.slice(1)}`, `/guides${probe.replace(/\//g, '-')}`, '/about', '/docs/', '/products/42'];
  const nearMisses = near.filter((path) => !regex.test(path)).slice(0, shownExamples);
  const rule: BuiltInRule = {
    ...{ id, action: 'block', category, targets: ['path'], ...(size === 'extended' && { size }), why, pattern },
    matches: [...new Set(matches)].filter((path) => regex.test(path)).slice(0, shownExamples + 2),
    ...{ nearMisses, probe: encodeURI(probe), nearProbe: encodeURI(nearMisses[0] as string) },
  };
  earlier.add(rule);
  return rule;
}

function productRules(earlier: EarlierRules): BuiltInRule[] {
  const files: OpenFile[] = readProducts(productFolder).flatMap(({ group, files }) =>
    files.map((file) => ({ ...file, group })),
  );
  const isOpen = ({ name, size }: OpenFile) => spellings(name).some((path) => !earlier.blocks(path, size));
  const rest = new Set(files.filter(isOpen));
  return families.flatMap((family) => {
    const own = [...rest].filter((file) => family.includes(file));
    for (const file of own) rest.delete(file);
    return partsOf(family, own).flatMap((part, index) => {
      const names = part.map(({ name }) => name);
      return names.length === 0 ? [] : familyRule(family, index, names, earlier);
    });
  });
}

export function nameRulesFile(): string {
  const earlier = new EarlierRules();
  for (const rule of patterns as readonly Rule[]) earlier.add(rule);
  const rules = [...shapeRules(earlier), ...productRules(earlier)];
  return `[\n${rules.map((rule) => `  ${JSON.stringify(rule)}`).join(',\n')}\n]\n`;
}
