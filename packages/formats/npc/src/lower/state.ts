import type { Path } from '@dramaturg/compiler';
import {
  type ChartNode,
  type ChartTransition,
  nodeKey,
  type Reference,
} from '@dramaturg/compiler/chart';
import { end, handOverMeta, human, isOtherTarget, restart } from '@dramaturg/conversation';
import {
  type Decision,
  type Outcome,
  type Scenario,
  type State,
  type Transition,
  withoutPlaces,
} from '../definition.ts';
import { innerNode, internal, scenarioNode, stateNode } from '../names.ts';
import { scenarioGraph } from '../scenario-graph.ts';
import { action, guard } from './references.ts';

/**
 * A state of the scenario. It has nodes for talking and for follow-ups. A conversation that ends in this state rests in one of
 * its `closed` nodes. Spec: docs/formats/npc.md#state
 */
export function lowerState(state: State, scenario: Scenario): ChartNode {
  const node: ChartNode = {
    id: stateNode(scenario.machine_key, state.state_key),
    entry: [action('enterState', { state: state.state_key })],
    meta: metaOf(state, scenario),
  };
  return state.is_terminal_state
    ? { ...node, entry: [...node.entry!, reachEnd(state, scenario)] }
    : { ...node, ...inner(state, scenario) };
}

function inner(state: State, scenario: Scenario): ChartNode {
  const { evaluation_criteria, follow_up_limit } = state;
  // Only if the author says when to give one. Spec: docs/formats/npc.md#follow-up
  const asks = evaluation_criteria.follow_up !== undefined && follow_up_limit > 0;
  const verdicts = new VerdictLowering(state, scenario);
  const on = verdicts.transitions();
  const closed = [...verdicts.voices].map((voice) => closedNode(voice, state, scenario));
  return {
    on,
    initial: 'conversing',
    states: {
      conversing: {
        id: innerNode('conversing', scenario.machine_key, state.state_key),
        meta: { origin: state.at, title: 'Talk', kind: 'talk' },
        ...(asks && { on: { [internal.follow_up]: [enterFollowUp(state, scenario)] } }),
      },
      ...(asks && { follow_up: followUpNode(state, scenario) }),
      ...Object.fromEntries(closed),
    },
  };
}

function enterFollowUp({ state_key, at }: State, { machine_key }: Scenario) {
  return {
    target: `#${innerNode('followup', machine_key, state_key)}`,
    actions: [action('probe')],
    description: 'follow_up',
    meta: { origin: criterionAt(at) },
  };
}

/** The interrupted state is still the current one: its criteria judge the answer, and its transitions also leave the follow-up. */
function followUpNode(
  { state_key, follow_up_limit, at }: State,
  { machine_key }: Scenario,
): ChartNode {
  return {
    id: innerNode('followup', machine_key, state_key),
    entry: [action('enterFollowUp')],
    exit: [action('leaveFollowUp')],
    on: {
      [internal.follow_up]: [
        { guard: guard('hasProbesLeft', { follow_up_limit }), actions: [action('probe')] },
      ],
    },
    meta: { origin: criterionAt(at), title: 'Follow-up', kind: 'follow-up' },
  };
}

function criterionAt(at: Path): Path {
  return [...at, 'evaluation_criteria', 'follow_up'];
}

/** The conversation is over in this state. If the transition names a terminal state, that state voices the last line. */
function closedNode(
  voice: string | undefined,
  { state_key }: State,
  scenario: Scenario,
): [string, ChartNode] {
  const { machine_key } = scenario;
  if (voice === undefined) {
    const id = innerNode('closed', machine_key, state_key);
    return ['closed', { id, meta: { title: 'Ended here', kind: 'outcome' } }];
  }
  const id = innerNode('closed', machine_key, state_key, voice);
  const { at, label } = scenarioGraph(scenario).byKey.get(voice)!;
  return [id, { id, meta: { origin: at, title: label, kind: 'outcome' } }];
}

