/** From which country an address comes. */

/** ISO 3166-1 alpha-2; empty: unknown. */
export type CountryOf = (ip: string) => string;
