/** Reads Redis commands: arrays of bulk strings, or inline commands. */
import { daemonBounds } from '../../../contract/daemon/bounds.ts';
import { violation } from '../framing/events.ts';
import type { Channel, MessageHandler } from '../framing/messages.ts';
import { blankForm, bulkSize, headEnd, inlineWords, lineFeed, lineSize, numberIn, types } from './form.ts';

const argumentBytes = 256; // fits the names of commands and users
/** Words that are shorter were read completely. */
export const wholeWordBytes = argumentBytes - 32; // less than the head of a word
const arrayHeadForm = /^\*\d+\r\n$/;

export interface CommandHandler {
  /** Called with the command's name. `count`: the number of words. Returns whether `word` is called for the others. */
  readonly name: (text: string, count: number) => boolean;
  /** Called with a word after the name. A long word may be truncated. `index`: the number of the word, from 1. */
  readonly word: (text: string, index: number, count: number) => void;
  readonly end: () => void;
}

export class Commands implements MessageHandler {
  private readonly channel: Channel;
  private readonly handler: CommandHandler;
  private wordCount = 0;
  private wordIndex = 0;
  private isRelevant = false;
  /** The bytes of a ClientHello since its last line feed. */
  private line = '';

  constructor(channel: Channel, handler: CommandHandler) {
    this.channel = channel;
    this.handler = handler;
  }

  readonly size = (bytes: Buffer, at: number, end: number): number => {
    if (this.wordIndex < this.wordCount)
      return bytes[at] === types.bulk ? this.wordSize(bytes, at, end) : this.refuse('malformed_command');
    if (bytes[at] !== types.array) return lineSize(bytes, at, end);
    const next = headEnd(bytes, at, end);
    return next > 0 ? next - at : next;
  };

  private wordSize(bytes: Buffer, at: number, end: number): number {
    const size = bulkSize(bytes, at, end, daemonBounds.redisValueBytes);
    const isNull = at + 1 < end && bytes[at + 1] === types.error;
    return size < 0 || isNull ? this.refuse('malformed_command') : size;
  }

  private refuse(reason: string): number {
    this.channel.emit(violation(reason));
    return -1;
  }

  readonly bytesToRead = (_bytes: Buffer, _at: number, size: number): number => {
    if (this.wordIndex === this.wordCount) return size;
    return this.wordIndex === 0 || this.isRelevant ? Math.min(size, argumentBytes) : 0;
  };

  readonly pass = (): void => this.endWord();

  readonly read = (beginning: Buffer, size: number): void => {
    if (this.wordIndex < this.wordCount) this.readWord(beginning, size);
    else if (beginning[0] === types.array) this.beginCommand(numberIn(beginning, 0, beginning.length));
    else this.readInline(inlineWords(beginning.toString('latin1')));
  };

  /**
   * Checks the lines of a ClientHello, which a server without TLS could interpret as commands. Redis and Valkey search
   * for a line end only up to a NUL. Compatible servers also read the bytes after it.
   */
  readonly checkHello = (part: Buffer): void => {
    this.line += part.toString('latin1');
    if (part.at(-1) !== lineFeed) return;
    if (arrayHeadForm.test(this.line)) this.refuse('malformed_command');
    else this.readInline(inlineWords(this.line) ?? this.line.split(blankForm));
    this.line = '';
  };

  private beginCommand(count: number): void {
    if (count > daemonBounds.redisCommandWords) this.refuse('malformed_command');
    this.wordCount = Math.max(0, count);
    this.wordIndex = 0;
    this.isRelevant = false;
  }

  private readWord(beginning: Buffer, size: number): void {
    const from = headEnd(beginning, 0, beginning.length);
    const text = beginning.toString('latin1', from, Math.min(beginning.length, size - 2));
    if (this.wordIndex === 0) this.isRelevant = this.handler.name(text, this.wordCount);
    else this.handler.word(text, this.wordIndex, this.wordCount);
    this.endWord();
  }

  private endWord(): void {
    this.wordIndex += 1;
    if (this.wordIndex === this.wordCount) this.handler.end();
  }

  private readInline(words: readonly string[] | undefined): void {
    if (words === undefined) this.refuse('malformed_command');
    if (!words?.length) return;
    // An attacker can make a browser send HTTP requests. Redis closes the connection too.
    if (/^(?:post|host:)$/i.test(words[0] ?? '')) this.refuse('http_request');
    if (this.handler.name(words[0] ?? '', words.length))
      for (let index = 1; index < words.length; index += 1) this.handler.word(words[index] ?? '', index, words.length);
    this.handler.end();
  }
}
