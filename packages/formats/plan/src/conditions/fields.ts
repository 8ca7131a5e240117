import type { Json, Path } from '@dramaturg/compiler';
import type { Report } from '@dramaturg/compiler/format';
import { didYouMean, nearestName } from '@dramaturg/compiler/text';
import { error, warning } from '../problems.ts';
import { toNumber } from '../to-number.ts';

/** The most levels of nested conditions. */
const deepestNesting = 5;

/** The most entries of `values` and `conditions`. */
const longestList = 1_000;

/** The paths of a condition's parts in the definition as authored. */
export interface ConditionPaths {
  readonly type: Path;
  readonly key: Path;
  readonly value: Path;
}

/** A nested condition. */
export interface InnerCondition {
  readonly type: string;
}

interface Field {
  readonly name: string;
  readonly value: unknown;
}

/** A missing required field, and a description of its value. */
interface AbsentField {
  readonly name: string;
  readonly what: string;
}

/** The input for reading a condition. */
export interface ConditionReading {
  /** The type as authored. */
  readonly type: string;
  readonly fields: Record<string, unknown>;
  readonly at: Path;
  readonly report: Report;
  /** 1 for the outermost condition, that of a transition. */
  readonly depth?: number;
  readonly readInner?: (written: unknown, at: Path) => InnerCondition | undefined;
}

export const conflictingSpelling = warning(
  'conflicting-spelling',
  (used: string, ignored: string) => ({
    message: `"${used}" and "${ignored}" are two spellings of one field and have different values. "${used}" is used.`,
    hint: `Remove "${ignored}".`,
  }),
);

const compositeTooDeep = error('condition-too-deep', (limit: number) => ({
  message: `Conditions are nested more than ${limit} levels deep here.`,
  hint: 'Split the condition into several transitions.',
}));

const unreadConditionField = error(
  'unread-condition-field',
  (type: string, field: string, readers: readonly string[], absent: readonly string[]) => ({
    message: `${subject(type)} does not read "${field}".`,
    hint: () =>
      readers.length > 0
        ? `Use the condition ${readers.join(' or ')}, which reads it, or remove it.`
        : (didYouMean(field, absent) ?? 'Remove it, or move the text to "description".'),
  }),
);

function subject(type: string): string {
  return type === 'condition' ? 'A condition' : `The condition ${type}`;
}

const badConditionField = error(
  'bad-condition-field',
  (type: string, field: string, what: string) => ({
    message: `The "${field}" of ${type === 'condition' ? 'a condition' : `the condition ${type}`} must be ${what}.`,
  }),
);

const missingConditionField = error(
  'missing-condition-field',
  (type: string, fields: readonly AbsentField[], present: readonly string[]) => ({
    message: `${subject(type)} needs ${fields.map(({ name }) => `"${name}"`).join(' and ')}, which ${fields.length === 1 ? 'is' : 'are'} missing.`,
    hint: () => {
      const [{ name } = { name: '' }, ...others] = fields;
      const misspelt = others.length === 0 ? nearestName(name, present) : undefined;
      if (misspelt !== undefined) return `Rename "${misspelt}" to "${name}".`;
      const missing = fields.map((field) => `"${field.name}": ${field.what}`).join(', and ');
      return type === 'condition' ? `Add ${missing}.` : `In "condition_config", add ${missing}.`;
    },
  }),
);

/** The fields of one condition's config. A field that cannot be used is reported and read as undefined. */
export class ConditionFields {
  readonly #reading: ConditionReading;
  readonly #absent: AbsentField[] = [];
  readonly #read = new Set<string>();

  constructor(reading: ConditionReading) {
    this.#reading = reading;
  }

  value(name: string): unknown {
    this.#read.add(name);
    const { fields } = this.#reading;
    return Object.hasOwn(fields, name) ? fields[name] : undefined;
  }

  /** The first of several names of one field that is present. `false` and 0 count as present. */
  pick(...names: string[]): Field | undefined {
    const [first, second] = names.filter((name) => this.value(name) !== undefined);
    if (first === undefined) return undefined;
    const value = this.value(first);
    if (second !== undefined && JSON.stringify(value) !== JSON.stringify(this.value(second)))
      this.#reading.report(conflictingSpelling(first, second), [...this.#reading.at, second]);
    return { name: first, value };
  }

  key(): string | undefined {
    return this.text('deliverable_key', 'the key of a deliverable', 'key');
  }