/** In scoring mode the score decides, else the state's own label. Spec: docs/formats/npc.md#outcomes */
function reachEnd({ terminal_outcome }: State, { scoring_mode, pass_threshold }: Scenario) {
  return {
    type: 'reachEnd',
    params:
      scoring_mode === 'scoring' ? { pass_threshold } : { outcome: terminal_outcome ?? 'ACCEPT' },
  };
}

/** The data of a state that guards and prompts read. */
function metaOf(state: State, scenario: Scenario): NonNullable<ChartNode['meta']> {
  const { at, state_key, label: title, prompt_instruction, redirect_limit } = state;
  const { follow_up_limit, is_terminal_state, evaluation_criteria } = state;
  const { byKey, allRows } = scenarioGraph(scenario);
  const rows = allRows(state_key).map(({ to_state_key: to, ...row }) =>
    withoutPlaces({
      row: row.row,
      decision_type: row.decision_type,
      condition: row.condition,
      leads_to: byKey.get(to)?.label,
      ...(to === human && { hands_over: true }),
    }),
  );
  const judged = { evaluation_criteria: withoutPlaces(evaluation_criteria), follow_up_limit, rows };
  const common = { ...withoutPlaces({ state_key, prompt_instruction }), redirect_limit };
  return is_terminal_state
    ? { origin: at, title, kind: 'outcome', ...common }
    : { origin: at, title, ...common, ...judged };
}

/** The effect of each verdict in a state. Spec: docs/formats/npc.md#effects */
class VerdictLowering {
  /** The states whose prompts voice a last line spoken in this state; undefined is the state itself. */
  readonly voices = new Set<string | undefined>();
  readonly #state: State;
  readonly #scenario: Scenario;
  readonly #isScoring: boolean;

  constructor(state: State, scenario: Scenario) {
    this.#state = state;
    this.#scenario = scenario;
    this.#isScoring = scenario.scoring_mode === 'scoring';
  }

