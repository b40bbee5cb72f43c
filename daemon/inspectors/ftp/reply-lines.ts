/** The lines of FTP replies (RFC 959 4.2): a multi-line reply ends at a line with its code and a space. Lines between are free text. */
const form = /^(\d\d\d)([ -]|$)/;

export class ReplyLines {
  /** The code of a multi-line reply that has not ended. */
  private open = '';

  /** Whether the next line begins a reply. */
  get isBetween(): boolean {
    return this.open === '';
  }

  /** Takes a line without its end. Returns the code of the reply that the line ends. */
  take(line: string): string | undefined {
    const [, code = '', mark = ''] = form.exec(line) ?? [];
    if (this.open !== '' && !(code === this.open && mark !== '-')) return undefined;
    this.open = mark === '-' ? code : '';
    return code === '' || mark === '-' ? undefined : code;
  }
}
