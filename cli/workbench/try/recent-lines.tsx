import type { Policy } from '../../../contract/policy/schema.ts';
import { printable, readable } from '../../../platform/escape.ts';
import { Text } from '../../views/drawing.tsx';
import { type Line, styledLine, Title } from '../draw/lines.tsx';
import { guardOf } from '../guards.ts';
import type { RecentRequest } from '../recent.ts';

/** Characters of a target that fit beside the form of a wide terminal. */
const shownCharacters = 200;

function recentLine({ number, request, source }: RecentRequest, policy: Policy, isOpen: boolean): Line {
  const { verdict, rule } = guardOf(policy).evaluate(request);
  const isBlocked = verdict === 'blocked';
  return (
    <Text key={number} bold={isOpen}>
      <Text color={isBlocked ? 'red' : 'green'}>{isBlocked ? '✖ ' : '✔ '}</Text>
      {printable(`${request.method} ${request.target.slice(0, shownCharacters)}`)}
      {rule !== undefined && <Text color={isBlocked ? 'red' : 'green'}>{`  ${printable(rule)}`}</Text>}
      <Text dimColor>{`  ${readable(source)}`}</Text>
    </Text>
  );
}

/** Draws a title and the recent requests, the latest request first. */
export function recentLines(
  requests: readonly RecentRequest[],
  {
    policy,
    opened,
    width,
    height,
  }: {
    readonly policy: Policy;
    /** Number of the request that was opened from this list. */
    readonly opened: number | undefined;
    readonly width: number;
    readonly height: number;
  },
): Line[] {
  const latest = requests.slice(1 - height).toReversed();
  const none = [styledLine('Enter keeps the request; requests of sandboxes follow', { dimColor: true })];
  const lines = latest.map((one) => recentLine(one, policy, one.number === opened));
  return [<Title key="recent" text="Recent requests" width={width} />, ...(lines.length > 0 ? lines : none)];
}
