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

/**
 * A host model: what becomes of a raw target, bytes in latin1 without LF, which ends the request line.
 * @param restBytes bytes of the request line and headers besides the target; absent: the shortest there are
 * @param method as sent; absent: GET
 */
export type Receives = (target: string, restBytes?: number, method?: string) => Received;

/** What the proxy makes of a request before the guard sees it. */
export interface HostModel {
  readonly receives: Receives;
  /** Whether a request header of this name reaches the guard and the backend. */
  readonly receivesHeader: (name: string) => boolean;
}
