const firstBytes = 1024;

export class BodyBeginning {
  private collectedBytes = Buffer.alloc(0);
  length = 0;
  private readonly most: number;

  constructor(most: number) {
    this.most = most;
  }

  get isFull(): boolean {
    return this.length === this.most;
  }

  get heldBytes(): number {
    return this.collectedBytes.length;
  }

  /** Adds bytes. Returns by how much the held bytes grow. */
  add(bytes: Buffer): number {
    const before = this.heldBytes;
    const added = Math.min(bytes.length, this.most - this.length);
    const length = this.length + added;
    if (length > this.collectedBytes.length) this.grow(length);
    bytes.copy(this.collectedBytes, this.length, 0, added);
    this.length = length;
    return this.heldBytes - before;
  }

  private grow(length: number): void {
    const larger = Buffer.allocUnsafeSlow(
      Math.min(this.most, Math.max(firstBytes, length, 2 * this.collectedBytes.length)),
    );
    this.collectedBytes.copy(larger, 0, 0, this.length);
    this.collectedBytes = larger;
  }

  bytes(): Buffer {
    return this.collectedBytes.subarray(0, this.length);
  }

  text(): string {
    return this.bytes().toString('latin1');
  }
}
