import type { JsonObject, PortInput } from '@dramaturg/compiler';
import { kindOf, objectOf } from './schema.ts';

/** More options than this are not read out. */
const mostOptions = 20;

/** What is wanted as a question, with all that a person has to know to answer it. */
export function questionFor({
  name,
  question,
  schema,
  required,
}: PortInput<'reply'>['asks'][number]): string {
  const asked = question.trim() === '' ? sayable(name) : question.trim();
  const options = optionsIn(schema);
  const hints = [
    options === undefined ? hintFor(schema) : undefined,
    required ? undefined : 'optional: you can say skip',
  ];
  const hint = hints.filter((part) => part !== undefined).join('; ');
  return [withOptions(asked, options), ...(hint === '' ? [] : [`(${hint})`])].join(' ');
}

/** "Type of issue: billing, technical or general?", or the options in parentheses after what is a question already. */
function withOptions(asked: string, options: string | undefined): string {
  const isQuestion = asked.endsWith('?');
  if (options !== undefined && isQuestion) return `${asked} (${options})`;
  if (isQuestion) return asked;
  const words = withoutEnd(asked);
  return options === undefined ? `${words}?` : `${words}: ${options}?`;
}

function optionsIn(schema: JsonObject): string | undefined {
  const kind = kindOf(schema);
  if (kind.kind !== 'choice' && kind.kind !== 'choices') return undefined;
  const names = kind.options.slice(0, mostOptions).map((option) => sayable(String(option)));
  const rest = kind.options.length - names.length;
  if (rest > 0) names.push(`one of ${rest} more`);
  const last = names.pop() ?? '';
  const joint = kind.kind === 'choices' ? ' and/or ' : ' or ';
  return names.length === 0 ? last : `${names.join(', ')}${joint}${last}`;
}

function hintFor(schema: JsonObject): string | undefined {
  const { kind } = kindOf(schema);
  if (kind === 'yes-no') return 'yes or no';
  if (kind !== 'number' || objectOf(schema) !== undefined) return undefined;
  const { minimum, maximum, type } = schema;
  const number = type === 'integer' ? 'a whole number' : 'a number';
  if (typeof minimum === 'number' && typeof maximum === 'number')
    return `${number} from ${minimum} to ${maximum}`;
  if (typeof minimum === 'number') return `${number}, at least ${minimum}`;
  return typeof maximum === 'number' ? `${number}, at most ${maximum}` : number;
}

/** A name as it is said: `refund_request` is "refund request". */
function sayable(name: string): string {
  return name.replaceAll('_', ' ').trim();
}

function withoutEnd(text: string): string {
  let end = text.length;
  while (end > 1 && '.:!,; '.includes(text[end - 1] ?? '')) end -= 1;
  return text.slice(0, end);
}
