/** True when the query returns lines. It then begins with a selector in braces, unlike a query that returns numbers. */
export const isLineQuery = (logql: string): boolean => /^(?:\s|\(|#[^\n]*\n)*\{/.test(logql);
