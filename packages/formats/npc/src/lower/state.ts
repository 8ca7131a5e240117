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
  const id = stateNode(scenario.machine_key, state.state_key);
  const entry = [action('enterState', { state: state.state_key })];
  const meta = metaOf(state, scenario);
  return state.is_terminal_state
    ? { id, entry: [...entry, reachEnd(state, scenario)], meta }
    : { id, entry, meta, ...inner(state, scenario) };
}

function inner(state: State, scenario: Scenario): ChartNode {
  const { state_key, evaluation_criteria, follow_up_limit, at } = state;
  const { machine_key } = scenario;
  // Only if the author says when to give one. Spec: docs/formats/npc.md#follow-up
  const asks = evaluation_criteria.follow_up !== undefined && follow_up_limit > 0;
  const criterion = [...at, 'evaluation_criteria', 'follow_up'];
  const followUp = innerNode('followup', machine_key, state_key);
  const entered: ChartTransition = {
    target: `#${followUp}`,
    actions: [action('probe')],
    description: 'follow_up',
    meta: { origin: criterion },
  };
  const probed: ChartTransition = {
    guard: guard('hasProbesLeft', { follow_up_limit }),
    actions: [action('probe')],
  };
  const { on, voices } = lowerVerdicts(state, scenario);
  return {
    on,
    initial: 'conversing',
    states: {
      conversing: {
        id: innerNode('conversing', machine_key, state_key),
        meta: { origin: at, title: 'Talk', kind: 'talk' },
        ...(asks && { on: { [internal.follow_up]: [entered] } }),
      },
      // The interrupted state is still the current one: its criteria judge the answer, and its transitions also leave the follow-up.
      ...(asks && {
        follow_up: {
          id: followUp,
          entry: [action('enterFollowUp')],
          exit: [action('leaveFollowUp')],
          on: { [internal.follow_up]: [probed] },
          meta: { origin: criterion, title: 'Follow-up', kind: 'follow-up' },
        },
      }),
      ...Object.fromEntries([...voices].map((voice) => closedNode(voice, state, scenario))),
    },
  };
}

