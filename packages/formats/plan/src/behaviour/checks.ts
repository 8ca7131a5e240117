import type { EventObject, Json, PortInput } from '@dramaturg/compiler';
import type { Effects, Guard } from '@dramaturg/compiler/format';
import { callKey } from '@dramaturg/conversation';
import { own, type PlanContext, type UncheckedUpdate } from '../context.ts';
import type { Deliverable } from '../definition.ts';
import { internal } from '../names.ts';
import { anyText, coerce, type Coerced } from '../value.ts';
import { declarationOf } from './declaration.ts';
import { isReopened, type PlanAction, type PlanScope } from './meta.ts';
import { collected } from './outputs.ts';
import { refuse } from './refuse.ts';

/**
 * Values with a rule of the program: the whole update waits in `unchecked` until the port `validate` has answered for each of them.
 * Owns `unchecked` and `checks` of the context. Spec: docs/formats/plan.md#rules-of-the-program
 */

/**
 * Raises the parts of an update: immediately, or when their values are checked.
 *
 * @param last the event after them
 */
export function handOut(
  scope: PlanScope,
  events: readonly EventObject[],
  last: UncheckedUpdate['last'],
): Effects<PlanContext> {
  const marked = events.map((event) => withRule(scope, event));
  if (!marked.some(isUnchecked)) return released(scope.context, { events, last });
  const { unchecked = [] } = scope.context;
  return { context: { unchecked: [...unchecked, { events: marked, last }] } };
}

/** A value that its type refuses is not checked further. */
function withRule(scope: PlanScope, event: UncheckedUpdate['events'][number]) {
  if (event.type !== internal.set) return event;
  const { declared, coerced } = readValue({ ...scope, event });
  return declared?.validate === undefined || !coerced.fits
    ? event
    : { ...event, value: coerced.value, rule: declared.validate };
}

function isUnchecked({ rule, checked, refused }: UncheckedUpdate['events'][number]): boolean {
  return rule !== undefined && checked === undefined && refused === undefined;
}

/** Raises a checked update. The plan may have left the state that its message was about. */
function released(context: PlanContext, { events, last }: UncheckedUpdate): Effects<PlanContext> {
  const isOld = last['of'] !== 'update' && context.addressed !== context.state;
  const kept = events.filter(({ withdrawn }) => withdrawn !== true);
  if (kept.length === 0 || !isOld) return { raise: [...kept, last] };
  const because = `The conversation has moved on from "${context.addressed}".`;
  return { ...refuse(context, context.addressed, because), raise: [last] };
}

/** Takes the answer about the first unchecked value. */
const takeCheck: PlanAction = ({ context, event: { output } }) => {
  const [first, ...rest] = context.unchecked ?? [];
  const index = first!.events.findIndex(isUnchecked);
  const asked = first!.events[index]!;
  const answer = output as Partial<Record<'value' | 'reason', never>>;
  const { value = asked['value'], reason } = answer;
  const checked = reason === undefined ? { checked: asked['rule'] } : { refused: reason };
  const events = first!.events.with(index, { ...asked, value, ...checked });
  const checks = (context.checks ?? 0) + 1;
  if (events.some(isUnchecked))
    return { context: { checks, unchecked: [{ ...first!, events }, ...rest] } };
  const { context: changes, ...effects } = released(context, { ...first!, events });
  return { ...effects, context: { ...changes, checks, unchecked: rest, noted: 'nothing' } };
};

const hasUnchecked: Guard<PlanContext, PlanScope['event']> = ({ context: { unchecked = [] } }) =>
  unchecked.length > 0;

/** The input of `validate`: the value to check, and its rule. */
export function validate({ context }: PlanScope): PortInput<'validate'> {
  const asked = context.unchecked![0]!.events.find(isUnchecked)!;
  return {
    key: callKey(context, 'validate', context.checks ?? 0),
    name: asked['rule'] as string,
    value: asked['value'] as PortInput<'validate'>['value'],
    values: collected(context),
  };
}

export const checkActions = { takeCheck };
export const checkGuards = { hasUnchecked };

/** The value of an event in its declared type, or why it is refused. */
export function readValue(scope: Pick<PlanScope, 'context' | 'meta' | 'event'>) {
  const { event } = scope;
  const key = event['key'] as string;
  const declared = declarationOf(scope, key);
  const coerced: Coerced =
    typeof event['refused'] === 'string'
      ? { fits: false, because: event['refused'] }
      : coerce(withEarlier(scope, key, declared), declared ?? anyText);
  return { key, declared, coerced };
}

/** Appends to a list that is asked for again: "another one?". */
function withEarlier(
  { context, event: { value } }: Pick<PlanScope, 'context' | 'event'>,
  key: string,
  declared: Deliverable | undefined,
): unknown {
  const earlier = own(context.deliverables, key)?.value;
  if (declared?.type !== 'list' || !isReopened(context, key) || !Array.isArray(earlier))
    return value;
  const given: readonly unknown[] = Array.isArray(value) ? value : [value];
  return [...(earlier as Json[]), ...given.filter((entry) => !earlier.includes(entry as Json))];
}
