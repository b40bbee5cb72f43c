/** Writes one line for the operator to standard error, where a service manager reads it. */
export const log = (message: string): void => void process.stderr.write(`tcp-guard: ${message}\n`);
