import type { Path } from '@dramaturg/compiler';
import type { Random } from './random.ts';
import { misspelt, type Tree } from './structure.ts';

/** A definition with one typical mistake, and its kind and path. */
export interface Slip {
  readonly value: unknown;
  readonly done: string;
  readonly path: Path;
}

/** All slips of each kind in a definition, as a path and the wrong value at that path. */
export function slipsIn(root: Tree, random: Random): Slip[] {
  return placesIn(root, []).flatMap((path) => {
    const value = partAt(root, path);
    const key = path.at(-1)!;
    const slips: Slip[] = changesOf(value, random).map(([done, part]) => ({
      value: withPart(root, path, part),
      done,
      path,
    }));
    slips.push({ value: withoutPart(root, path), done: 'left out', path });
    if (typeof key === 'string') {
      const name = misspelt(key, random);
      const isFree = !Object.hasOwn(partAt(root, path.slice(0, -1)) as Tree, name);
      if (isFree && name !== key)
        slips.push({ value: withKey(root, path, name), done: `key as ${name}`, path });
    }
    return slips;
  });
}

/** Wrong values that a person may write instead of a value. */
function changesOf(value: unknown, random: Random): [string, unknown][] {
  if (typeof value === 'boolean')
    return [
      ['"yes"', 'yes'],
      ['in quotes', String(value)],
    ];
  if (typeof value === 'number')
    return [
      ['in quotes', String(value)],
      ['as words', 'a few'],
    ];
  if (typeof value === 'string') {
    const near = misspelt(value, random);
    return [
      [`misspelt as ${JSON.stringify(near)}`, near],
      ['as a number', 7],
      ['in a list', [value]],
      ['as an object', { value }],
    ];
  }
  if (Array.isArray(value))
    return [
      ['as an object', Object.fromEntries(Object.entries(value))],
      ['empty', []],
      ['null', null],
      ['as a text', 'some'],
    ];
  if (typeof value === 'object' && value !== null)
    return [
      ['as a list', Object.values(value)],
      ['empty', {}],
      ['as a text', 'some'],
      ['null', null],
    ];
  return [];
}

function placesIn(value: unknown, path: Path): Path[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, part]) => {
    const here = [...path, Array.isArray(value) ? Number(key) : key];
    return [here, ...placesIn(part, here)];
  });
}

function partAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((at, step) => (at as Record<string | number, unknown>)[step], value);
}

function changed(
  root: Tree,
  path: Path,
  change: (holder: Tree, key: string | number) => void,
): Tree {
  const copy = structuredClone(root);
  change(partAt(copy, path.slice(0, -1)) as Tree, path.at(-1)!);
  return copy;
}

function withPart(root: Tree, path: Path, part: unknown): Tree {
  return changed(root, path, (holder, key) => {
    (holder as Record<string | number, unknown>)[key] = part;
  });
}

function withoutPart(root: Tree, path: Path): Tree {
  return changed(root, path, (holder, key) => {
    if (Array.isArray(holder)) holder.splice(Number(key), 1);
    else delete holder[key];
  });
}

function withKey(root: Tree, path: Path, name: string): Tree {
  return changed(root, path, (holder, key) => {
    const entries = Object.entries(holder);
    for (const [one] of entries) delete (holder as Record<string, unknown>)[one];
    for (const [one, part] of entries)
      (holder as Record<string, unknown>)[one === key ? name : one] = part;
  });
}
