/** Reading one character at a time is about that much slower than searching for a text. */
const searchSpeed = 16;

/**
 * A text that counts the characters that are read. A search that finds little may have read the text to its end, so the
 * length of its match does not tell its work.
 */
export class CountedText extends String {
  reads = 0;

  override charCodeAt(at: number): number {
    this.reads += 1;
    return super.charCodeAt(at);
  }

  override indexOf(wanted: string, from = 0): number {
    const found = super.indexOf(wanted, from);
    this.reads += ((found < 0 ? this.length : found) - from) / searchSpeed;
    return found;
  }
}
