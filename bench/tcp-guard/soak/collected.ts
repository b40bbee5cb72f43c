/** Measures the memory of a Node process after a garbage collection, through its inspector. */
interface Answer {
  readonly id: number;
  readonly result?: { readonly result?: { readonly value?: unknown } };
}

/** Memory of a process after a garbage collection. */
export interface CollectedMemory {
  readonly residentBytes: number;
  /** Bytes of the objects on the heap, and of memory outside of the heap that they reference. */
  readonly heapBytes: number;
}

const measure = `(({ rss, heapUsed, external }) => [rss, heapUsed + external])(process.memoryUsage())`;

export interface Inspector {
  readonly collect: () => Promise<CollectedMemory>;
  /** Disconnects, because a process does not exit while an inspector client is connected. */
  readonly close: () => void;
}

/** @param url the WebSocket address that the process prints on standard error */
export async function connectInspector(url: string): Promise<Inspector> {
  const socket = new WebSocket(url);
  await new Promise((resolve, reject) => {
    socket.onopen = resolve;
    socket.onerror = () => reject(new Error('the inspector cannot be asked'));
  });
  let last = 0;
  const waiting = new Map<number, (answer: Answer) => void>();
  socket.onmessage = ({ data }) => {
    const answer = JSON.parse(String(data)) as Answer;
    waiting.get(answer.id)?.(answer);
    waiting.delete(answer.id);
  };
  const ask = (method: string, params: object = {}) =>
    new Promise<Answer>((resolve) => {
      last += 1;
      waiting.set(last, resolve);
      socket.send(JSON.stringify({ id: last, method, params }));
    });
  const collect = async () => {
    await ask('HeapProfiler.collectGarbage');
    const { result } = await ask('Runtime.evaluate', { expression: measure, returnByValue: true });
    const [residentBytes = 0, heapBytes = 0] = (result?.result?.value ?? []) as number[];
    return { residentBytes, heapBytes };
  };
  return { collect, close: () => socket.close() };
}
