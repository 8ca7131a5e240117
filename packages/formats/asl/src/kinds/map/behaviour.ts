import type { Json } from '@dramaturg/compiler';
import type { ChartNode } from '@dramaturg/compiler/chart';
import { type Action, type EachInput, type EachOutput, valuesOf } from '@dramaturg/compiler/format';
import type { World } from '@dramaturg/compiler/machine';
import {
  callKey,
  failureOf,
  parentVisitOf,
  type StateAction,
  StateAtWork,
  type StateInputMaker,
  visitGuard,
} from '../../behaviour/state-at-work.ts';
import { type BehaviourPart, composed, references } from '../../behaviour/part.ts';
import {
  continueState,
  leaveState,
  prepareState,
  reportsOfItems,
} from '../../behaviour/state-steps.ts';
import { emitAlertsOfItems } from '../../behaviour/spending.ts';
import type { stateBehaviour } from '../../behaviour/state.ts';
import type { SharedByItems, workflowBehaviour } from '../../behaviour/workflow.ts';
import { type Progress, visitOf, withVisit, type WorkflowContext } from '../../context.ts';
import type { StatesErrorName } from '../../data/states-error.ts';
import type { WorkflowBudget } from '../../definition/budget.ts';
import {
  mergeSpending,
  type Spending,
  type Consumption,
  consumptionOf,
} from '../../flow/budget.ts';
import { isReading, readCallOf } from '../../flow/item-reader.ts';
import { type Answer, type Failure, labelOf, sumOf } from '../../flow/run.ts';
import { type FinishedMap, isWriting, type ItemOutput } from '../../flow/result-writer.ts';
import { limitReached } from '../../flow/retry.ts';
import { type NodeContext, type Nodes, StateNodes } from '../../lower/nodes.ts';
import type { MapState } from './definition.ts';
import type { MapProgram, MapVisit } from './program.ts';

/** A call of S3. Reading twice is harmless, so a repeated call just reads again. */
const readCall: StateInputMaker = (scope, params) => {
  const { program, progress, circuit } = new StateAtWork<MapProgram>(scope, params);
  const { reading } = visitOf<MapVisit>(progress);
  return {
    key: callKey(scope.context, params.machine, `read/${reading!.next}`),
    ...readCallOf((program.state as MapState).ItemReader!, reading!),
    ...circuit,
  };
};

const takeRead: StateAction<{ readonly output: Answer }> = (scope, params) =>
  continueState<MapProgram>(scope, params, (state, progress) => {
    const { reader } = state.program;
    const { reading } = visitOf<MapVisit>(progress);
    const taken = reader!.take(reading!, scope.event.output.result);
    const next = isReading(taken)
      ? withVisit<MapVisit>(progress, { reading: taken })
      : withItems(state, progress, [...valuesOf(taken.lists)]);
    return state.effects(next);
  });

/** Adds the items to the visit of a Map. */
function withItems(
  state: StateAtWork<MapProgram>,
  progress: Progress,
  read?: Parameters<MapProgram['mapWork']>[2],
): Progress {
  const { flow, mapWork } = state.program;
  const run = state.run(progress);
  const map = mapWork(run, flow.select(run), read);
  return withVisit<MapVisit>(progress, { map, reading: undefined });
}

const readFailed: StateAction<{ readonly error: unknown }> = (scope, params) => {
  const state = new StateAtWork(scope, params);
  const failure = storageFailure('States.ItemReaderFailed', scope.event.error);
  return state.effects({ ...state.progress, failure });
};

const mapReaderBehaviour = {
  guards: {
    isReading: visitGuard<MapVisit>(({ reading }) => reading !== undefined && isReading(reading)),
  },
  actions: { takeRead, readFailed },
  inputs: { readCall },
} satisfies BehaviourPart;

/**
 * A failed call of S3 as the failure of its Map. The cause begins with the error of S3, such as
 * `S3.NoSuchKeyException`. Spec: AWS "Handling errors", States.ItemReaderFailed and States.ResultWriterFailed
 */
