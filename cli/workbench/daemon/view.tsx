import type { BanRecord } from '../../../contract/api/records.ts';
import type { Health } from '../../../contract/api/state.ts';
import { printable, readable } from '../../../platform/escape.ts';
import type { DaemonEvent, Snapshot } from '../../daemon/client.ts';
import { counted } from '../../program/counted.ts';
import { Box, Text } from '../../views/drawing.tsx';
import { FieldText, type Line, Lines, type Pane, Panes, styledLine, wideColumns } from '../draw/lines.tsx';
import { searchOf } from '../field.ts';
import type { ViewProps } from '../screen.ts';
import type { DaemonState } from './state.ts';

const colors = { ok: 'green', degraded: 'yellow', unavailable: 'red' } as const;

function healthLines({ status, version = '', uptime_seconds: uptime, reasons = [], crowdsec }: Health): Line[] {
  const feed = crowdsec
    ? `threat feed ${crowdsec.status}, ${counted(crowdsec.decisions, 'decision')}${crowdsec.last_error === null ? '' : `: ${printable(crowdsec.last_error)}`}`
    : 'no threat feed';
  return [
    <Text key="health">
      <Text bold color={colors[status]}>
        {status}
      </Text>
      {`  tcp-guard ${printable(version)}`}
      {uptime !== undefined && `  up ${uptime} s`}
      <Text color={crowdsec && crowdsec.status !== 'healthy' ? 'yellow' : ''} dimColor={!crowdsec}>{`  ${feed}`}</Text>
    </Text>,
    ...reasons.slice(0, 3).map((reason) => styledLine(`  ${readable(reason)}`, { color: 'yellow' })),
  ];
}

const shownServices = 8;

function serviceLines({ services, stats }: Snapshot): Line[] {
  const rows = services.slice(0, shownServices).map(({ name, protocol, listen, upstream, enabled }): Line => {
    const {
      active_connections: active = 0,
      total_allowed: allowed = 0,
      total_blocked: blocked = 0,
    } = stats.services[name] ?? {};
    return (
      <Text key={name} dimColor={!enabled}>
        {`${printable(name).padEnd(14)} ${printable(protocol).padEnd(10)} ${`${active} open`.padEnd(10)} ${`${allowed} allowed`.padEnd(16)}`}
        <Text color={blocked > 0 ? 'red' : ''}>{`${blocked} blocked`.padEnd(16)}</Text>
        {printable(`${listen} -> ${upstream}`)}
      </Text>
    );
  });
  const hidden = services.length - rows.length;
  return hidden > 0 ? [...rows, styledLine(`${hidden} more`, { dimColor: true })] : rows;
}

function banLine({ ip, remaining, reason, origin }: BanRecord, isSelected: boolean): Line {
  return (
    <Text inverse={isSelected}>
      {`${printable(ip).padEnd(20)} ${printable(remaining).padEnd(11)}`}
      <Text dimColor>{`${origin} `}</Text>
      {readable(reason)}
    </Text>
  );
}

function banPane({ snapshot, selected }: DaemonState, height: number): Pane {
  const bans = snapshot?.bans ?? [];
  const start = Math.max(0, selected - height + 3);
  const shown = bans.slice(start, start + height - 1).map((ban, index) => banLine(ban, start + index === selected));
  return { title: counted(bans.length, 'ban'), lines: shown.length > 0 ? shown : ['no bans'], focus: selected - start };
}

const eventText = ({ timestamp, action, service, reason, client_ip: ip, count = 1 }: DaemonEvent): string =>
  `${printable(timestamp.slice(11, 19))} ${action} ${printable(service)} ${printable(reason)} from ${printable(ip)}${count > 1 ? ` (${count} times)` : ''}`;

function eventLine(event: DaemonEvent): Line {
  const isQuiet = event.action === 'allowed' || event.action === 'unbanned';
  return isQuiet ? eventText(event) : <Text color="red">{eventText(event)}</Text>;
}

function eventPane({ events, eventCount, filter, isFiltering }: DaemonState, width: number, height: number): Pane {
  const isFound = searchOf(filter);
  const found = filter.text === '' ? events : events.filter(({ event }) => isFound(eventText(event)));
  const typed = (
    <Text key="filter">
      <Text dimColor={!isFiltering}>/ </Text>
      <FieldText field={filter} hasFocus={isFiltering} width={width - 4} />
    </Text>
  );
  const shown = found.slice(-Math.max(1, height - 2)).map(({ event }) => eventLine(event));
  return { title: counted(eventCount, 'event'), lines: [typed, ...shown], focus: shown.length };
}

export function DaemonView({ state: { daemon: state }, width, height }: ViewProps) {
  const { snapshot, lostReason } = state;
  const where = state.address.kind === 'unix' ? state.address.path : state.address.origin.origin;
  const missing =
    lostReason === undefined ? `connecting to ${where}` : `no tcp-guard responds at ${where}: ${lostReason}`;
  const problem = lostReason === undefined && snapshot ? [] : [styledLine(readable(missing), { color: 'yellow' })];
  const hint = snapshot ? [] : ['guardcli ui --daemon ADDRESS selects another one; GUARD_API_TOKEN is its token'];
  const head = [...problem, ...hint, ...(snapshot ? [...healthLines(snapshot.health), ...serviceLines(snapshot)] : [])];
  const room = height - head.length;
  const half = width >= wideColumns ? Math.floor(width / 2) : width;
  const pane = state.pane ?? (snapshot && snapshot.bans.length > 0 ? 'bans' : 'events');
  const bans = banPane(state, room);
  const events = eventPane(state, half, room);
  const panes = width >= wideColumns ? [bans, events] : [pane === 'bans' ? bans : events];
  return (
    <Box flexDirection="column" width={width} height={height}>
      <Lines lines={head} width={width} height={head.length} />
      <Panes panes={panes} width={width} height={room} />
    </Box>
  );
}
