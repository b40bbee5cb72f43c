/** LogQL of lines begins with a selector, LogQL of numbers does not. */
export const isOfLines = (logql: string): boolean => /^(?:\s|\(|#[^\n]*\n)*\{/.test(logql);
