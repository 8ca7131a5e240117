import { isRecord, type Json, type Path, type Report } from '@dramaturg/compiler';
import { type Condition, type ConditionPlace, conditionTypes, toNumber } from '../condition.ts';
import {
  badConditionField,
  compositeTooDeep,
  conflictingSpelling,
  missingConditionField,
  unknownConditionType,
} from '../diagnostics/transitions.ts';

/** More levels of conditions within conditions than this are refused. */
const deepestNesting = 5;

/** In `values` and `conditions`. */
const longestList = 1_000;

/**
 * Reads a condition in either spelling of its keys; the seed's names win where both are present.
 *
 * @param at where `condition_config` stands; `typeAt` is where the type is named
 * @returns undefined when any part is malformed: one bad child spoils a whole composite
 */
export function readCondition(
  type: string,
  config: unknown,
  { at, typeAt }: { at: Path; typeAt: Path },
  report: Report,
  depth = 1,
): Condition | undefined {
  const fields = new ConditionFields(type, isRecord(config) ? config : {}, at, report);
  const read = readTerms(type, fields, typeAt, report, depth);
  fields.reportAbsent();
  return read;
}

function readTerms(
  type: string,
  fields: ConditionFields,
  typeAt: Path,
  report: Report,
  depth: number,
): Condition | undefined {
  const place = () => fields.place(typeAt);
  switch (type) {
    case 'all_tasks_complete':
    case 'goal_achieved':
      return { type, place: place() };
    case 'deliverable_exists': {
      const deliverable_key = fields.key();
      return deliverable_key === undefined ? undefined : { type, deliverable_key, place: place() };
    }
    case 'deliverable_value': {
      const deliverable_key = fields.key();
      const expected_value = fields.expected();
      if (deliverable_key === undefined || expected_value === undefined) return undefined;
      return { type, deliverable_key, expected_value, place: place() };
    }
    case 'deliverable_value_in': {
      const deliverable_key = fields.key();
      const values = fields.list('values', 'value') as readonly Json[] | undefined;
      if (deliverable_key === undefined || values === undefined) return undefined;
      return { type, deliverable_key, values, place: place() };
    }
    case 'deliverable_value_numeric': {
      const numeric = readNumeric(fields);
      return numeric && { ...numeric, place: place() };
    }
    case 'turn_count_exceeded': {
      const turns = fields.number('zero or more', (number) => number >= 0, 'turns', 'value');
      const scope = fields.word('scope', scopes, 'without_progress');
      if (turns === undefined || scope === undefined) return undefined;
      return { type, turns: Math.floor(turns), scope, place: place() };
    }
    case 'all_of':
    case 'any_of':
    case 'compound':
      return readComposite(type, fields, depth);
    default:
      report(unknownConditionType(type, conditionTypes), typeAt);
      return undefined;
  }
}

const scopes = { without_progress: 'without_progress', total: 'total' } as const;

const operators = {
  gt: 'gt',
  '>': 'gt',
  gte: 'gte',
  '>=': 'gte',
  lt: 'lt',
  '<': 'lt',
  lte: 'lte',
  '<=': 'lte',
  eq: 'eq',
  '==': 'eq',
  neq: 'neq',
  '!=': 'neq',
  between: 'between',
  range: 'between',
} as const;

function readNumeric(fields: ConditionFields): Condition | undefined {
  const type = 'deliverable_value_numeric';
  const deliverable_key = fields.key();
  const operator = fields.word('operator', operators);
  if (operator === undefined) return undefined;
  if (operator !== 'between') {
    const value = fields.number('a number', () => true, 'value', 'expected_value');
    if (deliverable_key === undefined || value === undefined) return undefined;
    return { type, deliverable_key, operator, value };
  }
  const max = fields.number('a number', () => true, 'max');
  const min = fields.number(
    max === undefined ? 'a number' : `at most "max", which is ${max}`,
    (number) => max === undefined || number <= max,
    'min',
  );
  if (deliverable_key === undefined || min === undefined || max === undefined) return undefined;
  return {
    type,
    deliverable_key,
    operator,
    min,
    max,
    inclusive: fields.value('inclusive') !== false,
  };
}

const combinations = { and: 'all_of', or: 'any_of' } as const;

function readComposite(
  type: 'all_of' | 'any_of' | 'compound',
  fields: ConditionFields,
  depth: number,
): Condition | undefined {
  if (depth > deepestNesting) {
    fields.report(compositeTooDeep(deepestNesting), fields.at);
    return undefined;
  }
  const combined = type === 'compound' ? fields.word('operator', combinations) : type;
  const written = fields.list('conditions', 'condition');
  if (combined === undefined || written === undefined) return undefined;
  const conditions = written.map((child, index) =>
    readChild(child, [...fields.at, 'conditions', index], fields.report, depth),
  );
  return conditions.includes(undefined)
    ? undefined
    : { type: combined, conditions: conditions as Condition[] };
}

