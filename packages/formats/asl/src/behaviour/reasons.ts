import { isRecord, type Json } from '@dramaturg/compiler';
import type { GuardReason, ReasonMaker } from '@dramaturg/compiler/format';
import { progressOf, retriesOf, visitOf, type WorkflowContext } from '../context.ts';
import { stateId } from '../names.ts';
import type { MachineParams, WorkflowScope } from './state-at-work.ts';

type WorkflowReason<Params = MachineParams> = ReasonMaker<
  WorkflowContext,
  WorkflowScope['event'],
  Params
>;

const hasFailed: WorkflowReason = ({ context }, { machine }, result) => {
  const { failure } = progressOf(context, machine);
  if (!result || !failure) return undefined;
  const { error, cause } = failure;
  return {
    text: [error ?? 'it failed', cause].filter(Boolean).join(': '),
    values: { error, cause },
  };
};

const isRetrying: WorkflowReason = ({ context }, { machine }, result) =>
  result
    ? { text: `it is tried again, retry ${retriesOf(visitOf(progressOf(context, machine)))}` }
    : undefined;

/** The rule of a Choice or Approval with the values that it reads. For a catcher the error says more than its rule. */
const isChosenWay: WorkflowReason<MachineParams & { way: number }> = (
  { context, meta },
  { machine, way },
) => {
  const progress = progressOf(context, machine);
  const authored = meta.get(stateId({ machine }, progress.state))?.['state'];
  const rule = isRecord(authored) && Array.isArray(authored['Choices']) && authored['Choices'][way];
  return rule ? valuesIn(rule as Json, progress.input, progress.variables) : undefined;
};

/** The values of the references in a rule. Expressions beyond plain references are left out. */
function valuesIn(
  rule: Json,
  input: Json,
  variables: Readonly<Record<string, Json>>,
): GuardReason | undefined {
  const values: Record<string, Json> = {};
  for (const reference of referencesIn(rule)) {
    const value = valueAt(reference, input, variables);
    values[reference] = value === undefined ? null : value;
  }
  const words = Object.entries(values).map(([reference, value]) =>
    value === null ? `${reference} is null or missing` : `${reference} is ${JSON.stringify(value)}`,
  );
  return words.length > 0 ? { text: words.join(', '), values } : undefined;
}

const longestValue = 200;

/** `$.price`, `$limit`, and in JSONata `$states.input.price`. */
const reference = /\$(?:states\.input)?(?:\.|(?=[A-Za-z_]))[A-Za-z_]\w*(?:\.\w+|\[\d+\])*/g;

function referencesIn(rule: Json): ReadonlySet<string> {
  const found = new Set<string>();
  const pending: [key: string, value: Json][] = [['', rule]];
  for (const [key, value] of pending) {
    if (Array.isArray(value)) pending.push(...value.map((each): [string, Json] => ['', each]));
    else if (isRecord(value)) pending.push(...Object.entries(value));
    // Strings that are compared may look like references.
    else if (typeof value === 'string' && /^(?:Variable|Condition|.*Path)$/.test(key))
      for (const [match] of value.matchAll(reference)) found.add(match);
  }
  return found;
}

function valueAt(
  path: string,
  input: Json,
  variables: Readonly<Record<string, Json>>,
): Json | undefined {
  const steps = path.replace('$states.input', '$').match(/\w+/g) ?? [];
  const isVariable = /^\$\w/.test(path) && !path.startsWith('$states.input');
  let at: unknown = isVariable ? variables : input;
  for (const step of steps) {
    const isHere = typeof at === 'object' && at !== null && Object.hasOwn(at, step);
    if (!isHere) return undefined;
    at = (at as Record<string, unknown>)[step];
  }
  const text = JSON.stringify(at);
  return text.length > longestValue ? `${text.slice(0, longestValue)}…` : (at as Json);
}

export const reasons: Readonly<Record<string, ReasonMaker>> = {
  hasFailed,
  isRetrying,
  isChosenWay,
};
