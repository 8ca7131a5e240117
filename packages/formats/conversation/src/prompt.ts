import type { PromptSection } from '@dramaturg/compiler';

/**
 * A prompt is a list of sections. An author's words are instructions; everything from people, memory, tools or models is marked
 * as data.
 */

/** A section without content is left out of the prompt. */
export type OptionalSection = PromptSection | undefined;

type Lines = readonly (string | undefined)[];

/** An instruction. Empty lines leave no gap. */
export function section(title: string, lines: Lines): OptionalSection {
  const text = lines.filter(Boolean).join('\n');
  return text === '' ? undefined : { title, text };
}

/** Data: no model may take it for an instruction. */
export function data(title: string, lines: Lines): OptionalSection {
  const instruction = section(title, lines);
  return instruction && { ...instruction, data: true };
}

/** A section that rarely changes over a conversation. */
export function constant(one: OptionalSection): OptionalSection {
  return one && { ...one, constant: true };
}

/** A section about known and open values, which follows from the answers so far. */
export function progress(one: OptionalSection): OptionalSection {
  return one && { ...one, progress: true };
}

/**
 * The most text in a prompt about parts of a definition that are not current, in UTF-16 units. They are the same over a
 * conversation and are cached; a longer text costs more with each call than the cache saves.
 */
export const longestOutline = 24_000;

/** The texts of all states, which are the same over a conversation; undefined when they are too long. */
export function statesOutline(states: string): OptionalSection {
  return states.length > longestOutline ? undefined : constant(section('The states', [states]));
}

/** The sections of a prompt that another prompt does not have. */
export function newSections(
  prompt: readonly PromptSection[],
  known: readonly PromptSection[],
): PromptSection[] {
  const textOf = ({ title, text }: PromptSection) => `${title}\n${text}`;
  const has = new Set(known.map(textOf));
  return prompt.filter((one) => !has.has(textOf(one)));
}

/** Makes a value once for each key of an object that never changes, so that stored calls share it. */
export function once<Owner extends object, Value>(
  make: (owner: Owner, key: string) => Value,
): (owner: Owner, key?: string) => Value {
  const made = new WeakMap<Owner, Map<string, Value>>();
  return (owner, key = '') => {
    const ofOwner = made.get(owner) ?? new Map<string, Value>();
    made.set(owner, ofOwner);
    if (!ofOwner.has(key)) ofOwner.set(key, make(owner, key));
    return ofOwner.get(key)!;
  };
}

/**
 * Data that grows at its end. Old entries become constant in groups of a certain length, so that the cached beginning of the
 * prompt rarely changes.
 */
export function growingData(title: string, entries: readonly string[]): OptionalSection[] {
  let [settled, length] = [0, 0];
  for (const [index, entry] of entries.entries()) {
    length += entry.length;
    if (length < settledAt) continue;
    [settled, length] = [index + 1, 0];
  }
  return [
    constant(data(`${title}, earlier`, entries.slice(0, settled))),
    data(title, entries.slice(settled)),
  ];
}

/** In UTF-16 units: about as much as ten messages of a conversation. */
const settledAt = 2_000;

export function present(sections: readonly OptionalSection[]): PromptSection[] {
  return sections.filter((one) => one !== undefined);
}

/** The field `quoted` of a call: the given texts that its instructions contain. */
export function quotedIn(
  { prompt, directions = [], options = [] }: Instructions,
  texts: readonly string[],
): { quoted?: string[] } {
  const instructions = [
    ...prompt.flatMap((one) => (one.data ? [] : [one.text])),
    ...directions.map(({ text }) => text),
    ...options.map(({ description }) => description),
  ];
  const isQuoted = (text: string) =>
    text !== '""' && instructions.some((one) => one.includes(text));
  const quoted = [...new Set(texts)].filter(isQuoted);
  return quoted.length > 0 ? { quoted } : {};
}

interface Instructions {
  readonly prompt: readonly PromptSection[];
  readonly directions?: readonly { readonly text: string }[];
  readonly options?: readonly { readonly description: string }[];
}

/** `{{name}}` in an author's text. */
export const placeholder = /\{\{\s*(\w{1,40})\s*\}\}/g;

/** Replaces the placeholders of an author's text. A placeholder without a value is not replaced. */
export function fillPlaceholders(
  text: string,
  valueOf: (name: string) => string | undefined,
): string {
  return text.replace(placeholder, (written, name: string) => valueOf(name) ?? written);
}
