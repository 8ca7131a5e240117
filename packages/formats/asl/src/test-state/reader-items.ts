import { type Json, type JsonObject, isRecord } from '@dramaturg/compiler';
import { StatesError } from '../data/states-error.ts';
import type { MapState } from '../definition/index.ts';
import type { Run } from '../flow/run.ts';
import { readCsv } from './csv.ts';

/**
 * The items in what the `ItemReader` of a Map has read. Spec: AWS "ItemReader"
 *
 * @param data the text of the file, or its content as JSON
 * @throws StatesError States.ItemReaderFailed when the text does not have the `InputType` of the reader
 */
export function readerItems({ ItemReader: reader }: MapState, run: Run, data: Json): Json {
  const config = isRecord(reader?.['ReaderConfig']) ? reader['ReaderConfig'] : {};
  const content = typeof data === 'string' ? contentOf(data, config) : data;
  const { ItemsPointer: pointer, MaxItems: most } = config;
  let items = content;
  if (typeof pointer === 'string') {
    items = pointed(content, pointer);
    run.inspect?.('afterItemsPointer', items);
  }
  return Array.isArray(items) && typeof most === 'number' ? items.slice(0, most) : items;
}

function contentOf(text: string, config: JsonObject): Json {
  switch (config['InputType']) {
    case 'CSV':
      return readCsv(text, config);
    case 'JSONL':
      return text
        .split(/\r?\n/)
        .filter((line) => line.trim() !== '')
        .map((line) => parsed(line));
    default:
      return parsed(text);
  }
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch (error) {
    throw new StatesError(
      'States.ItemReaderFailed',
      `The data of the ItemReader is not JSON: ${(error as Error).message}`,
    );
  }
}

/** Follows a JSON Pointer. Spec: RFC 6901 */
function pointed(content: Json, pointer: string): Json {
  let value: Json | undefined = content;
  for (const token of pointer.split('/').slice(1)) {
    const key = token.replaceAll('~1', '/').replaceAll('~0', '~');
    if (Array.isArray(value)) value = /^(0|[1-9]\d*)$/.test(key) ? value[Number(key)] : undefined;
    else value = isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  }
  if (value !== undefined) return value;
  throw new StatesError(
    'States.ItemReaderFailed',
    `The ItemsPointer "${pointer}" leads to nothing in the data of the ItemReader.`,
  );
}
