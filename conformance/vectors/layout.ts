/** Formats files of this folder: a line for each case, and only printable ASCII. */
interface Group {
  readonly tests: readonly unknown[];
}

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

function line(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(line).join(', ')}]`;
  if (typeof value === 'object' && value !== null) {
    return `{${Object.entries(value)
      .map((entry) => entry.map(line).join(': '))
      .join(', ')}}`;
  }
  return JSON.stringify(value).replaceAll(/[^\x20-\x7e]/g, escaped);
}

function groupText({ tests, ...shared }: Group): string {
  const keys = Object.entries(shared).map(([key, value]) => `    ${line(key)}: ${line(value)},\n`);
  return `  {\n${keys.join('')}    "tests": [\n${tests.map((test) => `      ${line(test)}`).join(',\n')}\n    ]\n  }`;
}

export const layout = (groups: readonly Group[]): string => `[\n${groups.map(groupText).join(',\n')}\n]\n`;
