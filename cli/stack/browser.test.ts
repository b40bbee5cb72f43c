import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Context } from '../program/context.ts';
import { hasBrowser } from './browser.ts';

const on = (isTTY: boolean, env: Context['env']): Context => ({ stdout: { isTTY }, env }) as unknown as Context;

describe('a browser', () => {
  for (const [name, context, platform, expected] of [
    ['is there on a desktop', on(true, { DISPLAY: ':0' }), 'linux', true],
    ['is there on Wayland', on(true, { WAYLAND_DISPLAY: 'wayland-0' }), 'linux', true],
    ['is there on macOS', on(true, {}), 'darwin', true],
    ['is not there on a server', on(true, {}), 'linux', false],
    ['is not wanted in a pipe', on(false, { DISPLAY: ':0' }), 'linux', false],
    ['is not wanted in CI', on(true, { DISPLAY: ':0', CI: 'true' }), 'linux', false],
  ] as const)
    it(name, () => assert.equal(hasBrowser(context, platform), expected));
});
