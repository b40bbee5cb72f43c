/** The changes of a sandbox to the user's configuration, one sentence each. */
import { type ConfigInput, mostTraps, pollingInTest, slowestTarpitMs } from './tcp-guard-config.ts';

type Row = readonly [holds: boolean, note: string];

function databaseRows({ daemon, mounted: { database } }: ConfigInput): Row[] {
  const { geoip_db } = daemon.global;
  if (typeof database === 'string') return [[true, `geo_block is omitted: ${geoip_db} is not copied: ${database}`]];
  const note = `geoip_db: ${geoip_db} is not on this machine, so the test database of the package replaces it`;
  return [[database?.insteadOf !== undefined, note]];
}

function noteRows(input: ConfigInput): Row[] {
  const { daemon, mounted, lacksNative, isTest } = input;
  const { api, threatfeed, intake, port_scan, services } = daemon;
  const all = Object.values(services);
  return [
    [true, 'services: each listens on a port of the container, and its upstream is a scripted backend'],
    [all.some(({ enabled }) => !enabled), 'services that are not enabled are omitted'],
    [isTest, 'proxy_protocol.accept_from is every address: probes set their client addresses with PROXY headers'],
    [
      isTest && all.some(({ response }) => response.mode === 'tarpit' && response.tarpit_ms > slowestTarpitMs),
      `response.tarpit_ms is at most ${slowestTarpitMs}`,
    ],
    [true, 'api: the listener is the port of the sandbox, with its own token'],
    [api.socket !== '', 'api.socket is omitted'],
    [
      true,
      'global: log_file is the output of the sandbox at level info, and data_dir is empty and is removed with the sandbox',
    ],
    ...databaseRows(input),
    [threatfeed.enabled, 'threatfeed: lapi_url is a small decision service in the container, with its own key'],
    [threatfeed.enabled && isTest, `threatfeed.update_frequency is ${pollingInTest}`],
    [threatfeed.push, 'threatfeed.push is off: its bans would come back as decisions'],
    [intake.length > 0, 'intake: each file is an empty file in the container, and lines sent to its port are appended'],
    [port_scan.listen.length > 0, 'port_scan: each port is another one of the container'],
    [port_scan.listen.length > mostTraps, `port_scan: only its first ${mostTraps} ports are listened on`],
    [
      mounted.policies.size > 0 && lacksNative !== undefined,
      `http.policy is omitted: it needs the module re2, and ${lacksNative}`,
    ],
    [mounted.policies.size > 0 && lacksNative === undefined, 'http.policy: the container has a copy of each file'],
  ];
}

export const notesOf = (input: ConfigInput): string[] =>
  noteRows(input).flatMap(([holds, note]) => (holds ? [note] : []));
