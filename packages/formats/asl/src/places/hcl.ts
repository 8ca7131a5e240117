import { type FoundPlace, type LocatedText, type Source } from '@dramaturg/compiler';
import { computedPlace, placeElsewhere, placeOfText } from './definition.ts';
import type { Template } from './functions.ts';
import { type HclToken, hclTokens } from './hcl-tokens.ts';
import { stateMachineType } from './terraform.ts';

/** The definitions in a file of Terraform: texts are read, expressions are named. */
export function hclPlaces(file: Source, values: Template['values']): readonly FoundPlace[] {
  const tokens = [...hclTokens(file.text)];
  const written = ({ start, end }: HclToken) => file.text.slice(start, end);
  return tokens.flatMap((token, index) => {
    const [type, name, open] = tokens.slice(index + 1, index + 4);
    const isMachine =
      written(token) === 'resource' &&
      type?.kind === 'text' &&
      written(type) === `"${stateMachineType}"` &&
      name?.kind === 'text' &&
      open !== undefined &&
      written(open) === '{';
    if (!isMachine) return [];
    const fields = fieldsFrom(file.text, tokens, index + 4);
    return machinePlace(file, written(name).slice(1, -1), fields, values);
  });
}

/** The values of the fields of a block: the words behind each `=`. A value ends with its line, outside of brackets. */
function fieldsFrom(
  text: string,
  tokens: readonly HclToken[],
  start: number,
): ReadonlyMap<string, readonly HclToken[]> {
  const written = ({ start: from, end }: HclToken) => text.slice(from, end);
  const fields = new Map<string, HclToken[]>();
  let current: HclToken[] | undefined;
  let depth = 0;
  for (let index = start; index < tokens.length; index += 1) {
    const token = tokens[index]!;
    const sign = token.kind === 'sign' ? written(token) : '';
    if ('}])'.includes(sign) && sign !== '' && --depth < 0) break;
    const next = tokens[index + 1];
    if (depth === 0 && /\n/.test(text.slice(tokens[index - 1]!.end, token.start)))
      current = current?.length === 0 ? current : undefined;
    if (depth === 0 && token.kind === 'word' && next && written(next) === '=') {
      fields.set(written(token), (current = []));
      index += 1;
      continue;
    }
    current?.push(token);
    if ('{[('.includes(sign) && sign !== '') depth += 1;
  }
  return fields;
}

function machinePlace(
  file: Source,
  name: string,
  fields: ReadonlyMap<string, readonly HclToken[]>,
  values: Template['values'],
): FoundPlace[] {
  const [first, second, third] = fields.get('definition') ?? [];
  if (!first) return [];
  const [type] = fields.get('type') ?? [];
  const isExpress = type !== undefined && file.text.slice(type.start, type.end) === '"EXPRESS"';
  const field = { file, name, isExpress, template: { value: {}, values } };
  const text = second === undefined ? textOf(file.text, first) : undefined;
  if (text) return [placeOfText(field, text)];
  const call = file.text.slice(first.start, first.end);
  const isFile = (call === 'file' || call === 'templatefile') && third?.kind === 'text';
  if (!isFile) return [computedPlace(field, second === undefined ? call : `${call}(…)`)];
  const path = file.text.slice(third.start + 1, third.end - 1);
  return [placeElsewhere(field, path.replace(/^\$\{path\.(?:module|root)\}\//, ''))];
}

/** The text of a heredoc or of a text in quotes; undefined for other expressions. */
function textOf(file: string, { kind, start, end }: HclToken): LocatedText | undefined {
  const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' };
  if (kind !== 'heredoc' && kind !== 'text') return undefined;
  const [from, to] = kind === 'heredoc' ? [start, end] : [start + 1, end - 1];
  const characters: string[] = [];
  const offsets: number[] = [];
  for (let offset = from; offset < to; offset += 1) {
    const isEscape = kind === 'text' && file[offset] === '\\';
    const next = file[offset + 1] ?? '';
    characters.push(isEscape ? (escapes[next] ?? next) : file[offset]!);
    offsets.push(offset);
    if (isEscape) offset += 1;
  }
  // Quotes in an expression would end the text of JSON around it.
  const text = characters
    .join('')
    .replaceAll(/\$\{[^{}\n]*\}/g, (expression) => expression.replaceAll('"', "'"));
  return { text, offsets: Int32Array.from([...offsets, to]) };
}
