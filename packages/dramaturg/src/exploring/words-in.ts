import { isRecord, type Json } from '@dramaturg/compiler';

/** The values of an extraction as a person says them: `Ada, yes, 42`. Lists name tasks and are not said. */
export function wordsIn(extracted: Json): string {
  const words: string[] = [];
  const pending: Json[] = [extracted];
  for (const value of pending) {
    if (typeof value === 'string' || typeof value === 'number') words.push(String(value));
    else if (typeof value === 'boolean') words.push(value ? 'yes' : 'no');
    else if (isRecord(value)) pending.push(...Object.values(value));
  }
  return words.slice(0, 8).join(', ').slice(0, 200);
}
