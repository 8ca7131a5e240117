import type { Chart } from '@dramaturg/compiler';
import { type ChartNode, type ChartTransition, nodeKey } from '@dramaturg/compiler/chart';
import { calling, conversationChart, summarising, turnRegion } from '@dramaturg/conversation';
import {
  hasEnd,
  type MachineLink,
  type Npc,
  promptFields,
  type Scenario,
  withoutPlaces,
} from '../definition.ts';
import { internal, scenarioNode, sceneNode } from '../names.ts';
import { openScenarios } from '../scenario-graph.ts';
import type { NpcOptions } from '../shape.ts';
import { action, context, guard, input } from './references.ts';
import { lowerState } from './state.ts';

/**
 * A conversation with an NPC has two parallel regions: `scene` is the current scenario and state, and `turn` says who must act
 * next. A verdict on the player's message is an event of the scene. Spec: docs/formats/npc.md#chart
 */
export function lower(npc: Npc, options: NpcOptions): Chart {
  const { persona, scenarios } = npc;
  const open = openScenarios(npc);
  const [only] = scenarios.length === 1 ? scenarios : [];
  return conversationChart(persona.name || only?.machine_key || 'npc', {
    format: 'npc',
    description: persona.description || only?.description,
    context: context('start', {
      machine_key: open[0]!.machine_key,
      ...(scenarios.some(hasEnd) ? {} : { endless: true }),
    }),
    meta: { title: persona.name || only?.name || 'NPC' },
    conversation: {
      on: { cancel: [{ target: 'ended' }] },
      states: { scene: sceneRegion(npc, open, options), turn: lowerTurn },
    },
    ended: { id: 'ended:' },
  });
}

/** The current scenario, and in it the current state. */
function sceneRegion(npc: Npc, open: readonly Scenario[], options: NpcOptions): ChartNode {
  const { persona, scenarios, variables } = npc;
  const playing: ChartNode = {
    initial: nodeKey(open[0]!.machine_key),
    states: Object.fromEntries(
      scenarios.map((scenario) => [
        nodeKey(scenario.machine_key),
        lowerScenario(scenario, npc, open.includes(scenario), options),
      ]),
    ),
  };
  const toEach = (when: 'beginsWith' | 'mayStart') =>
    scenarios.map(({ machine_key }) => ({
      target: `#${scenarioNode(machine_key)}`,
      guard: guard(when, { machine_key }),
    }));
  // Begins the scenario that the actor's input names.
  const choosing: ChartNode = { always: toEach('beginsWith') };
  return {
    id: sceneNode,
    initial: scenarios.length > 1 ? 'choosing' : 'playing',
    meta: {
      origin: persona.at,
      title: persona.name || 'NPC',
      ...withoutPlaces({ ...persona, variables }),
      machines: scenarios.map(({ machine_key }) => machine_key),
    },
    on: {
      'scenario.start': [
        ...toEach('mayStart').map((one) => ({ ...one, actions: [action('discard')] })),
        { actions: [action('refuseStart')] },
      ],
      [internal.completed]: [{ actions: [action('conclude')] }],
    },
    states: { ...(scenarios.length > 1 ? { choosing } : {}), playing },
  };
}

/** A scenario: its states, and the links that lead on once it is completed. Spec: docs/formats/npc.md#scenario */
function lowerScenario(
  scenario: Scenario,
  { machine_links }: Npc,
  isOpen: boolean,
  options: NpcOptions,
): ChartNode {
  const links = machine_links.filter(
    ({ source_machine_key }) => source_machine_key === scenario.machine_key,
  );
  const advancing = links.filter(({ is_auto_advance }) => is_auto_advance);
  // `lower` is called only for definitions without errors, so there is exactly one.
  const initial = scenario.states.find(({ is_initial_state }) => is_initial_state)!;
  return {
    id: scenarioNode(scenario.machine_key),
    ...(scenario.description ? { description: scenario.description } : {}),
    entry: [action('startSession', { machine_key: scenario.machine_key })],
    initial: nodeKey(initial.state_key),
    ...(advancing.length > 0 ? { on: { [internal.completed]: advancing.map(advance) } } : {}),
    meta: metaOf(scenario, links, isOpen, options),
    states: Object.fromEntries(
      scenario.states.map((state) => [nodeKey(state.state_key), lowerState(state, scenario)]),
    ),
  };
}

