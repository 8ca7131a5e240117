import type { PromptSection } from '@dramaturg/compiler';

/**
 * A prompt is a list of sections. An author's words are instructions; whatever came from people, memory, tools or models is
 * marked as data.
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

export function present(sections: readonly OptionalSection[]): PromptSection[] {
  return sections.filter((one) => one !== undefined);
}

/** `{{name}}` in an author's text. */
export const placeholder = /\{\{\s*(\w{1,40})\s*\}\}/g;

/** Replaces the placeholders of an author's text. One without a value stays as it is written. */
export function fillPlaceholders(
  text: string,
  valueOf: (name: string) => string | undefined,
): string {
  return text.replace(placeholder, (written, name: string) => valueOf(name) ?? written);
}
