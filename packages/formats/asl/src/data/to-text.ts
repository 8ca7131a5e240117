import type { Json } from '@dramaturg/compiler';

/** A value as text for people and prompts: a string as it is, anything else as JSON. */
export function toText(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
