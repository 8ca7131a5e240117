import { isRecord, type Json } from '@dramaturg/compiler';
import type { ChartInvoke, ChartNode, ChartTransition } from '@dramaturg/compiler/chart';
import { type Action, type Guard, problemsOf } from '@dramaturg/compiler/format';
import { didYouMean } from '@dramaturg/compiler/text';
import { authoredPart, partOf } from '../../authored.ts';
import { budgetBehaviour, budgetEntry, budgetNodes } from '../../behaviour/budget.ts';
import {
  callKey,
  type StateAction,
  StateAtWork,
  type StateParams,
  type WorkflowScope,
} from '../../behaviour/state-at-work.ts';
import { composed, references } from '../../behaviour/part.ts';
import { budgetFields, countUsage } from '../../behaviour/spending.ts';
import { continueState, leaveState, prepareState } from '../../behaviour/state-steps.ts';
import type { stateBehaviour } from '../../behaviour/state.ts';
import { sourceValues, type StateWays, worked } from '../../check/flow/language-flow.ts';
import { objectOf, sourceAt, type ValueSet } from '../../check/flow/value-set.ts';
import { atMostOne, type StateRule } from '../../check/rule.ts';
import { visitOf, withVisit, type WorkflowContext, type WorkVisit } from '../../context.ts';
import { type Answer, usageOfCall } from '../../flow/run.ts';
import { type NodeContext, type Nodes, StateNodes } from '../../lower/nodes.ts';
import { testWork } from '../../test-state/tester.ts';
import type { Kind } from '../kind.ts';
import { type Debate, debateDefinition, readDebate } from './definition.ts';
import {
  beginDebate,
  compileDebate,
  type DebateProgram,
  debateResult,
  type DebateState,
  type DebateStep,
  type DebateVisit,
  nextStep,
  speakersOf,
  visibleTo,
  withJudgement,
  withTurn,
  withVotes,
} from './program.ts';

const problems = problemsOf('asl');

const fewAgents = problems.error('few-agents', (count: number) => ({
  message: `This debate has ${count === 1 ? 'only one agent' : 'no agents'}. It needs two or more.`,
  hint: 'Add another to "Agents", or use a Task.',
}));

const unknownAgent = problems.warning(
  'unknown-agent',
  (name: string, known: readonly string[]) => ({
    message: `"${name}" is not an agent of this debate.`,
    hint: () => didYouMean(name, known) ?? 'Add it to "Agents".',
  }),
);

/** Reports debates with fewer than two agents, or with several topics. Spec: Agent 2 §Debate State */
const fewAgentsOrManyTopics: StateRule<Debate> = (debate, { report }) => {
  const { Agents: agents, authored, at } = debate;
  if (Array.isArray(authored['Agents']) && agents.length < 2) {
    report(fewAgents(agents.length), [...at, 'Agents']);
  }
  atMostOne(authoredPart(debate), ['Topic', 'TopicPath', 'Topic.$'], report);
};

/** Reports speakers and voters that are not agents of the debate. An arbiter may come from outside. Spec: tutorial 9 */
const unknownAgents: StateRule<Debate> = (debate, { report }) => {
  const communication = partOf(authoredPart(debate), 'Communication');
  const known = new Set(debate.Agents);
  debate.Order.forEach((name, index) => {
    if (!communication || known.has(name)) return;
    report(unknownAgent(name, debate.Agents), [...communication.at, 'Order', index]);
  });
  const consensus = partOf(authoredPart(debate), 'Consensus');
  const voters: unknown = consensus?.value['VotingAgents'];
  if (!consensus || !Array.isArray(voters)) return;
  voters.forEach((name: unknown, index) => {
    if (typeof name !== 'string' || known.has(name)) return;
    report(unknownAgent(name, debate.Agents), [...consensus.at, 'VotingAgents', index]);
  });
};

/** The fields of the result. Agent 2 §Debate State */
const fields = [
  'topic',
  'rounds',
  'participants',
  'history',
  'responses',
  'decision',
  'consensus',
  'votes',
  'dissent',
];

const debateWays: StateWays<Debate> = {
  enter(visit) {
    const { state, sight, flow } = visit;
    const selected = flow.select();
    sourceValues(state.Topic, selected, sight);
    flow.prepare(selected);
    const known = new Map(fields.map((field): [string, ValueSet] => [field, 'any']));
    return worked(visit, objectOf(known, [sourceAt(sight.state, 'Agents')]));
  },
};

const refer = references<typeof debateBehaviour & typeof stateBehaviour>();

/**
 * Turns are taken one after another in `speaking`, or all at once in the regions of `round`. After a round, or in the end,
 * the agents vote, or an arbiter judges. `listening` decides which step comes next. Spec: Agent 2 §Debate State, tutorial
 * 9
 */
