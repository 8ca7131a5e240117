import { type FoundPlace, type LocatedText, type Source } from '@dramaturg/compiler';
import { computedPlace, placeElsewhere, placeOfText } from './definition.ts';
import type { Template } from './functions.ts';
import { type HclToken, hclTokens } from './hcl-tokens.ts';
import { stateMachineType } from './terraform.ts';

/** The definitions in a file of Terraform: texts are read, expressions are named. */
export function hclPlaces(file: Source, values: Template['values']): readonly FoundPlace[] {
  const tokens = [...hclTokens(file.text)];
  const found: FoundPlace[] = [];
  let index = 0;
  while (index < tokens.length) {
    const name = machineNameAt(file.text, tokens, index);
    if (name === undefined) {
      index += 1;
      continue;
    }
    const { fields, end } = fieldsFrom(file.text, tokens, index + 4);
    found.push(...machinePlace(file, name, fields, values));
    index = end;
  }
  return found;
}

/** The name of a state machine whose block begins at a token. */
function machineNameAt(
  text: string,
  tokens: readonly HclToken[],
  index: number,
): string | undefined {
  const [word, type, name, open] = tokens
    .slice(index, index + 4)
    .map(({ start, end }) => text.slice(start, end));
  const isMachine = word === 'resource' && type === `"${stateMachineType}"` && open === '{';
  return isMachine && name?.startsWith('"') ? name.slice(1, -1) : undefined;
}

interface Fields {
  readonly fields: ReadonlyMap<string, readonly HclToken[]>;
  /** The index behind the block, or of its end. */
  readonly end: number;
}

/** The values of the fields of a block: the words behind each `=`. A value ends with its line, outside of brackets. */
function fieldsFrom(text: string, tokens: readonly HclToken[], start: number): Fields {
  const written = ({ start: from, end }: HclToken) => text.slice(from, end);
  const fields = new Map<string, HclToken[]>();
  let current: HclToken[] | undefined;
  let depth = 0;
  let index = start;
  for (; index < tokens.length; index += 1) {
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
  return { fields, end: index };
}

function machinePlace(
  file: Source,
  name: string,
  fields: Fields['fields'],
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
