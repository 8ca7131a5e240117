import { listed } from './reading/words.ts';
import type { Json, JsonObject } from '@dramaturg/compiler';
import { LinearPattern, type Word, wordsOf, wordsOfName } from '@dramaturg/compiler/text';
import { type Clock, readBetween, readDated } from './reading/date.ts';
import { isStopWord } from './reading/phrases.ts';
import type { TextKind, TextRequest } from './reading/text.ts';

/** A value that a schema asks for: its path, its kind, and the words that a person may use for it. */
export interface Field {
  readonly path: readonly string[];
  readonly schema: JsonObject;
  readonly kind: Kind;
  /** The words of its name, without stop words. */
  readonly nameWords: readonly Word[];
  /** The words of its name and of its description. */
  readonly words: readonly Word[];
  /** Its place in the order in which values became known; 0 without a value. Only a correction changes a known value. */
  readonly collected: number;
  /** Whether the flow asks for it later. */
  readonly isLater: boolean;
  /** The day or the moment that a text names, if the field is for one. */
  readonly dated: (text: string) => string | undefined;
  /** Both ends of the range of days or times that a text names. */
  readonly between: (text: string) => readonly [string, string] | undefined;
}

/** How deep schemas may nest. The limit is for schemas from untrusted sources. */
const deepest = 10;

/** Every value that an object schema asks for, in its order. */
export function fieldsOf(
  schema: JsonObject,
  clock: Clock = {},
  path: readonly string[] = [],
): Field[] {
  if (path.length >= deepest) return [];
  return propertiesOf(schema).flatMap(([name, property]) => {
    const inner = [...path, name];
    const object = objectOf(property);
    return object === undefined
      ? [fieldAt(inner, property, clock)]
      : fieldsOf(object, clock, inner);
  });
}

function fieldAt(path: readonly string[], schema: JsonObject, clock: Clock): Field {
  const ownWords = wordsOfName(path.at(-1) ?? '').filter((word) => !isStopWord(word));
  const described = wordsOf(
    `${stringOrEmpty(schema['title'])} ${stringOrEmpty(schema['description'])}`.slice(0, 500),
  );
  const words = [
    ...ownWords,
    ...described.filter((word) => !isStopWord(word) && /^\p{L}/u.test(word.text)),
  ];
  const isBirthday = words.some(({ singular }) => /^(?:born|birth|birthdate|dob)$/u.test(singular));
  const isPast = !isBirthday && past.test(stringOrEmpty(schema['description']));
  return {
    path,
    schema,
    kind: kindOf(schema),
    nameWords: ownWords,
    words,
    collected: Number(schema['x-collected'] ?? 0),
    isLater: schema['x-later'] === true,
    dated(text) {
      const day = readDated(text, formatOf(schema), { ...clock, isPast });
      // A birthday without its year is not the next one.
      return day && isBirthday && Date.parse(day) > (clock.now ?? 0) ? undefined : day;
    },
    between: (text) => readBetween(text, formatOf(schema), clock),
  };
}

const past = /\b(?:did|was|were|happened|since)\b/iu;