function storageFailure(name: StatesErrorName, thrown: unknown): Failure {
  const failure = failureOf(thrown);
  const { error, cause } = failure;
  if (error === limitReached || error === 'States.Timeout') return failure;
  const isNamed = error !== null && error !== name && !error.startsWith('States.');
  return { error: name, cause: isNamed ? `${error}: ${cause ?? ''}` : cause };
}

/** Keeps the results while their files are written. A failed Map also writes its results before it fails. */
const takeResults: StateAction<{ readonly output: EachOutput }> = (scope, params) =>
  continueState<MapProgram>(scope, params, (state, progress) => {
    const { output: ended } = scope.event;
    const map = finishedMap(state.context, progress, ended);
    const files = state.program.writer!.files(map, visitOf<MapVisit>(progress).target!);
    const writing = { ended, files, next: 0 };
    return state.effects(withVisit<MapVisit>(progress, { writing }));
  });

/**
 * Writes a file. Its name and its text follow from the stored results, so a call that is repeated after a crash writes the
 * same file again.
 */
const writeCall: StateInputMaker = (scope, params) => {
  const state = new StateAtWork<MapProgram>(scope, params);
  const { target, writing } = visitOf<MapVisit>(state.progress) as MapVisit;
  const { Prefix: _, ...request } = target;
  const map = finishedMap(state.context, state.progress, writing.ended);
  const file = state.program.writer!.nextFile(map, target, writing);
  return {
    key: callKey(scope.context, params.machine, `write/${writing.next}`),
    agent: (state.program.state as MapState).ResultWriter!.Resource!,
    input: { ...request, ...file, ContentType: 'application/json' },
    ...state.circuit,
  };
};

const noteWritten: StateAction = (scope, params) => {
  const state = new StateAtWork(scope, params);
  const { writing } = visitOf<MapVisit>(state.progress) as MapVisit;
  const next = { ...writing, next: writing.next + 1 };
  return state.effects(withVisit<MapVisit>(state.progress, { writing: next }));
};

function finishedMap(
  { execution }: WorkflowContext,
  progress: Progress,
  { results }: EachOutput,
): FinishedMap {
  const { map, mapRun } = visitOf<MapVisit>(progress);
  return { execution, mapRun: mapRun!, inputs: map!.inputs, results: results as never };
}

const writeFailed: StateAction<{ readonly error: unknown }> = (scope, params) => {
  const state = new StateAtWork(scope, params);
  const failure = storageFailure('States.ResultWriterFailed', scope.event.error);
  return state.effects({ ...state.progress, failure });
};

const mapWriterBehaviour = {
  guards: {
    isWriting: visitGuard<MapVisit>(({ writing }) => isWriting(writing!)),
  },
  actions: { takeResults, noteWritten, writeFailed },
  inputs: { writeCall },
} satisfies BehaviourPart;

/**
 * A token completes a task from outside. It begins with the indexes of the items around the task, so that an event
 * reaches the actor of the task. The rest is random: `0.12.6f9619ff-...`
 */
export function createToken({ place }: WorkflowContext, world: World): string {
  return [...place, world.uuid()].join('.');
}

/** Forwards an event to the actor of the item that its token names, if it is an item of this Map. */
const forwardToItem: Action<WorkflowContext, { type: string; token?: unknown }, { to: string }> = (
  { context, event },
  { to },
) => {
  const parts = typeof event.token === 'string' ? event.token.split('.') : [];
  const { length } = context.place;
  if (parts.length < length + 2) return {};
  const index = Number(parts[length]);
  return { send: [{ to, event: { type: 'each.forward', index, event } }] };
};

/*
 * The visit of a Map owns the items and the limits (`map`). The supervisor (`each`) owns which items run, wait or have
 * ended; the actor of an item owns everything about that item. Results and usage of the items return once, when the
 * supervisor ends.
 */

/** Spec: Agent 2 §Map State, Amazon #map-state */
const prepareMap: StateAction = (scope, params) =>
  prepareState<MapProgram>(scope, params, (state, progress) => {
    const { flow, reader, writer, state: definition } = state.program;
    const { Mode: mode, Label: label, name } = definition as MapState;
    const run = state.run(progress);
    const selected = flow.select(run);
    const begun = withVisit<MapVisit>(progress, {
      ...(mode === 'DISTRIBUTED' && {
        mapRun: { label: labelOf(label, name), name: state.world.uuid() },
      }),
      ...(writer && { target: writer.begin(run, selected) }),
      ...(reader && { reading: reader.begin(run, selected) }),
    });
    return state.effects(reader ? begun : withItems(state, begun));
  });

