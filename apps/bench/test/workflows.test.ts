import { createActor, toPromise } from 'xstate';
import { expect, test } from 'vitest';
import { fiftyStates } from '../src/cases/check-asl.ts';
import { order, tenStates } from '../src/workflows/ten-states.ts';
import { tenStatesMachine } from '../src/workflows/ten-states-machine.ts';

test('the hand-written machine has a state for each workflow state and returns the same result', async () => {
  expect(Object.keys(tenStatesMachine.states).map((name) => name.toLowerCase())).toEqual(
    Object.keys(tenStates.States).map((name) => name.toLowerCase()),
  );
  expect(await toPromise(createActor(tenStatesMachine, { input: order }).start())).toEqual({
    id: 'A-1042',
    total: 90,
    note: 'Large order A-1042 of Ada',
    reservation: 'R-A-1042',
    lines: 2,
  });
});

test('the workflow of fifty states visits all of them', () => {
  const { StartAt, States } = JSON.parse(fiftyStates()) as {
    StartAt: string;
    States: Record<string, { Next?: string; Choices?: { Next: string }[] }>;
  };
  const visited: string[] = [];
  for (let name: string | undefined = StartAt; name !== undefined;) {
    visited.push(name);
    const state: (typeof States)[string] = States[name]!;
    name = state.Choices?.[0]?.Next ?? state.Next;
  }
  expect(visited).toEqual(Object.keys(States));
  expect(visited).toHaveLength(50);
});
