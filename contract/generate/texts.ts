import { alphabets, decoys } from '../policy/decoys.ts';
import { mirror } from '../policy/mirror.ts';
import {
  blockedHeaders,
  htmlEscapes,
  pages,
  referenceNotes,
  statusNames,
  tarpitByte,
  textHeaders,
  unnamedStatus,
} from '../policy/pages.ts';
import { reference } from '../policy/reference.ts';
import { snakeCase } from '../values/keys.ts';
import { type GoFile, goLiteral, header, structMembers, tableRows } from './go.ts';
import { luaExpression, luaHeader, type Value } from './lua.ts';

const pascal = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);

function goMap(name: string, type: string, values: Readonly<Record<string, string>>): string {
  const key = type === 'map[int]string' ? (value: string) => value : goLiteral;
  const width = Math.max(...Object.keys(values).map((value) => key(value).length));
  const lines = Object.entries(values).map(
    ([value, text]) => `\t${`${key(value)}:`.padEnd(width + 1)} ${goLiteral(text)},\n`,
  );
  return `var ${name} = ${type}{\n${lines.join('')}}\n`;
}

function decoysFile(): string {
  const entries = decoys.map(({ name, match, contentType, text }) => structMembers({ name, match, contentType, text }));
  return [
    `${header}\npackage respond\n`,
    `// decoys in the order in which they are tried; the last one suits everything.\n${tableRows('var decoys = []decoy', entries)}`,
    `// alphabets of derived values, by the name that decoy texts use.\n${goMap('alphabets', 'map[string]string', alphabets)}`,
  ].join('\n');
}

function pagesFile(): string {
  const constants = Object.entries(pages).map(([name, text]) => `const ${name}Page = ${goLiteral(text)}\n`);
  return [
    `${header}\npackage respond\n`,
    ...constants,
    ...Object.entries(referenceNotes).map(([name, text]) => `const ${name}Note = ${goLiteral(text)}\n`),
    `// referenceHeader is the header of a response that shows the reference.\nconst referenceHeader = ${goLiteral(reference.header)}\n`,
    `// blockedHeaders go with every blocked answer.\n${goMap('blockedHeaders', 'map[string]string', blockedHeaders)}`,
    `// textHeaders go with plain text besides.\n${goMap('textHeaders', 'map[string]string', textHeaders)}`,
    `// tarpitByte is what a tarpit sends, one at a time.\nconst tarpitByte = ${goLiteral(tarpitByte)}\n`,
    `// unnamedStatus is the reason phrase of a status without a registered one.\nconst unnamedStatus = ${goLiteral(unnamedStatus)}\n`,
    goMap('statusNames', 'map[int]string', statusNames),
  ].join('\n');
}

function mirrorFile(): string {
  const values = Object.entries(mirror).map(([name, value]) => {
    const keyword = Array.isArray(value) ? 'var' : 'const';
    return `${keyword} mirror${pascal(name)} = ${goLiteral(value)}\n`;
  });
  return [`${header}\npackage respond\n`, ...values].join('\n');
}

export function textFiles(): GoFile[] {
  return [
    { file: 'module/respond/decoys_gen.go', text: decoysFile() },
    { file: 'module/respond/pages_gen.go', text: pagesFile() },
    { file: 'module/respond/mirror_gen.go', text: mirrorFile() },
  ];
}

const luaMembers = {
  alphabets,
  pages,
  referenceNotes,
  reference,
  blockedHeaders,
  textHeaders,
  tarpitByte,
  htmlEscapes,
  unnamedStatus,
  statusNames,
  mirror,
} as const satisfies Record<string, Value>;

export function luaTexts(): string {
  const rowsOfDecoys = decoys.map((decoy) => `        ${luaExpression({ ...decoy })},\n`);
  const others = Object.entries(luaMembers).map(
    ([name, value]) => `    ${snakeCase(name)} = ${luaExpression(value)},\n`,
  );
  return `${luaHeader}\nreturn {\n    decoys = {\n${rowsOfDecoys.join('')}    },\n${others.join('')}}\n`;
}
