/** Probes of protocols to which a connection must not switch. The echo shows what reaches the backend. */
import type { Probe } from '../probe.ts';
import { requestFor } from '../probe.ts';
import type { Setting } from '../setting.ts';

const settings = ['HTTP2-Settings', 'AAMAAABkAAQAAP__'] as const;
const target = '/guard-probe';

interface UpgradeProbe {
  readonly description: string;
  readonly method?: string;
  readonly headers: readonly (readonly [string, string])[];
}

const probes: Readonly<Record<string, UpgradeProbe>> = {
  h2c: {
    description: 'an upgrade to h2c',
    headers: [['Connection', 'Upgrade, HTTP2-Settings'], ['Upgrade', 'h2c'], settings],
  },
  'h2c-post': {
    description: 'an upgrade to h2c by a POST',
    method: 'POST',
    headers: [['Connection', 'Upgrade, HTTP2-Settings'], ['Upgrade', 'h2c'], settings],
  },
  tls: {
    description: 'an upgrade to TLS',
    headers: [
      ['Connection', 'upgrade'],
      ['Upgrade', 'TLS/1.0'],
    ],
  },
  list: {
    description: 'h2c in odd case before a WebSocket',
    headers: [
      ['Connection', 'keep-alive ,\tuPGRADE'],
      ['uPgRaDe', 'H2C ,websocket'],
    ],
  },
  lines: {
    description: 'h2c in a second line',
    headers: [
      ['Connection', 'Upgrade'],
      ['Upgrade', 'tcp'],
      ['Upgrade', 'h2c'],
    ],
  },
  websocket: {
    description: 'a WebSocket',
    headers: [
      ['Connection', 'Upgrade'],
      ['Upgrade', 'websocket'],
    ],
  },
};

export const upgradeProbes = ({ clientHeaders }: Setting): Probe[] =>
  Object.entries(probes).map(([name, { description, method, headers }]) => ({
    id: `upgrade:${name}`,
    source: 'upgrade',
    description,
    requests: [{ ...requestFor(target, method), headers: [...clientHeaders, ...headers] }],
  }));
