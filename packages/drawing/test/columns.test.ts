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

/** A scenario of scenes in a row, some of which lead back, on, or to themselves. */
function scenario(length: number) {
  const key = (index: number) => `scene_${index}`;
  const states = Array.from({ length }, (_, index) => ({
    state_key: key(index),
    label: `Scene ${index}`,
    prompt_instruction: 'Play.',
    is_initial_state: index === 0,
    is_terminal_state: index === length - 1,
    display_order: index,
    ...(index < length - 1 && {
      evaluation_criteria: { pass: 'An answer.', reject: 'A refusal.', follow_up: 'Vague.' },
    }),
  }));
  const transitions = states.slice(0, -1).flatMap(({ state_key: from }, index) => [
    { from, to: index + 1, decision: 'pass', condition: `The player agrees to ${index}.` },
    { from, to: index % 5 === 4 ? index - 3 : index, decision: 'reject' },
  ]);
  const machine = {
    machine_key: 'scenes',
    name: 'Scenes',
    scoring_mode: 'pass_fail',
    is_entry_machine: true,
    states,
    transitions: transitions.map(({ from, to, decision, ...more }, index) => ({
      from_state_key: from,
      to_state_key: key(to),
      decision_type: decision,
      priority: index,
      ...more,
    })),
  };
  const persona = { name: 'Elara', persona_identity_prompt: 'You are Elara.' };
  const definition = JSON.stringify({ persona, machines: [machine] });
  const { chart } = compile(definition, { fileName: 'it.npc.json' });
  return layOut(drawingOf(chart!));
}

test('the scenes of a long scenario continue in columns inside of it', async () => {
  const placed = await scenario(40);
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
  expect(new Set(placed.nodes.map(({ id }) => id)).size).toBe(placed.nodes.length);
});

test('a short chain is one column', async () => {
  expect(measuresOf(await chain(8)).aspect).toBeLessThan(0.5);
});
