import { isRecord, type JsonObject } from '@dramaturg/compiler';
import { didYouMean, quotedList } from '@dramaturg/compiler/text';
import type { QueryLanguage } from '../definition/index.ts';
import { isStateType, stateTypes } from '../kinds.ts';
import { machineFields } from '../walk.ts';
import { StateTestError } from './state-test-error.ts';

/** A state of a definition. */
export interface FoundState {
  readonly name: string;
  readonly state: JsonObject;
  /** The language of the workflow, for states without a `QueryLanguage`. */
  readonly language: QueryLanguage;
  /** The Map whose machine has the state. */
  readonly map?: JsonObject;
}

/** AWS's name for the state of a definition that is only that state. */
const onlyState = 'StateName';

/**
 * Finds the state of a test: the definition itself, or the state `stateName` at any depth of a workflow.
 *
 * @throws StateTestError when there is no such state, or its type does not exist
 */
export function findState(definition: JsonObject, stateName: string | undefined): FoundState {
  const language = definition['QueryLanguage'] === 'JSONata' ? 'JSONata' : 'JSONPath';
  const isWorkflow = isRecord(definition['States']);
  const found: FoundState = isWorkflow
    ? namedState(definition, stateName, language)
    : { name: onlyState, state: definition, language };
  if (!isWorkflow && stateName !== undefined) {
    throw new StateTestError(
      'test-state/unknown-state',
      `The definition is a single state, and has no state "${stateName}".`,
      'Leave the name out, or give the whole workflow.',
    );
  }
  requireType(found);
  return found;
}

function namedState(
  workflow: JsonObject,
  wanted: string | undefined,
  language: QueryLanguage,
): FoundState {
  const names: string[] = [];
  for (const { name, state, map } of statesOf([{ machine: workflow }])) {
    if (name === wanted) return { name, state, language, ...(map && { map }) };
    names.push(name);
  }
  throw wanted === undefined
    ? new StateTestError(
        'test-state/unknown-state',
        'The definition is a workflow, and the test names none of its states.',
        `Name one of ${quotedList(names)}.`,
      )
    : new StateTestError(
        'test-state/unknown-state',
        `There is no state "${wanted}" in the workflow.`,
        didYouMean(wanted, names) ?? `The states are ${quotedList(names)}.`,
      );
}

interface PlacedState {
  readonly name: string;
  readonly state: JsonObject;
  readonly map?: JsonObject | undefined;
}

interface PlacedMachine {
  readonly machine: JsonObject;
  /** The Map around it, if any. */
  readonly map?: JsonObject | undefined;
}

/** The states of machines, and then those of the machines within them. */
function* statesOf(machines: readonly PlacedMachine[]): Generator<PlacedState> {
  const open = [...machines];
  for (const { machine, map } of open) {
    const states = machine['States'];
    for (const [name, state] of isRecord(states) ? Object.entries(states) : []) {
      if (!isRecord(state)) continue;
      yield { name, state, map };
      open.push(...machinesInside(state, map));
    }
  }
}

/** The states of the machines within a state. */
export function statesInside(state: JsonObject): Generator<PlacedState> {
  return statesOf(machinesInside(state));
}

function machinesInside(state: JsonObject, map?: JsonObject): PlacedMachine[] {
  const around = state['Type'] === 'Map' ? state : map;
  return machineFields
    .flatMap((field) => state[field] ?? [])
    .filter((inside) => isRecord(inside))
    .map((machine) => ({ machine, map: around }));
}

function requireType({ name, state: { Type: type } }: FoundState): void {
  if (isStateType(type)) return;
  const near = typeof type === 'string' ? didYouMean(type, stateTypes) : undefined;
  throw new StateTestError(
    'test-state/unknown-state',
    `The state "${name}" has no known "Type".`,
    near ?? `The types are ${quotedList(stateTypes)}.`,
  );
}
