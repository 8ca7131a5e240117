import { isRecord, type Json } from '@dramaturg/compiler';
import { withArticle } from '@dramaturg/compiler/text';
import { StatesError } from './states-error.ts';

/** @throws StatesError States.ItemReaderFailed */
export function parseJson(text: string, where = 'The data of the ItemReader'): Json {
  try {
    return JSON.parse(text) as Json;
  } catch (error) {
    throw failed(`${where} is not JSON: ${(error as Error).message}`);
  }
}

/**
 * A value for each line. Blank lines are skipped. Spec: AWS "ItemReader", JSON Lines
 *
 * @param most the most lines that are read
 * @throws StatesError States.ItemReaderFailed that names the line
 */
export function parseJsonLines(text: string, most = Infinity): Json[] {
  const values: Json[] = [];
  let line = 0;
  for (let at = 0; at < text.length && values.length < most; line += 1) {
    const found = text.indexOf('\n', at);
    const end = found < 0 ? text.length : found;
    const value = text.slice(at, end).trim();
    if (value !== '') values.push(parseJson(value, `Line ${line + 1} of the ItemReader's data`));
    at = end + 1;
  }
  return values;
}

/**
 * Follows a JSON Pointer. Spec: RFC 6901
 *
 * @throws StatesError States.ItemReaderFailed when it leads to nothing
 */
export function valueAt(content: Json, pointer: string): Json {
  let value: Json | undefined = content;
  for (const token of pointer.split('/').slice(1)) {
    const key = token.replaceAll('~1', '/').replaceAll('~0', '~');
    if (Array.isArray(value)) value = /^(0|[1-9]\d*)$/.test(key) ? value[Number(key)] : undefined;
    else value = isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  }
  if (value !== undefined) return value;
  throw failed(`The ItemsPointer "${pointer}" leads to nothing in the data of the ItemReader.`);
}

/**
 * The items of a JSON value: those of a list, or a key and a value for each field of an object.
 *
 * @throws StatesError States.ItemReaderFailed for any other value
 */
export function itemsIn(value: Json): readonly Json[] {
  if (Array.isArray(value)) return value;
  if (isRecord(value)) return Object.entries(value).map(([Key, Value]) => ({ Key, Value: Value }));
  const found = value === null ? 'null' : withArticle(typeof value);
  throw failed(
    `Attempting to map over non-iterable node. The data of the ItemReader is ${found}, and must be an array or an object.`,
  );
}

function failed(cause: string): StatesError {
  return new StatesError('States.ItemReaderFailed', cause);
}

/** The files that a manifest lists. */
interface Manifest {
  readonly files: readonly { readonly bucket: string; readonly key: string }[];
  /** The columns of the files, if the manifest names them. */
  readonly headers?: readonly string[];
}

/**
 * The files of an S3 inventory: tables in CSV whose columns are in the manifest. Spec: Amazon S3 "Inventory manifest"
 *
 * @param bucket the bucket of the manifest itself
 * @throws StatesError States.ItemReaderFailed
 */
export function readInventoryManifest(content: Json, bucket: string): Manifest {
  const manifest = typeof content === 'string' ? parseJson(content, 'The manifest') : content;
  const { files, fileFormat, fileSchema, destinationBucket } = isRecord(manifest) ? manifest : {};
  if (!Array.isArray(files) || typeof fileSchema !== 'string') {
    throw failed('The manifest has no "files" and "fileSchema": it is not one of an S3 inventory.');
  }
  if (fileFormat !== undefined && fileFormat !== 'CSV') {
    throw failed(
      `The files of the S3 inventory have the format ${JSON.stringify(fileFormat)}. Only "CSV" can be read: choose it for the inventory.`,
    );
  }
  const named =
    typeof destinationBucket === 'string' ? destinationBucket.split(':').at(-1) : undefined;
  return {
    headers: fileSchema.split(',').map((name) => name.trim()),
    files: files.map((file) => {
      const key = isRecord(file) ? file['key'] : undefined;
      if (typeof key === 'string') return { bucket: named ?? bucket, key };
      throw failed('A file in the manifest of the S3 inventory has no "key".');
    }),
  };
}

/**
 * The files of a query that Athena unloaded: a line with the address of each. Spec: Athena "UNLOAD", data manifest
 *
 * @throws StatesError States.ItemReaderFailed
 */
export function readAthenaManifest(text: string): Manifest {
  const lines = text.split(/\r?\n/).map((line) => line.trim().replace(/^"(.*)"$/, '$1'));
  return {
    files: lines
      .filter((line) => line !== '')
      .map((line) => {
        const [, bucket, key] = /^s3:\/\/([^/]+)\/(.+)$/.exec(line) ?? [];
        if (bucket !== undefined && key !== undefined) return { bucket, key };
        throw failed(
          `The manifest of Athena has the line ${JSON.stringify(line.slice(0, 200))}. "s3://bucket/key" is expected.`,
        );
      }),
  };
}

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
