import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text as textOf } from 'node:stream/consumers';
import { packageRoot } from '../../platform/assets.ts';
import { command } from '../../platform/command.ts';
import type { ShippedPackage } from './licenses.ts';

/** For each license, a pattern of a text that only this license has. */
const licenseMarks: readonly (readonly [license: string, mark: RegExp])[] = [
  ['Apache-2.0', /\bApache License,?\s+Version 2\.0\b/i],
  ['BSD-3-Clause', /\bRedistribution and use in source and binary forms\b.*\b(?:Neither|nor) the names?\b/i],
  ['BSD-2-Clause', /\bRedistribution and use in source and binary forms\b(?!.*\b(?:Neither|nor) the names?\b)/i],
  ['CC0-1.0', /\bCC0 1\.0 Universal\b/],
  ['ISC', /\bPermission to use, copy, modify, and(?:\/or)? distribute this software\b/],
  ['MIT', /\bPermission is hereby granted, free of charge, to any person\b/],
  ['MPL-2.0', /\bMozilla Public License,?\s+(?:Version|v\.) 2\.0\b/i],
  ['Unlicense', /\bThis is free and unencumbered software released into the public domain\b/],
  // Matches only upper case, because the MPL mentions these licenses in other letter case.
  ['GPL or LGPL', /\bGNU (?:\w+ )?GENERAL PUBLIC LICENSE\b/],
];

/** Returns an SPDX expression of all licenses in the text, which all apply, or `unknown`. */
export function licenseIn(text: string): string {
  const flowing = text.replaceAll(/\s+/g, ' ');
  const found = licenseMarks.filter(([, mark]) => mark.test(flowing)).map(([license]) => license);
  return found.length === 0 ? 'unknown' : found.join(' AND ');
}

const isLicense = (file: string): boolean => /^(?:un)?licen[cs]e|^copying|^notice/i.test(file);

/** Prints the module of each package. Omits the standard library and main modules, which have no version. */
const listFormat = '{{with .Module}}{{if .Version}}{{.Path}} {{.Version}} {{.Dir}}{{end}}{{end}}';

export interface GoProgram {
  /** Path from the root of the package. The go.mod there decides the versions. */
  readonly folder: string;
  readonly packages: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Returns the modules whose packages a program contains, sorted by name. Leaves out the modules of this repository. */
export async function goModules({ folder, packages, env = {} }: GoProgram): Promise<ShippedPackage[]> {
  // A stream, because the output has a line for each of thousands of packages.
  const output = new PassThrough();
  const options = { cwd: join(packageRoot, folder), env, output };
  const [lines] = await Promise.all([
    textOf(output),
    command('go', ['list', '-deps', '-f', listFormat, packages], options),
  ]);
  return [...new Set(lines.trim().split('\n'))].sort().flatMap((line) => {
    const [, name = '', version = '', at = packageRoot] = /^(\S+) (\S+) (.+)$/.exec(line) ?? [];
    if (at.startsWith(packageRoot)) return [];
    const files = readdirSync(at, { withFileTypes: true }).filter((entry) => entry.isFile() && isLicense(entry.name));
    const text = files.map((entry) => readFileSync(join(at, entry.name), 'utf8').trim()).join('\n\n');
    return [{ name, version, license: licenseIn(text), text }];
  });
}

/** Returns the modules in the file that `guardcli build` writes beside a program. */
export function modulesIn(licenses: string): ShippedPackage[] {
  const [, ...sections] = licenses.split(`\n${'-'.repeat(80)}\n\n`);
  const byModule = Map.groupBy(sections, (section) => section.slice(0, section.indexOf('\n')));
  return [...byModule].map(([module, files]) => {
    const [name = '', version = ''] = module.split(' ');
    const text = files.map((section) => section.slice(module.length).trim()).join('\n\n');
    return { name, version, license: licenseIn(text), text };
  });
}