/** The input of the supervisor. Lists are the same objects as in the visit, so that a host stores them once. */
const mapItems: StateInputMaker = (scope, params) => {
  const { context } = scope;
  const { execution, place, child } = context;
  const state = new StateAtWork(scope, params);
  const { budget, progress } = state;
  const { variables, steps } = progress;
  const { map, mapRun } = visitOf<MapVisit>(progress) as MapVisit;
  const { values, origins, inputs, concurrency, tolerated } = map;
  const before = budget && consumptionOf(context.before, context.spent);
  const shared: SharedByItems = {
    execution,
    place,
    // AWS "Passing data between states with variables": the items of a distributed Map do not see them.
    variables: mapRun ? {} : variables,
    parentVisit: parentVisitOf(context, params.machine, steps),
    ...(before && { before }),
    ...(mapRun && { mapRun }),
    ...(child && { child }),
    ...(values && { values }),
    ...(origins && { origins }),
  };
  return {
    items: inputs,
    shared: shared as never,
    concurrency,
    tolerated: tolerated ?? 0,
    ...(budget && before && { tally: tallyOf(budget, before) }),
    ...reportsOfItems(state, progress),
  } satisfies EachInput;
};

/** The supervisor adds up the usage of the items, and stops them at a limit that must not be exceeded. */
function tallyOf(budget: WorkflowBudget, { tokens, cost, marks }: Consumption) {
  const { MaxTokens, MaxCost, OnExceed } = budget;
  const remaining = (most: number | undefined, used: number) =>
    most === undefined || OnExceed !== 'Fail' ? undefined : most * (1 + marks.grants) - used;
  const limits = { tokens: remaining(MaxTokens, tokens), cost: remaining(MaxCost, cost) };
  return {
    field: 'usage',
    limits: Object.fromEntries(
      Object.entries(limits).flatMap(([name, most]) => (most === undefined ? [] : [[name, most]])),
    ),
  };
}

interface Ended {
  readonly output: EachOutput;
}

const finishMap: StateAction<Ended> = (scope, params) =>
  continueState<MapProgram>(scope, params, (state, before) => {
    const { writer } = state.program;
    const { target, writing } = visitOf<MapVisit>(before);
    const ended = writing?.ended ?? scope.event.output;
    const { results, failures, stopped, exceeded } = ended;
    const outcomes = results as readonly (ItemOutput | null)[];
    const usage = sumOf([before.usage, ...outcomes.map((outcome) => outcome?.usage)]);
    const progress = usage ? { ...before, usage } : before;
    const { spent, emit } = emitAlertsOfItems(state, spendingOf(scope.context.spent, outcomes));
    const effects = end();
    return {
      context: { ...effects.context, ...(spent && { spent }) },
      emit: [...emit, ...(effects.emit ?? [])],
    };

    function end() {
      if (exceeded) {
        const failure = state.budgetFailure(consumptionOf(scope.context.before, spent));
        return state.effects(failedWith(failure));
      }
      if (stopped) {
        const { tolerated } = visitOf<MapVisit>(progress).map!;
        const failure =
          tolerated === null ? failureOfItem(outcomes[failures[0]!]) : tooManyFailures(failures);
        return state.effects(failedWith(failure));
      }
      return state.attempt(progress, () =>
        leaveState(state, progress, state.program.flow.finish(state.run(progress), result())),
      );
    }

    /** The results stay, so that people see which items have failed. */
    function failedWith(failure: Failure): Progress {
      return withVisit<MapVisit>({ ...progress, failure }, { ended });
    }

    function result(): Json {
      const map = finishedMap(state.context, before, ended);
      if (target) return writer!.written(map, target);
      if (writer) return writer.transformed(map);
      return outcomes.map((outcome) => (outcome?.status === 'succeeded' ? outcome.output : null));
    }
  });

