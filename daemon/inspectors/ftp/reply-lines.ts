/**
 * The lines of FTP replies (RFC 959 4.2). A multi-line reply ends at a line with its code and a space. The lines
 * between are free text.
 */
const form = /^(\d\d\d)([ -]|$)/;

export class ReplyLines {
  /** The code of an unfinished multi-line reply. Empty when there is none. */
  private openCode = '';

  /** Whether the next line starts a reply. */
  get isBetween(): boolean {
    return this.openCode === '';
  }

  /** Reads a line without its end. Returns the code of the reply when the line ends one. */
  read(line: string): string | undefined {
    const [, code = '', mark = ''] = form.exec(line) ?? [];
    if (this.openCode !== '' && !(code === this.openCode && mark !== '-')) return undefined;
    this.openCode = mark === '-' ? code : '';
    return code === '' || mark === '-' ? undefined : code;
  }
}
