import type { Report } from '@dramaturg/compiler/format';
import { LinearPattern } from '@dramaturg/compiler/text';
import { allDeliverables } from '../declarations.ts';
import type { Deliverable, ValueType } from '../definition.ts';
import {
  agentMayFulfil,
  badPattern,
  emptyRange,
  exampleDoesNotFit,
  limitWithoutEffect,
} from '../diagnostics/tasks.ts';
import { coerce, hasLimits } from '../value.ts';
import type { PlanRule } from './rule.ts';

/**
 * Reports limits that no value meets, that mean nothing for the type, or that refuse an example. Also notes values that the agent
 * may fulfil. Spec: docs/formats/plan.md#limits-of-values
 */
export const valueLimits: PlanRule = ({ definition, report }) => {
  for (const deliverable of allDeliverables(definition)) {
    const { key, items, type, source, at, description } = deliverable;
    if (source !== 'agent' && type === 'boolean' && isDoneByAgent.test(`${description}. ${key}`))
      report(agentMayFulfil(key), at);
    const types = [deliverable, ...(items ? [items] : [])];
    const isSound = types.map((each) => checkLimits(each, key, report)).every(Boolean);
    if (isSound && hasLimits(deliverable)) checkExamples(deliverable, report);
  }
};

/** "Whether the introduction has been delivered", `introduction_delivered` */
const isDoneByAgent =
  /\b(?:has been|have been|was|were) (?:delivered|given|explained|presented|introduced|said|read out)\b|_(?:delivered|explained|presented|introduced)$/iu;

const typesOf = {
  pattern: ['string'],
  format: ['string'],
  minimum: ['number'],
  maximum: ['number'],
  min_length: ['string', 'list'],
  max_length: ['string', 'list'],
  items: ['list'],
} satisfies Partial<Record<keyof ValueType, readonly ValueType['type'][]>>;

const ranges = [
  ['minimum', 'maximum'],
  ['min_length', 'max_length'],
] as const;

/** @returns whether values can be checked against the limits */
function checkLimits(valueType: ValueType, key: string, report: Report): boolean {
  const { type, at, pattern } = valueType;
  let isSound = true;
  for (const [limit, types] of Object.entries(typesOf) as [keyof typeof typesOf, string[]][])
    if (valueType[limit] !== undefined && !types.includes(type))
      report(limitWithoutEffect(limit, type, types), [...at, limit], {
        at: 'key',
        follows: [[...at, 'type']],
      });
  for (const [least, most] of ranges) {
    if (!((valueType[least] ?? -Infinity) > (valueType[most] ?? Infinity))) continue;
    isSound = false;
    report(emptyRange(least, most, key), [...at, least], { follows: [[...at, most]] });
  }
  try {
    if (pattern !== undefined) void new LinearPattern(pattern).sample;
  } catch (error) {
    isSound = false;
    const because = (error as Error).message.replace(/^Invalid regular expression: .*: /u, '');
    report(badPattern(pattern!, because.replace(/\.?$/u, '.')), [...at, 'pattern']);
  }
  return isSound;
}

function checkExamples(deliverable: Deliverable, report: Report): void {
  const { examples, key, at } = deliverable;
  for (const [index, example] of examples.entries()) {
    const coerced = coerce(example, deliverable);
    if (!coerced.fits)
      report(exampleDoesNotFit(key, example, coerced.because), [...at, 'examples', index], {
        follows: ['type', 'enum_values', 'pattern', 'items'].map((field) => [...at, field]),
        topic: `${key} example`,
      });
  }
}
