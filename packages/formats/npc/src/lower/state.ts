import type { Path } from '@dramaturg/compiler';
import type { ChartNode } from '@dramaturg/compiler/chart';
import { human } from '@dramaturg/conversation';
import { type Scenario, type State, withoutPlaces } from '../definition.ts';
import { innerNode, internal, stateNode } from '../names.ts';
import { scenarioGraph } from '../scenario-graph.ts';
import { VerdictLowering } from './verdict.ts';
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