function advance({ target_machine_key, condition, at }: MachineLink): ChartTransition {
  return {
    target: `#${scenarioNode(target_machine_key)}`,
    guard: guard('linkHolds', { ...condition! }),
    // A link may lead back to its own scenario, which then starts again.
    reenter: true,
    meta: { origin: at },
  };
}

/** The data of a scenario that guards and prompts read. */
function metaOf(
  scenario: Scenario,
  links: readonly MachineLink[],
  isOpen: boolean,
  { summariseAfter }: NpcOptions,
): NonNullable<ChartNode['meta']> {
  const { at, name: title, machine_key, scoring_mode, output_variables, on_end } = scenario;
  const prompts = Object.fromEntries(promptFields.map((field) => [field, scenario[field]]));
  return {
    origin: at,
    title,
    ...withoutPlaces({ machine_key, ...prompts, scoring_mode, output_variables }),
    ...(on_end && { on_end }),
    ...(isOpen ? { open: true } : {}),
    ...(scenario.system_summarization_prompt ? { summarise_after: summariseAfter } : {}),
    ...(links.length > 0 ? { machine_links: links.map(withoutPlaces) } : {}),
  };
}

const takeVerdict: ChartTransition = {
  target: 'deciding',
  guard: guard('isOffered'),
  actions: [action('takeVerdict')],
};
const noVerdict: ChartTransition = { target: 'deciding', actions: [action('takeNoVerdict')] };

/** The nodes of the current turn. */
const answering: ChartNode = {
  initial: 'evaluating',
  states: {
    evaluating: {
      id: 'turn:evaluating',
      ...calling(
        'choose',
        input('evaluate', { attempt: 1 }),
        [
          takeVerdict,
          { target: 'responding', guard: guard('isEarly') },
          { target: 'evaluatingAgain' },
        ],
        {
          id: 'evaluate',
          failed: [
            { target: 'responding', guard: guard('isEarlyAndUnreadable') },
            { target: 'evaluatingAgain', guard: guard('isUnreadable') },
          ],
        },
      ),
    },
    // After an answer that is not on offer, the evaluator is asked once more. A second such answer does not count against the
    // player.
    evaluatingAgain: calling(
      'choose',
      input('evaluate', { attempt: 2 }),
      [takeVerdict, noVerdict],
      { id: 'evaluateAgain', failed: [{ ...noVerdict, guard: guard('isUnreadable') }] },
    ),
    // Waits for the scene, which sends `verdict.applied` once the verdict has taken effect.
    deciding: {
      on: {
        [internal.applied]: [{ target: 'responding', actions: [action('announceVerdict')] }],
      },
    },
    responding: {
      id: 'turn:responding',
      ...calling('reply', input('reply'), [{ target: 'spoken', actions: [action('takeReply')] }]),
    },
    spoken: {
      always: [
        { target: '#ended:', guard: guard('isEndedByAgent') },
        { target: 'extracting', guard: guard('hasOutputVariables') },
        { target: 'finishing', guard: guard('hasOutcome') },
        { target: 'summarising', guard: guard('isSummaryDue') },
        { target: '#turn:waiting' },
      ],
    },
    summarising: summarising({ target: '#turn:waiting' }),
    extracting: calling('extract', input('extract'), [
      { target: 'finishing', actions: [action('takeVariables')] },
    ]),
    finishing: {
      entry: [action('complete')],
      on: { [internal.over]: [{ target: '#ended:' }] },
    },
  },
};

/**
 * A turn: the message is judged once, the verdict takes effect in the scene, and the reply is composed for the state after the move.
 * Spec: docs/formats/npc.md#turn
 */
const lowerTurn: ChartNode = turnRegion({
  // When a session begins, all running work of an earlier session is dropped.
  on: {
    [internal.opened]: [
      { target: '#turn:waiting', guard: guard('personOpens') },
      { target: '#turn:responding' },
    ],
  },
  waiting: {
    target: '#turn:evaluating',
    resumed: '#turn:responding',
    // The player speaks first. The opening line answers them, and there is no question to judge them by yet.
    first: [
      {
        target: '#turn:responding',
        guard: guard('isFirstWord'),
        actions: [action('takeMessage')],
      },
    ],
  },
  answering,
});
