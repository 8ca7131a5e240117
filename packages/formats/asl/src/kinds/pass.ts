import type { ChartNode } from '@dramaturg/compiler/chart';
import * as z from 'zod/mini';
import type { Part } from '../authored.ts';
import { composed, references } from '../behaviour/part.ts';
import type { StateAction } from '../behaviour/state-at-work.ts';
import { enterState, leaveState } from '../behaviour/state-steps.ts';
import { literal, sourceAt } from '../check/flow/value-set.ts';
import { onwards, type StateWays } from '../check/flow/language-flow.ts';
import { withVisit, type WorkVisit } from '../context.ts';
import { agentOnly, pathOnly } from '../definition/field.ts';
import { memory, readMemory } from '../definition/task-blocks.ts';
import { type StateBase, stateObject } from '../definition/state.ts';
import type { Dialect } from '../definition/machine.ts';
import {
  leadOf,
  type NodeContext,
  stateMeta,
  StateNodes,
  stateParams,
  withFailureExit,
} from '../lower/nodes.ts';
import { optionalJson, readPath } from '../normalise/fields.ts';
import { type Reading, readLeads } from '../normalise/state.ts';
import { endWith, type StateTester } from '../test-state/tester.ts';
import type { Kind } from './kind.ts';
import { memoryBehaviour, writeNodes } from './memory/memory.ts';
import { compileMemory, type MemoryProgram } from './memory/program.ts';
import { finishTask } from './task/behaviour.ts';

/** Spec: Agent 2 §Pass State, Amazon #pass-state */
const passFields = stateObject(
  ['filters', 'parameters', 'resultPath', 'output', 'assign', 'transition', 'agentBlocks'],
  {
    /** Agent 2 §Pass State, Amazon #pass-state */
    Result: pathOnly(z.unknown(), 'The result as it is, and before `Parameters`.'),
    /** Tutorial 6 writes memory from a Pass; the seed page has the block on a Task only. */
    Memory: agentOnly(memory, 'What is stored in memory.'),
  },
);

export type Pass = ReturnType<typeof readPass>;

const passWays: StateWays<Pass> = {
  enter({ state, sight, flow }) {
    if (state.QueryLanguage === 'JSONata') return { exits: onwards(state, flow.pass()) };
    const result =
      state.Result === undefined
        ? flow.prepare(flow.select())
        : literal(state.Result, [sourceAt(sight.state, 'Result')]);
    // A type that does not exist is read as a Pass.
    const isPass = state.authored['Type'] === 'Pass';
    return { exits: onwards(state, flow.finish(isPass ? result : 'any')) };
  },
};

const refer = references<typeof passBehaviour>();

function passNode(state: Pass, id: string, context: NodeContext): ChartNode {
  if (isRemembering(state)) return rememberingPass(state, id, context);
  return {
    id,
    entry: [refer.action('pass', stateParams(context, id))],
    always: withFailureExit(context, [leadOf(context, state)]),
    meta: stateMeta(state, context),
  };
}

/** Only JSONPath states write to memory. */
function isRemembering({ Memory: remembered, QueryLanguage: language }: Pass): boolean {
  return remembered !== undefined && remembered.writes.length > 0 && language === 'JSONPath';
}

/** A Pass that writes to memory waits for the calls. Tutorial 6 */
function rememberingPass(state: Pass, id: string, context: NodeContext): ChartNode {
  const nodes = new StateNodes(state, id, context);
  return nodes.whole({
    prepare: refer.action('preparePass', nodes.params),
    working: writeNodes(nodes, { target: nodes.to('finishing') }),
    finish: refer.action('finishTask', nodes.params),
  });
}

/** Spec: Agent 2 §Pass State, Amazon #pass-state */
const pass: StateAction = (scope, params) =>
  enterState(scope, params, (state, progress) => {
    const { flow, state: definition } = state.program;
    const run = state.run(progress);
    if (definition.QueryLanguage === 'JSONata') return leaveState(state, progress, flow.pass(run));
    const { Result: written } = definition as Pass;
    if (written !== undefined) run.inspect?.('result', written);
    const result = written === undefined ? flow.prepare(run, flow.select(run)) : written;
    return leaveState(state, progress, flow.finish(run, result));
  });

/** A Pass that writes to memory needs its result before it can do so. Tutorial 6 */
const preparePass: StateAction = (scope, params) =>
  enterState(scope, params, (state, progress) => {
    const { flow, state: definition } = state.program;
    const run = state.run(progress);
    const { Result: written } = definition as Pass;
    const result = written === undefined ? flow.prepare(run, flow.select(run)) : written;
    return state.effects(withVisit<WorkVisit>(progress, { answer: { result } }));
  });

const passBehaviour = composed(memoryBehaviour, {
  actions: { pass, preparePass, finishTask },
});

const testPass: StateTester = ({ flow, state }, run) => {
  if (state.QueryLanguage === 'JSONata') return endWith(flow.pass(run), state);
  const { Result: result } = state as Pass;
  if (result !== undefined) run.inspect?.('result', result);
  return endWith(flow.finish(run, result ?? flow.prepare(run, flow.select(run))), state);
};

export const passKind: Kind<Pass> = {
  definition: {
    schema: passFields,
  },
  read: readPass,
  rules: [],
  ways: passWays,
  node: passNode,
  compile: compilePass,
  behaviour: passBehaviour,
  test: testPass,
};

function compilePass({ Memory: remembered }: Pass, dialect: Dialect): Partial<MemoryProgram> {
  return remembered ? compileMemory(remembered, dialect) : {};
}

function readPass(base: StateBase, authored: Part, reading: Reading) {
  const { value: fields } = authored;
  return {
    ...base,
    ...readLeads(authored),
    Type: 'Pass' as const,
    /** Undefined when left out; null is a result. */
    Result: optionalJson(fields['Result']),
    Parameters: optionalJson(fields['Parameters']),
    ResultPath: readPath(fields['ResultPath'], '$'),
    Memory: readMemory(authored, reading),
  };
}
