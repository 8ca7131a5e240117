import type { ChartInvoke, ChartNode, ChartTransition } from '@dramaturg/compiler/chart';
import type { StateParams } from '../../behaviour/state-at-work.ts';
import type { stateBehaviour } from '../../behaviour/state.ts';
import type { Debate } from '../../definition/index.ts';
import { budgetEntry, budgetNodes } from '../../lower/budget.ts';
import { stateParams, hasFailed, type NodeContext } from '../../lower/node-context.ts';
import { references } from '../../lower/references.ts';
import { recovery, type Recovery } from '../../lower/retry.ts';
import { workNode } from '../../lower/stages.ts';
import type { debateBehaviour } from './behaviour.ts';
import { type DebateStep, speakersOf } from './program.ts';

const refer = references<typeof debateBehaviour & typeof stateBehaviour>();

/**
 * Turns are taken one after another in `speaking`, or all at once in the regions of `round`. After a round, or in the end,
 * the agents vote, or an arbiter judges. `listening` decides which step comes next. Spec: Agent 2 §Debate State, tutorial
 * 9
 */
export function debateNode(state: Debate, id: string, context: NodeContext): ChartNode {
  const params = stateParams(context, id);
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
  const nexts = (Object.keys(asking) as DebateStep['kind'][]).map((kind): ChartTransition => ({
    target: kind,
    guard: refer.guard('hasNextStep', { ...params, kind }),
  }));
  const goesOn = { guard: refer.guard('hasNextStep', params) };
  return workNode(state, id, context, {
    recover: debate.recover,
    prepare: refer.action('prepareDebate', params),
    working: {
      ...(context.budget && budgetNodes(id, context, debate.recover, nexts)),
      ...asking,
      listening: {
        id: `${id}:listening`,
        entry: [refer.action('takeStepAnswers', params)],
        always: [
          { ...debate.recover.failing(), guard: hasFailed(context) },
          ...(context.budget ? [{ ...goesOn, target: budgetEntry(id, context) }] : nexts),
          { target: 'finishing' },
        ],
      },
    },
    finish: refer.action('finishDebate', params),
  });
}

class DebateNodes {
  readonly recover: Recovery;
  readonly #id: string;
  readonly #params: StateParams;

  constructor(id: string, params: StateParams, recover: Recovery) {
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
    const asked = { ...this.#params, speaker };
    return {
      id: `${id}:call`,
      src: 'runAgent',
      input: refer.input('debateCall', asked),
      onDone: [{ target: heard, actions: [refer.action('storeStepAnswer', asked)] }],
      onError: [
        this.recover.failing([
          refer.action('dropStepAnswers', this.#params),
          refer.action('taskFailed', this.#params),
        ]),
      ],
    };
  }
}
