/** The order of the steps that put a configuration into force. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { DaemonFile } from '../../contract/daemon/schema.ts';
import { createGeo } from '../geo/index.ts';
import { geoDatabase } from '../geo/testing/geo.ts';
import { ListenError } from '../listen/listeners.ts';
import { configuration } from '../testing/daemon.ts';
import { applyConfig } from './apply-config.ts';

const listenError = () =>
  Promise.reject(new ListenError({ name: 'one', endpoint: { host: '', port: 1 } }, new Error('in use')));

/**
 * Returns a function that applies a configuration file. The result has two countries of an address in the USA: one was
 * looked up while the services began to listen, the other one afterwards.
 */
function applier(t: TestContext) {
  const geo = createGeo({ fault: assert.fail });
  t.after(geo.close);
  const country = () => geo.countryOf('8.8.8.8');
  const apply = async (file: DaemonFile, listen: () => Promise<void> = async () => {}) => {
    let listening = '';
    const acceptor = {
      ceiling: () => 100,
      prepare: async () => [],
      change: () => {
        listening = country();
        return listen();
      },
      adopt: async () => {},
    };
    await applyConfig(configuration(file), { geo, acceptor, apiListen: undefined, folder: '.' });
    return [country(), listening];
  };
  return apply;
}

const withDatabase: DaemonFile = { version: 1, global: { geoip_db: geoDatabase } };
const without: DaemonFile = { version: 1 };

test('the GeoIP database is in use before services listen', async (t) => {
  assert.deepEqual(await applier(t)(withDatabase), ['US', 'US']);
});

test('the GeoIP database is in use until the services that can need it are replaced', async (t) => {
  const apply = applier(t);
  await apply(withDatabase);
  assert.deepEqual(await apply(without), ['', 'US']);
});

test('the earlier GeoIP database is back in use when a service cannot listen', async (t) => {
  const apply = applier(t);
  assert.deepEqual(await apply(withDatabase, listenError), ['', 'US']);
  await apply(withDatabase);
  assert.deepEqual(await apply(without, listenError), ['US', 'US']);
});
