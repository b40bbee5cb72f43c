import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import * as z from 'zod';
import type { ZodMiniType } from 'zod/mini';
import { packageRoot } from '../../platform/assets.ts';
import { builtInRules } from '../../contract/policy/builtin-rules.ts';
import { allowedReasons, blockedReasons } from '../../contract/policy/reasons.ts';
import { problemKinds } from '../../contract/policy/schema.ts';
import { bytesOf } from './bytes.ts';
import { type VectorKind, vectorFiles } from '../../contract/vectors/schema.ts';

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

/** A line for each case, and only printable ASCII. */
const layout = (groups: readonly Group[]): string => `[\n${groups.map(groupText).join(',\n')}\n]\n`;

const folder = join(packageRoot, 'conformance/vectors');

const expectedFiles = Object.entries({
  backtracking: 'loops',
  captcha: 'compared signed',
  candidates: 'bytes corpus limits mixtures-1 mixtures-2 mixtures-3 servers',
  policies: 'loading refused',
  regex: 'accepted refused',
  upgrades: 'headers',
  verdicts:
    'applications body body-encoding body-guesses body-limits body-overflow body-types client cookies exceptions exploits-all exploits-paths exploits-scope file-keys header-paths header-rules headers limits multipart multipart-charset multipart-encoding multipart-json multipart-lines order own paths patterns prefilters query query-json readings rules-access rules-attacks rules-exploits rules-files rules-names rules-places rules-secrets rules-system scopes switches targets xml xml-joined',
})
  .flatMap(([kind, rests]) => rests.split(' ').map((rest) => `${kind}-${rest}`))
  .sort();

const names = readdirSync(folder)
  .filter((name) => name.endsWith('.json') && !name.endsWith('-mutants.json'))
  .map((name) => name.slice(0, -'.json'.length))
  .sort();

/** The schemas as other implementations read them. */
const jsonSchemas = Object.keys(vectorFiles).map((kind) => {
  const schema = z.fromJSONSchema(JSON.parse(readFileSync(join(folder, `schemas/${kind}.schema.json`), 'utf8')));
  return [kind, (content: unknown) => schema.safeParse(content)] as const;
});

const kindOf = (name: string) => name.slice(0, name.indexOf('-')) as VectorKind;
const parsed = names.map((name) => {
  const text = readFileSync(join(folder, `${name}.json`), 'utf8');
  const content: unknown = JSON.parse(text);
  return { name, text, content, kind: kindOf(name), result: vectorFiles[kindOf(name)].safeParse(content) };
});

function groupsOf<G>(kind: VectorKind, schema: ZodMiniType<G[]>): G[] {
  return parsed.filter((file) => file.kind === kind).flatMap((file) => schema.safeParse(file.content).data ?? []);
}
const allTests = parsed.flatMap(({ name, result }) =>
  (result.data ?? []).flatMap((group) => group.tests.map((test) => ({ name, ...test }))),
);

function repeated(values: readonly string[]): string[] {
  const seen = new Set<string>();
  return values.filter((value) => seen.size === seen.add(value).size);
}

describe('conformance data', () => {
  it('consists of the listed files', () => assert.deepEqual(names, expectedFiles));

  for (const { name, result } of parsed)
    it(`${name} has the shape of the schema`, () => assert.deepEqual(result.error?.issues ?? [], []));

  for (const [kind, read] of jsonSchemas)
    it(`the JSON Schema accepts each file of kind ${kind}, and no other case`, () => {
      const files = parsed.filter((file) => file.kind === kind);
      for (const { name, content } of files) assert.deepEqual(read(content).error?.issues ?? [], [], name);
      const [group] = files[0]?.content as { tests: object[] }[];
      const withUnknownKey = { ...group, tests: [{ ...group?.tests[0], unknown: true }] };
      assert.equal(read([withUnknownKey]).success, false);
    });

  for (const { name, text, content } of parsed)
    it(`${name} has a line for each case, in ASCII`, () => assert.equal(text, layout(content as never)));

  it('has at least 1,500 cases', () => assert.ok(allTests.length >= 1500, String(allTests.length)));

  it('has unique ids that begin with the name of their file', () => {
    assert.deepEqual(repeated(allTests.map((test) => test.id)), []);
    const strays = allTests.filter((test) => test.id.slice(0, -'-000'.length) !== test.name);
    assert.deepEqual(
      strays.map((test) => test.id),
      [],
    );
  });

  for (const { name, result } of parsed)
    it(`${name} describes each case and group once`, () => {
      const groups = result.data ?? [];
      assert.deepEqual(repeated(groups.map((group) => group.description)), []);
      assert.deepEqual(repeated(groups.flatMap((group) => group.tests.map((test) => test.description))), []);
    });

  it('is worded as statements of fact', () => {
    const vague = allTests.filter((test) => /\bshould\b|\btests? (?:that|whether|if)\b/i.test(test.description));
    assert.deepEqual(
      vague.map((test) => `${test.id}: ${test.description}`),
      [],
    );
  });

  it('spells input and text in one form only', () => {
    const twice = allTests.filter((test) => ['input', 'text'].some((key) => key in test && `${key}Base64` in test));
    assert.deepEqual(
      twice.map((test) => test.id),
      [],
    );
  });
});

