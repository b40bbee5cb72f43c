import process from 'node:process';

/** Writes a dot every two seconds while files are made, because the programs that make them print nothing for minutes. */
export async function withDots<T>(text: string, work: Promise<T>): Promise<T> {
  process.stderr.write(`${text} `);
  const timer = setInterval(() => process.stderr.write('.'), 2000);
  try {
    return await work;
  } finally {
    clearInterval(timer);
    process.stderr.write('\n');
  }
}
