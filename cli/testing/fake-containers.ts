/** An in-memory container runtime. The test controls the output of its containers. */
import { PassThrough } from 'node:stream';
import type { ContainerSpec, Containers, Item, RunningContainer } from '../../containers/containers.ts';
import { ExternalError } from '../../platform/errors.ts';

export interface FakeContainer {
  readonly spec: ContainerSpec;
  readonly container: RunningContainer;
  readonly say: (line: object | string) => void;
  readonly end: (status: number) => void;
}

export interface FakeRuntime {
  readonly containers: Containers;
  readonly present: ReadonlySet<string>;
  readonly started: readonly FakeContainer[];
}

interface Behavior {
  /** Called when a container starts. Default: the container becomes ready. */
  readonly onStart?: (fake: FakeContainer) => void;
  /** Names of containers that do not start. */
  readonly refuses?: RegExp;
  /** Names of items that cannot be removed. `true`: no item can be removed. */
  readonly cannotRemove?: RegExp | true;
}

export const readyLine = { type: 'sandbox_ready', ms: 7 };

function createFake(spec: ContainerSpec, onEnd: () => void): FakeContainer {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const exit = Promise.withResolvers<number>();
  const say = (line: object | string): void => {
    if (typeof line === 'string') stderr.write(`${line}\n`);
    else stdout.write(`${JSON.stringify(line)}\n`);
  };
  const end = (status: number): void => {
    stdout.end();
    stderr.end();
    exit.resolve(status);
    onEnd();
  };
  const release = (): void => void stdin.destroy();
  return { spec, say, end, container: { id: spec.name, stdin, stdout, stderr, exit: exit.promise, release } };
}

export function createFakeRuntime({ onStart, refuses, cannotRemove }: Behavior = {}): FakeRuntime {
  const present = new Set<string>();
  const started: FakeContainer[] = [];
  const specOf = (name: string): ContainerSpec | undefined => started.find(({ spec }) => spec.name === name)?.spec;
  const items = (kind: Item['kind'], isOne: (name: string) => boolean): Item[] =>
    [...present].filter(isOne).map((name) => {
      const { labels = {}, ports = [] } = specOf(name) ?? {};
      const published = ports.map(({ hostPort }) => hostPort);
      return { kind, id: name, name, labels, isRunning: true, created: 1000, ports: published };
    });
  const failure = (message: string): ExternalError =>
    new ExternalError(message, { code: 'runtime_failed', failed: { tool: 'container runtime' } });
  const isNetwork = (name: string): boolean => name.startsWith('request-guard-s');
  const containers: Containers = {
    runtime: { origin: 'fake', address: { kind: 'unix', path: '/fake' }, architecture: 'amd64', version: '28.1.0' },
    hasImage: async () => true,
    build: async () => {},
    createNetwork: async ({ name }) => void present.add(name),
    run: async (spec) => {
      if (refuses?.test(spec.name)) throw failure(`starting ${spec.name} failed`);
      present.add(spec.name);
      const fake = createFake(spec, () => present.delete(spec.name));
      started.push(fake);
      queueMicrotask(() => (onStart ?? ((one) => one.say(readyLine)))(fake));
      return fake.container;
    },
    follow: async (id) => {
      const found = started.find(({ spec }) => spec.name === id);
      if (!found) throw failure('no such container');
      return found.container;
    },
    attachments: async (id) => [
      { network: 'bridge', address: `address-of-${id}`, gateway: '172.17.0.1' },
      { network: 'request-guard-s1', address: '172.18.0.3', gateway: '' },
    ],
    list: async (kind, label, { value } = {}) => {
      if (kind === 'network') return items(kind, isNetwork);
      return items(kind, (name) => {
        const found = isNetwork(name) ? undefined : specOf(name)?.labels[label];
        return found !== undefined && (value === undefined || found === value);
      });
    },
    remove: async ({ id }) => {
      if (cannotRemove === true || cannotRemove?.test(id)) throw failure('removing failed');
      present.delete(id);
      started.find(({ spec }) => spec.name === id)?.end(137);
    },
  };
  return { containers, present, started };
}
