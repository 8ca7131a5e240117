import { isRecord, type Path } from '@dramaturg/compiler';
import { check } from '../../src/index.ts';

/** A mistake in a definition: the change, its path and the changed definition. */
export interface Mutation {
  readonly name: string;
  readonly path: Path;
  readonly definition: unknown;
}

/** Makes all definitions that differ from a clean one by one systematic mistake in one field. */
export function mutationsOf(clean: unknown): Mutation[] {
  return placesOf(clean, []).flatMap((path) => {
    const value = valueAt(clean, path);
    const parent = path.slice(0, -1);
    const step = path.at(-1)!;
    const made = (name: string, change: (holder: Record<string | number, unknown>) => void) => {
      const definition = structuredClone(clean);
      change(valueAt(definition, parent) as Record<string | number, unknown>);
      return { name, path, definition };
    };
    const ofKey =
      typeof step === 'string'
        ? [
            made('without it', (holder) => {
              delete holder[step];
            }),
            ...(step.length > 3 ? [made('with its key misspelt', renamed(step, slip(step)))] : []),
          ]
        : [];
    const ofValue = wrongValues(value).map(([name, wrong]) =>
      made(`with ${name}`, (holder) => {
        holder[step] = wrong;
      }),
    );
    return [...ofKey, ...ofValue];
  });
}

function wrongValues(value: unknown): [name: string, wrong: unknown][] {
  const wrong: [string, unknown][] = [
    ['null', null],
    ['a number', 5],
    ['true', true],
    ['an empty list', []],
    ['an empty object', {}],
    ['a list around it', [value]],
    ...(typeof value === 'string' ? [] : ([['a text', 'yes']] as [string, unknown][])),
    ...(typeof value === 'number' || typeof value === 'boolean'
      ? ([['quotes around it', String(value)]] as [string, unknown][])
      : []),
    ...(typeof value === 'string' && value.length > 2
      ? ([['a slip in it', slip(value)]] as [string, unknown][])
      : []),
  ];
  return wrong.filter(([, made]) => JSON.stringify(made) !== JSON.stringify(value));
}

function renamed(from: string, to: string) {
  return (holder: Record<string, unknown>) => {
    const entries = Object.entries(holder);
    for (const key of Object.keys(holder)) delete holder[key];
    for (const [key, value] of entries) holder[key === from ? to : key] = value;
  };
}

/** Swaps two letters in the middle of a word, or adds one. */
export function slip(word: string): string {
  const at = Math.max(1, Math.floor(word.length / 2));
  const swapped = word.slice(0, at - 1) + word[at] + word[at - 1] + word.slice(at + 1);
  return swapped === word ? `${word}x` : swapped;
}

function placesOf(value: unknown, path: Path): Path[] {
  if (Array.isArray(value))
    return value.flatMap((item, index) => [[...path, index], ...placesOf(item, [...path, index])]);
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([key, item]) => [
    [...path, key],
    ...placesOf(item, [...path, key]),
  ]);
}

export function valueAt(value: unknown, path: Path): unknown {
  return path.reduce(
    (part: unknown, step) => (part as Record<string | number, unknown>)[step],
    value,
  );
}

export interface Found {
  readonly code: string;
  readonly path: string;
  readonly words: string;
}

/** The errors and warnings of a definition with their texts. */
export function findingsOf(definition: unknown, format: string): Found[] {
  return check(JSON.stringify(definition), { format })
    .diagnostics.filter(({ severity }) => severity !== 'info')
    .map(({ code, path, message, hint }) => ({
      code,
      path: path.join('.'),
      words: `${message} ${hint ?? ''}`.trim(),
    }));
}

/** The findings that the clean definition does not have. */
export function beyond(clean: readonly Found[], found: readonly Found[]): Found[] {
  const known = clean.map(({ code, words }) => `${code} ${words}`);
  return found.filter(({ code, words }) => {
    const at = known.indexOf(`${code} ${words}`);
    if (at >= 0) known.splice(at, 1);
    return at < 0;
  });
}

/** Texts of zod, and values printed by a program, that authors should not see. */
export const notForPeople =
  /nonoptional|Invalid input|Too (?:small|big)|\[object|found undefined|another value/;
