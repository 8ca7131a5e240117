import type { Chart } from '@dramaturg/compiler';
import type { ChartNode, ChartTransition } from '@dramaturg/compiler/chart';
import { nodeKey } from '@dramaturg/compiler/chart';
import { type Npc, type NpcOptions, type Scenario, withoutPlaces } from '../definition.ts';
import { openScenarios } from '../links.ts';
import { internal, scenarioNode, sceneNode } from '../names.ts';

import { lowerScenario } from './scenario.ts';
import { turnRegion } from './turn.ts';
import { action, context, guard, output } from './references.ts';

/**
 * A conversation with an NPC is two regions side by side: `scene`, where it stands, and `turn`, whose move it is. A
 * verdict on the player's message is an event of the scene. Spec: docs/formats/npc.md#chart
 */
export function lower(npc: Npc, options: NpcOptions): Chart {
  const { persona, scenarios } = npc;
  const open = openScenarios(npc);
  const [only] = scenarios.length === 1 ? scenarios : [];
  const title = persona.name || only?.name || 'NPC';
  const description = persona.description || only?.description;
  return {
    chart: 1,
    format: 'npc',
    // Every other id of the chart holds a colon, so that none can be that of a persona.
    id: nodeKey(persona.name || only?.machine_key || 'npc').replaceAll(':', '%3A'),
    ...(description ? { description } : {}),
    context: context('start', {
      machine_key: open[0]!.machine_key,
      ...(scenarios.some(hasEnd) ? {} : { endless: true }),
    }),
    output: output('result'),
    initial: 'conversation',
    meta: { origin: [], title },
    states: {
      conversation: {
        type: 'parallel',
        on: { cancel: [{ target: 'ended' }] },
        states: { scene: sceneRegion(npc, open, options), turn: turnRegion },
      },
      ended: { id: 'ended:', type: 'final', entry: [action('announceEnd')] },
    },
  };
}

function hasEnd({ states }: Scenario): boolean {
  return states.some((state) => state.is_terminal_state);
}

/** Where the conversation stands: one scenario, and in it one state. */
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
  const choosing: ChartNode = { always: scenarios.map(({ machine_key }) => begin(machine_key)) };
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
        ...scenarios.map(({ machine_key }) => startAnew(machine_key)),
        { actions: [action('refuseStart')] },
      ],
      [internal.completed]: [{ actions: [action('conclude')] }],
    },
    states: { ...(scenarios.length > 1 ? { choosing } : {}), playing },
  };
}

/** The scenario that the actor's input names. */
function begin(machine_key: string): ChartTransition {
  return {
    target: `#${scenarioNode(machine_key)}`,
    guard: guard('beginsWith', { machine_key }),
  };
}

function startAnew(machine_key: string): ChartTransition {
  return {
    target: `#${scenarioNode(machine_key)}`,
    guard: guard('mayStart', { machine_key }),
    actions: [action('discard')],
  };
}