  expected(): Json | undefined {
    const field = this.pick('expected_value', 'value');
    const isEmptyList = Array.isArray(field?.value) && field.value.length === 0;
    if (field && !isEmptyList) return field.value as Json;
    return this.refuse(field, 'expected_value', 'the value to compare with');
  }

  /**
   * @param what the expected value in words, such as `a text that starts the value`
   * @param others further names of the field
   */
  text(name: string, what: string, ...others: string[]): string | undefined {
    const field = this.pick(name, ...others);
    if (typeof field?.value === 'string' && field.value !== '') return field.value;
    return this.refuse(field, name, what);
  }

  /** @param item what the items of the list are */
  list(name: string, item: string): readonly unknown[] | undefined {
    const value = this.value(name);
    if (Array.isArray(value) && value.length > 0 && value.length <= longestList)
      return value as unknown[];
    return this.refuse(this.pick(name), name, `a list of one to ${longestList} ${item}s`);
  }

  /** @param names the canonical one first */
  number(what: string, fits: (number: number) => boolean, ...names: string[]): number | undefined {
    const field = this.pick(...names);
    const number = toNumber(field?.value);
    return number !== undefined && fits(number) ? number : this.refuse(field, names[0]!, what);
  }

  /** Reads one of a few words, ignoring case. */
  word<Meaning>(
    name: string,
    meanings: Readonly<Record<string, Meaning>>,
    otherwise?: Meaning,
  ): Meaning | undefined {
    const field = this.pick(name);
    if (!field && otherwise !== undefined) return otherwise;
    const word = typeof field?.value === 'string' ? field.value.trim().toLowerCase() : '';
    if (Object.hasOwn(meanings, word)) return meanings[word];
    return this.refuse(field, name, `one of ${Object.keys(meanings).join(', ')}`);
  }

  /** Reports conditions that are nested too deeply, and returns whether they are. */
  isTooDeep(): boolean {
    const { depth = 1, at, report } = this.#reading;
    if (depth <= deepestNesting) return false;
    report(compositeTooDeep(deepestNesting), at);
    return true;
  }

  /** Reads the list `conditions`; undefined when any of them is malformed. */
  inner(written: readonly unknown[]): readonly InnerCondition[] | undefined {
    const { at, readInner } = this.#reading;
    const conditions = written.map((one, index) => readInner?.(one, [...at, 'conditions', index]));
    return conditions.includes(undefined) ? undefined : (conditions as InnerCondition[]);
  }

  /** Records a missing field for `reportAbsent`. Reports a present field with an unusable value. */
  refuse(field: Field | undefined, name: string, what: string): undefined {
    const { type, at, report } = this.#reading;
    if (field) report(badConditionField(type, field.name, what), [...at, field.name]);
    else this.#absent.push({ name, what });
  }

  /** The names of the fields that were read, present or not. */
  get namesRead(): ReadonlySet<string> {
    return this.#read;
  }

  /** Reports present fields that were not read: the author means something by them. */
  reportUnread(readersOf: (field: string) => readonly string[]): void {
    const { type, fields, at, report } = this.#reading;
    for (const [field, value] of Object.entries(fields)) {
      if (this.#read.has(field) || value === null || isRemark(field)) continue;
      const absent = [...this.#read].filter((name) => !Object.hasOwn(fields, name));
      report(unreadConditionField(type, field, readersOf(field), absent), [...at, field], {
        at: 'key',
      });
    }
  }

  /** Reports all missing fields in one finding. */
  reportAbsent(): void {
    if (this.#absent.length === 0) return;
    const { type, fields, at, report } = this.#reading;
    const isWithoutConfig = at.at(-1) !== 'condition_config' && type !== 'condition';
    const place = isWithoutConfig ? [...at, 'condition_config'] : at;
    const about = this.#absent.map(({ name }) => [...place, name]);
    report(missingConditionField(type, this.#absent, Object.keys(fields)), at, { about });
  }

  /** @param type the path of the type */
  paths(type: Path): ConditionPaths {
    const { at } = this.#reading;
    const pathOf = (...names: string[]) => {
      const name = names.find((candidate) => this.value(candidate) !== undefined);
      return name === undefined ? at : [...at, name];
    };
    return {
      type,
      key: pathOf('deliverable_key', 'key'),
      value: pathOf('expected_value', 'value', 'values', 'task_id'),
    };
  }
}

/** Whether a field is for people and tools. */
function isRemark(field: string): boolean {
  return /^(?:[$_]|x-)|^(?:comment|description|label|note|id|name|title)$/i.test(field);
}
