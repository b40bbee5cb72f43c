import { readdirSync, readFileSync } from 'node:fs';
import * as z from 'zod/mini';
import { Product } from '../policy/products.ts';

/** Reads the table of products. @throws when a row is malformed */
export function readProducts(from: URL): readonly Product[] {
  const files = readdirSync(from)
    .filter((name) => name.endsWith('.json'))
    .sort();
  return files.flatMap((file) => z.parse(z.array(Product), JSON.parse(readFileSync(new URL(file, from), 'utf8'))));
}
