import { execFileSync } from 'node:child_process';
import { scratchFolder } from '../../platform/scratch-folder.ts';
import { endChild } from '../../platform/testing/child.ts';
import { byLength } from '../measure/length.ts';
import { median, samplesInTurn } from '../measure/measure.ts';
import { checkAlgorithm } from '../measure/process.ts';
import { failedRow, type Row } from '../measure/row.ts';
import { type Floor, floors } from './relay/floors.ts';
import { type Load, type LoadName, loads, type Sample } from './relay/loads.ts';
import { kinds, type Peer, type PeerName, startPeer } from './relay/peers.ts';
import { freePorts } from './relay/ports.ts';
import { loadProcessor, relayProcessor } from './relay/programs.ts';
import { startUpstreams } from './relay/upstreams.ts';

/** One round can differ from the next one by a quarter, so a row is the median of at least three. */
const [rounds, leastRounds] = [5, 3];
/** Milliseconds for all loads. Each load has an equal share of the remaining time, but at least `leastRounds`. */
const allLoadsMs = (): number => byLength(8, 2.5) * 60_000;
/** Relays without a floor are compared with this one. */
const reference: PeerName = 'haproxy';

/** Samples in the order of the rounds, or the reason why there are none. */
type Outcome = readonly Sample[] | Error;
type Outcomes = ReadonlyMap<PeerName, Outcome>;

function medianSample(samples: readonly Sample[]): Sample {
  const sorted = [...samples].sort((one, other) => one.value - other.value);
  return sorted[sorted.length >> 1] as Sample;
}

/** The started relays by name. A promise is rejected when its relay did not start. */
type Peers = ReadonlyMap<PeerName, Promise<Peer>>;

/** Measures until `end`. A relay that fails is left out of further rounds. */
async function measureLoad({ measure, isOnce, warmRounds = 1 }: Load, peers: Peers, end: number): Promise<Outcomes> {
  const failures = new Map<PeerName, Error>();
  const steps = Array.from(peers, ([name, starting]) => async (): Promise<Sample | undefined> => {
    if (failures.has(name)) return undefined;
    return starting.then(measure).catch((error: Error) => void failures.set(name, error));
  });
  const turns = { rounds, leastRounds, warmRounds, processors: [relayProcessor, loadProcessor], end };
  const all: (Sample | undefined)[][] = [];
  if (isOnce)
    for (const step of steps) all.push([await step()]); // once each: samplesInTurn would repeat a disturbed one
  else all.push(...(await samplesInTurn(steps, turns)));
  const samplesOf = (index: number) => (all[index] ?? []).filter((sample) => sample !== undefined);
  return new Map(Array.from(peers.keys(), (name, index) => [name, failures.get(name) ?? samplesOf(index)]));
}

/** Returns the median of the ratios of each round, because the speed of the machine changes between rounds. */
function ratioOf(ours: readonly Sample[], theirs: readonly Sample[], isCost = false, isCpu = false): number {
  const costOf = (sample: Sample | undefined) => (isCpu ? sample?.cpu : sample?.value) ?? Number.NaN;
  return median(
    ours.map((sample, round) => {
      const [own, other] = [costOf(sample), costOf(theirs[round])];
      return isCost || isCpu ? other / own : own / other;
    }),
  );
}

function comparisonRows(load: Load, peer: PeerName, against: PeerName, outcomes: Outcomes, floor?: Floor): Row[] {
  const [ours, theirs] = [outcomes.get(peer), outcomes.get(against)];
  if (!ours) return [];
  const name = `${load.title}${floor?.isCpu ? ', CPU' : ''}: ${kinds[peer].title}`;
  if (ours instanceof Error) return [failedRow(name, ours)];
  const { text: measured } = medianSample(ours);
  const least = floor && `>= ${Number(floor.ratio.toFixed(2))}`;
  const budget = least
    ? `${least}${floor?.isCpu ? ' of the CPU time; the load has the same processors' : ''}`
    : 'reported';
  const row = { name, measured, budget, holds: !floor };
  if (theirs instanceof Error) return [{ ...row, against: `${kinds[against].title}, which failed` }];
  if (!theirs || against === peer) return [row];
  const ratio = ratioOf(ours, theirs, load.isCost, floor?.isCpu);
  const holds = !floor || ratio >= floor.ratio;
  return [{ ...row, against: `${kinds[against].title} ${medianSample(theirs).text}`, ratio, holds }];
}

function rowsOf(name: LoadName, outcomes: Outcomes): Row[] {
  const load: Load = loads[name];
  const own = floors.filter((floor) => floor.load === name && outcomes.has(floor.against));
  const judged = new Set(own.map(({ peer }) => peer));
  const others = load.peers.filter((peer) => !judged.has(peer));
  return [
    ...own.flatMap((floor) => comparisonRows(load, floor.peer, floor.against, outcomes, floor)),
    ...others.flatMap((peer) => comparisonRows(load, peer, reference, outcomes)),
  ];
}

interface Selection {
  readonly loads: readonly LoadName[];
  /** Empty selects all relays. */
  readonly peers: readonly PeerName[];
}

/** Parses `LOAD` or `LOAD/PEER,PEER`, with the names of relay/loads.ts and relay/peers.ts. */
function selectionOf(parts: readonly string[]): Selection[] {
  const known = Object.keys(loads) as LoadName[];
  if (parts.length === 0) return [{ loads: known, peers: [] }];
  return parts.map((part) => {
    const [load = '', peers = ''] = part.split('/');
    const names = peers.split(',').filter(Boolean) as PeerName[];
    const isKnown = (load in loads || load === 'all') && names.every((name) => name in kinds);
    if (!isKnown)
      throw new Error(
        `no rows ${part}: the loads are all, ${known.join(', ')}; the relays ${Object.keys(kinds).join(', ')}`,
      );
    return { loads: load === 'all' ? known : [load as LoadName], peers: names };
  });
}

export async function* benchRelay(parts: readonly string[]): AsyncGenerator<Row> {
  checkAlgorithm();
  process.stderr.write(execFileSync('haproxy', ['-v'], { encoding: 'utf8' }).replace(/\n.*/s, '\n'));
  const place = { folder: scratchFolder('guard-relay-'), upstreams: await freePorts() };
  const steps = selectionOf(parts).flatMap(({ loads: names, peers }) => names.map((name) => ({ name, peers })));
  const end = performance.now() + allLoadsMs();
  const started = await startUpstreams(place);
  const peers: Partial<Record<PeerName, Promise<Peer>>> = {};
  const start = async (name: PeerName): Promise<Peer> => {
    const peer = await startPeer(place, name);
    started.push(peer.child);
    return peer;
  };
  try {
    for (const [index, { name, peers: selected }] of steps.entries()) {
      const load: Load = loads[name];
      process.stderr.write(`${load.title}\n`);
      const running = new Map<PeerName, Promise<Peer>>();
      for (const peer of load.peers.filter((one) => selected.length === 0 || selected.includes(one))) {
        peers[peer] ??= start(peer);
        running.set(peer, peers[peer]);
        await peers[peer].catch(() => {}); // the row reports the error
      }
      const now = performance.now();
      yield* rowsOf(name, await measureLoad(load, running, now + (end - now) / (steps.length - index)));
    }
  } finally {
    for (const child of started) await endChild(child);
  }
}