function debateNode(state: Debate, id: string, context: NodeContext): ChartNode {
  const nodes = new StateNodes(state, id, context);
  const { params } = nodes;
  const { Consensus: consensus } = state;
  const voters = consensus && 'voters' in consensus ? consensus.voters : undefined;
  const judge = consensus && ('voters' in consensus ? consensus.tieBreaker : consensus.arbiter);
  const asking: Nodes = {
    ...(state.Style === 'simultaneous'
      ? gathering(nodes, 'round', speakersOf(state))
      : askingOne(nodes, 'turn')),
    ...(voters && gathering(nodes, 'vote', voters)),
    ...(judge !== undefined && askingOne(nodes, 'judgement')),
  };
  const nexts = (Object.keys(asking) as DebateStep['kind'][]).map((kind): ChartTransition => ({
    target: kind,
    guard: refer.guard('hasNextStep', { ...params, kind }),
  }));
  const goesOn = { guard: refer.guard('hasNextStep', params) };
  return nodes.whole({
    prepare: refer.action('prepareDebate', params),
    working: {
      ...(context.budget && budgetNodes(nodes, nexts)),
      ...asking,
      ...nodes.step(
        'listening',
        refer.action('takeStepAnswers', params),
        ...(context.budget ? [{ ...goesOn, target: budgetEntry(nodes) }] : nexts),
        { target: 'finishing' },
      ),
    },
    finish: refer.action('finishDebate', params),
  });
}

/** Asks one agent. */
function askingOne(nodes: StateNodes, kind: string): Nodes {
  const call = callOf(nodes, kind, 0, 'listening');
  return { [kind]: { id: `${nodes.id}:${kind}`, invoke: [call] } };
}

/** Asks several agents at once, each in a region that has a field of the context for the answer. */
function gathering(nodes: StateNodes, kind: string, agents: readonly string[]): Nodes {
  const regions = agents.map((agent, speaker): [string, ChartNode] => {
    const region = `${kind}${speaker + 1}`;
    const id = `${nodes.id}:${region}`;
    const call = callOf(nodes, region, speaker, 'heard');
    return [
      region,
      {
        id,
        initial: 'speaking',
        states: {
          speaking: { id: `${id}:speaking`, invoke: [call] },
          heard: { id: `${id}:heard`, type: 'final' },
        },
        meta: { title: agent },
      },
    ];
  });
  return {
    [kind]: {
      id: `${nodes.id}:${kind}`,
      type: 'parallel',
      states: Object.fromEntries(regions),
      onDone: [{ target: nodes.to('listening') }],
    },
  };
}

function callOf(nodes: StateNodes, key: string, speaker: number, heard: string): ChartInvoke {
  const asked = { ...nodes.params, speaker };
  return nodes.invoke({
    name: `${key}:call`,
    src: 'runAgent',
    input: refer.input('debateCall', asked),
    done: [{ target: heard, actions: [refer.action('storeStepAnswer', asked)] }],
    failed: [
      nodes.failing(
        refer.action('dropStepAnswers', nodes.params),
        refer.action('taskFailed', nodes.params),
      ),
    ],
  });
}

/*
 * A debate is a sequence of steps: turn, round, vote or judgement. `nextStep` computes the next one from `debate` in
 * the visit, which owns all turns and votes so far. The regions of a round or vote run at once, so each owns a field of
 * the context for its answer (`answerField`). When the step ends, these answers move into `debate` and the fields are
 * removed. The fields are also removed when one agent fails.
 */

/** Spec: Agent 2 §Debate State */
const prepareDebate: StateAction = (scope, params) =>
  prepareState<DebateProgram>(scope, params, (state, progress) => {
    const { flow, topic } = state.program;
    const run = state.run(progress);
    const selected = flow.select(run);
    const debate = beginDebate(topic(run, selected));
    const { Parameters: parameters } = state.program.state as Debate;
    const work = parameters === undefined ? {} : { work: flow.prepare(run, selected) };
    return state.effects(withVisit<DebateVisit & WorkVisit>(progress, { ...work, debate }));
  });

interface SpeakerParams extends StateParams {
  /** The index of the agent among those that are called at the same time. */
  readonly speaker: number;
}

/** Calls an agent for a turn, a vote or a judgement. */
const debateCall = (scope: WorkflowScope, params: SpeakerParams) => {
  const working = new StateAtWork(scope, params);
  const state = working.program.state as Debate;
  const { debate, work } = visitOf<DebateVisit & WorkVisit>(working.progress);
  const { topic, turns, history } = debate!;
  const step = nextStep(state, debate!)!;
  const agent = 'agents' in step ? step.agents[params.speaker]! : step.agent;
  const speaks = step.kind === 'turn' || step.kind === 'round';
  const visible = speaks ? visibleTo(state, debate!, agent, step.round) : history;
  const turn = speaks ? `${turns + params.speaker}` : `${turns}/${step.kind}/${params.speaker}`;
  return {
    key: callKey(scope.context, params.machine, `turn/${turn}`),
    agent,
    input: {
      ...(isRecord(work) ? work : {}),
      prompt: promptOf(step, topic, state),
      topic,
      round: step.round,
      history: visible as unknown as Json,
    },
    ...budgetFields(working),
  };
};

