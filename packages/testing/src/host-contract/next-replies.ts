import type { Chart, NextReply, PortInput, Ports } from '@dramaturg/compiler';
import type { Behaviour } from '@dramaturg/compiler/machine';
import { expect } from 'vitest';
import { rehearsalBehaviour } from './rehearsal.ts';
import { type Fact, type HostStage, until } from './stage.ts';

/** The next reply in the input of a call. */
export function nextReplies(fact: Fact): void {
  fact('a call does not say what the next reply may be, and nobody works it out', async (stage) => {
    const { inputs, foreseen } = await extractions(stage, false);
    expect(inputs.map(({ key, reply }) => ({ key, reply }))).toEqual([{ key: 'a/extract' }]);
    expect(foreseen).toBe(0);
  });

  fact('a call says what the next reply may be when the ports want it', async (stage) => {
    const { inputs } = await extractions(stage, true);
    expect(inputs.map(({ key, reply }) => ({ key, reply }))).toEqual([
      { key: 'a/extract', reply: next },
    ]);
  });
}

const next: NextReply = {
  prompt: [],
  tools: [],
  cases: [{ id: 'over', prompt: [], asks: [], directions: [{ text: 'Say goodbye.' }] }],
};

const chart: Chart = {
  chart: 1,
  format: 'rehearsal',
  id: 'form',
  context: { type: 'job' },
  output: { type: 'job' },
  initial: 'asking',
  states: {
    asking: {
      invoke: [
        {
          id: 'extract',
          src: 'extract',
          input: { type: 'extract' },
          onDone: [{ target: 'over', actions: [{ type: 'keep' }] }],
          onError: [{ target: 'over', actions: [{ type: 'break' }] }],
        },
      ],
    },
    over: { type: 'final' },
  },
};

/** The stored inputs of a run that extracts once: a port gets its stored input (H2). */
async function extractions(stage: HostStage, wantsNextReplies: boolean) {
  const inputs: PortInput<'extract'>[] = [];
  let foreseen = 0;
  const behaviour: Behaviour = {
    ...rehearsalBehaviour,
    inputs: {
      ...rehearsalBehaviour.inputs,
      extract: ({ context }) => ({
        key: `${context.id}/extract`,
        transcript: { conversation: context.id, length: 0 },
        prompt: [],
        schema: { type: 'object' },
      }),
    },
    nextReplies: {
      extract: () => {
        foreseen += 1;
        return next;
      },
    },
  };
  const extract: Ports['extract'] = (input) => {
    inputs.push(input);
    return { value: {} };
  };
  const { workflow, behaviour: lifecycle } = stage.lifecycles;
  await stage.reopen({
    definitions: [{ name: 'form', chart, lifecycle: workflow }],
    behaviours: new Map([
      ['rehearsal', behaviour],
      [workflow.format, lifecycle],
    ]),
    ports: { extract, ...(wantsNextReplies && { wantsNextReplies }) },
  });
  await stage.host.start('form', { id: 'a' });
  await until(async () => (await stage.host.get('a')).ended, 'the run to end');
  return { inputs, foreseen };
}
