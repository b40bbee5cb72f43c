import { printable, readable } from '../../../platform/escape.ts';
import { grouped } from '../../program/counted.ts';
import { wrap } from '../../program/help.ts';
import { rangeText } from '../../stack/loki/options.ts';
import { Box, Text } from '../../views/drawing.tsx';
import { type Line, Lines, type Pane, Panes, styledLine, wideColumns } from '../draw/lines.tsx';
import type { ViewProps } from '../screen.ts';
import type { State } from '../state.ts';
import { answerLine, answerNames } from './answers.ts';
import { askedOf } from './asked.ts';
import { type Attack, type BlockedEvent, recentMs } from './query.ts';
import { type BlockedState, selectedAttack, selectedIndex, shownEvents } from './state.ts';

/** Drawn characters of an address or a rule, and of a path. */
const [longestName, longestPath] = [64, 400];

const cutText = (text: string, length = longestName): string => printable(text.slice(0, length));

const clockText = (time: string | number): string => new Date(time).toISOString().slice(11, 19);

const sourceText = ({ gateway, service }: Attack): string =>
  cutText(gateway === 'tcp-guard' ? `${gateway}/${service}` : gateway);

function attackLine(attack: Attack, addressWidth: number, isSelected: boolean): Line {
  const { recent, total, client_ip, rule_id: rule, action } = attack;
  const address = cutText(client_ip) || '-';
  const shownAddress = address.length > addressWidth ? `${address.slice(0, addressWidth - 1)}…` : address;
  return (
    <Text inverse={isSelected}>
      <Text bold={recent > 0}>{grouped(recent).padStart(7)}</Text>
      {`${grouped(total).padStart(9)}  ${shownAddress.padEnd(addressWidth)} `}
      <Text color={action === 'blocked' ? 'red' : 'yellow'}>{cutText(rule)}</Text>
      <Text dimColor>{` ${sourceText(attack)}${action === 'blocked' ? '' : ', only reported'}`}</Text>
    </Text>
  );
}

function attackPane(state: BlockedState, columns: number): Pane {
  const { attacks, rangeMs, at, problem } = state;
  const range = rangeText(rangeMs);
  const recent = rangeText(Math.min(recentMs, rangeMs));
  if (attacks === undefined) return { title: 'Blocked', lines: [problem === undefined ? 'counting' : ''] };
  const title = `Blocked until ${clockText(at)} UTC`;
  if (attacks.length === 0) return { title, lines: [`nothing was blocked in the last ${range}`] };
  // The longest address has 39 characters. On a narrow terminal, the title of the commands has all of them.
  const most = Math.min(39, Math.floor(columns / 3));
  const width = Math.min(most, Math.max(...attacks.map(({ client_ip: address }) => cutText(address).length)));
  const selected = selectedIndex(state);
  const head = `${recent.padStart(7)}${range.padStart(9)}  ${'from'.padEnd(width)} by`;
  const lines = attacks.map((attack, index) => attackLine(attack, width, index === selected));
  return { title, lines: [styledLine(head, { dimColor: true }), ...lines], focus: selected + 1 };
}

function eventLine(event: BlockedEvent, index: number): Line {
  const time = styledLine(`${clockText(event.timestamp)} `, { dimColor: true });
  if (event.type === 'security_event')
    return <Text key={index}>{[time, cutText(`${event.service} ${event.reason}`, longestPath)]}</Text>;
  return <Text key={index}>{[time, cutText(`${event.method} ${event.host}${event.request_uri}`, longestPath)]}</Text>;
}

/** Lists the commands, and the newest events that they are about. */
function answerPane(state: State): Pane {
  const asked = askedOf(state);
  if (!asked) return { title: 'What to type', lines: [] };
  const { client_ip: address, rule_id: rule } = asked.attack;
  const answers = answerNames.map((name): Line => {
    const isChosen = name === state.blocked.answer;
    const line = answerLine(name, asked);
    return (
      <Text key={name} bold={isChosen} dimColor={line === undefined}>
        {`${isChosen ? '▸' : ' '} ${name.padEnd(8)}${line?.slice(0, longestPath) ?? 'no command'}`}
      </Text>
    );
  });
  const title = `What to type about ${cutText(address)} and ${cutText(rule)}`;
  return { title, lines: [...answers, ...shownEvents(state.blocked).map(eventLine)] };
}

/** Lines of the commands on a narrow terminal: a title, the commands and, where there is room, events. */
const answerHeight = (height: number): number => Math.max(answerNames.length + 1, Math.floor(height / 2));

export function BlockedView({ state, width, height }: ViewProps) {
  const { problem } = state.blocked;
  const head =
    problem === undefined ? [] : wrap(readable(problem), width).map((one) => styledLine(one, { color: 'yellow' }));
  const room = height - head.length;
  const isWide = width >= wideColumns;
  const [attacks, answers] = [attackPane(state.blocked, isWide ? width / 2 : width), answerPane(state)];
  const below = selectedAttack(state.blocked) === undefined ? 0 : answerHeight(room);
  return (
    <Box flexDirection="column" width={width} height={height}>
      <Lines lines={head} width={width} height={head.length} />
      {isWide ? (
        <Panes panes={[attacks, answers]} width={width} height={room} />
      ) : (
        <>
          <Panes panes={[attacks]} width={width} height={room - below} />
          {below > 0 && <Panes panes={[answers]} width={width} height={below} />}
        </>
      )}
    </Box>
  );
}
