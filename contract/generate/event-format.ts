/** Generates how the guards in Go and Lua write the lines that contract/events defines. */
import { bodyMembers, requestMembers, summaryMembers, typeOfMode } from '../events/members.ts';
import { header } from './go.ts';

/** Verbs that the formatting functions of Go and Lua have in common, by the type of a member. */
const verbs: Readonly<Record<string, string>> = { string: '"%s"', integer: '%d' };

const clients = summaryMembers.clients.items.properties;

/** The format of a line, for the formatting functions of Go and Lua. A list is formatted before. */
function formatOf(rows: object): string {
  const members = Object.entries(rows).map(
    ([name, row]: [string, { readonly type: string; readonly const?: string }]) =>
      row.const === undefined
        ? `"${name}":${row.type === 'array' ? '[%s]' : verbs[row.type]}`
        : `"${name}":"${row.const}"`,
  );
  return `{${members.join(',')}}`;
}

const initialisms: Readonly<Record<string, string>> = { Id: 'ID', Ip: 'IP', Uri: 'URI' };

function fieldName(member: string): string {
  const words = member.split('_').map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return words.map((word) => initialisms[word] ?? word).join('');
}

/** Expressions for members that are not a field of Event. */
const computed: Readonly<Record<string, string>> = {
  type: 'e.kind()',
  timestamp: 'e.Time.UTC().Format(timestampFormat)',
  gateway: 'gateway',
};

const goValue = (name: string): string => computed[name] ?? `e.${fieldName(name)}`;

function goValues(): string {
  const values = Object.entries(requestMembers).map(([name, { type }]) =>
    type === 'integer' ? `strconv.Itoa(${goValue(name)})` : goValue(name),
  );
  return values.map((value) => `\t\t${value},\n`).join('');
}

/** Returns `module/event/format_gen.go`. */
export function eventFormat(): string {
  const constant = (comment: string, name: string, format: string) =>
    `// ${name} ${comment}\nconst ${name} = \`${format}\` + "\\n"\n`;
  const body = formatOf(bodyMembers).replace('{', ',');
  return [
    `${header}\npackage event\n\nimport (\n\t"fmt"\n\t"strconv"\n)\n`,
    `const typeBlocked, typeDetected = "${typeOfMode.enforce}", "${typeOfMode.detect}"\n`,
    constant(
      'has the members of an event in the order of the line. Its values are texts.',
      'lineFormat',
      formatOf(requestMembers).replaceAll('%d', '%s'),
    ),
    constant('ends a line in place of its last bracket when a body was not inspected completely.', 'bodyFormat', body),
    `// candidateIndex is the index of the candidate in the result of values.\nconst candidateIndex = ${Object.keys(requestMembers).indexOf('candidate')}\n`,
    constant('counts the events of a second that have no line.', 'summaryFormat', formatOf(summaryMembers)),
    `// clientFormat is one of the clients of summaryFormat.\nconst clientFormat = \`${formatOf(clients)}\`\n`,
    `// format returns the format of the line for values.\nfunc (e *Event) format() string {\n\tif e.Overflow == "" {\n\t\treturn lineFormat\n\t}\n\treturn lineFormat[:len(lineFormat)-len("}\\n")] + fmt.Sprintf(bodyFormat, ${Object.keys(bodyMembers).map(goValue).join(', ')})\n}\n`,
    `// values returns the values of lineFormat in order.\nfunc (e *Event) values(gateway string) []string {\n\treturn []string{\n${goValues()}\t}\n}\n`,
  ].join('\n');
}

const numbers = Object.entries({ ...requestMembers, ...bodyMembers }).filter(([, { type }]) => type === 'integer');

/** The table `event` of `module/lua/guard/tables.lua`. */
export const eventLua = {
  types: typeOfMode,
  members: Object.keys(requestMembers),
  body_members: Object.keys(bodyMembers),
  numbers: Object.fromEntries(numbers.map(([name]) => [name, true])),
  summary_format: `${formatOf(summaryMembers)}\n`,
  client_format: formatOf(clients),
};
