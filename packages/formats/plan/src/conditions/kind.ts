import type { Json, Path } from '@dramaturg/compiler';
import type { Problem, Report } from '@dramaturg/compiler/format';
import { didYouMean, nearestName } from '@dramaturg/compiler/text';
import type { Digressions } from '../context.ts';
import { error, warning } from '../problems.ts';
import { toNumber } from '../value.ts';

/**
 * A type of condition: how it is read, worded, checked and evaluated. Reader, rules, lowering and guards know no type by name and
 * use its row of the table. `Terms` are its fields in one spelling, which are also the parameters of its guard.
 */
export interface ConditionKind<Type extends string = string, Terms = unknown> {
  readonly type: Type;
  /** Wrong names that authors use for it. */
  readonly otherNames?: readonly string[];
  /** Reads `condition_config`, and reports what is wrong. It cannot be used when a term is undefined. */
  readonly read: (fields: ConditionFields) => ReadTerms<Terms> | undefined;
  /** As people say it: `issue_type = billing`. */
  readonly inWords: (terms: Terms, inWords: (inner: InnerCondition) => string) => string;
  /** Whether it holds. It becomes the guard of the same name. */
  readonly holds: (
    terms: Terms,
    conversation: ConversationFacts,
    holds: (inner: InnerCondition, index: number) => boolean,
  ) => boolean;
  /** Whether it holds in every conversation. */
  readonly alwaysHolds?: (terms: Terms) => boolean;
  /** The values it expects, for rules that compare them with declarations and with other conditions. */
  readonly values?: (terms: Terms) => readonly Json[];
  /** The condition with its values in the type that the deliverable declares. */
  readonly withTypedValues?: (terms: Terms, typed: (value: Json) => Json) => TypedTerms;
  /** Whether it holds for a value of its deliverable. Without it the rules assume nothing. */
  readonly admits?: (terms: Terms, value: Json) => boolean;
  /** It holds for every value of its deliverable. */
  readonly admitsAnyValue?: boolean;
  /** It compares its deliverable as a number. */
  readonly isNumeric?: boolean;
  /** The numbers it admits; undefined when they are not one range. */
  readonly range?: (terms: Terms) => NumberRange | undefined;
  /** The numbers at which its answer changes. */
  readonly limits?: (terms: Terms) => readonly number[];
  /** Says that it means another type, or makes no sense, in a state of the wrong type. */
  readonly inState?: (state: { readonly isGoalState: boolean }) => StateMismatch | undefined;
}

type ReadTerms<Terms> = { readonly [Name in keyof Terms]: Terms[Name] | undefined };

/** A type that is only another spelling: it is read as a condition of another type. */
export interface ConditionSpelling {
  readonly type: string;
  readonly otherNames?: readonly string[];
  readonly read: (fields: ConditionFields) => ReadTerms<TypedTerms> | undefined;
}

/** Terms with their type, which may differ from the type of the original condition. */
export interface TypedTerms extends InnerCondition {
  readonly [field: string]: unknown;
}

export interface StateMismatch {
  readonly problem: Problem;
  /** The type that it is read as. */
  readonly readAs?: InnerCondition;
  /** The fields of the state that decide this. */
  readonly follows?: readonly string[];
}

/** The facts about the conversation that a condition can read. */
export interface ConversationFacts {
  /** The value of a deliverable; undefined before it is known. */
  readonly valueOf: (key: string) => Json | undefined;
  /** Whether a deliverable has one of the values. Compares as its declared type does. */
  readonly hasValue: (key: string, values: readonly Json[]) => boolean;
  readonly isInGoalState: () => boolean;
  /** Every task of the current state is done. */
  readonly isComplete: () => boolean;
  readonly isGoalAchieved: () => boolean;
  /** The agent of the task has failed; without an id, of any task of the state. */
  readonly hasFailed: (task?: string) => boolean;
  /** Turns in the current state. */
  readonly turns: number;
  /** Turns in the current state since the last new value. */
  readonly idleTurns: number;
  /** Those of `turns` and of `idleTurns` in which the person has asked something instead of an answer. */
  readonly digressions: Digressions;
}

/** The numbers between two limits. */
export interface NumberRange {
  readonly from: number;
  readonly to: number;
  readonly withFrom: boolean;
  readonly withTo: boolean;
}

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
