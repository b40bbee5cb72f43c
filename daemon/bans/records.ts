/** Bans as columns of typed arrays. A million objects would slow the garbage collector down. */

import { compareWords, type Family, formatPrefix, formatWords, type Prefix } from '../address/prefix.ts';
import type { Ban, BanOrigin } from './ban.ts';

/** The part of a ban that determines its end and the length of the next one. */
export interface BanState {
  /** Milliseconds since the epoch. Infinity: permanent. */
  readonly expiresAt: number;
  /** The number of consecutive bans without an explicit duration. */
  readonly level: number;
  /** When the level is forgotten, milliseconds since the epoch. Infinity: never. */
  readonly rememberedUntil: number;
}

/** A ban, or an ended ban that makes the next ban of its prefix longer. */
export interface BanRecord extends BanState {
  readonly prefix: Prefix;
  readonly reason: string;
  readonly service: string | null;
  readonly origin: StoredOrigin;
  readonly bannedAt: number;
}

/** The origin in the store. The prefix marks a detected ban, which is listed and not enforced. */
export type StoredOrigin = BanOrigin | `detected:${BanOrigin}`;

const enforcedOrigins: readonly BanOrigin[] = ['local', 'api', 'intake', 'port_scan'];
const detectedOrigin = (origin: BanOrigin) => `detected:${origin}` as const;
/** The enforced ones first. */
const origins: readonly StoredOrigin[] = [...enforcedOrigins, ...enforcedOrigins.map(detectedOrigin)];
const isDetectedIndex = (index: number): boolean => index >= enforcedOrigins.length;
const smallestCapacity = 64;
const mostTexts = 1024;

export const isOrigin = (text: string): text is StoredOrigin => origins.includes(text as StoredOrigin);

export const storedOrigin = (origin: BanOrigin, isDetected: boolean): StoredOrigin =>
  isDetected ? detectedOrigin(origin) : origin;

export const isDetected = ({ origin }: Pick<BanRecord, 'origin'>): boolean => isDetectedIndex(origins.indexOf(origin));

/** The members of a ban that the origin in the store has. */
function originOf(index: number): Pick<Ban, 'origin' | 'isDetected'> {
  const origin = enforcedOrigins[index % enforcedOrigins.length] as BanOrigin;
  return isDetectedIndex(index) ? { origin, isDetected: true } : { origin };
}

/** The end of a ban in a `Ban`. Null: permanent. */
const endOrNull = (expiresAt: number): number | null => (expiresAt === Number.POSITIVE_INFINITY ? null : expiresAt);

export function toBan({ prefix, reason, service, origin, bannedAt, expiresAt }: BanRecord): Ban {
  const ends = { bannedAt, expiresAt: endOrNull(expiresAt) };
  return { ip: formatPrefix(prefix), reason, service, ...originOf(origins.indexOf(origin)), ...ends };
}

function doubleColumn<Column extends Uint8Array | Uint16Array | Uint32Array | Float64Array>(column: Column): Column {
  const wider = new (column.constructor as new (length: number) => Column)(column.length * 2);
  wider.set(column);
  return wider;
}

/** A number that sorts addresses and networks approximately: by family and the first 32 bits. */
export const sortKeyOf = (family: number, first: number): number => family * 2 ** 32 + first;

export class Records {
  /** 0: no record. 1: a ban. 2: an ended ban. */
  #states = new Uint8Array(smallestCapacity);
  #words = new Uint32Array(smallestCapacity * 4);
  #families = new Uint8Array(smallestCapacity);
  #lengths = new Uint8Array(smallestCapacity);
  #origins = new Uint8Array(smallestCapacity);
  #levels = new Uint16Array(smallestCapacity);
  #bannedAt = new Float64Array(smallestCapacity);
  #expiresAt = new Float64Array(smallestCapacity);
  #rememberedUntil = new Float64Array(smallestCapacity);
  readonly #texts = new Map<string, string>();
  #reasons: string[] = [];
  #services: (string | null)[] = [];
  #freeNumbers: number[] = [];
  #end = 0;

  /** The lowest number that was never used. Numbers of deleted records are reused. */
  get end(): number {
    return this.#end;
  }

  has(id: number): boolean {
    return this.#states[id] !== 0;
  }

  hasEnded(id: number): boolean {
    return this.#states[id] === 2;
  }

