/** The lines of FTP replies (RFC 959 4.2). A multi-line reply ends at a line with its code and a space. */
const form = /^(\d\d\d)([ -]|$)/;

export class ReplyLines {
  private openCode = '';

  get isBetween(): boolean {
    return this.openCode === '';
  }

  /** Reads a line without its end. Returns the code of a reply at its last line. */
  read(line: string): string | undefined {
    const [, code = '', mark = ''] = form.exec(line) ?? [];
    if (this.openCode !== '' && !(code === this.openCode && mark !== '-')) return undefined;
    this.openCode = mark === '-' ? code : '';
    return code === '' || mark === '-' ? undefined : code;
  }
}
