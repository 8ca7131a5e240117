import type { Json } from '@dramaturg/compiler';
import { StatesError } from '../states-error.ts';

export interface CsvFormat {
  /** The names of the columns; undefined when the first row has them. */
  readonly headers: readonly string[] | undefined;
  readonly delimiter: string;
}

/** AWS "ItemReader": the headers of a CSV table have 10 KiB at most. */
const longestHeader = 10 * 1024;

/**
 * The rows of a CSV table as objects. All values are strings. Missing cells of a row become empty strings, and cells
 * without a header are skipped. Blank lines are not rows. Spec: AWS "How Step Functions parses input CSV files"
 *
 * @param most the most rows that are read
 * @throws StatesError States.ItemReaderFailed
 */
export function readCsv(
  text: string,
  { headers: given, delimiter }: CsvFormat,
  most = Infinity,
): Json[] {
  const rows = rowsOf(text, delimiter);
  const headers = given ?? rows.next().value ?? [];
  checkHeaders(headers);
  const items: Json[] = [];
  for (const row of rows) {
    if (items.length >= most) break;
    items.push(Object.fromEntries(headers.map((name, column) => [name, row[column] ?? ''])));
  }
  return items;
}

function checkHeaders(headers: readonly string[]): void {
  const length = headers.reduce((sum, name) => sum + name.length + 1, 0);
  if (length > longestHeader) {
    throw failed(`The headers of the CSV table have ${length} characters. 10,240 are allowed.`);
  }
  const twice = headers.find((name, column) => headers.indexOf(name) < column);
  if (twice !== undefined) {
    throw failed(`Two columns of the CSV table have the header ${JSON.stringify(twice)}.`);
  }
}

/** The cells of each row that is not blank. */
function* rowsOf(text: string, delimiter: string): Generator<string[], undefined> {
  const reader = new CellReader(text, delimiter);
  while (!reader.isAtEnd) {
    const row = reader.row();
    if (row.length > 1 || row[0] !== '') yield row;
  }
}

/**
 * Reads cells. A quoted cell may contain delimiters, line breaks and doubled quotation marks. Outside of quotes, doubled
 * quotation marks are one. A backslash escapes a backslash, a quotation mark or the delimiter, and is dropped before
 * anything else.
 */
class CellReader {
  readonly #text: string;
  readonly #delimiter: string;
  #at = 0;
  #line = 1;

  constructor(text: string, delimiter: string) {
    this.#text = text;
    this.#delimiter = delimiter;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#text.length;
  }

  row(): string[] {
    const row = [this.#cell()];
    while (this.#text[this.#at] === this.#delimiter) {
      this.#at += 1;
      row.push(this.#cell());
    }
    if (this.#text[this.#at] === '\r') this.#at += 1;
    if (this.#text[this.#at] === '\n') this.#at += 1;
    this.#line += 1;
    return row;
  }

  #cell(): string {
    const quotes = this.#quotesHere();
    const isEmptyQuoted = quotes % 2 === 0 && this.#isBoundary(this.#at + quotes);
    return quotes > 0 && (quotes % 2 === 1 || isEmptyQuoted) ? this.#quoted() : this.#plain('');
  }

  #quotesHere(): number {
    let count = 0;
    while (this.#text[this.#at + count] === '"') count += 1;
    return count;
  }

  #isBoundary(at: number): boolean {
    const character = this.#text[at];
    return character === undefined || character === this.#delimiter || isLineEnd(this.#text, at);
  }

  #quoted(): string {
    const begun = this.#line;
    let cell = '';
    for (this.#at += 1; this.#at < this.#text.length; this.#at += 1) {
      const character = this.#text[this.#at]!;
      if (character === '\\') cell += this.#escaped();
      else if (character === '"') {
        this.#at += 1;
        if (this.#text[this.#at] !== '"') return this.#plain(cell);
        cell += '"';
      } else {
        if (character === '\n') this.#line += 1;
        cell += character;
      }
    }
    throw failed(`The quotation mark in line ${begun} of the CSV table is not closed.`);
  }

  #plain(begun: string): string {
    let cell = begun;
    for (; !this.#isBoundary(this.#at); this.#at += 1) {
      const character = this.#text[this.#at]!;
      if (character === '\\') cell += this.#escaped();
      else {
        cell += character;
        if (character === '"' && this.#text[this.#at + 1] === '"') this.#at += 1;
      }
    }
    return cell;
  }

  /** The character after a backslash, if the backslash escapes it. */
  #escaped(): string {
    const next = this.#text[this.#at + 1];
    if (next !== '\\' && next !== '"' && next !== this.#delimiter) return '';
    this.#at += 1;
    return next;
  }
}

function isLineEnd(text: string, at: number): boolean {
  return text[at] === '\n' || (text[at] === '\r' && (text[at + 1] ?? '\n') === '\n');
}

function failed(cause: string): StatesError {
  return new StatesError('States.ItemReaderFailed', cause);
}