  isDetected(id: number): boolean {
    return isDetectedIndex(this.#origins[id] as number);
  }

  setEnded(id: number): void {
    this.#states[id] = 2;
  }

  expiresAt(id: number): number {
    return this.#expiresAt[id] as number;
  }

  rememberedUntil(id: number): number {
    return this.#rememberedUntil[id] as number;
  }

  prefix(id: number): Prefix {
    const words = this.#words.slice(id * 4, id * 4 + 4);
    return { family: this.#families[id] as Family, words, length: this.#lengths[id] as number };
  }

  sortKeyOf(id: number): number {
    return sortKeyOf(this.#families[id] as number, this.#words[id * 4] as number);
  }

  /** The first record from number `from` with a sort key in a range, or `end`. Scans a million in milliseconds. */
  nextWithin(from: number, first: number, last: number): number {
    const [states, families, words, end] = [this.#states, this.#families, this.#words, this.#end];
    for (let id = from; id < end; id++) {
      const sortKey = sortKeyOf(families[id] as number, words[id * 4] as number);
      if (sortKey >= first && sortKey <= last && states[id] !== 0) return id;
    }
    return end;
  }

  compare(a: number, b: number): number {
    const difference = this.sortKeyOf(a) - this.sortKeyOf(b);
    if (difference !== 0) return difference;
    const order = compareWords(this.#words, a * 4, this.#words, b * 4);
    return order !== 0 ? order : (this.#lengths[a] as number) - (this.#lengths[b] as number);
  }

  isAfter(id: number, { family, words, length }: Prefix): boolean {
    if (this.#families[id] !== family) return (this.#families[id] as number) > family;
    const order = compareWords(this.#words, id * 4, words, 0);
    return order !== 0 ? order > 0 : (this.#lengths[id] as number) > length;
  }

  /** The ban with this number. Builds no BanRecord, because iterating over all bans calls it for each. */
  banOf(id: number): Ban {
    return {
      ip: formatWords(this.#families[id] as Family, this.#words, id * 4, this.#lengths[id] as number),
      reason: this.#reasons[id] as string,
      service: this.#services[id] as string | null,
      ...originOf(this.#origins[id] as number),
      bannedAt: this.#bannedAt[id] as number,
      expiresAt: endOrNull(this.#expiresAt[id] as number),
    };
  }

  get(id: number): BanRecord {
    return {
      prefix: this.prefix(id),
      reason: this.#reasons[id] as string,
      service: this.#services[id] as string | null,
      origin: origins[this.#origins[id] as number] as StoredOrigin,
      bannedAt: this.#bannedAt[id] as number,
      expiresAt: this.expiresAt(id),
      level: this.#levels[id] as number,
      rememberedUntil: this.rememberedUntil(id),
    };
  }

  add(record: BanRecord): number {
    const id = this.#freeNumbers.pop() ?? this.#end++;
    if (id === this.#states.length) this.#grow();
    this.#words.set(record.prefix.words, id * 4);
    this.#families[id] = record.prefix.family;
    this.#lengths[id] = record.prefix.length;
    this.update(id, record);
    return id;
  }

  update(id: number, record: BanRecord): void {
    this.#states[id] = 1;
    this.#origins[id] = origins.indexOf(record.origin);
    this.#levels[id] = record.level;
    this.#bannedAt[id] = record.bannedAt;
    this.#expiresAt[id] = record.expiresAt;
    this.#rememberedUntil[id] = record.rememberedUntil;
    this.#reasons[id] = this.#intern(record.reason);
    this.#services[id] = record.service === null ? null : this.#intern(record.service);
  }

  /** Returns the stored copy of an equal text, because many records share their texts. */
  #intern(text: string): string {
    const known = this.#texts.get(text);
    if (known !== undefined) return known;
    if (this.#texts.size === mostTexts) this.#texts.clear();
    this.#texts.set(text, text);
    return text;
  }

  delete(id: number): void {
    this.#states[id] = 0;
    this.#reasons[id] = '';
    this.#services[id] = null;
    this.#freeNumbers.push(id);
  }

  #grow(): void {
    this.#states = doubleColumn(this.#states);
    this.#words = doubleColumn(this.#words);
    this.#families = doubleColumn(this.#families);
    this.#lengths = doubleColumn(this.#lengths);
    this.#origins = doubleColumn(this.#origins);
    this.#levels = doubleColumn(this.#levels);
    this.#bannedAt = doubleColumn(this.#bannedAt);
    this.#expiresAt = doubleColumn(this.#expiresAt);
    this.#rememberedUntil = doubleColumn(this.#rememberedUntil);
  }
}
