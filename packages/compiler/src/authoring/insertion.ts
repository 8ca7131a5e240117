import { isRecord, type Json, type JsonObject } from '../json.ts';
import type { Language } from '../read/read.ts';
import type { Cursor } from './cursor.ts';

/** A text to put in the place of a token, and where in it the cursor goes. */
export interface Insertion {
  readonly text: string;
  readonly caret: number;
}

type Kind = 'text' | 'list' | 'object' | 'other';

/** A key with all that its value needs: quotes, brackets, or the next line. */
export function keyInsertion(
  name: string,
  schemas: readonly JsonObject[],
  cursor: Cursor,
  document: { readonly text: string; readonly language: Language },
): Insertion {
  const key = written(name, cursor, document.language);
  if (cursor.hasColon) return { text: key, caret: key.length };
  const [before, after] =
    document.language === 'json'
      ? jsonStubs[kindOf(schemas)]
      : ([
          cursor.isInBrackets ? ' ' : yamlStub(kindOf(schemas), cursor, document.text),
          '',
        ] as const);
  const comma = cursor.lacksComma ? ',' : '';
  const start = `${key}:${before}`;
  return { text: `${start}${after}${comma}`, caret: start.length };
}

export function valueInsertion(value: Json, cursor: Cursor, language: Language): Insertion {
  const text = typeof value === 'string' ? written(value, cursor, language) : JSON.stringify(value);
  const comma = cursor.lacksComma && !cursor.mayBeKey ? ',' : '';
  return { text: `${text}${comma}`, caret: text.length };
}

const jsonStubs: Readonly<Record<Kind, readonly [string, string]>> = {
  text: [' "', '"'],
  list: [' [', ']'],
  object: [' { ', ' }'],
  other: [' ', ''],
};

function yamlStub(kind: Kind, { token }: Cursor, text: string): string {
  if (kind === 'text' || kind === 'other') return ' ';
  const column = token.start - (text.lastIndexOf('\n', token.start - 1) + 1);
  return `\n${' '.repeat(column + 2)}${kind === 'list' ? '- ' : ''}`;
}

function kindOf(schemas: readonly JsonObject[]): Kind {
  const types = schemas.flatMap(({ type }) => [type ?? []].flat() as string[]);
  // A part that may be an object or a text is mostly a text, and a list is a list of several.
  if (types.includes('string')) return 'text';
  if (types.includes('array')) return 'list';
  const hasFields = schemas.some(({ properties }) => isRecord(properties));
  return hasFields || types.includes('object') ? 'object' : 'other';
}

/** A text as JSON, or in YAML without quotes where it stays a text. */
function written(text: string, { quote }: Cursor, language: Language): string {
  if (language === 'json' || quote === '"') return JSON.stringify(text);
  if (quote === "'") return `'${text.replaceAll("'", "''")}'`;
  const isPlain = /^[\p{L}_$/][\p{L}\p{N}_$/ .()'-]*$/u.test(text) && !text.endsWith(' ');
  const isOther = /^(?:true|false|null|yes|no|on|off|y|n)$/i.test(text);
  return isPlain && !isOther ? text : JSON.stringify(text);
}
