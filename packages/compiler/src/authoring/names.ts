import type { AnyFormat } from '../detect.ts';
import { isRecord, type Path } from '../json.ts';
import type { Span } from '../read/positions.ts';
import { valueAt } from '../read/read.ts';
import type { AuthoredText } from './authored-text.ts';
import type { Authoring, Declaration, NameReference, PathPattern } from './authoring.ts';

/** A name that a definition gives to one of its parts. */
export interface DeclaredName {
  readonly noun: string;
  readonly name: string;
  /** The kind of the part in the definition's own word: `strict`. */
  readonly kind?: string;
  readonly title?: string;
  /** Where the name is written. */
  readonly path: Path;
  readonly part: 'key' | 'value';
  /** The path of the object within which the name is known; undefined when it is known everywhere. */
  readonly scope?: Path;
}

/** Every name that the value declares, in the order of the text. */
export function namesIn(value: unknown, { declarations }: Authoring): readonly DeclaredName[] {
  return [...placesIn(value)].flatMap(({ path, part }) => {
    const found = declarations
      .filter(({ at }) => fitsPattern(path, at))
      .map((declaration) => declaredName(declaration, path, part));
    return found.find((name) => name !== undefined) ?? [];
  });
}

/** Names of a noun that are visible at a path; inner scopes hide outer ones. */
export function namesKnownAt(
  path: Path,
  noun: string,
  names: readonly DeclaredName[],
): readonly DeclaredName[] {
  const around = names.filter(
    ({ noun: own, scope }) => own === noun && (scope ?? []).every((step, at) => path[at] === step),
  );
  const depth = Math.max(0, ...around.map(({ scope }) => scope?.length ?? 0));
  return around.filter(({ scope }) => scope === undefined || scope.length === depth);
}

/** The kinds of names that may be written at a place. */
export function referencesAtPath(
  path: Path,
  part: 'key' | 'value',
  { references }: Authoring,
): readonly NameReference[] {
  return references.filter(
    (reference) => (reference.part ?? 'value') === part && fitsPattern(path, reference.at),
  );
}

/** The places that use a declared name, in the order of the text. */
export function usesOf(
  declared: DeclaredName,
  value: unknown,
  authoring: Authoring,
): readonly Pick<DeclaredName, 'path' | 'part'>[] {
  const { noun, name } = declared;
  const names = namesIn(value, authoring);
  const isMeant = (path: Path) =>
    namesKnownAt(path, noun, names)
      .find((one) => one.name === name)
      ?.path.join('/') === declared.path.join('/');
  return [...placesIn(value)].flatMap(({ path, part: written }) =>
    (['key', 'value'] as const).flatMap((part) => {
      const text = part === 'key' ? path.at(-1) : written;
      const fits = referencesAtPath(path, part, authoring).some((one) => one.noun === noun);
      return fits && text === name && isMeant(path) ? [{ path, part }] : [];
    }),
  );
}

/** The names in all places that refer to a noun, except the place at a path. */
export function mentionsOf(
  noun: string,
  value: unknown,
  except: Path,
  { references }: Authoring,
): ReadonlySet<string> {
  const own = references.filter((one) => one.noun === noun);
  const names = [...placesIn(value)].flatMap(({ path, part }) => {
    if (path.length === except.length && path.every((step, at) => step === except[at])) return [];
    return own
      .filter(({ at }) => fitsPattern(path, at))
      .map((reference) => (reference.part === 'key' ? path.at(-1) : part));
  });
  return new Set(names.filter((name): name is string => typeof name === 'string' && name !== ''));
}

/** The noun of the part that a key or value names. */
export function declarationAt(
  path: Path,
  part: 'key' | 'value',
  { declarations }: Authoring,
): Declaration | undefined {
  return declarations.find(({ at, name }) =>
    name === undefined
      ? fitsPattern(path, at) && (typeof path.at(-1) === 'string') === (part === 'key')
      : part === 'value' &&
        fitsPattern(path.slice(0, -1), at) &&
        name.includes(String(path.at(-1))),
  );
}

interface PlacedPart {
  readonly path: Path;
  readonly part: unknown;
}

function* placesIn(part: unknown, path: Path = []): Generator<PlacedPart> {
  yield { path, part };
  if (typeof part !== 'object' || part === null) return;
  const isList = Array.isArray(part);
  for (const [key, item] of Object.entries(part))
    yield* placesIn(item, [...path, isList ? Number(key) : key]);
}

function declaredName(
  declaration: Declaration,
  path: Path,
  part: unknown,
): DeclaredName | undefined {
  const written = nameOf(declaration, path, part);
  if (!written) return undefined;
  const { noun, isLocal } = declaration;
  const [kind, title] = [firstText(part, declaration.kind), firstText(part, declaration.title)];
  return {
    noun,
    ...written,
    ...(kind !== undefined && { kind }),
    ...(title !== undefined && title !== written.name && { title }),
    ...(isLocal && { scope: path.slice(0, -2) }),
  };
}

function nameOf(
  { name: fields }: Declaration,
  path: Path,
  part: unknown,
): Pick<DeclaredName, 'name' | 'path' | 'part'> | undefined {
  if (fields) {
    const field = fields.find((one) => typeof valueAt(part, [one]) === 'string');
    const name = field === undefined ? '' : valueAt(part, [field]);
    if (typeof name !== 'string' || name === '') return undefined;
    return { name, path: [...path, field!], part: 'value' };
  }
  const key = path.at(-1);
  if (typeof key === 'string') return { name: key, path, part: 'key' };
  return typeof part === 'string' ? { name: part, path, part: 'value' } : undefined;
}

function firstText(part: unknown, fields: readonly string[] = []): string | undefined {
  if (!isRecord(part)) return undefined;
  return fields
    .map((field) => (Object.hasOwn(part, field) ? part[field] : undefined))
    .find((text): text is string => typeof text === 'string' && text !== '');
}

function fitsPattern(path: Path, pattern: PathPattern): boolean {
  const isAnywhere = pattern[0] === '**';
  const steps = isAnywhere ? pattern.slice(1) : pattern;
  const start = path.length - steps.length;
  if (isAnywhere ? start < 0 : start !== 0) return false;
  return steps.every((step, index) => {
    const own = path[start + index];
    if (step === '*') return typeof own === 'string';
    return step === '#' ? typeof own === 'number' : step === own;
  });
}

/** The text of a token without its quotes. */
export function textOfToken(text: string, { start, end }: Span): string {
  return text.slice(start, end).replace(/^(["'])(.*)\1$/s, '$2');
}

/** The path of the key or value under the cursor. */
export function pathOfToken({ cursor }: AuthoredText, name: string): Path {
  return cursor.part === 'key' ? [...cursor.path, name] : cursor.path;
}

/** The declared part that the name under the cursor declares, or refers to. */
export function nameUnderCursor(
  text: string,
  format: AnyFormat,
  authored: AuthoredText,
): DeclaredName | undefined {
  const { authoring } = format;
  if (!authoring) return undefined;
  const { cursor, value } = authored;
  const name = textOfToken(text, cursor.token);
  const path = pathOfToken(authored, name);
  const names = namesIn(value, authoring);
  const isHere = (one: DeclaredName) =>
    one.part === cursor.part &&
    one.path.length === path.length &&
    one.path.every((step, at) => step === path[at]);
  const own = names.find(isHere);
  if (own) return own;
  return referencesAtPath(path, cursor.part, authoring)
    .flatMap(({ noun }) => namesKnownAt(path, noun, names))
    .find((one) => one.name === name);
}
