/** Reads the version of a proxy from its image. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { artefactPath, localArch } from '../../artefacts/build.ts';
import type { SandboxProxy } from '../../cli/sandbox/plan/proxy.ts';
import type { TargetName } from '../../cli/targets/table.ts';
import { docker } from '../support/guardcli.ts';
import { sandboxImage } from '../support/sandbox-image.ts';

/** Runs a program of an image. */
type Run = (program: string, ...args: string[]) => Promise<string>;

function firstGroup(text: string, pattern: RegExp): string {
  const [, version] = pattern.exec(text) ?? [];
  assert.ok(version, `no version in ${JSON.stringify(text)}`);
  return version;
}

/**
 * Regex libraries by their files. The Lua module uses its own library if it links one, otherwise the library of nginx.
 */
const libraries: Readonly<Record<string, string>> = { 'libpcre.so.3': 'PCRE', 'libpcre2-8.so.0': 'PCRE2' };
const nginxCommands = [
  'nginx -v 2>&1',
  'dpkg-query --show libnginx-mod-http-lua',
  'ldd /usr/lib/nginx/modules/ngx_http_lua_module.so "$(command -v nginx)"',
].join('; ');

async function nginxVersion(run: Run): Promise<string> {
  const text = await run('/bin/sh', '-c', nginxCommands);
  const nginx = firstGroup(text, /^nginx version: nginx\/(\d+\.\d+)\./m);
  const lua = firstGroup(text, /^libnginx-mod-http-lua\t(?:\d+:)?(\d+\.\d+\.\d+)/m);
  const library = firstGroup(text, /^\t(libpcre\S+) =>/m);
  return `${nginx}, Lua module ${lua} with ${libraries[library] ?? library}`;
}

/** Returns the version of Traefik. A Traefik that is compiled here reports `dev`, so its module information is read. */
async function traefikVersion(run: Run): Promise<string> {
  const named = firstGroup(await run('/traefik', 'version'), /^Version: +v?(\S+)/m);
  if (named !== 'dev') return named;
  const program = readFileSync(await artefactPath('traefik', localArch()));
  const start = program.indexOf('\nmod\tgithub.com/traefik/traefik/v3\t');
  assert.notEqual(start, -1);
  return firstGroup(program.toString('latin1', start, start + 100), /\tv(\d\S+)/);
}

const versions: Partial<Record<TargetName, (run: Run) => Promise<string>>> = {
  caddy: async (run) => firstGroup(await run('/caddy', 'version'), /^v(\S+)/),
  traefik: traefikVersion,
  nginx: nginxVersion,
};

/** Returns the version of a proxy in the format of docs/parity.md. */
export async function versionOf(name: TargetName, proxy: SandboxProxy): Promise<string> {
  const { image } = await sandboxImage(proxy);
  const run: Run = (program, ...args) =>
    docker('run', '--rm', '--network', 'none', '--entrypoint', program, image, ...args);
  return (await versions[name]?.(run)) ?? assert.fail(`no version of ${name}`);
}
