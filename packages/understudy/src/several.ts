import type { Json } from '@dramaturg/compiler';
import { countsPeople } from './mentioned-values.ts';
import { type Field, stringOrEmpty, textKindOf } from './field.ts';
import { isCorrection } from './reading/correction.ts';
import { readDate } from './reading/date.ts';
import { readNumbers } from './reading/number.ts';

/** Values of fields that a message gives together: a postal code with its place, a journey, the people of a party. */
export function severalIn(said: string, fields: readonly Field[]): Map<Field, Json> {
  const parties = (isCorrection(said) ? [] : [said, ...said.split(/(?<=[.!?;…])\s+|,\s+/u)]).map(
    (part) => partyIn(part, fields, part === said),
  );
  const party = parties.find(({ size }) => size > 0) ?? [];
  return new Map([...postIn(said.trim(), fields), ...journeyIn(said, fields), ...party]);
}

/** A postal code with its place, for the fields of both: "10115 Berlin", "Austin 78701". */
function postIn(said: string, fields: readonly Field[]): Map<Field, Json> {
  const [, before, place, after] =
    /^(?:it['’]?s |in )?(?:(\d{4,5}),? (?:in )?)?((?!it |i )\p{L}[\p{L}.'’-]{1,30}(?: [\p{L}.'’-]{1,30}){0,2})(?:,? (\d{4,5}))?$/iu.exec(
      said,
    ) ?? [];
  const code = before ?? after;
  const called = (names: RegExp) =>
    fields.find(({ nameWords }) => nameWords.some(({ singular }) => names.test(singular)));
  const codes = called(/^(?:zip|zipcode|postal|postcode|plz)$/u);
  const places = called(/^(?:city|town)$/u);
  const found = new Map<Field, Json>();
  return code && place && codes && places ? found.set(codes, code).set(places, place) : found;
}

// cspell:disable
const ways = {
  from: 'from|von|ab|aus|de|depuis|desde|da',
  to: 'to|per|nach|à|a|para|hacia|into',
};
const wayWords = {
  from: /(?<!\p{L})(?:from|start|origin|depart\p{L}*|leave|woher|d['’]où|de dónde|da dove|de onde)(?!\p{L})/iu,
  to: /(?<!\p{L})(?:to|go|going|destination|arrive|wohin|adónde|aonde)(?!\p{L})/iu,
};
const placeEnd =
  '(?=\\s*(?:[,;.!?(]|$)|\\s(?:from|to|on|at|in|by|for|and|with|von|nach|am|im|um|le|à|a|de|el|please|pls|plz|thanks|bitte|next|this|tomorrow|leaving|\\d)(?!\\p{L}))';
const placeSaid = (first: string) => `(${first}[\\p{L}'’.-]*(?: ${first}[\\p{L}'’.-]*){0,3}?)`;
// cspell:enable
const wholeJourney = new RegExp(
  `(?<!\\p{L})(?:${ways.from}) ${placeSaid('\\p{L}')} (?:${ways.to}) ${placeSaid('\\p{L}')}${placeEnd}`,
  'iu',
);
const capitalAfter = (way: string) =>
  new RegExp(`(?<!\\p{L})(?:${way}) ${placeSaid('\\p{Lu}')}${placeEnd}`, 'u');
const capitalPlace = { from: capitalAfter(ways.from), to: capitalAfter(ways.to) };

/** The start and the end of a journey: "from Munich to Lisbon", "Lisbon, leaving from Munich". */
function journeyIn(said: string, fields: readonly Field[]): Map<Field, Json> {
  const places = fields.filter((field) => textKindOf(field) === 'place');
  const found = new Map<Field, Json>();
  const begin = said.slice(0, 300);
  const lower = wholeJourney.exec(begin);
  for (const way of ['from', 'to'] as const) {
    const fitting = places.filter(({ path, schema }) => {
      const names = [path.at(-1) ?? '', stringOrEmpty(schema['description'])];
      const [own] = names.flatMap((text) =>
        (['from', 'to'] as const).filter((each) => wayWords[each].test(text.replaceAll('_', ' '))),
      );
      return own === way;
    });
    const [field] = fitting;
    if (field === undefined || fitting.length > 1) continue;
    const capital = capitalPlace[way].exec(begin)?.[1];
    const place = capital ?? lower?.[way === 'from' ? 1 : 2];
    if (place !== undefined && readDate(place) === undefined) found.set(field, place);
  }
  return found;
}

// cspell:disable
const child =
  'kids?|child|children|bab(?:y|ies)|toddlers?|kind(?:er)?|enfants?|niñ[oa]s?|hij[oa]s?|bambin[oi]|figli|crianças?|filhos?';
const adult =
  'adults?|grown-?ups?|men|women|erwachsene[rn]?|adultes?|adultos?|adulti|friends?|colleagues?|parents';
const anyone =
  'people|ppl|persons?|humans?|guests?|of us|personen|leute|personnes|personas|persone|pessoas';
const one =
  '(?:just |only )?(?:me|myself|i|ich|moi|yo|io|eu|(?:my|her|his|meine?|ma|mon|mi|mia|minha) (?:wife|husband|partner|girlfriend|boyfriend|mother|mum|mom|father|dad|sister|brother|friend|frau|mann|femme|mari|mujer|marido|moglie|marito|mulher))';
const oneOf = new RegExp(`^${one}$`, 'iu');
const groupOf = new RegExp(
  `^(?:just |only )?(?:(?:a )?(?:party|group|family|table) (?:of|for) )?(.{1,20}?)(?: (?:small |little )?(?:(${child})|(${adult})|(${anyone})))?$`,
  'iu',
);
const weAre =
  /^(?:still |now |today )*(?:we are|we['’]?re|we['’]ll be|wir sind|nous (?:sommes|serons)|(?:nós )?somos|siamo|seremos) /iu;
const beforeParty =
  /^(?:(?:still|now|today|it['’]?s|it is|we are|we['’]?re|we['’]ll be|there (?:are|will be)|there['’]?s|that['’]?s|so|well|hmm?|wir sind|nous (?:sommes|serons)|somos|siamo|seremos|none|no),? )*/iu;
const betweenPeople = /,? (?:and|plus|und|et|y|e|mit|with|as well as) |\s?[,+&]\s?/iu;
// cspell:enable

/** How many people come, if a message says nothing else: "me, my wife and 2 kids", "2 adults + 1 child". */
function partyIn(said: string, fields: readonly Field[], isWhole: boolean): Map<Field, Json> {
  const numbers = fields.filter(({ kind }) => kind.kind === 'number');
  const called = (name: RegExp) =>
    numbers.find(({ nameWords }) =>
      nameWords.some(({ singular, text }) => name.test(singular) || name.test(text)),
    );
  const [children, adults] = [called(/^(?:child|children|kid)$/u), called(/^adult$/u)];
  const all = numbers.find(
    (field) => field !== adults && field !== children && countsPeople(field),
  );
  const found = new Map<Field, Json>();
  if (!(children ?? adults ?? all) || said.length > 100) return found;
  const parts = said
    .replace(/[\s.!?;…🙂😅]+$|,? so (?:it['’]s )?\w+$/gu, '')
    .replace(beforeParty, '')
    .split(betweenPeople)
    .map((part) => part.trim());
  let [young, grown, unknown] = [0, 0, 0];
  let saysPeople = weAre.test(said);
  for (const part of parts) {
    const [, number = '', isChild, isAdult, isAnyone] = groupOf.exec(part) ?? [];
    const counted = number
      .trim()
      .replace(/^(?:my|our|their|his|her|an?|une?|uno?|una|eine?|um) ?/iu, (word) =>
        /^[moth]/iu.test(word) ? '' : 'one ',
      );
    const [count, more] = readNumbers(counted);
    if (/^(?:my|our|meine|mes|mis) (?:grand)?(?:parents|eltern|padres)$/iu.test(part)) grown += 2;
    else if (oneOf.test(part)) grown += 1;
    else if (!count || more || count.end - count.start < counted.length - 4) return found;
    else if (isChild) young += count.value;
    else if (isAdult) grown += count.value;
    else unknown += count.value;
    if (isAnyone) saysPeople = true;
  }
  if (parts.length === 1 && !saysPeople && !(isWhole && grown + young === 1)) return found;
  if (all) found.set(all, young + grown + unknown);
  if (adults && unknown === 0 && grown > 0) found.set(adults, grown);
  if (children && young > 0) found.set(children, young);
  return found;
}
