import { isRecord, type Json } from '@dramaturg/compiler';
import { failed, intrinsic, jsonOf, requireShort, requireText } from '../function.ts';

/** Spec: states-language.net/spec.html#appendix-b */
export const stringToJson = intrinsic([1, 1], ['text'], 'any', ([given]) => {
  const text = requireText(given, 'States.StringToJson');
  // Amazon's parser reads an empty string as null.
  if (text.trim() === '') return null;
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
  } catch {
    throw failed(`States.StringToJson: the text is not JSON: ${text.slice(0, 100)}`);
  }
  requireShort(value, 'States.StringToJson');
  // Amazon's parser reads -0 as 0.
  return value === 0 ? 0 : value;
});

export const jsonToString = intrinsic([1, 1], ['any'], 'text', ([value]) =>
  jsonOf(value!, 'States.JsonToString'),
);

/** Splits at each of the characters, without empty parts. */
export const stringSplit = intrinsic([2, 2], ['text'], 'any', ([given, characters]) => {
  const text = requireText(given, 'States.StringSplit');
  const splitters = new Set(requireText(characters, 'States.StringSplit'));
  const parts: string[] = [];
  let part = '';
  for (const character of text) {
    if (!splitters.has(character)) part += character;
    else {
      if (part !== '') parts.push(part);
      part = '';
    }
  }
  if (part !== '') parts.push(part);
  return parts;
});

/**
 * Fills `{}` from left to right; `\{` and `\}` are literal.
 *
 * @param template with unresolved escapes
 */
export function format(
  template: string,
  args: readonly Json[],
  { isExact }: { readonly isExact: boolean },
): string {
  requireShort([template, ...args], 'States.Format');
  let used = 0;
  const filled = template.replace(formatParts, (hole, escaped: string | undefined) => {
    if (escaped !== undefined) return escaped;
    if (hole !== '{}') {
      if (!isExact) return hole;
      throw failed(`States.Format: ${strayBrace(hole)}.`);
    }
    used += 1;
    return used > args.length ? hole : shown(args[used - 1]!);
  });
  if (isExact && used !== args.length) {
    throw failed(`States.Format: there are ${used} holes for ${args.length} values.`);
  }
  return filled;
}

/** Escaped characters, holes, and braces that are neither. */
const formatParts = /\\(['\\{}])|\{\}|[{}]/g;

function strayBrace(brace: string): string {
  return `"${brace}" is not part of "{}", so write "\\${brace}"`;
}

/** Why a template of Amazon's `States.Format` cannot be filled with so many values, as a clause; undefined when it can. */
export function formatFault(template: string, values: number): string | undefined {
  const parts = [...template.matchAll(formatParts)].filter(([, escaped]) => escaped === undefined);
  const stray = parts.find(([part]) => part !== '{}');
  if (stray) return strayBrace(stray[0]);
  return parts.length === values
    ? undefined
    : `its text has ${parts.length} "{}" for ${values} value${values === 1 ? '' : 's'}`;
}

/** Amazon prints objects as Java does: `{Id=1, Name=x}`. Other values are as in JSON. */
function shown(value: Json): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return `[${value.map(shown).join(', ')}]`;
  if (!isRecord(value)) return JSON.stringify(value);
  const fields = Object.entries(value).map(([name, field]) => `${name}=${shown(field)}`);
  return `{${fields.join(', ')}}`;
}

/** Amazon encodes and decodes 10,000 characters at most. AWS "Intrinsic functions" */
const longestEncoded = 10_000;

export const base64Encode = intrinsic([1, 1], ['text'], 'text', ([given]) => {
  const text = requireEncodable(requireText(given, 'States.Base64Encode'), 'States.Base64Encode');
  return btoa(
    Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join(''),
  );
});

export const base64Decode = intrinsic([1, 1], ['text'], 'text', ([given]) => {
  const text = requireEncodable(requireText(given, 'States.Base64Decode'), 'States.Base64Decode');
  try {
    const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw failed('States.Base64Decode: the text is not Base64 of a text.');
  }
});

function requireEncodable(text: string, name: string): string {
  if (text.length <= longestEncoded) return text;
  throw failed(`${name} takes ${longestEncoded} characters at most, not ${text.length}.`);
}

export const uuid = intrinsic([0, 0], ['any'], 'text', (_, { world }) => world.uuid());

/** An estimate: four bytes a token. */
export const tokenCount = intrinsic([1, 1], ['any'], 'number', ([value]) => {
  const text = typeof value === 'string' ? value : jsonOf(value!, 'States.TokenCount');
  return Math.ceil(new TextEncoder().encode(text).length / bytesPerToken);
});

const bytesPerToken = 4;

/** Cuts a string to about this many tokens, and marks the cut with `...`. */
export const truncate = intrinsic([2, 2], ['text', 'number'], 'text', ([given, tokens]) => {
  const text = requireText(given, 'States.Truncate');
  const most = Math.max(Math.trunc(Number(tokens)), 0) * bytesPerToken;
  const bytes = new TextEncoder().encode(text);
  if (bytes.length <= most) return text;
  // The cut may have split a character.
  return `${new TextDecoder().decode(bytes.slice(0, most)).replace(/\uFFFD+$/, '')}...`;
});
