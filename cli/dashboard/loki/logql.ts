/** True when the query returns lines. Such a query begins with a selector in braces, one that returns numbers does not. */
export const isLineQuery = (logql: string): boolean => /^(?:\s|\(|#[^\n]*\n)*\{/.test(logql);
