/** Holds the definition against its examples. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { packageRoot } from '../../platform/assets.ts';
import { eventExamples } from './examples.ts';
import { auditExtras, auditMembers, bodyMembers, faultMembers, requestMembers, summaryMembers } from './members.ts';
import { readRecord } from './read.ts';
import { eventJsonSchema } from './schema.ts';

const textOf = (file: string): string => readFileSync(join(packageRoot, file), 'utf8');
const firstOf = (text: string, pattern: RegExp): string[] => [...text.matchAll(pattern)].map(([, name]) => name ?? '');

const requestLine = { ...requestMembers, ...bodyMembers };
const auditLine = { ...auditMembers, ...auditExtras };
const tables = {
  blocked: requestMembers,
  detected: requestLine,
  summary: summaryMembers,
  audit: auditLine,
  fault: faultMembers,
};

describe('an example', () => {
  const isValid = new Ajv2020({ strict: true, strictRequired: false }).compile(eventJsonSchema());
  for (const [name, example] of Object.entries(eventExamples)) {
    it(`of ${name} is a line of the schema, and needs each of its members`, () => {
      assert.ok(isValid(example), JSON.stringify(isValid.errors));
      const { timestamp: _, ...rest } = example;
      assert.equal(isValid(rest), false);
      assert.equal(isValid({ ...example, added: true }), true);
    });
    it(`of ${name} has its members in the order of the line`, () => {
      const order = Object.keys(tables[name as keyof typeof tables]);
      assert.deepEqual(
        Object.keys(example),
        order.filter((member) => member in example),
      );
    });
    it(`of ${name} is read unchanged, if it is an event`, () => {
      const record = readRecord(JSON.stringify(example))?.record;
      assert.deepEqual(record, name === 'fault' ? undefined : example);
    });
  }
});

describe('the reader', () => {
  const read = (changes: object) => readRecord(JSON.stringify({ ...eventExamples.blocked, ...changes }))?.record;
  it('replaces members that a shipper overwrote, and those beyond their bounds', () => {
    const changes = {
      host: { name: 'web' },
      status: '403',
      user_agent: 'x'.repeat(5000),
      reference: 'short',
      mode: null,
    };
    const empty = { host: '', status: 0, user_agent: '', reference: '', mode: '' };
    assert.deepEqual(read(changes), { ...eventExamples.blocked, ...empty });
  });
  for (const changes of [
    ...[
      { client_ip: '1'.repeat(65) },
      { client_ip: 7 },
      { gateway: '' },
      { path: 'x'.repeat(5000) },
      { rule_id: null },
    ],
    ...[{ reason: '' }, { timestamp: 'now' }, { timestamp: '2026-13-45T99:00:00Z' }, { type: '__proto__' }],
  ])
    it(`refuses a line with ${JSON.stringify(changes).slice(0, 40)}`, () => assert.equal(read(changes), undefined));
  it('bounds facts in number and length', () => {
    const facts = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`name${index}`, 'x']));
    const hostile = { ...facts, name1: 'x'.repeat(300), name2: 3 };
    const record = readRecord(JSON.stringify({ ...eventExamples.audit, facts: hostile }))?.record;
    const names = Object.keys((record?.type === 'security_event' && record.facts) || {});
    assert.deepEqual([names.length, names[0], names[1]], [32, 'name0', 'name3']);
  });
});

describe('a dashboard', () => {
  it('queries attributes that the collector sets', () => {
    const attributes = new Set(firstOf(textOf('observability/collector/collector.yaml'), /attributes\["(\w+)"\]/g));
    const folder = 'observability/grafana/dashboards/';
    for (const file of readdirSync(join(packageRoot, folder))) {
      const queries = firstOf(textOf(folder + file), /"expr": "((?:[^"\\]|\\.)*)"/g).join('\n');
      const names = [
        ...firstOf(queries, /(?<!label_format )\b(\w+)(?:=~|!=|=)(?:\\"|`)/g),
        ...firstOf(queries, /\bby \(([\w, ]+)\)/g).flatMap((list) => list.split(', ')),
        ...firstOf(queries, /\{\{(?:if )?\.(\w+)\}\}/g),
      ];
      assert.deepEqual(
        [...new Set(names)].filter((name) => !attributes.has(name)),
        [],
        file,
      );
    }
  });
});
