/** The first sandbox after a boot, without its files in the page cache. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { loadSandbox } from '../../cli/sandbox/targets/index.ts';
import { type ProxyTarget, proxies } from '../../cli/targets/table.ts';
import { imageLabel } from '../../containers/labels.ts';
import { Policy } from '../../contract/policy/schema.ts';
import { baseImage } from '../../sandbox-images/bases.ts';
import { serve } from '../proxies/policies.ts';
import { buildImage, docker, skip } from '../support/guardcli.ts';
import { sandboxImage } from '../support/sandbox-image.ts';

const programs: Readonly<Record<string, readonly string[]>> = {
  caddy: ['/caddy'],
  traefik: ['/traefik'],
  nginx: ['/usr/sbin/nginx', '/usr/lib/nginx/modules/ngx_http_lua_module.so'],
};

/**
 * Returns a Dockerfile that adds dd to an image. dd drops files from the page cache, also for the original image:
 * images with the same layers share their entries.
 */
const withDd = (image: string): string => `FROM ${baseImage('debian')} AS tools
LABEL ${imageLabel}="e2e"
RUN mkdir /dd && cp -L /bin/sh /usr/bin/dd $(ldd /usr/bin/dd | grep -o '/[^ ]*') /dd && mv /dd/ld-linux-*.so.? /dd/ld.so
FROM ${image}
COPY --from=tools /dd /dd
ENTRYPOINT ["/dd/ld.so", "--library-path", "/dd", "/dd/sh", "-ec", \
  "for file; do /dd/ld.so --library-path /dd /dd/dd if=$file iflag=nocache count=0; done", "dd"]
`;

/** Drops the files of an image from the page cache. Other files of this machine stay in it. */
async function dropFromPageCache(t: TestContext, target: ProxyTarget): Promise<void> {
  const { image } = await sandboxImage(await loadSandbox(target.name));
  const tool = `${image}-dd`;
  await buildImage(tool, withDd(image));
  t.after(() => docker('rmi', tool));
  const files = ['/runner', ...(programs[target.name] ?? assert.fail(target.name))];
  await docker('run', '--rm', '--network=none', tool, ...files);
}

for (const target of proxies)
  test(`${target.name} becomes ready within its memory although its program has to be read`, { skip }, async (t) => {
    await dropFromPageCache(t, target);
    const [site] = await serve(t, target, [Policy.parse({})]);
    assert.equal((await fetch(`http://127.0.0.1:${site?.port}/.env`)).status, 403);
  });
