import type { Json } from '@dramaturg/compiler';
import { own } from '../context.ts';
import type { Deliverable } from '../definition.ts';
import { anyText, coerce, type Coerced } from '../value.ts';
import { declarationOf } from './declaration.ts';
import { isReopened, type PlanScope } from './meta.ts';

/** The value of an event: as its declaration has it, or why it is refused. */
export function readValue(scope: Pick<PlanScope, 'context' | 'meta' | 'event'>): {
  readonly key: string;
  readonly declared: Deliverable | undefined;
  readonly coerced: Coerced;
} {
  const { event } = scope;
  const key = event['key'] as string;
  const declared = declarationOf(scope, key);
  const coerced: Coerced =
    typeof event['refused'] === 'string'
      ? { fits: false, because: event['refused'] }
      : coerce(withEarlier(scope, key, declared), declared ?? anyText);
  return { key, declared, coerced };
}

/** A list that is asked for again gets more entries: "another one?". */
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