/** The conversation is over in this state. If the transition names a terminal state, that state voices the last line. */
function closedNode(
  voice: string | undefined,
  { state_key }: State,
  scenario: Scenario,
): [string, ChartNode] {
  const voiced = voice === undefined ? [] : [voice];
  const id = innerNode('closed', scenario.machine_key, state_key, ...voiced);
  const last = voice === undefined ? undefined : scenarioGraph(scenario).byKey.get(voice);
  const title = last?.label ?? 'Ended here';
  const meta = { ...(last && { origin: last.at }), title, kind: 'outcome' };
  return [voice === undefined ? 'closed' : id, { id, meta }];
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

/** The effect of each verdict in a state, and the states that voice a last line in it. Spec: docs/formats/npc.md#effects */
function lowerVerdicts(state: State, scenario: Scenario) {
  const { machine_key, early_fail_bound, scoring_mode } = scenario;
  const { state_key, redirect_limit } = state;
  const { rows: rowsOf, byKey } = scenarioGraph(scenario);
  const isScoring = scoring_mode === 'scoring';
  /** Undefined is the state itself. */
  const voices = new Set<string | undefined>();

  const stay = (...actions: Reference[]): ChartTransition => ({
    target: `#${innerNode('conversing', machine_key, state_key)}`,
    actions,
  });

  const score = (row: Transition | undefined): Reference[] =>
    isScoring && row && row.score_delta !== 0
      ? [action('score', { score_delta: row.score_delta })]
      : [];

  /** A row as people say it: `pass +2: The player accepts.` */
  const described = (
    row: Transition | undefined,
    more = '',
  ): Pick<ChartTransition, 'description' | 'meta'> => {
    if (!row) return {};
    const { decision_type, score_delta: delta, condition } = row;
    const points = isScoring && delta !== 0 ? ` ${delta > 0 ? '+' : ''}${delta}` : '';
    const description = `${decision_type}${points}${more}${condition ? `: ${condition}` : ''}`;
    return { description, meta: { origin: row.at } };
  };

  const ending = (
    outcome: Outcome,
    row: Transition | undefined,
    guarded: Guarded,
    more = '',
  ): ChartTransition => {
    // Only a reject is voiced by the terminal state that it names: a pass that fails early has not reached its target.
    const isRefusal = row?.decision_type === 'reject' || row?.decision_type === 'kick_out';
    const isVoiced = isRefusal && byKey.get(row.to_state_key)?.is_terminal_state;
    const voice = isVoiced ? [row.to_state_key] : [];
    voices.add(voice[0]);
    return {
      target: `#${innerNode('closed', machine_key, state_key, ...voice)}`,
      ...guarded,
      actions: [
        ...score(row),
        action('end', { outcome, ...(voice[0] !== undefined && { voice: voice[0] }) }),
      ],
      ...described(row, more),
    };
  };

  /**
   * Leads to the target of a row.
   *
   * @param row the row of the verdict, which changes the score
   */
  const follow = (
    { to_state_key: target, decision_type, outcome, reason }: Transition,
    row: Transition | undefined,
    guarded: Guarded,
  ): ChartTransition => {
    const says = described(row);
    switch (target) {
      case human:
        return {
          ...stay(...score(row), action('handOver', reason === undefined ? {} : { reason })),
          ...guarded,
          ...says,
          meta: { ...says.meta, ...handOverMeta },
        };
      case end:
        return ending(outcome ?? usualOutcome(decision_type), row, guarded);
      case restart:
        return {
          target: `#${scenarioNode(machine_key)}`,
          reenter: true,
          ...guarded,
          actions: [...score(row), action('announceVerdict'), action('discard')],
          ...says,
        };
      default:
        return {
          target: nodeKey(target),
          ...guarded,
          actions: [...score(row), action('move')],
          ...says,
        };
    }
  };

  /**
   * The transitions of a verdict, one for each row. A verdict also works without a row: the editor creates no redirect rows. A row
   * that takes points may end the conversation first.
   *
   * @param lower makes the transition of a row that leads to a state
   */
  const forRows = (
    decision: Decision,
    lower: (row: Transition | undefined, guarded: Guarded) => ChartTransition,
  ): ChartTransition[] => {
    const rows = rowsOf(state_key, decision);
    if (rows.length === 0) return [lower(undefined, {})];
    return rows.flatMap((row) => {
      const { score_delta, to_state_key } = row;
      // The verdict names one of several rows. The last one is left when it names none of the others.
      const named = row === rows.at(-1) ? {} : { guard: guard('isRow', { row: row.row }) };
      const taken = isOtherTarget(to_state_key) ? follow(row, row, named) : lower(row, named);
      if (!isScoring || score_delta >= 0 || decision === 'kick_out') return [taken];
      const isOne = rows.length > 1 ? { row: row.row } : {};
      const early = guard('failsEarly', { ...isOne, score_delta, early_fail_bound });
      return [ending('REJECT', row, { guard: early }, ' at the bound'), taken];
    });
  };

  const [pass] = rowsOf(state_key, 'pass');
  const tooManyRedirects = {
    guard: guard('isOutOfRedirects', { redirect_limit: redirect_limit! }),
    actions: [action('rejectInstead')],
    description: 'one redirect too many',
  };
  const on: Record<string, ChartTransition[]> = {
    // Moves to the row's target. A state without a pass cannot be passed.
    [internal.pass]: forRows('pass', (row, guarded) =>
      row ? follow(row, row, guarded) : redirectInstead,
    ),
    [internal.redirect]: [
      ...(redirect_limit === null ? [] : [tooManyRedirects]),
      ...forRows('redirect', (row, guarded) => ({
        ...stay(...score(row), action('redirect')),
        ...guarded,
        ...described(row),
      })),
    ],
    // In scoring mode it costs points and the conversation continues by the pass; in pass/fail mode it ends the conversation.
    [internal.reject]: forRows('reject', (row, guarded) =>
      isScoring && pass ? follow(pass, row, guarded) : ending('REJECT', row, guarded),
    ),
    // Ends the conversation in this state, at any score.
    [internal.kick_out]: forRows('kick_out', (row, guarded) => ending('KICK_OUT', row, guarded)),
    [internal.none]: [stay(action('stay'))],
    // A follow-up that the follow-up node does not take counts as a redirect.
    [internal.follow_up]: [redirectInstead],
  };
  return { on, voices };
}

/** The outcome of an end whose author does not say one. */
function usualOutcome(decision: Transition['decision_type']): Outcome {
  if (decision === 'pass') return 'ACCEPT';
  return decision === 'kick_out' ? 'KICK_OUT' : 'REJECT';
}

type Guarded = Pick<ChartTransition, 'guard'>;

const redirectInstead = { actions: [action('redirectInstead')] };
