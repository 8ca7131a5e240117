import { isRecord, type Json, type JsonObject } from '@dramaturg/compiler';
import { readPath } from '../data/path/read.ts';
import type { State } from '../definition/index.ts';
import { evaluation } from './jsonpath-flow.ts';
import type { Run } from './run.ts';

export type Occasion = 'OnEnter' | 'OnExit' | 'OnError';

/** The event that a state emits on an occasion: its authored name, and the data that it includes. */
export type StateEvents = (
  occasion: Occasion,
  run: Run,
  data: Json,
) => { readonly name: string; readonly data: JsonObject } | undefined;

/** Agent 9 §Events */
export function compileStateEvents({ authored }: State): StateEvents | undefined {
  const events = authored['Events'];
  if (!isRecord(events)) return undefined;
  return (occasion, run, data) => {
    const event = events[occasion];
    if (!isRecord(event) || typeof event['Type'] !== 'string') return undefined;
    const include = Array.isArray(event['Include']) ? event['Include'].slice(0, 100) : [];
    return {
      name: event['Type'],
      data: Object.fromEntries(
        include.flatMap((path: unknown): [string, Json][] => {
          if (typeof path !== 'string') return [];
          const found = readPath(path.startsWith('$') ? path : `$.${path}`, evaluation(run, data));
          return found.found ? [[path, found.value]] : [];
        }),
      ),
    };
  };
}
