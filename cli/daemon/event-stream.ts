/** Parses server-sent events (WHATWG HTML 9.2). */

/** Maximum characters kept of an unfinished line, and of the data of one event. Events of tcp-guard have a few KiB. */
const longestLine = 256 * 1024;

export interface EventParser {
  readonly push: (chunk: string) => void;
  /** Returns the id of the last event. A new stream can resume after it. */
  readonly lastId: () => string;
}

/** Creates a parser that calls `onData` with the data of each event. */
export function createEventParser(onData: (data: string) => void, initialId = ''): EventParser {
  let rest = '';
  let data: string[] = [];
  /** Characters of the data, including the line break after each value. */
  let length = 0;
  let lastId = initialId;
  const line = (text: string): void => {
    if (text === '') {
      if (data.length > 0) onData(data.join('\n'));
      data = [];
      length = 0;
      return;
    }
    const [, field, value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(text) ?? [];
    if (field === 'data' && length + value.length < longestLine) {
      data.push(value);
      length += value.length + 1;
    }
    if (field === 'id' && !value.includes('\0')) lastId = value;
  };
  return {
    push: (chunk) => {
      const lines = (rest + chunk).split(/\r\n|\n|\r(?!$)/);
      rest = (lines.pop() ?? '').slice(0, longestLine);
      for (const one of lines) line(one);
    },
    lastId: () => lastId,
  };
}
