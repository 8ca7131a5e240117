import { isRecord, type Path } from '@dramaturg/compiler';
import type { State } from '../definition/index.ts';

/** Fields of a state that hold no expressions: names, text for people, and machines with states of their own. */
const plainFields = new Set([
  'Type',
  'Comment',
  'QueryLanguage',
  'Resource',
  'Next',
  'Default',
  'Branches',
  'Iterator',
  'ItemProcessor',
]);

/** The strings of a state that may be expressions, at any depth. */
export function* textsOf({ authored, at }: State): Generator<{ text: string; at: Path }> {
  const open: { value: unknown; at: Path }[] = Object.entries(authored)
    .filter(([field]) => !plainFields.has(field))
    .map(([field, value]) => ({ value, at: [...at, field] }));
  for (const { value, at: place } of open) {
    if (typeof value === 'string') yield { text: value, at: place };
    else if (Array.isArray(value)) {
      value.forEach((item, index) => open.push({ value: item, at: [...place, index] }));
    } else if (isRecord(value)) {
      for (const [key, child] of Object.entries(value)) {
        open.push({ value: child, at: [...place, key] });
      }
    }
  }
}
