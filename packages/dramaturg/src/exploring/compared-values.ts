import type { Json } from '@dramaturg/compiler';

/** A number and its neighbours: on one side of it a comparison holds. */
export function around(value: number): number[] {
  const step = Number.isInteger(value) ? 1 : 0.01;
  return [value, value + step, value - step];
}

/** Of two fields that are compared with each other, the smaller value first. */
const valuesToCompare: Readonly<Record<string, readonly Json[]>> = {
  String: ['one', 'other'],
  Boolean: [true, false],
  Timestamp: ['2026-01-01T09:00:00Z', '2026-01-02T09:00:00Z'],
};

/** Values for which a comparison of Agent State Language holds, and values for which it does not. */
export function valuesFor(operator: string, expected: unknown): readonly Json[] {
  if (operator.endsWith('Path')) {
    const [, kind = ''] = /^(String|Boolean|Timestamp)/.exec(operator) ?? [];
    return valuesToCompare[kind] ?? [1, 2];
  }
  if (operator.startsWith('Numeric') && typeof expected === 'number') return around(expected);
  if (operator.startsWith('Boolean')) return [true, false];
  if (operator === 'StringMatches' && typeof expected === 'string')
    return [expected.replaceAll(/(?<!\\)\*/g, 'a'), 'something else'];
  if (operator.startsWith('String') && typeof expected === 'string')
    return /Less|Greater/.test(operator)
      ? [expected, `${expected}a`, '']
      : [expected, 'something else'];
  if (operator.startsWith('Timestamp') && typeof expected === 'string') {
    const at = Date.parse(expected);
    if (Number.isNaN(at)) return [];
    return [0, 1000, -1000].map((offset) =>
      new Date(at + offset).toISOString().replace('.000', ''),
    );
  }
  const samples: Readonly<Record<string, readonly Json[]>> = {
    IsNull: [null, 'a text'],
    IsString: ['a text', 1],
    IsNumeric: [1, 'a text'],
    IsBoolean: [true, 'a text'],
    IsTimestamp: ['2026-01-01T09:00:00Z', 'a text'],
    IsPresent: ['a text'],
  };
  return samples[operator] ?? [];
}
