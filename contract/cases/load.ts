import { type Form, loadFile } from '../load/check.ts';
import { readJson } from '../load/json.ts';
import type { Loaded } from '../load/problem.ts';
import { fileSubject } from '../load/text.ts';
import { readYaml } from '../load/yaml.ts';
import { suiteBounds } from './bounds.ts';
import { Suite } from './schema.ts';

/** Whether a text begins like a JSON object. JSON is parsed several times faster than YAML. */
const isJson = (text: string): boolean => /^\s*\{\s*(?:"|\})/.test(text);

const form: Form<typeof Suite> = {
  subject: { ...fileSubject, whenEmpty: 'a suite has cases: - name, request, expect' },
  schema: Suite,
  maxBytes: suiteBounds.fileBytes,
  read: (text) => (isJson(text) ? readJson(text) : readYaml(text)),
  schemaAt: (path) => ({ schema: Suite, path }),
  warnings: () => [],
};

/** Reads a suite file. `name` is the user's name for the file. Never throws. */
export function loadSuite(bytes: Uint8Array, name: string): Loaded<Suite> {
  return loadFile(bytes, name, form);
}
