import { isRecord, type Json, type JsonObject, type Path } from '@dramaturg/compiler';
import { comparisons } from '../definition/choice-rule.ts';
import { parseTimestamp } from '../data/timestamp.ts';
import type { Surroundings } from './surroundings.ts';

/** A rule whose comparisons are false when their variable is missing, as in agents' workflows: Amazon fails instead. */
export function amazonRule(rule: Json, at: Path, around: Surroundings): Json {
  if (!isRecord(rule)) return rule;
  const { exporting } = around;
  const fields = rule;
  if (fields['Variable.$'] !== undefined)
    exporting.cannot(
      [...at, 'Variable.$'],
      'Amazon compares no values of intrinsic functions.',
      'Compute the value in a Pass before, and compare its path.',
    );
  const nested = (value: Json | undefined, path: Path): Json | undefined =>
    Array.isArray(value)
      ? value.map((one, index) => amazonRule(one, [...path, index], around))
      : value === undefined
        ? undefined
        : amazonRule(value, path, around);
  const { And: and, Or: or, Not: not, ...rest } = fields;
  const connected = Object.fromEntries(
    Object.entries({
      And: nested(and, [...at, 'And']),
      Or: nested(or, [...at, 'Or']),
      Not: nested(not, [...at, 'Not']),
    }).filter(([, value]) => value !== undefined),
  ) as JsonObject;
  return withPresence({ ...rest, ...connected }, at, around);
}

function withPresence(rule: JsonObject, at: Path, { exporting }: Surroundings): JsonObject {
  const operator = Object.keys(rule).find((field) => Object.hasOwn(comparisons, field));
  const { Variable: variable } = rule;
  if (operator === undefined || variable === undefined || operator === 'IsPresent') return rule;
  const operand = rule[operator];
  const isTime = operator.startsWith('Timestamp') && !operator.endsWith('Path');
  if (isTime && typeof operand === 'string' && parseTimestamp(operand) === undefined)
    exporting.cannot(
      [...at, operator],
      `Amazon has no times relative to now: "${operand}".`,
      'Write a timestamp, such as "2026-03-02T09:30:00Z", or compute it in a Task before.',
    );
  const { Variable: _, [operator]: __, ...others } = rule;
  return {
    And: [
      { Variable: variable, IsPresent: true },
      { Variable: variable, [operator]: operand! },
    ],
    ...others,
  };
}
