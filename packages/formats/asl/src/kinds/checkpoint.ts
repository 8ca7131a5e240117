import type { JsonObject } from '@dramaturg/compiler';
import type { ChartNode } from '@dramaturg/compiler/chart';
import type { Part } from '../authored.ts';
import {
  callKey,
  type StateAction,
  StateAtWork,
  type StateInputMaker,
} from '../behaviour/state-at-work.ts';
import { type BehaviourPart, references } from '../behaviour/part.ts';
import { continueState, enterState, leaveState } from '../behaviour/state-steps.ts';
import type { stateBehaviour } from '../behaviour/state.ts';
import { objectOf, sourceAt } from '../check/flow/value-set.ts';
import { type StateWays, worked } from '../check/flow/language-flow.ts';
import { withVisit } from '../context.ts';
import { parseDuration } from '../data/timestamp.ts';
import { optional, described, text } from '../definition/field.ts';
import { type StateBase, stateObject } from '../definition/state.ts';
import { type NodeContext, StateNodes } from '../lower/nodes.ts';
import { optionalString, readPath } from '../normalise/fields.ts';
import { readLeads } from '../normalise/state.ts';
import { endWith, type StateTester } from '../test-state/tester.ts';
import type { Kind } from './kind.ts';

/** Spec: Agent 2 §Checkpoint State */
const checkpoint = stateObject(['filters', 'resultPath', 'transition', 'agentBlocks'], {
  /** Agent 2 §Checkpoint State */
  Name: described(text, 'The name of the save point.'),
  /** Agent 2 §Checkpoint State */
  Storage: optional(text, 'Where it is saved.'),
  /** Agent 2 §Checkpoint State */
  TTL: optional(text, 'How long it is kept, such as `7d`, or `never` for no expiry.'),
});

export type Checkpoint = ReturnType<typeof readCheckpoint>;

/** The result is the record of the save point. */
const checkpointWays: StateWays<Checkpoint> = {
  enter(visit) {
    visit.flow.select();
    const source = sourceAt(visit.sight.state, 'Name');
    return worked(visit, objectOf(new Map([['checkpoint', 'any']]), [source]));
  },
};

const refer = references<typeof checkpointBehaviour & typeof stateBehaviour>();

/** Waits until the host has saved the run. Spec: Agent 2 §Checkpoint State */
function checkpointNode(state: Checkpoint, id: string, context: NodeContext): ChartNode {
  const nodes = new StateNodes(state, id, context);
  const { params } = nodes;
  return nodes.whole({
    prepare: refer.action('prepareCheckpoint', params),
    working: nodes.call('saving', {
      name: 'save',
      src: 'saveCheckpoint',
      input: refer.input('checkpointCall', params),
      done: 'finishing',
    }),
    finish: refer.action('finishCheckpoint', params),
  });
}

/** Spec: Agent 2 §Checkpoint State */
const prepareCheckpoint: StateAction = (scope, params) =>
  enterState(scope, params, (state, progress) => state.effects(withVisit(progress, {})));

/** Asks the host to save the run as it is now. The machine rests here until the host has answered. */
const checkpointCall: StateInputMaker = (scope, params) => {
  const { program, progress } = new StateAtWork(scope, params);
  return {
    key: callKey(scope.context, params.machine, 'checkpoint'),
    ...savePointOf(program.state as Checkpoint, progress.enteredAt),
  };
};

/** Puts the record of the save point where `ResultPath` says. */
const finishCheckpoint: StateAction<{ output: { kept: boolean } }> = (scope, params) =>
  continueState(scope, params, (state, progress) => {
    const record = recordOfSavePoint(state.program.state as Checkpoint, progress.enteredAt);
    const finished = state.program.flow.finish(state.run(progress), { checkpoint: record });
    const effects = leaveState(state, progress, finished);
    const { kept } = scope.event.output;
    const saved = { type: 'checkpoint.saved', ...state.where(), ...record, kept };
    return { ...effects, emit: [saved, ...(effects.emit ?? [])] };
  });

const checkpointBehaviour = {
  actions: { prepareCheckpoint, finishCheckpoint },
  inputs: { checkpointCall },
} satisfies BehaviourPart;

const testCheckpoint: StateTester = ({ flow, state }, run) => {
  flow.select(run);
  const record = recordOfSavePoint(state as Checkpoint, run.world.now());
  run.inspect?.('result', record);
  return endWith(flow.finish(run, { checkpoint: record }), state);
};

export const checkpointKind: Kind<Checkpoint> = {
  definition: {
    schema: checkpoint,
    isAgentOnly: true,
    durations: ['TTL'],
    unenforcedFields: { Storage: 'a save point is kept in the store of the host' },
  },
  read: readCheckpoint,
  rules: [],
  ways: checkpointWays,
  node: checkpointNode,
  behaviour: checkpointBehaviour,
  test: testCheckpoint,
};

/** A save point of a run. `expiresAt` is in milliseconds since 1970 UTC. */
interface SavePoint {
  readonly name: string;
  readonly storage?: string;
  readonly expiresAt?: number;
}

/** @param enteredAt when the state was entered, in milliseconds since 1970 UTC */
function savePointOf(
  { Name: name, Storage: storage, TTL: ttl }: Checkpoint,
  enteredAt: number,
): SavePoint {
  const lifetimeMs = ttl === undefined ? undefined : parseDuration(ttl);
  return {
    name,
    ...(storage !== undefined && { storage }),
    ...(lifetimeMs !== undefined && { expiresAt: enteredAt + lifetimeMs }),
  };
}

/** The record of a save point, for `ResultPath`. Spec: Agent 2 §Checkpoint State */
function recordOfSavePoint(state: Checkpoint, enteredAt: number): JsonObject {
  const { name, storage, expiresAt } = savePointOf(state, enteredAt);
  return {
    name,
    createdAt: new Date(enteredAt).toISOString(),
    ...(storage !== undefined && { storage }),
    ...(expiresAt !== undefined && { expiresAt: new Date(expiresAt).toISOString() }),
  };
}

function readCheckpoint(base: StateBase, authored: Part) {
  const { value: fields } = authored;
  const ttl = optionalString(fields['TTL']);
  return {
    ...base,
    ...readLeads(authored),
    Type: 'Checkpoint' as const,
    Name: optionalString(fields['Name']) ?? '',
    Storage: optionalString(fields['Storage']),
    /** As authored, `7d`; undefined never expires. */
    TTL: ttl === 'never' ? undefined : ttl,
    /** Where the record of the save point goes; null, the default, outputs the input unchanged. */
    ResultPath: readPath(fields['ResultPath'], null),
  };
}
