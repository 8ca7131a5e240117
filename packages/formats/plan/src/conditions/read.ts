import { isRecord, type Path } from '@dramaturg/compiler';
import type { Report } from '@dramaturg/compiler/format';
import { didYouMean } from '@dramaturg/compiler/text';
import { error } from '../problems.ts';
import { ConditionFields } from './kind.ts';
import { authoredTypes, type Condition } from './table.ts';

const typeNames = [...authoredTypes.keys()];

/** Wrong names that authors use for the types. */
const otherNames = Object.fromEntries(
  [...authoredTypes.values()].flatMap(({ type, otherNames: names = [] }) =>
    names.map((name) => [name, type]),
  ),
);

const unknownConditionType = error('unknown-condition-type', (type: string) => ({
  message: `There is no condition type "${type}".`,
  hint: () => didYouMean(type, typeNames, otherNames) ?? `The types are ${typeNames.join(', ')}.`,
}));

/**
 * Reads a condition in either spelling of its keys; the canonical names win where both are present. `at` is the place of its
 * `condition_config`, and `typeAt` of its type.
 *
 * @returns undefined when any part is malformed: a malformed condition makes the one that contains it malformed
 */
export function readCondition(
  type: string,
  config: unknown,
  { at, typeAt }: Readonly<Record<'at' | 'typeAt', Path>>,
  report: Report,
  depth = 1,
): Condition | undefined {
  const fields = new ConditionFields({
    type,
    fields: isRecord(config) ? config : {},
    at,
    report,
    depth,
    readInner: (written, innerAt) => readInner(written, innerAt, report, depth + 1),
  });
  const kind = authoredTypes.get(type);
  if (!kind) {
    report(unknownConditionType(type), typeAt);
    return undefined;
  }
  const terms = kind.read(fields);
  fields.reportAbsent();
  if (!terms || Object.values(terms).includes(undefined)) return undefined;
  fields.reportUnread((field) => readersOf(field, fields));
  const condition = { type, ...terms } as Condition;
  return 'conditions' in condition ? condition : { ...condition, paths: fields.paths(typeAt) };
}

/** The types of conditions that have a field. Like the condition, they read a deliverable or none. */
function readersOf(field: string, { namesRead: read }: ConditionFields): readonly string[] {
  const key = 'deliverable_key';
  return typeNames.filter((type) => {
    const fields = new ConditionFields({ type, fields: {}, at: [], report: () => {} });
    authoredTypes.get(type)!.read(fields);
    return fields.namesRead.has(field) && fields.namesRead.has(key) === read.has(key);
  });
}

/** A nested condition may use the field names `type` and `config`. */
function readInner(
  written: unknown,
  at: Path,
  report: Report,
  depth: number,
): Condition | undefined {
  const parts = isRecord(written) ? written : {};
  const fields = new ConditionFields({ type: 'condition', fields: parts, at, report });
  const type = fields.pick('condition_type', 'type');
  const config = fields.pick('condition_config', 'config');
  if (typeof type?.value !== 'string') {
    fields.refuse(type, 'condition_type', `one of ${typeNames.join(', ')}`);
    fields.reportAbsent();
    return undefined;
  }
  if (config) fields.reportUnread(() => []);
  const location = { at: config ? [...at, config.name] : at, typeAt: [...at, type.name] };
  return readCondition(type.value, config?.value, location, report, depth);
}
