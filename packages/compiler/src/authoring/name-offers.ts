import type { AnyFormat } from '../detect.ts';
import type { AuthoredText, AuthoringOptions } from './authored-text.ts';
import type { NameReference, Word } from './authoring.ts';
import type { Completion } from './completion.ts';
import { keyInsertion, valueInsertion } from './insertion.ts';
import { declarationAt, mentionsOf, namesIn, namesKnownAt, referencesAt } from './names.ts';

/** The names that may be written at the cursor: declared ones, reserved words, and those that only the surroundings know. */
export function nameOffers(
  format: AnyFormat,
  authored: AuthoredText,
  known: NonNullable<AuthoringOptions['known']>,
): readonly Completion[] {
  const { authoring } = format;
  if (!authoring) return [];
  const { cursor, value } = authored;
  const { part, typed } = cursor;
  const path = part === 'key' ? [...cursor.path, ''] : cursor.path;
  const names = namesIn(value, authoring);
  const isDeclared = ({ noun }: NameReference) =>
    authoring.declarations.some((declaration) => declaration.noun === noun);

  const offers = referencesAt(path, part, authoring).flatMap((reference): readonly Completion[] => {
    const { noun, words = {} } = reference;
    const declared = namesKnownAt(path, noun, names).map(({ name, kind, title }) =>
      offer(authored, name, kind === undefined ? noun : `${noun}, ${kind}`, title),
    );
    const others = isDeclared(reference) ? [] : [...mentionsOf(noun, value, path, authoring)];
    return [
      ...declared,
      ...[...(known[noun] ?? []), ...others].map((name) => offer(authored, name, noun)),
      ...Object.entries(words).map(([word, meaning]) => offer(authored, word, 'word', meaning)),
    ];
  });
  // A name that is used but not declared yet is probably the one that is about to be declared.
  const declared = declarationAt(path, part, authoring);
  const missing = declared
    ? [...mentionsOf(declared.noun, value, path, authoring)].filter(
        (name) => !names.some((one) => one.noun === declared.noun && one.name === name),
      )
    : [];
  const declaring = missing.map((name) =>
    offer(authored, name, declared!.noun, 'It is used, and not declared yet.'),
  );
  const expressions = part === 'value' ? authoring.words?.({ path, typed, definition: value }) : [];
  return [...offers, ...declaring, ...(expressions ?? []).map((word) => wordOffer(authored, word))];
}

function offer(
  { cursor, language }: AuthoredText,
  label: string,
  detail: string,
  description?: string,
): Completion {
  const insertion =
    cursor.part === 'key'
      ? keyInsertion(label, [], cursor, { text: '', language })
      : valueInsertion(label, cursor, language);
  return {
    label,
    kind: detail === 'word' ? 'word' : 'name',
    detail,
    ...(description !== undefined && description !== '' && { description }),
    insert: insertion.text,
    caret: insertion.caret,
    span: cursor.token,
  };
}

/** A word that is a part of a longer text replaces only what is typed of it. */
function wordOffer(authored: AuthoredText, { word, meaning, from }: Word): Completion {
  const whole = offer(authored, word, 'word', meaning);
  const { token, quote, typed } = authored.cursor;
  const isInText = quote !== '' || authored.language === 'yaml';
  if (from === undefined || !isInText) return whole;
  const start = token.start + quote.length + from;
  return {
    ...whole,
    insert: word,
    caret: word.length,
    span: { start, end: token.start + quote.length + typed.length },
  };
}
