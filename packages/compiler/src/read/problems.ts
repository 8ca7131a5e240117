import { problem, type ProblemKind } from '../diagnostic.ts';

/** Quotes the author's words: escapes them, and shortens giant keys and numbers. */
export function quote(words: string): string {
  return JSON.stringify(words.length > 60 ? `${words.slice(0, 60)}…` : words);
}

/** 5000000 is `5,000,000`. */
export function printNumber(number: number): string {
  return String(number).replace(/\B(?=(\d{3})+$)/g, ',');
}

export const empty = problem('read/empty', 'error', () => ({
  message: 'There is no definition in this text.',
  hint: 'Write one in JSON or in YAML.',
}));

/** `counted` is the unit of the limit: characters, values, parts of YAML. */
export const tooLarge = problem(
  'read/too-large',
  'error',
  (size: string, limit: number, counted: string, hint: string) => ({
    message: `This text has ${size} ${counted}; at most ${printNumber(limit)} are read.`,
    hint,
  }),
);

export const syntax = problem('read/syntax', 'error', (message: string, hint?: string) => ({
  message,
  hint,
}));

export const duplicateKey = problem('read/duplicate-key', 'error', (key: string) => ({
  message: `The key ${quote(key)} is in this object twice.`,
  hint: 'Delete one of the two, or give it another name.',
}));

export const tooDeep = problem('read/too-deep', 'error', (limit: number) => ({
  message: `This is nested deeper than ${limit} levels.`,
  hint: 'Close what was opened before, or make the definition flatter.',
}));

export const controlCharacter = problem('read/control-character', 'error', (character: string) => ({
  message: `There is a control character here (${codePointName(character)}).`,
  hint: 'Delete it. If there are many, this file may not be a text, or not be saved as UTF-8.',
}));

export const reservedKey = problem('read/reserved-key', 'error', (key: string) => ({
  message: `The key ${quote(key)} is reserved.`,
  hint: 'Give it another name.',
}));

export const cyclicAlias = problem('read/cyclic-alias', 'error', (name: string) => ({
  message: `The alias ${quote(`*${name}`)} repeats the part that contains it.`,
  hint: `Write out here what is meant, or move the anchor ${quote(`&${name}`)} to a part that does not hold this alias.`,
}));

export const tooManyAliases = problem('read/too-many-aliases', 'error', (limit: number) => ({
  message: `Written out, the aliases of this text have more than ${printNumber(limit)} values.`,
  hint: 'Repeat smaller parts, or repeat them less often.',
}));

export const notJsonValue = problem(
  'read/not-json-value',
  'error',
  (message: string, hint?: string) => ({ message, hint }),
);

export const unsafeNumber = problem(
  'read/unsafe-number',
  'warning',
  (written: string, value: number) => ({
    message: `The number ${written.length > 60 ? `${written.slice(0, 60)}…` : written} loses digits: it is read as ${value}.`,
    hint: 'Write it in quotes if every digit matters.',
  }),
);

export const readProblems: readonly ProblemKind[] = [
  empty,
  tooLarge,
  syntax,
  duplicateKey,
  tooDeep,
  controlCharacter,
  reservedKey,
  cyclicAlias,
  tooManyAliases,
  notJsonValue,
  unsafeNumber,
];

/** The name of an invisible character: `U+0000`. */
export function codePointName(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}