function spendingOf(
  before: Spending | undefined,
  outcomes: readonly (ItemOutput | null)[],
): Spending | undefined {
  return outcomes.reduce(
    (sum, outcome) => (outcome?.spent ? mergeSpending(sum, outcome.spent) : sum),
    before,
  );
}

function failureOfItem(outcome: ItemOutput | null | undefined): Failure {
  if (outcome?.status !== 'failed') return { error: 'States.Runtime', cause: null };
  const { error = null, cause = null, at } = outcome;
  return { error, cause, ...(at && { at }) };
}

/** AWS "Map state", ToleratedFailureCount */
function tooManyFailures(failures: readonly number[]): Failure {
  const one = failures.length === 1;
  return {
    error: 'States.ExceedToleratedFailureThreshold',
    cause: `The specified tolerated failure threshold was exceeded: ${failures.length} item${one ? '' : 's'} failed.`,
  };
}

export const mapBehaviour = composed(mapReaderBehaviour, mapWriterBehaviour, {
  actions: { prepareMap, finishMap, forwardToItem },
  inputs: { mapItems },
});

const refer = references<typeof mapBehaviour & typeof workflowBehaviour & typeof stateBehaviour>();

/** The nodes that read the items of a Map, a call at a time. They lead to the node `working`. */
function readerNodes(nodes: StateNodes): Nodes {
  const { params } = nodes;
  const { machine } = nodes.context;
  return {
    ...nodes.call('reading', {
      name: 'read',
      src: 'runAgent',
      input: refer.input('readCall', params),
      done: 'read-taken',
      failed: refer.action('readFailed', params),
    }),
    ...nodes.step(
      'read-taken',
      refer.action('takeRead', params),
      { target: 'reading', guard: refer.guard('isReading', { machine }) },
      { target: 'working' },
    ),
  };
}

/** The nodes that write the results of a Map, a file at a time. They lead to the node `finishing`. */
function writerNodes(nodes: StateNodes): Nodes {
  const { params, id } = nodes;
  const { machine } = nodes.context;
  return {
    'results-taken': {
      id: `${id}:results-taken`,
      entry: [refer.action('takeResults', params)],
      always: [{ target: 'writing' }],
    },
    ...nodes.call('writing', {
      name: 'write',
      src: 'runAgent',
      input: refer.input('writeCall', params),
      done: 'written',
      failed: refer.action('writeFailed', params),
    }),
    written: {
      id: `${id}:written`,
      entry: [refer.action('noteWritten', params)],
      always: [
        { target: 'writing', guard: refer.guard('isWriting', { machine }) },
        { target: 'finishing' },
      ],
    },
  };
}

/** A supervisor runs an actor for every item. */
export function mapNode(state: MapState, id: string, context: NodeContext): ChartNode {
  const nodes = new StateNodes(state, id, context);
  const { params } = nodes;
  const supervisor = `${id}:items`;
  const item = `${id}:item`;
  const isWritten = state.ResultWriter?.Resource !== undefined;
  return nodes.whole({
    prepare: refer.action('prepareMap', params),
    working: {
      ...(state.ItemReader && readerNodes(nodes)),
      working: {
        id: `${id}:working`,
        invoke: [
          {
            id: supervisor,
            src: 'each',
            chart: {
              chart: 1,
              format: 'asl',
              context: refer.context('startItem', { machine: item }),
              // The progress of the workflow does not include the states of items.
              ...context.chartOf(state.ItemProcessor!, item, {
                ...context,
                share: undefined,
                parallel: undefined,
              }),
            },
            input: refer.input('mapItems', params),
            onDone: [{ target: `#${id}:${isWritten ? 'results-taken' : 'finishing'}` }],
            onError: [nodes.failing(refer.action('taskFailed', params))],
          },
        ],
        // Events with the tokens of an item's tasks are sent to the workflow as a whole.
        on: { 'task.*': [{ actions: [refer.action('forwardToItem', { to: supervisor })] }] },
      },
      ...(isWritten && writerNodes(nodes)),
    },
    finish: refer.action('finishMap', params),
  });
}
