/** What a proxy makes of a raw request target before a guard in it sees anything. */
export type Received =
  | {
      readonly kind: 'passed';
      /** What the guard reads. */
      readonly target: string;
      /** What the backend is sent when the guard lets the request through. */
      readonly backend: string;
    }
  /** The proxy answers by itself; neither guard nor backend see the request. */
  | { readonly kind: 'refused'; readonly status: number };