/** The value if it is a string, else an empty string. */
export function stringOrEmpty(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

const ofAnyName = listed(
  'first last full given family middle preferred nick display legal contact guest patient caller client visitor employee driver passenger student member owner buyer patron player real child son daughter parent mother father spouse husband wife partner pupil',
);
const placeWords = listed(
  'location city country place hometown address town residence destination origin airport station',
);
// cspell:disable
const asksWhere =
  /^\P{L}*(?:(?:from|to|von|de|da|d['’]) ?)?(?:where|wo|woher|wohin|où|a?dónde|dove|a?onde)(?!\p{L}| (?:does|did|is) (?:it|the))|\b(?:stadt|wohnort|ville|ciudad|città|cidade)(?!\p{L})/iu;
const asksWho =
  /^\P{L}*(?:who|under (?:which|what) name|(?:which|what) (?:doctor|dentist|teacher|trainer|coach|author)|à quel nom|auf welchen namen|wie hei(?:ß|ss)(?:t|en)|comment (?:s['’]appelle|vous appelez)|cómo se llama|come si chiama|como se chama)(?!\p{L})/iu;
// cspell:enable
const questionWords = listed('question request help issue problem inquiry curiosity need message');

/** Kinds of text that a field's name implies. */
const named: readonly (readonly [kind: TextKind, words: ReadonlySet<string>])[] = [
  ['email', listed('email mail')],
  ['phone', listed('phone telephone mobile cell cellphone whatsapp')],
  ['url', listed('url website homepage webpage link uri')],
  ['date', listed('date birthday dob deadline birthdate')],
  ['identifier', listed('number id no nr zip zipcode postcode iban plate')],
];
const formats: Readonly<Record<string, TextKind>> = {
  email: 'email',
  'idn-email': 'email',
  phone: 'phone',
  uri: 'url',
  url: 'url',
  date: 'exact-date',
  time: 'exact-time',
};

/** The format of a text. It may be a mark: the formats of JSON Schema want seconds, a zone or a scheme, which people leave out. */
export function formatOf({ format, 'x-limits': limits }: JsonObject): unknown {
  return format ?? (isObject(limits) ? limits['format'] : undefined);
}

/** How to read a free-text answer to the field, judging by its schema and its words. */
export function textRequestOf({ schema, nameWords, words }: Field): TextRequest {
  const isQuestion = words.some(({ singular }) => questionWords.has(singular));
  const titled = words.some(({ singular }) =>
    /^(?:title|book|song|film|movie|album|series)$/u.test(singular),
  );
  return { kind: kindOfText(schema, nameWords, words), question: isQuestion, titled };
}

function kindOfText(
  schema: JsonObject,
  nameWords: readonly Word[],
  words: readonly Word[],
): TextKind {
  const format = formatOf(schema);
  if (typeof format === 'string' && Object.hasOwn(formats, format)) return formats[format]!;
  const own = nameWords.map(({ singular }) => singular).filter((word) => !ofAnyName.has(word));
  if (own.length === 1 && (own[0] === 'name' || own[0] === 'nickname')) return 'name';
  if (own.length > 0 && own.every((word) => ofAnyName.has(word) || word === 'name')) return 'name';
  const last = own.at(-1) ?? '';
  const isSaid = (word: string, set: ReadonlySet<string>) => set.has(word);
  // "phone_number" is a phone, and "email_address" is not a place.
  for (const [kind, set] of named) {
    const isPlace = kind !== 'identifier' && kind !== 'date';
    if (isPlace ? own.some((word) => isSaid(word, set)) : isSaid(last, set)) return kind;
  }
  if (own.includes('postal')) return 'identifier';
  const question = stringOrEmpty(schema['description']);
  if (own.some((word) => placeWords.has(word)) || asksWhere.test(question)) return 'place';
  if (asksWho.test(question)) return 'name';
  if (new RegExp(`\\b${last} (?:number|id|no)\\b`, 'iu').test(question)) return 'identifier';
  const described = words
    .slice(nameWords.length)
    .map(({ singular }) => singular)
    .filter((word) => !ofAnyName.has(word));
  return own.length <= 1 && described.length === 1 && described[0] === 'name' ? 'name' : 'any';
}

/** The kind of a field for texts. */
export function textKindOf(field: Field | undefined): TextKind | undefined {
  return field?.kind.kind === 'text' ? textRequestOf(field).kind : undefined;
}

/** Whether the field accepts only some texts as values. */
export function isSpecific(field: Field): boolean {
  const kind = textKindOf(field) ?? field.kind.kind;
  return !/^(?:any|place|name|yes-no|texts)$/u.test(kind);
}

export function isFreeText(field: Field | undefined): boolean {
  return textKindOf(field) === 'any' && formatOf(field!.schema) !== 'date-time';
}

export function samePath(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((step, index) => step === b[index]);
}

/** The kind of answer that a schema accepts. `options` are its allowed values, in order. */
type Kind =
  | { readonly kind: 'text' | 'texts' | 'yes-no' | 'number' | 'numbers' | 'unreadable' }
  | { readonly kind: 'choice' | 'choices'; readonly options: readonly Option[] };

export type Option = string | number | boolean;

/** The own properties that an object schema declares. */
function propertiesOf(schema: JsonObject): [name: string, schema: JsonObject][] {
  const properties = schema['properties'];
  if (!isObject(properties)) return [];
  return Object.entries(properties).flatMap(([name, property]) =>
    isObject(property) ? [[name, property]] : [],
  );
}

/** The schema itself, or the branch of it that is an object with properties. */
export function objectOf(schema: JsonObject): JsonObject | undefined {
  return branchesOf(schema).find((branch) => isObject(branch['properties']));
}

export function kindOf(schema: JsonObject): Kind {
  const options = optionsOf(schema);
  if (options !== undefined) {
    if (options.length === 0) return { kind: 'unreadable' };
    return options.every((option) => typeof option === 'boolean')
      ? { kind: 'yes-no' }
      : { kind: 'choice', options };
  }
  for (const branch of branchesOf(schema)) {
    const types = typesOf(branch);
    if (types.has('boolean')) return { kind: 'yes-no' };
    if (types.has('number') || types.has('integer')) return { kind: 'number' };
    if (types.has('string') || saysNothing(branch)) return { kind: 'text' };
    const items =
      types.has('array') && isObject(branch['items']) ? optionsOf(branch['items']) : undefined;
    if (items !== undefined && items.length > 0) return { kind: 'choices', options: items };
    if (!types.has('array') || !isObject(branch['items'])) continue;
    if (isText(branch['items'])) return { kind: 'texts' };
    const ofItems = typesOf(branch['items']);
    if (ofItems.has('number') || ofItems.has('integer')) return { kind: 'numbers' };
  }
  return { kind: 'unreadable' };
}

/** The schema and its alternatives, without those that only allow null. */
function branchesOf(schema: JsonObject): JsonObject[] {
  const alternatives = ['anyOf', 'oneOf', 'allOf'].flatMap((key) => schema[key] ?? []);
  return [schema, ...alternatives.filter(isObject)].filter(
    (branch) => !typesOf(branch).has('null') || typesOf(branch).size > 1,
  );
}

/** Whether a schema allows anything: it is answered with the person's own words. */
function saysNothing(schema: JsonObject): boolean {
  return ['type', 'anyOf', 'oneOf', 'allOf', '$ref', 'properties', 'items', 'not'].every(
    (key) => schema[key] === undefined,
  );
}

function isText(schema: JsonObject): boolean {
  return typesOf(schema).has('string') && optionsOf(schema) === undefined;
}

function typesOf(schema: JsonObject): Set<Json> {
  const type = schema['type'];
  return new Set(isList(type) ? type : type === undefined ? [] : [type]);
}

/** The list of values that the schema allows, if it has one. */
function optionsOf(schema: JsonObject): Option[] | undefined {
  const lists = branchesOf(schema).map((branch) => {
    const values = branch['const'] === undefined ? branch['enum'] : [branch['const']];
    return isList(values)
      ? values
          .slice(0, mostOptions)
          .filter((value): value is Option => isOption(value) && accepts(schema, value))
      : undefined;
  });
  const closed = lists.filter((values) => values !== undefined);
  return closed.length === 0 ? undefined : closed.flat();
}

/** Limits for schemas from untrusted sources: the nesting depth, and the number of options. */
const deepestSchema = 20;
const mostOptions = 500;

/** Whether a value satisfies its schema. Every value that was read passes this check before it is returned. */
export function accepts(schema: JsonObject, value: Json, depth = 0): boolean {
  if (depth > deepestSchema) return false;
  const types = typesOf(schema);
  if (types.size > 0 && ![...types].some((type) => isOfType(value, type))) return false;
  if (isList(schema['enum']) && !schema['enum'].includes(value)) return false;
  if (schema['const'] !== undefined && schema['const'] !== value) return false;
  for (const key of ['anyOf', 'oneOf'] as const) {
    const branches = schema[key];
    if (
      isList(branches) &&
      !branches.some((branch) => isObject(branch) && accepts(branch, value, depth + 1))
    )
      return false;
  }
  const all = schema['allOf'];
  if (isList(all) && !all.every((branch) => isObject(branch) && accepts(branch, value, depth + 1)))
    return false;
  if (typeof value === 'number') return isInRange(schema, value);
  if (typeof value === 'string')
    return (
      isWithin(schema, 'minLength', 'maxLength', Array.from(value).length) &&
      fitsPattern(schema['pattern'], value)
    );
  if (!isList(value)) return true;
  const items = schema['items'];
  return (
    isWithin(schema, 'minItems', 'maxItems', value.length) &&
    (!isObject(items) || value.every((item) => accepts(items, item, depth + 1)))
  );
}

function isOfType(value: Json, type: Json): boolean {
  if (type === 'integer') return Number.isSafeInteger(value);
  if (type === 'array') return isList(value);
  if (type === 'object') return isObject(value);
  return type === 'null' ? value === null : typeof value === type;
}

function isInRange(schema: JsonObject, value: number): boolean {
  const { exclusiveMinimum: above, exclusiveMaximum: below, multipleOf: step } = schema;
  return (
    isWithin(schema, 'minimum', 'maximum', value) &&
    (typeof above !== 'number' || value > above) &&
    (typeof below !== 'number' || value < below) &&
    (typeof step !== 'number' || Number.isInteger(value / step))
  );
}

function fitsPattern(pattern: Json | undefined, value: string): boolean {
  if (typeof pattern !== 'string') return true;
  try {
    return new LinearPattern(pattern).test(value) === true;
  } catch {
    return true;
  }
}

function isWithin(schema: JsonObject, least: string, most: string, size: number): boolean {
  const from = schema[least];
  const to = schema[most];
  return (typeof from !== 'number' || size >= from) && (typeof to !== 'number' || size <= to);
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

function isOption(value: Json): value is Option {
  return ['string', 'number', 'boolean'].includes(typeof value);
}
