/** The type of the API's bounds. Their values are in contract/daemon/bounds.ts. Tests use other values. */
import type { daemonBounds } from '../../contract/daemon/bounds.ts';

type Bounds = typeof daemonBounds;
type Widened<Value> = Value extends number ? number : { readonly [Key in keyof Value]: number };

export type ApiBounds = {
  readonly [Name in keyof Bounds as Name extends `api${string}` ? Name : never]: Widened<Bounds[Name]>;
};
