import type { Json, PortInput } from '@dramaturg/compiler';
import { wordsOfName } from '@dramaturg/compiler/text';

type Known = NonNullable<PortInput<'reply'>['known']>;

const mostItems = 20;
const longestValue = 200;

/** Roles at the beginning of field names: `customer_name` is "your name". */
const roles = new Set(
  'customer user client caller person participant patient guest visitor contact player student member applicant candidate employee my your'.split(
    ' ',
  ),
);

/** The collected values in words: "your name is Maria; your account number is 4711-B". */
export function knownInWords(known: Known = []): string | undefined {
  const items = known
    .filter(({ value }) => value !== null && value !== '')
    .slice(0, mostItems)
    .map(knownItem);
  return items.length === 0 ? undefined : items.join('; ');
}

export function knownItem({ name, value }: Known[number]): string {
  const words = wordsOfName(name).map(({ text }) => text);
  while (words.length > 1 && roles.has(words[0] ?? '')) words.shift();
  const noun = words.join(' ');
  const said = valueInWords(value);
  if (typeof value === 'boolean') return `${noun}: ${said}`;
  // A sentence by the person is quoted, because its "my" means the person.
  if (
    typeof value === 'string' &&
    /^(?:my|our|i|it|the|we|there)\s|\s\S+\s\S+\s\S+\s/iu.test(value)
  )
    return `your ${noun}: "${said}"`;
  const isMany = Array.isArray(value) || (typeof value === 'string' && /[^su]s$/u.test(noun));
  return `your ${noun} ${isMany ? 'are' : 'is'} ${said}`;
}

/** A value as people say it: yes or no, a list with commas, an option without underscores. */
export function valueInWords(value: Json): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) return value.map(valueInWords).join(', ');
  if (typeof value === 'object' && value !== null)
    return Object.values(value)
      .map((inner) => valueInWords(inner ?? ''))
      .join(', ');
  const text = String(value).replaceAll(/\s+/gu, ' ').trim();
  const readable = /^\w{1,60}$/u.test(text) ? text.replaceAll('_', ' ') : text;
  return readable.length <= longestValue ? readable : `${readable.slice(0, longestValue)} …`;
}
