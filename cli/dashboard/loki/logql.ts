/** True for queries that return lines. They begin with a selector in braces. */
export const isLineQuery = (logql: string): boolean => /^(?:\s|\(|#[^\n]*\n)*\{/.test(logql);
