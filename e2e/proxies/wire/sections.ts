/** All sections of a test file share one sandbox per proxy, with a port for each policy. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type ProxyTarget, proxies } from '../../../cli/targets/table.ts';
import type { Policy } from '../../../contract/policy/schema.ts';
import { skip } from '../../support/guardcli.ts';
import { isTraefikCompiled } from '../../support/sandbox-image.ts';
import { bridgeGateway, type Served, serve } from '../policies.ts';

export interface Section {
  readonly policies: readonly Policy[];
  /** @param sites in the order of the policies */
  readonly run: (t: TestContext, sites: readonly Served[]) => Promise<void>;
}

/** `peer` is the client address of this machine. */
export type MakeSection = (t: TestContext, peer: string, target: ProxyTarget) => Section | Promise<Section>;

async function runSections(t: TestContext, target: ProxyTarget, made: Readonly<Record<string, MakeSection>>) {
  const peer = await bridgeGateway();
  const sections: Section[] = [];
  for (const make of Object.values(made)) sections.push(await make(t, peer, target));
  const sites = await serve(
    t,
    target,
    sections.flatMap(({ policies }) => policies),
  );
  for (const { setting } of sites) assert.equal(setting.peer, peer);
  let first = 0;
  for (const [index, name] of Object.keys(made).entries()) {
    const { policies, run } = sections[index] as Section;
    const own = sites.slice(first, first + policies.length);
    first += policies.length;
    await t.test(name, (one) => run(one, own));
  }
}

const tested = isTraefikCompiled ? proxies.filter(({ name }) => name === 'traefik') : proxies;

export function testOnWire(made: Readonly<Record<string, MakeSection>>): void {
  for (const target of tested) test(`on ${target.name}`, { skip }, (t) => runSections(t, target, made));
}
