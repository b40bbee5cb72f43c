import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { skip } from '../process/libc/testing/libc.ts';
import { choosePlane, testedReleases } from './choice.ts';

const [tested = ''] = testedReleases;

/** The choice that a Node process with these options makes. */
function choiceWith(...options: readonly string[]): unknown {
  const choice = pathToFileURL(import.meta.filename.replace('.test', '')).href;
  const source = `
    const { choosePlane } = await import('${choice}');
    console.log(JSON.stringify(choosePlane('linux')));`;
  const { stdout } = spawnSync(process.execPath, [...options, '--input-type=module', '--eval', source]);
  return JSON.parse(stdout.toString());
}

test('the plane is node:net unless another one is configured', () => {
  assert.deepEqual(choosePlane('net'), { name: 'net', reason: 'configured' });
});

test('the Linux plane runs where it is configured, and with `auto` on releases that were tested', { skip }, () => {
  assert.deepEqual(choosePlane('linux', '99.0.0'), { name: 'linux', reason: 'configured' });
  assert.deepEqual(choosePlane('auto', tested), { name: 'linux', reason: `tested with Node ${tested}` });
  assert.deepEqual(choosePlane('auto', '99.0.0'), {
    name: 'net',
    reason: 'the Linux plane was not tested with Node 99.0.0',
  });
});

test('the conformance suite runs on a release in the table of `auto`', () => {
  assert.ok(testedReleases.includes(process.versions.node), 'run the suite of the Linux plane, then add the release');
});

test('falls back to node:net without node:ffi', { skip }, () => {
  assert.deepEqual(choiceWith('--no-experimental-ffi'), {
    name: 'net',
    reason: `the Linux plane is not possible: Node ${process.version} has no node:ffi`,
  });
});

test('falls back to node:net where permissions deny node:ffi', { skip }, () => {
  assert.deepEqual(choiceWith('--permission', '--allow-fs-read=*'), {
    name: 'net',
    reason:
      'the Linux plane is not possible: Access to this API has been restricted. Use --allow-ffi to manage permissions.',
  });
});
