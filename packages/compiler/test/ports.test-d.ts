import { expectTypeOf, test } from 'vitest';
import type { AnyStateMachine } from 'xstate';
import { type PortInput, type Ports, providePorts } from '../src/index.ts';

declare const machine: AnyStateMachine;

test('a port knows what it is asked and what it may answer', () => {
  providePorts(machine, {
    choose: (input, call) => {
      expectTypeOf(input).toEqualTypeOf<PortInput<'choose'>>();
      expectTypeOf(call.signal).toEqualTypeOf<AbortSignal>();
      return { option: 'yes' };
    },
    // A default that the schema fills in may be left out.
    reply: () => ({ text: 'Hello' }),
  });
});

test('a port that does not exist, or answers in another shape, does not compile', () => {
  // @ts-expect-error -- There is no such port.
  providePorts(machine, { telepathy: () => ({}) });
  // @ts-expect-error -- An option has a name.
  providePorts(machine, { choose: () => ({ opinion: 'yes' }) });
  expectTypeOf<keyof Ports>().toEqualTypeOf<
    | 'reply'
    | 'choose'
    | 'extract'
    | 'validate'
    | 'transcribe'
    | 'think'
    | 'recall'
    | 'remember'
    | 'callTool'
    | 'runAgent'
    | 'saveCheckpoint'
    | 'requestDecision'
    | 'countSpending'
    | 'timer'
  >();
});
