import type { ChartInvoke, ChartNode, ChartTransition, Reference } from '@dramaturg/compiler';
import type { Debate } from '../definition/index.ts';
import { speakersOf } from '../flow/debate.ts';
import { budgetNodes } from './budget.ts';
import { about, type About, hasFailed, type NodeContext } from './node-context.ts';
import { recovery, type Recovery } from './retry.ts';
import { workNode } from './stages.ts';

/**
 * Turns are taken one after another in `speaking`, or all at once in the regions of `round`. After a round, or in the end,
 * the agents vote, or an arbiter judges. `listening` finds out which comes next. Spec: Agent 2 §Debate State, tutorial 9
 */
export function debateNode(state: Debate, id: string, context: NodeContext): ChartNode {
  const params = about(context, id);
  const debate = new DebateNodes(id, params, recovery(state, id, context));
  const { Consensus: consensus } = state;
  const voters = consensus && 'voters' in consensus ? consensus.voters : undefined;
  const judge = consensus && ('voters' in consensus ? consensus.tieBreaker : consensus.arbiter);
  const asking = {
    ...(state.Style === 'simultaneous'
      ? { round: debate.gathering('round', speakersOf(state)) }
      : { turn: debate.asking('turn') }),
    ...(voters && { vote: debate.gathering('vote', voters) }),
    ...(judge !== undefined && { judgement: debate.asking('judgement') }),
  };
  const nexts = Object.keys(asking).map((kind): ChartTransition => ({
    target: kind,
    guard: { type: 'hasNextStep', params: { ...params, kind } },
  }));
  const goesOn = { guard: { type: 'hasNextStep', params } };
  return workNode(state, id, context, {
    recover: debate.recover,
    prepare: { type: 'prepareDebate', params },
    working: {
      ...(context.budget && budgetNodes(id, context, debate.recover, nexts)),
      ...asking,
      listening: {
        id: `${id}:listening`,
        entry: [{ type: 'takeStepAnswers', params }],
        always: [
          { ...debate.recover.failing(), guard: hasFailed(context) },
          ...(context.budget ? [{ ...goesOn, target: 'budget' }] : nexts),
          { target: 'finishing' },
        ],
      },
    },
    finish: { type: 'finishDebate', params },
  });
}

class DebateNodes {
  readonly recover: Recovery;
  readonly #id: string;
  readonly #params: About;

  constructor(id: string, params: About, recover: Recovery) {
    this.#id = id;
    this.#params = params;
    this.recover = recover;
  }

  /** Asks one agent. */
  asking(kind: string): ChartNode {
    const id = `${this.#id}:${kind}`;
    return { id, invoke: [this.#call(id, 0, 'listening')] };
  }

  /** Asks several agents at once, each in a region that has a field of the context for the answer. */
  gathering(kind: string, agents: readonly string[]): ChartNode {
    const id = `${this.#id}:${kind}`;
    const regions = agents.map((agent, speaker): [string, ChartNode] => {
      const region = `${id}${speaker + 1}`;
      return [
        `${kind}${speaker + 1}`,
        {
          id: region,
          initial: 'speaking',
          states: {
            speaking: { id: `${region}:speaking`, invoke: [this.#call(region, speaker, 'heard')] },
            heard: { id: `${region}:heard`, type: 'final' },
          },
          meta: { title: agent },
        },
      ];
    });
    return {
      id,
      type: 'parallel',
      states: Object.fromEntries(regions),
      onDone: [{ target: `#${this.#id}:listening` }],
    };
  }

  #call(id: string, speaker: number, heard: string): ChartInvoke {
    const asked: Reference['params'] = { ...this.#params, speaker };
    return {
      id: `${id}:call`,
      src: 'runAgent',
      input: { type: 'debateCall', params: asked },
      onDone: [{ target: heard, actions: [{ type: 'storeStepAnswer', params: asked }] }],
      onError: [
        this.recover.failing([
          { type: 'dropStepAnswers', params: this.#params },
          { type: 'taskFailed', params: this.#params },
        ]),
      ],
    };
  }
}
