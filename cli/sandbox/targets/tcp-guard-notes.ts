/** What a sandbox changes in the user's configuration, one sentence each. */
import { type ConfigInput, mostTraps, pollingInTest, slowestTarpitMs } from './tcp-guard-config.ts';

type Row = readonly [holds: boolean, note: string];

function databaseRows({ daemon, mounted: { database } }: ConfigInput): Row[] {
  const { geoip_db } = daemon.global;
  if (typeof database === 'string') return [[true, `geo_block is left out: ${geoip_db} is not copied: ${database}`]];
  const note = `geoip_db: ${geoip_db} is not on this machine, and the database of the package's own tests takes its place`;
  return [[database?.insteadOf !== undefined, note]];
}

function rows(input: ConfigInput): Row[] {
  const { daemon, mounted, lacksNative, isTest } = input;
  const { api, threatfeed, intake, port_scan, services } = daemon;
  const all = Object.values(services);
  return [
    [true, 'services: each listens on a port of the container, and its upstream is a backend that speaks by a script'],
    [all.some(({ enabled }) => !enabled), 'services that are not enabled are left out'],
    [isTest, 'proxy_protocol.accept_from is everybody: probes name their clients by PROXY headers'],
    [
      isTest && all.some(({ response }) => response.mode === 'tarpit' && response.tarpit_ms > slowestTarpitMs),
      `response.tarpit_ms is at most ${slowestTarpitMs}`,
    ],
    [true, 'api: the listener is the port of the sandbox, with a token of its own'],
    [api.socket !== '', 'api.socket is left out'],
    [true, 'global: log_file is the output of the sandbox at level info, and data_dir is empty and goes with it'],
    ...databaseRows(input),
    [threatfeed.enabled, 'threatfeed: lapi_url is a small decision service in the container, with a key of its own'],
    [threatfeed.enabled && isTest, `threatfeed.update_frequency is ${pollingInTest}`],
    [threatfeed.push, 'threatfeed.push is off: its bans would come back as decisions'],
    [intake.length > 0, 'intake: each file is an empty one in the container, and a port appends to it'],
    [port_scan.listen.length > 0, 'port_scan: each port is another one of the container'],
    [port_scan.listen.length > mostTraps, `port_scan: only its first ${mostTraps} ports are listened on`],
    [
      mounted.policies.size > 0 && lacksNative !== undefined,
      `http.policy is left out: it needs the module re2, and ${lacksNative}`,
    ],
    [mounted.policies.size > 0 && lacksNative === undefined, 'http.policy: a copy of each file, as it is now'],
  ];
}

export const notesOf = (input: ConfigInput): string[] => rows(input).flatMap(([holds, note]) => (holds ? [note] : []));
