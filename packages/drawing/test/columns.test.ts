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
function scenario(length: number) {
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
  const machine = {
    machine_key: 'town',
    name: 'Through the town',
    creator_objective: 'Walk.',
    scoring_mode: 'pass_fail',
    states,
    transitions,
  };
  const persona = { name: 'Warden', persona_identity_prompt: 'You are the warden.' };
  const definition = { persona, machines: [machine] };
  const { chart } = compile(JSON.stringify(definition), { fileName: 'it.npc.json' });
  return layOut(drawingOf(chart!));
}

test('a scenario of 60 states continues in columns inside the states around it, and no arrow covers a title', async () => {
  const placed = await scenario(60);
  const { throughBoxes, strayLabels, aspect } = measuresOf(placed);
  expect({ throughBoxes, strayLabels }).toEqual({ throughBoxes: 0, strayLabels: 0 });
  expect(aspect).toBeGreaterThan(0.7);
  expect(aspect).toBeLessThan(2.2);
  expect(faultsIn(placed)).toEqual([]);
  expect(loose(placed)).toEqual([]);
});
