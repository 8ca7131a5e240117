import { expect, test } from 'vitest';
import {
  assign,
  createActor,
  type EmittedFrom,
  sendTo,
  setup,
  type Snapshot,
  waitFor,
} from 'xstate';
import { compile, providePorts, understudyPorts } from '../src/index.ts';

/** A compiled machine inside of a machine of one's own. Spec: docs/how-to/from-xstate.md#inside-of-your-own-machine */

const definition = JSON.stringify({
  title: 'Intake',
  states: [
    {
      id: 'guest',
      title: 'Guest',
      type: 'strict',
      tasks: [
        { id: 'name', description: 'What is your name?', deliverables: [{ key: 'name' }] },
        { id: 'city', description: 'Where do you live?', deliverables: [{ key: 'city' }] },
      ],
    },
  ],
});

function booking(fuse: boolean) {
  const { machine } = compile(definition, { format: 'plan', link: { fuse } });
  const intake = providePorts(machine!, understudyPorts(), { emitToParent: true });
  type Heard = EmittedFrom<typeof intake> | { type: 'said'; text: string };
  return setup({
    types: {
      context: {} as { known: Record<string, unknown>; heard: string[] },
      events: {} as Heard,
    },
    actors: { intake },
  }).createMachine({
    context: { known: {}, heard: [] },
    initial: 'asking',
    states: {
      asking: {
        invoke: { src: 'intake', id: 'intake', onDone: 'booking' },
        on: {
          said: {
            actions: sendTo('intake', ({ event: { text } }) => ({
              type: 'message.received',
              text,
            })),
          },
          'deliverable.collected': {
            actions: assign({
              known: ({ context, event }) => ({
                ...context.known,
                [event.deliverable]: event.value,
              }),
            }),
          },
          'message.sent': {
            actions: assign({ heard: ({ context, event }) => [...context.heard, event.text] }),
          },
        },
      },
      booking: { type: 'final' },
    },
  });
}

test.each([true, false])(
  'its parent receives what it emits, after a restore too (fused: %s)',
  async (fuse) => {
    const machine = booking(fuse);
    const heard = (count: number) => (snapshot: { context: { heard: string[] } }) =>
      snapshot.context.heard.length >= count;
    const first = createActor(machine).start();
    await waitFor(first, heard(1));
    first.send({ type: 'said', text: 'Ada' });
    await waitFor(first, heard(2));
    const stored = JSON.parse(JSON.stringify(first.getPersistedSnapshot())) as Snapshot<unknown>;
    first.stop();
    const second = createActor(machine, { snapshot: stored }).start();
    second.send({ type: 'said', text: 'Ulm' });
    const { context } = await waitFor(second, ({ status }) => status === 'done');
    expect(context.known).toEqual({ name: 'Ada', city: 'Ulm' });
    expect(context.heard).toHaveLength(3);
  },
);

test('without a parent, and without the option, it only emits', async () => {
  const { machine } = compile(definition, { format: 'plan' });
  const alone = createActor(providePorts(machine!, understudyPorts(), { emitToParent: true }));
  const sent: string[] = [];
  alone.on('message.sent', ({ text }) => sent.push(text));
  alone.start();
  await waitFor(alone, (snapshot) => snapshot.hasTag('waiting'));
  expect(sent).toHaveLength(1);
  const silent = providePorts(machine!, understudyPorts());
  const parent = createActor(
    setup({ actors: { silent } }).createMachine({
      invoke: { src: 'silent', id: 'silent' },
      on: { 'message.sent': { actions: () => sent.push('to the parent') } },
    }),
  ).start();
  const child = parent.getSnapshot().children['silent']!;
  await waitFor(child as typeof alone, (snapshot) => snapshot.hasTag('waiting'));
  expect(sent).toHaveLength(1);
});
