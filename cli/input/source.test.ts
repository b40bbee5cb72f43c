import assert from 'node:assert/strict';
import { chmodSync } from 'node:fs';
import { Readable } from 'node:stream';
import { describe, it } from 'node:test';
import { limits } from '../../contract/policy/limits.ts';
import { UsageError } from '../../platform/errors.ts';
import type { Context } from '../program/context.ts';
import { scratch } from '../testing/scratch.ts';
import { readSource, streamSource } from './source.ts';

const nobody = 65_534;
const largest = Math.max(limits.policyFileBytes, limits.daemonFileBytes);

function contextIn(cwd: string, stdin: Readable = Readable.from([])): Context {
  return { cwd, stdin, signal: new AbortController().signal } as unknown as Context;
}

async function refusal(name: string, context: Context): Promise<UsageError> {
  const error = await readSource(name, context).then(
    () => assert.fail(`${name} was read`),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof UsageError);
  assert.ok(error.hint);
  return error;
}

/** Runs `work` with the rights of `nobody` when the test runs as root, because root can read every file. */
async function asNobody<T>(work: () => Promise<T>): Promise<T> {
  const isRoot = process.geteuid?.() === 0;
  if (isRoot) process.seteuid?.(nobody);
  try {
    return await work();
  } finally {
    if (isRoot) process.seteuid?.(0);
  }
}

/** An endless source that counts the bytes read from it. */
function endless(): { readonly stream: Readable; readonly taken: () => number } {
  let taken = 0;
  const chunk = Buffer.alloc(64 * 1024, 0x20);
  const stream = new Readable({
    read() {
      taken += chunk.length;
      this.push(chunk);
    },
  });
  return { stream, taken: () => taken };
}

describe('readSource', () => {
  it('reads a file relative to the working directory', async () => {
    const { name, bytes } = await readSource('a.json', contextIn(scratch({ 'a.json': '{}' })));
    assert.equal(name, 'a.json');
    assert.deepEqual(Buffer.from(bytes), Buffer.from('{}'));
  });
  it('reads standard input for -', async () => {
    const { name, bytes } = await readSource('-', contextIn('/', Readable.from([Buffer.from('{'), Buffer.from('}')])));
    assert.equal(name, '<stdin>');
    assert.equal(Buffer.from(bytes).toString(), '{}');
  });
  it('reads the largest allowed file and refuses one more byte', async () => {
    const files = { fits: Buffer.alloc(largest), over: Buffer.alloc(largest + 1) };
    const context = contextIn(scratch(files));
    assert.equal((await readSource('fits', context)).bytes.length, largest);
    assert.equal((await refusal('over', context)).code, 'file_too_large');
  });
  it('stops reading an endless input', async () => {
    const { stream, taken } = endless();
    assert.equal((await refusal('-', contextIn('/', stream))).code, 'file_too_large');
    assert.ok(taken() < 2 * largest);
  });
  it('reports a missing file', async () => {
    const { code, message } = await refusal('b.json', contextIn(scratch()));
    assert.equal(code, 'file_absent');
    assert.match(message, /^cannot read b\.json: /);
  });
  it('offers the file with a near name', async () => {
    const context = contextIn(scratch({ 'guard.json': '{}', 'other.txt': '' }));
    assert.equal((await refusal('gaurd.json', context)).hint, 'did you mean "guard.json"?');
    assert.equal((await refusal('./gaurd.json', context)).hint, 'did you mean "./guard.json"?');
    assert.match((await refusal('xyz', context)).hint ?? '', /^check the name/);
    const stream = streamSource('gaurd.json', context);
    await assert.rejects(stream.next(), { hint: 'did you mean "guard.json"?' });
  });
  it('reports a path that leads through a file', async () => {
    assert.equal((await refusal('a/b', contextIn(scratch({ a: '' })))).code, 'file_absent');
  });
  it('reports a folder', async () => {
    assert.equal((await refusal('.', contextIn(scratch()))).code, 'file_is_folder');
  });
  it('reports an unreadable file', async () => {
    const folder = scratch({ 'a.json': '{}' });
    chmodSync(folder, 0o755);
    chmodSync(`${folder}/a.json`, 0);
    const { code, message } = await asNobody(() => refusal('a.json', contextIn(folder)));
    assert.equal(code, 'file_unreadable');
    assert.match(message, /permission denied/);
  });
  it('refuses an invalid file name', async () => {
    assert.equal((await refusal('a\0b', contextIn('/'))).code, 'file_unreadable');
  });
  it('stops when the run is aborted', async () => {
    const controller = new AbortController();
    const context = { ...contextIn('/', new Readable({ read() {} })), signal: controller.signal };
    const reading = readSource('-', context);
    controller.abort();
    await assert.rejects(reading, { name: 'AbortError' });
  });
});
