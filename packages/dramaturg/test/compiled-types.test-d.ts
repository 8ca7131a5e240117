import {
  compile,
  type Compiled,
  type CompiledPlan,
  type Json,
  providePorts,
  understudyPorts,
} from 'dramaturg';
import {
  type ActorRefFrom,
  type AnyStateMachine,
  createActor,
  type EmittedFrom,
  type OutputFrom,
  setup,
} from 'xstate';
import { expectTypeOf, test } from 'vitest';

test('a definition whose format is named has the events and the output of the format', () => {
  const plan = compile('{}', { format: 'plan' });
  expectTypeOf(plan).toEqualTypeOf<CompiledPlan>();
  const actor = createActor(providePorts(plan.machine!, understudyPorts()), {
    input: { session: { name: 'Ada' } },
  });
  actor.send({ type: 'message.received', text: 'Hello' });
  // @ts-expect-error a plan does not know the event
  actor.send({ type: 'task.succeeded', token: 'a' });
  // @ts-expect-error the text of a message is a string
  actor.send({ type: 'message.received', text: 1 });
  expectTypeOf(actor.getSnapshot().output).toEqualTypeOf<
    OutputFrom<NonNullable<CompiledPlan['machine']>> | undefined
  >();
  actor.on('task.completed', ({ task }) => expectTypeOf(task).toEqualTypeOf<string>());
  actor.on('conversation.ended', ({ outcome, deliverables }) => {
    expectTypeOf(outcome).toEqualTypeOf<string>();
    expectTypeOf(deliverables).toEqualTypeOf<Readonly<Record<string, Json>>>();
  });
});

test('each format has its own events', () => {
  const npc = createActor(compile('{}', { format: 'npc' }).machine!);
  npc.send({ type: 'scenario.start', machine_key: 'inn' });
  const workflow = createActor(compile('{}', { format: 'asl' }).machine!, { input: { input: 1 } });
  // @ts-expect-error a workflow takes no messages
  workflow.send({ type: 'message.received', text: 'Hello' });
  const graph = createActor(compile('{}', { format: 'context-graph' }).machine!);
  graph.send({ type: 'message.received', text: 'Hello' });
  const parcel = createActor(compile('{}', { format: 'lifecycle' }).machine!);
  parcel.send({ type: 'dispatch' });
  expectTypeOf(parcel).toHaveProperty('send');
});

test('a definition of any format is compiled to any machine', () => {
  const name: string = 'plan';
  expectTypeOf(compile('{}')).toEqualTypeOf<Compiled>();
  expectTypeOf(compile('{}', { format: name })).toEqualTypeOf<Compiled>();
  expectTypeOf(compile('{}', { format: 'plan' }).machine!).toExtend<AnyStateMachine>();
});

test('the parent of a compiled machine knows the events in both directions', () => {
  const { machine } = compile('{}', { format: 'plan' });
  const intake = providePorts(machine!, understudyPorts(), { emitToParent: true });
  type Emitted = EmittedFrom<typeof intake>;
  setup({ types: { events: {} as Emitted }, actors: { intake } }).createMachine({
    invoke: { src: 'intake', id: 'intake' },
    on: {
      'task.completed': {
        actions: ({ event }) => expectTypeOf(event.task).toEqualTypeOf<string>(),
      },
    },
  });
  expectTypeOf<Extract<Emitted, { type: 'verdict.reached' }>>().toBeNever();
  const tell = (child: ActorRefFrom<typeof intake>) => {
    child.send({ type: 'message.received', text: 'Hello' });
    // @ts-expect-error a plan does not know the event
    child.send({ type: 'task.succeeded', token: 'a' });
  };
  expectTypeOf(tell).toBeFunction();
});
