/** Loads files with rows of log formats. */
import { type LogFormat, LogFormats, logFormatBounds } from '../logs/format.ts';
import { type Form, loadFile } from './check.ts';
import { readJson } from './json.ts';
import type { Loaded } from './problem.ts';

const form: Form<typeof LogFormats> = {
  schema: LogFormats,
  maxBytes: logFormatBounds.fileBytes,
  read: readJson,
  schemaAt: (path) => ({ schema: LogFormats, path }),
  warnings: () => [],
};

/** Reads a file with rows in JSON. `name` is the user's name for the file. Never throws. */
export const loadLogFormats = (bytes: Uint8Array, name: string): Loaded<{ readonly formats: readonly LogFormat[] }> =>
  loadFile(bytes, name, form);
