import type { Json, JsonObject } from '@dramaturg/compiler';

const delimiters: Readonly<Record<string, string>> = {
  COMMA: ',',
  PIPE: '|',
  SEMICOLON: ';',
  SPACE: ' ',
  TAB: '\t',
};

/**
 * The rows of a CSV text as objects, with the first row or `CSVHeaders` as names. All values are texts.
 * Spec: AWS "ItemReader", CSV files; RFC 4180
 */
export function readCsv(text: string, config: JsonObject): Json[] {
  const { CSVHeaderLocation: location, CSVHeaders: given, CSVDelimiter: named } = config;
  const rows = rowsOf(text, (typeof named === 'string' && delimiters[named]) || ',');
  const headers = location === 'GIVEN' && Array.isArray(given) ? given.map(String) : rows.shift();
  return rows.map((row) =>
    Object.fromEntries((headers ?? []).map((name, column) => [name, row[column] ?? ''])),
  );
}

/** The cells of each row. A quoted cell may contain delimiters, line breaks and doubled quotes. */
function rowsOf(text: string, delimiter: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let cell = '';
  let isQuoted = false;
  const endRow = () => {
    if (row.length > 0 || cell !== '') rows.push([...row, cell]);
    row = [];
    cell = '';
  };
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at]!;
    if (isQuoted) {
      if (character !== '"') cell += character;
      else if (text[at + 1] === '"') {
        cell += '"';
        at += 1;
      } else isQuoted = false;
    } else if (character === '"' && cell === '') isQuoted = true;
    else if (character === delimiter) {
      row.push(cell);
      cell = '';
    } else if (character === '\n') endRow();
    else if (character !== '\r') cell += character;
  }
  endRow();
  return rows;
}
