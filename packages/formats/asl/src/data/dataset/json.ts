import { isRecord, type Json } from '@dramaturg/compiler';
import { withArticle } from '@dramaturg/compiler/text';
import { StatesError } from '../states-error.ts';

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