describe('candidate vectors', () => {
  const tests = groupsOf('candidates', vectorFiles.candidates).flatMap((group) => group.tests);

  it('start with the input itself unless it is too long', () => {
    const other = tests.filter((test) => (test.candidates.length === 0) !== (test.limit === 'limit_length'));
    assert.deepEqual(
      other.map((test) => test.id),
      [],
    );
    assert.ok(tests.every((test) => bytesOf(test, 'input') !== undefined));
  });

  it('repeat no candidate', () => {
    const repeating = tests.filter((test) => new Set(test.candidates).size !== test.candidates.length);
    assert.deepEqual(
      repeating.map((test) => test.id),
      [],
    );
  });
});

describe('verdict vectors', () => {
  const groups = groupsOf('verdicts', vectorFiles.verdicts);
  const tests = groups.flatMap((group) => group.tests);

  it('have an allowed and a blocked case in each group', () => {
    const judging = groups.filter((group) => group.policy.enabled !== false);
    const onesided = judging.filter((group) => new Set(group.tests.map((test) => test.expect.verdict)).size !== 2);
    assert.deepEqual(
      onesided.map((group) => group.description),
      [],
    );
  });

  it('cover each reason that an engine can return', () => {
    const seen = new Set<string>(tests.map((test) => test.expect.reason));
    const missing = [...allowedReasons, ...blockedReasons].filter((reason) => !seen.has(reason));
    // A request of a vector has no ban list: engine/ban-list.test.ts and the tests of the proxies have them.
    assert.deepEqual(missing, ['limit_regex', 'banned']);
  });

  it('give each reason its own verdict', () => {
    const allowed: readonly string[] = allowedReasons;
    const wrong = tests.filter(({ expect }) => allowed.includes(expect.reason) !== (expect.verdict === 'allowed'));
    assert.deepEqual(
      wrong.map((test) => test.id),
      [],
    );
  });

  it('name each built-in rule', () => {
    const named = new Set(tests.map((test) => test.expect.rule));
    assert.deepEqual(
      builtInRules.map((rule) => rule.id).filter((id) => !named.has(id)),
      [],
    );
  });
});

describe('regex vectors', () => {
  const tests = groupsOf('regex', vectorFiles.regex).flatMap((group) => group.tests);

  it('are at least 150, accepted and refused', () => {
    assert.ok(tests.length >= 150, String(tests.length));
    assert.equal(new Set(tests.map((test) => test.ok)).size, 2);
  });

  it('have an offset exactly where the pattern is refused', () => {
    const wrong = tests.filter((test) => test.ok === (test.offset !== undefined));
    assert.deepEqual(
      wrong.map((test) => test.id),
      [],
    );
  });
});

describe('policy vectors', () => {
  const tests = groupsOf('policies', vectorFiles.policies).flatMap((group) => group.tests);

  it('are at least 40 that load and 70 that do not', () => {
    assert.ok(tests.filter((test) => test.ok).length >= 40);
    assert.ok(tests.filter((test) => !test.ok).length >= 70);
  });

  it('have problems exactly where they do not load', () => {
    const wrong = tests.filter((test) => test.ok === (test.problems !== undefined));
    assert.deepEqual(
      wrong.map((test) => test.id),
      [],
    );
  });

  it('cover each kind of problem', () => {
    const seen = new Set<string>(tests.flatMap((test) => test.problems?.map((problem) => problem.kind) ?? []));
    assert.deepEqual(
      problemKinds.filter((kind) => !seen.has(kind)),
      [],
    );
  });
});