/** A child may name its parts `type` and `config`. */
function readChild(child: unknown, at: Path, report: Report, depth: number): Condition | undefined {
  const fields = new ConditionFields('condition', isRecord(child) ? child : {}, at, report);
  const type = fields.pick('condition_type', 'type');
  const config = fields.pick('condition_config', 'config');
  if (typeof type?.value !== 'string') {
    fields.lacks(type, 'condition_type', `one of ${conditionTypes.join(', ')}`);
    fields.reportAbsent();
    return undefined;
  }
  const places = { at: config ? [...at, config.name] : at, typeAt: [...at, type.name] };
  return readCondition(type.value, config?.value, places, report, depth + 1);
}

/** A field that is needed, and what it holds in words. */
interface AbsentField {
  readonly name: string;
  readonly what: string;
}

interface Field {
  readonly name: string;
  readonly value: unknown;
}

/** The fields of one condition's config. What cannot be used is complained of where it stands, and read as undefined. */
class ConditionFields {
  readonly at: Path;
  readonly report: Report;
  readonly #type: string;
  readonly #fields: Record<string, unknown>;
  readonly #absent: AbsentField[] = [];

  constructor(type: string, fields: Record<string, unknown>, at: Path, report: Report) {
    this.#type = type;
    this.#fields = fields;
    this.at = at;
    this.report = report;
  }

  value(name: string): unknown {
    return Object.hasOwn(this.#fields, name) ? this.#fields[name] : undefined;
  }

  /** The first of several names of one field that is present. Presence counts, not truth: `false` and 0 are values. */
  pick(...names: string[]): Field | undefined {
    const [first, second] = names.filter((name) => this.value(name) !== undefined);
    if (first === undefined) return undefined;
    if (
      second !== undefined &&
      JSON.stringify(this.value(first)) !== JSON.stringify(this.value(second))
    ) {
      this.report(conflictingSpelling(first, second), [...this.at, second]);
    }
    return { name: first, value: this.value(first) };
  }

  key(): string | undefined {
    const field = this.pick('deliverable_key', 'key');
    if (typeof field?.value === 'string' && field.value !== '') return field.value;
    return this.lacks(field, 'deliverable_key', 'the key of a deliverable');
  }

  expected(): Json | undefined {
    const field = this.pick('expected_value', 'value');
    const isEmptyList = Array.isArray(field?.value) && field.value.length === 0;
    if (field && !isEmptyList) return field.value as Json;
    return this.lacks(field, 'expected_value', 'the value to compare with');
  }

  /** @param item what the list is made of */
  list(name: string, item: string): readonly unknown[] | undefined {
    const value = this.value(name);
    if (Array.isArray(value) && value.length > 0 && value.length <= longestList)
      return value as unknown[];
    return this.lacks(this.pick(name), name, `a list of one to ${longestList} ${item}s`);
  }

  number(what: string, isFit: (number: number) => boolean, ...names: string[]): number | undefined {
    const field = this.pick(...names);
    const number = toNumber(field?.value);
    return number !== undefined && isFit(number) ? number : this.lacks(field, names[0]!, what);
  }

  /** One of a few words, without regard to case. */
  word<Meaning>(
    name: string,
    meanings: Readonly<Record<string, Meaning>>,
    otherwise?: Meaning,
  ): Meaning | undefined {
    const field = this.pick(name);
    if (!field && otherwise !== undefined) return otherwise;
    const word = typeof field?.value === 'string' ? field.value.trim().toLowerCase() : '';
    if (Object.hasOwn(meanings, word)) return meanings[word];
    return this.lacks(field, name, `one of ${Object.keys(meanings).join(', ')}`);
  }

  /** Says that a field is absent or, where something stands there, that it cannot be used. */
  lacks(field: Field | undefined, name: string, what: string): undefined {
    if (field)
      this.report(badConditionField(this.#type, field.name, what), [...this.at, field.name]);
    else this.#absent.push({ name, what });
  }

  /** Says in one finding which fields are absent. */
  reportAbsent(): void {
    if (this.#absent.length === 0) return;
    const isWithoutConfig = this.at.at(-1) !== 'condition_config' && this.#type !== 'condition';
    const about = this.#absent.map(({ name }) => [
      ...this.at,
      ...(isWithoutConfig ? ['condition_config'] : []),
      name,
    ]);
    const problem = missingConditionField(this.#type, this.#absent, Object.keys(this.#fields));
    this.report(problem, this.at, { about });
  }

  place(type: Path): ConditionPlace {
    const placeOf = (...names: string[]) => {
      const name = names.find((candidate) => this.value(candidate) !== undefined);
      return name === undefined ? this.at : [...this.at, name];
    };
    return {
      type,
      key: placeOf('deliverable_key', 'key'),
      value: placeOf('expected_value', 'value', 'values'),
    };
  }
}
