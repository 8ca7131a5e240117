import { drawingOf } from '@dramaturg/compiler/chart';
import { layOut, measuresOf, type PlacedDrawing } from '@dramaturg/drawing';
import { compile } from 'dramaturg/browser';
import { expect, test } from 'vitest';
import { faultsIn } from './faults.ts';

/** A chain of states, in which every fifth leads back over two others. */
function chain(length: number) {
  const states = Array.from({ length }, (_, index) => `S${index}`);
  const transitions = Object.fromEntries(
    states.slice(0, -1).map((state, index) => [
      state,
      {
        'it is done': `S${index + 1}`,
        ...(index % 5 === 3 && { 'something is missing': `S${index - 2}` }),
      },
    ]),
  );
  const definition = { initial: 'S0', terminal: [`S${length - 1}`], states, transitions };
  const { chart } = compile(JSON.stringify(definition), { fileName: 'it.lifecycle.json' });
  return layOut(drawingOf(chart!));
}

/** The arrows that do not begin and end at the borders of their states. */
function loose({ nodes, edges }: PlacedDrawing) {
  const boxes = new Map(nodes.map(({ id, box }) => [id, box]));
  return edges.filter(({ source, target, points }) =>
    [[source, points[0]!] as const, [target, points.at(-1)!] as const].some(([id, { x, y }]) => {
      const box = boxes.get(id)!;
      const isBeside = x < box.x - 1 || x > box.x + box.width + 1;
      return isBeside || y < box.y - 1 || y > box.y + box.height + 1;
    }),
  );
}

test.each([30, 60, 120])('a chain of %i states continues in columns', async (length) => {
  const placed = await chain(length);
  const { crossings, throughBoxes, strayLabels, aspect } = measuresOf(placed);
  expect({ crossings, throughBoxes, strayLabels }).toEqual({
    crossings: 0,
    throughBoxes: 0,
    strayLabels: 0,
  });
  expect(aspect).toBeGreaterThan(0.9);
  expect(aspect).toBeLessThan(2.2);
  expect(faultsIn(placed)).toEqual([]);
  expect(loose(placed)).toEqual([]);
});

test('a short chain is one column', async () => {
  expect(measuresOf(await chain(8)).aspect).toBeLessThan(0.5);
});

/** A scenario in which the player walks from scene to scene. Every third can also end it, and the next one is talked about again. */
function scenario(machine_key: string, length: number) {
  const scenes = Array.from({ length }, (_, index) => ({
    state_key: `scene_${index}`,
    label: `Question at house ${index}`,
    prompt_instruction: 'Ask the player.',
    ...(index === 0 && { is_initial_state: true }),
    evaluation_criteria: {
      pass: 'It is answered.',
      reject: 'It is a lie.',
      redirect: 'It is vague.',
    },
  }));
  const states = [
    ...scenes,
    ...['home', 'jail'].map((state_key, index) => ({
      state_key,
      prompt_instruction: 'Part.',
      is_terminal_state: true,
      terminal_outcome: ['ACCEPT', 'REJECT'][index],
    })),
  ];
  const transitions = scenes.flatMap(({ state_key: from }, index) => [
    {
      from_state_key: from,
      to_state_key: scenes[index + 1]?.state_key ?? 'home',
      decision_type: 'pass',
    },
    ...(index % 3 === 1
      ? [{ from_state_key: from, to_state_key: 'jail', decision_type: 'reject' }]
      : []),
    ...(index % 3 === 2
      ? [{ from_state_key: from, to_state_key: from, decision_type: 'redirect' }]
      : []),
  ]);
  return {
    machine_key,
    name: `Through the ${machine_key}`,
    creator_objective: 'Walk.',
    scoring_mode: 'pass_fail',
    states,
    transitions,
  };
}

/** The drawing of a persona with scenarios, each of which follows the one before when they are linked. */
function persona(lengths: Readonly<Record<string, number>>, isLinked = false) {
  const names = Object.keys(lengths);
  const definition = {
    persona: { name: 'Warden', persona_identity_prompt: 'You are the warden.' },
    machines: names.map((name, index) => ({
      ...scenario(name, lengths[name]!),
      ...(index === 0 && { is_entry_machine: true }),
    })),
    machine_links: names.slice(1).map((target, index) => ({
      source_machine_key: names[index],
      target_machine_key: target,
      condition_type: 'outcome',
      condition_value: 'ACCEPT',
      is_auto_advance: isLinked,
    })),
  };
  const { chart } = compile(JSON.stringify(definition), { fileName: 'it.npc.json' });
  return layOut(drawingOf(chart!));
}

test.each([
  ['one scenario of 60 states', { town: 60 }, false],
  ['three scenarios of 20 states', { town: 20, wood: 20, hills: 20 }, false],
  ['three scenarios of 20 states, one after the other', { town: 20, wood: 20, hills: 20 }, true],
  ['a short and a long scenario, in this order', { wood: 8, hills: 30 }, true],
  ['a long, a short and a long scenario', { town: 30, wood: 4, hills: 24 }, false],
  ['a long, a short and a long scenario, in this order', { town: 30, wood: 4, hills: 24 }, true],
])(
  '%s: each continues in columns inside the states around it, and no arrow covers a title',
  async (_, lengths, isLinked) => {
    const placed = await persona(lengths, isLinked);
    const { throughBoxes, strayLabels, aspect } = measuresOf(placed);
    expect({ throughBoxes, strayLabels }).toEqual({ throughBoxes: 0, strayLabels: 0 });
    expect(aspect).toBeGreaterThan(0.65);
    expect(aspect).toBeLessThan(2.2);
    expect(faultsIn(placed)).toEqual([]);
    expect(loose(placed)).toEqual([]);
  },
);