function promptOf({ kind, round }: DebateStep, topic: string, state: Debate): string {
  switch (kind) {
    case 'vote':
      return `Vote on: ${topic}. Answer with "vote".`;
    case 'judgement':
      return `Decide on: ${topic}. Weigh what was said in the debate.`;
    default:
      return `Debate: ${topic}. It is round ${round} of ${state.Consensus?.mostRounds ?? state.Rounds}.`;
  }
}

function answerField({ state }: StateParams, speaker: number): string {
  return `${state}:answer${speaker + 1}`;
}

/** Stores one answer until all agents of the step have answered. */
const storeStepAnswer: Action<WorkflowContext, { output: Answer }, SpeakerParams> = (
  { event },
  params,
) => ({ context: { [answerField(params, params.speaker)]: event.output } });

/** Ends a step with the answers of its agents. */
const takeStepAnswers: StateAction = (scope, params) => {
  const effects = continueState(scope, params, (state, progress) => {
    const debate = visitOf<DebateVisit>(progress).debate!;
    const definition = state.program.state as Debate;
    const step = nextStep(definition, debate)!;
    const agents = 'agents' in step ? step.agents : [step.agent];
    const answers = agents.map((agent, speaker) => ({
      agent,
      output: scope.context[answerField(params, speaker)] as Answer,
    }));
    const after = afterStep(definition, debate, step, answers);
    return countUsage(
      state,
      withVisit<DebateVisit>(progress, { debate: after }),
      answers.map(({ output }) => usageOfCall(output)),
      (counted) =>
        state.effects(
          counted,
          stepEvents(debate, after).map((event) => ({ ...event, ...state.where() })),
        ),
    );
  });
  return { ...effects, context: { ...effects.context, ...withoutAnswers(scope, params) } };
};

function afterStep(
  definition: Debate,
  debate: DebateState,
  { kind, round }: DebateStep,
  answers: readonly { readonly agent: string; readonly output: Answer }[],
): DebateState {
  const results = answers.map(({ agent, output: { result } }) => ({ agent, result }));
  if (kind === 'vote') return withVotes(definition.Consensus!, debate, round, results);
  if (kind === 'judgement') return withJudgement(definition, debate, round, results[0]!.result);
  return results.reduce(
    (before, { agent, result }) => withTurn(definition, before, agent, result),
    debate,
  );
}

/** The events of a step: its turns or its votes. */
function stepEvents(before: DebateState, after: DebateState) {
  const turns = after.history.slice(before.history.length);
  const votes = after.votes === before.votes ? [] : (after.votes ?? []);
  const round = after.judgedRound;
  return [
    ...turns.map((turn) => ({ type: 'debate.spoken', ...turn })),
    ...votes.map(({ agent, vote }) => ({ type: 'debate.voted', round, agent, vote })),
  ];
}

/** One agent has failed, and with it the step. The usage of the others still counts. */
const dropStepAnswers: StateAction = (scope, params) => {
  const state = new StateAtWork(scope, params);
  const removed = withoutAnswers(scope, params);
  const used = Object.keys(removed).map((field) => usageOfCall(scope.context[field] as Answer));
  const effects = countUsage(state, state.progress, used, (counted) => state.effects(counted));
  return { ...effects, context: { ...effects.context, ...removed } };
};

function withoutAnswers(
  { context }: WorkflowScope,
  { state }: StateParams,
): Record<string, undefined> {
  const answered = Object.keys(context).filter(
    (field) => field.startsWith(`${state}:answer`) && context[field] !== undefined,
  );
  return Object.fromEntries(answered.map((field) => [field, undefined]));
}

/** The debate has a next step, and it has the `kind`, if one is given. */
const hasNextStep: Guard<
  WorkflowContext,
  unknown,
  StateParams & { readonly kind?: DebateStep['kind'] }
> = (scope, params) => {
  const { program, progress } = new StateAtWork(scope, params);
  const step = nextStep(program.state as Debate, visitOf<DebateVisit>(progress).debate!);
  return step !== undefined && (params.kind === undefined || step.kind === params.kind);
};

const finishDebate: StateAction = (scope, params) =>
  continueState(scope, params, (state, progress) => {
    const { debate } = visitOf<DebateVisit>(progress);
    const result = debateResult(state.program.state as Debate, debate!);
    return leaveState(state, progress, state.program.flow.finish(state.run(progress), result));
  });

const debateBehaviour = composed(budgetBehaviour, {
  guards: { hasNextStep },
  actions: { prepareDebate, storeStepAnswer, takeStepAnswers, dropStepAnswers, finishDebate },
  inputs: { debateCall },
});

export const debateKind: Kind<Debate, DebateProgram> = {
  definition: debateDefinition,
  read: readDebate,
  rules: [fewAgentsOrManyTopics, unknownAgents],
  problems: [fewAgents, unknownAgent],
  ways: debateWays,
  node: debateNode,
  compile: compileDebate,
  behaviour: debateBehaviour,
  test: testWork,
};
