import type { Json } from '@dramaturg/compiler';
import { readPath } from '../data/path/read.ts';
import { toText } from '../data/to-text.ts';
import { evaluation } from './jsonpath-flow.ts';
import type { Run } from './run.ts';

/** `{{$.path}}` within a string. Agent 3 §Namespaces, Agent 6 §Prompts */
const placeholder = /\{\{\s*(\$[^{}]*?)\s*\}\}/g;

/** Replaces each placeholder by the value at its path. A placeholder without a value stays as it is. */
export function fillPlaceholders(
  text: string,
  run: Run,
  data: Json,
  print: (value: Json) => string = toText,
): string {
  if (!text.includes('{{')) return text;
  return text.replace(placeholder, (written, path: string) => {
    const found = readPath(path, evaluation(run, data));
    return found.found ? print(found.value) : written;
  });
}
