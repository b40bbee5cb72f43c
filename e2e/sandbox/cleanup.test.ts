/** Only objects with the labels of this project are removed. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { cleanup } from '../../containers/cleanup.ts';
import { connect, diskFiles } from '../../containers/connect.ts';
import type { Containers } from '../../containers/containers.ts';
import { open } from '../../containers/docker.ts';
import { imageLabel, sandboxLabel } from '../../containers/labels.ts';
import { buildImage, docker, skip } from '../support/guardcli.ts';

/** Returns a runtime that hides objects without this mark, because this machine may run other sandboxes. */
async function ownRuntime(mark: string): Promise<Containers> {
  const containers = await connect(process.env, diskFiles, open);
  const list: Containers['list'] = async (kind, label) =>
    (await containers.list(kind, label)).filter(({ name }) => name.includes(mark));
  return { ...containers, list };
}

const everything = { sandboxes: [], images: true, dryRun: false };

const minimal = (label: string): string => `FROM scratch\nLABEL ${label}\nCMD ["/x"]\n`;

test('containers in any state, networks and images of ours go, others stay', { skip }, async (t) => {
  const mark = `e2e${randomBytes(6).toString('hex')}`;
  const [ours, other] = [`localhost/request-guard/${mark}:1`, `localhost/other-${mark}:1`];
  t.after(async () => {
    await docker('rm', '-f', `kept-${mark}`).catch(() => {});
    await docker('network', 'rm', `kept-${mark}`).catch(() => {});
    await docker('rmi', '-f', other).catch(() => {});
  });
  await buildImage(ours, minimal(`${imageLabel}=e2e`));
  await buildImage(other, minimal('something=else'));
  await docker('network', 'create', '--internal', '--label', `${sandboxLabel}=${mark}`, `gone-${mark}`);
  await docker('network', 'create', '--internal', `kept-${mark}`);
  const inNetwork = ['create', '--network', `gone-${mark}`];
  await docker(...inNetwork, '--label', `${sandboxLabel}=${mark}`, '--name', `gone-${mark}`, ours);
  await docker('create', '--name', `kept-${mark}`, other);

  const containers = await ownRuntime(mark);
  const { removed } = await cleanup(containers, everything);
  assert.deepEqual(
    removed.map(({ kind, name }) => `${kind} ${name}`),
    [`container gone-${mark}`, `network gone-${mark}`, `image ${ours}`],
  );
  assert.deepEqual(await cleanup(containers, everything), { removed: [], kept: [], failures: [] });
  assert.match(await docker('ps', '-a', '--format', '{{.Names}}'), new RegExp(`^kept-${mark}$`, 'm'));
  assert.match(await docker('network', 'ls', '--format', '{{.Name}}'), new RegExp(`^kept-${mark}$`, 'm'));
  assert.match(await docker('images', '--format', '{{.Repository}}'), new RegExp(`other-${mark}`));
});

test('an image built from ours and a further tag of ours stay, as they have names of the user', { skip }, async (t) => {
  const mark = `e2e${randomBytes(6).toString('hex')}`;
  const [ours, also] = [`localhost/request-guard/${mark}:1`, `localhost/request-guard/${mark}:2`];
  const [built, tagged] = [`localhost/built-${mark}:1`, `localhost/tagged-${mark}:1`];
  t.after(() => docker('rmi', '-f', built, tagged).catch(() => {}));
  await buildImage(ours, minimal(`${imageLabel}=e2e`));
  await docker('tag', ours, also);
  await docker('tag', ours, tagged);
  await buildImage(built, `FROM ${ours}\nLABEL something=else\n`);

  const { removed, kept } = await cleanup(await ownRuntime(mark), everything);
  assert.deepEqual(removed.map(({ name }) => name).sort(), [ours, also]);
  assert.deepEqual(kept.map(({ name }) => name).sort(), [built, tagged]);
  const left = await docker('images', '--format', '{{.Repository}}:{{.Tag}}');
  assert.deepEqual([...left.matchAll(new RegExp(`.*${mark}.*`, 'g'))].map(String).sort(), [built, tagged]);
});

test('removing what no longer exists is not an error', { skip }, async () => {
  const containers = await connect(process.env, diskFiles, open);
  for (const kind of ['container', 'network', 'image'] as const)
    await containers.remove({ kind, id: 'e2e-never-there' });
});