  transitions(): Record<string, ChartTransition[]> {
    const [pass] = this.#rows('pass');
    return {
      // Moves to the row's target. A state without a pass cannot be passed.
      [internal.pass]: this.#forRows('pass', (row, guarded) =>
        row ? this.#follow(row, row, guarded) : redirectInstead,
      ),
      [internal.redirect]: [
        ...this.#tooManyRedirects(),
        ...this.#forRows('redirect', (row, guarded) => ({
          ...this.#stay([...this.#score(row), action('redirect')]),
          ...guarded,
          ...this.#described(row),
        })),
      ],
      // In scoring mode it costs points and the conversation continues by the pass; in pass/fail mode it ends the conversation.
      [internal.reject]: this.#forRows('reject', (row, guarded) =>
        this.#isScoring && pass
          ? this.#follow(pass, row, guarded)
          : this.#end('REJECT', row, guarded),
      ),
      // Ends the conversation in this state, at any score.
      [internal.kick_out]: this.#forRows('kick_out', (row, guarded) =>
        this.#end('KICK_OUT', row, guarded),
      ),
      [internal.none]: [this.#stay([action('stay')])],
      // A follow-up that the follow-up node does not take counts as a redirect.
      [internal.follow_up]: [redirectInstead],
    };
  }

  #tooManyRedirects(): ChartTransition[] {
    const { redirect_limit } = this.#state;
    if (redirect_limit === null) return [];
    return [
      {
        guard: guard('isOutOfRedirects', { redirect_limit }),
        actions: [action('rejectInstead')],
        description: 'one redirect too many',
      },
    ];
  }

  #stay(actions: readonly Reference[]): ChartTransition {
    return { target: `#${this.#inner('conversing')}`, actions };
  }

  #rows(decision: Decision): readonly Transition[] {
    return scenarioGraph(this.#scenario).rows(this.#state.state_key, decision);
  }

  /**
   * The transitions of a verdict, one for each row. A verdict also works without a row: the editor creates no redirect rows. A row
   * that takes points may end the conversation first.
   *
   * @param lower makes the transition of a row that leads to a state
   */
  #forRows(
    decision: Decision,
    lower: (row: Transition | undefined, guarded: Guarded) => ChartTransition,
  ): ChartTransition[] {
    const rows = this.#rows(decision);
    if (rows.length === 0) return [lower(undefined, {})];
    return rows.flatMap((row) => {
      const { score_delta, to_state_key } = row;
      // The verdict names one of several rows. The last one is left when it names none of the others.
      const named = row === rows.at(-1) ? {} : { guard: guard('isRow', { row: row.row }) };
      const taken = isOtherTarget(to_state_key) ? this.#follow(row, row, named) : lower(row, named);
      if (!this.#isScoring || score_delta >= 0 || decision === 'kick_out') return [taken];
      const early = guard('failsEarly', {
        ...(rows.length > 1 ? { row: row.row } : {}),
        score_delta,
        early_fail_bound: this.#scenario.early_fail_bound,
      });
      return [this.#end('REJECT', row, { guard: early }, ' at the bound'), taken];
    });
  }

  /**
   * Leads to the target of a row.
   *
   * @param row the row of the verdict, which changes the score
   */
  #follow(
    { to_state_key: target, decision_type, outcome, reason }: Transition,
    row: Transition | undefined,
    guarded: Guarded,
  ): ChartTransition {
    const score = this.#score(row);
    const described = this.#described(row);
    switch (target) {
      case human:
        return {
          ...this.#stay([...score, action('handOver', reason === undefined ? {} : { reason })]),
          ...guarded,
          ...described,
          meta: { ...described.meta, ...handOverMeta },
        };
      case end:
        return this.#end(outcome ?? usualOutcome(decision_type), row, guarded);
      case restart:
        return {
          target: `#${scenarioNode(this.#scenario.machine_key)}`,
          reenter: true,
          ...guarded,
          actions: [...score, action('announceVerdict'), action('discard')],
          ...described,
        };
      default:
        return {
          target: nodeKey(target),
          ...guarded,
          actions: [...score, action('move')],
          ...described,
        };
    }
  }

  #end(
    outcome: Outcome,
    row: Transition | undefined,
    guarded: Guarded,
    more = '',
  ): ChartTransition {
    const voice = row && this.#voiceOf(row);
    this.voices.add(voice);
    return {
      target: `#${this.#inner('closed', ...(voice === undefined ? [] : [voice]))}`,
      ...guarded,
      actions: [
        ...this.#score(row),
        action('end', { outcome, ...(voice === undefined ? {} : { voice }) }),
      ],
      ...this.#described(row, more),
    };
  }

  /** Only a reject is voiced by the terminal state that it names: a pass that fails early has not reached its target. */
  #voiceOf({ decision_type, to_state_key }: Transition): string | undefined {
    const isRefusal = decision_type === 'reject' || decision_type === 'kick_out';
    const named = scenarioGraph(this.#scenario).byKey.get(to_state_key);
    return isRefusal && named?.is_terminal_state ? to_state_key : undefined;
  }

  #inner(kind: 'conversing' | 'closed', ...keys: string[]): string {
    return innerNode(kind, this.#scenario.machine_key, this.#state.state_key, ...keys);
  }

  #score(row: Transition | undefined): Reference[] {
    if (!this.#isScoring || !row || row.score_delta === 0) return [];
    return [action('score', { score_delta: row.score_delta })];
  }

  /** A row as people say it: `pass +2: The player accepts.` */
  #described(
    row: Transition | undefined,
    more = '',
  ): Pick<ChartTransition, 'description' | 'meta'> {
    if (!row) return {};
    const { decision_type, score_delta: delta, condition } = row;
    const points = this.#isScoring && delta !== 0 ? ` ${delta > 0 ? '+' : ''}${delta}` : '';
    const description = `${decision_type}${points}${more}${condition ? `: ${condition}` : ''}`;
    return { description, meta: { origin: row.at } };
  }
}

/** The outcome of an end whose author does not say one. */
function usualOutcome(decision: Transition['decision_type']): Outcome {
  if (decision === 'pass') return 'ACCEPT';
  return decision === 'kick_out' ? 'KICK_OUT' : 'REJECT';
}

type Guarded = Pick<ChartTransition, 'guard'>;

const redirectInstead = { actions: [action('redirectInstead')] };
