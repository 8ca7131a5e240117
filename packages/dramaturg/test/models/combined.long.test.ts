import { until } from '@dramaturg/testing';
import { compile, createHost, lowdbStore, type Ports } from 'dramaturg';
import { rehearse } from 'dramaturg/recording';
import fc from 'fast-check';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { erratic, roaming } from './combining.ts';
import { gullible, undisturbed } from './courses.ts';
import { generatedPlan } from './generated-plan.ts';
import { hostileMessages } from './hostile.ts';
import { answering, type Brain, converse, definition, type Heard, stageWith } from './stage.ts';
import { sampled, scaled } from '../../../../.config/scaled.ts';

/** What a plan does, without the texts of messages and what they cost. */
const moves = (events: readonly Heard[]) =>
  events.flatMap(({ text, ...rest }) =>
    rest.type === 'usage.recorded' ? [] : [{ ...rest, hasText: text !== undefined }],
  );

const texts = (events: readonly Heard[]) =>
  events.flatMap(({ type, text }) => (type === 'message.sent' ? [text] : []));

const lines = Array.from({ length: 12 }, (_, turn) => `Message ${turn}`);

async function play(
  machine: Parameters<typeof converse>[0],
  seed: number,
  combineReplies: boolean,
  model = erratic,
) {
  const { ports, server } = await stageWith(model(seed), { combineReplies });
  const { events, output } = await converse(machine, ports, lines);
  const [requests, written] = [
    server.requests.length,
    texts(events).filter((it) => it === 'Written before.'),
  ];
  await server[Symbol.asyncDispose]();
  return { moves: moves(events), output, requests, written: written.length };
}

test.each([
  'customer-intake.plan.json',
  'plan/test/fixtures/intake/intake.plan.json',
  'plan/test/fixtures/return/return.plan.json',
])(
  'a conversation with %s takes the same course whether replies are combined or not',
  async (path) => {
    let [saved, written] = [0, 0];
    for (let seed = 1; seed <= scaled(15); seed += 1) {
      const machine = definition(path);
      const plain = await play(machine, seed, false);
      const combined = await play(machine, seed, true);
      expect({ seed, moves: combined.moves, output: combined.output }).toEqual({
        seed,
        moves: plain.moves,
        output: plain.output,
      });
      saved += plain.requests - combined.requests;
      written += combined.written;
    }
    // Each message that was used saves the request for it.
    expect(saved).toBe(written);
    expect(written).toBeGreaterThan(scaled(20));
  },
);

test.each([
  'check-in.context-graph.yaml',
  'context-graph/test/fixtures/check-in/check-in.context-graph.json',
])(
  'a conversation with %s takes the same course whether replies are combined or not',
  async (path) => {
    let [saved, written] = [0, 0];
    for (let seed = 1; seed <= scaled(15); seed += 1) {
      const machine = definition(path);
      const plain = await play(machine, seed, false, roaming);
      const combined = await play(machine, seed, true, roaming);
      expect({ seed, moves: combined.moves }).toEqual({ seed, moves: plain.moves });
      saved += plain.requests - combined.requests;
      written += combined.written;
    }
    expect(saved).toBe(written);
    expect(written).toBeGreaterThan(scaled(10));
  },
);

test('generated plans take the same course whether replies are combined or not', async () => {
  let written = 0;
  await fc.assert(
    fc.asyncProperty(generatedPlan, fc.nat(1_000), async (plan, seed) => {
      const machine = compile(JSON.stringify(plan));
      fc.pre(machine.machine !== undefined);
      const plain = await play(machine, seed, false);
      const combined = await play(machine, seed, true);
      expect(combined.moves).toEqual(plain.moves);
      expect(plain.requests - combined.requests).toBe(combined.written);
      written += combined.written;
    }),
    { numRuns: scaled(40) },
  );
  expect(written).toBeGreaterThanOrEqual(scaled(40));
});

/** The model does what a hostile message wants, in the data and in the message. */
const obedient =
  (hostile: (typeof hostileMessages)[number]): Brain =>
  (asked) => {
    const answer = gullible(hostile)(asked);
    if (asked.schema === undefined || hostile.raw !== undefined) return answer;
    const { option, value, says, calls = [] } = hostile;
    const reply = { case: option ?? 'greeting', asks: '', does: [1], text: says, toolCalls: calls };
    const data = { ...Object(value ?? { class: option }), option, reason: says };
    return {
      ...answering(asked, { ...data, data, reply, toolCalls: calls }),
      toolCalls: [...calls],
    };
  };

test('no hostile message moves a plan by way of the message that comes with the data', async () => {
  for (const hostile of sampled(hostileMessages)) {
    const { ports, server } = await stageWith(obedient(hostile), { combineReplies: true });
    const { events } = await converse(definition('customer-intake.plan.json'), ports, [
      hostile.says,
    ]);
    const went = events
      .filter(({ type }) => type !== 'usage.recorded')
      .map(({ type, state, task, deliverable }) =>
        [type, state, task, deliverable].filter(Boolean).join(' '),
      );
    // The greeting may be done by speaking, so that a model may say that it is; nothing else has happened.
    const others = went.filter((move) => move !== 'task.completed greeting welcome');
    expect([hostile.says, others]).toEqual([
      hostile.says,
      (undisturbed.plan as { went: string[] }).went,
    ]);
    await server[Symbol.asyncDispose]();
  }
});

const facts: Brain = (asked) => {
  if (asked.schema === undefined) return { text: 'Asked for.' };
  const reply = { case: 'talk', asks: 'city', does: [], text: 'And where do you live?' };
  return answering(asked, { data: { deliverables: { name: 'Ada' } }, reply });
};

const talk = JSON.stringify({
  id: 'talk',
  states: [
    {
      id: 'talk',
      title: 'Talk',
      tasks: [{ id: 'who', description: 'Who', deliverables: [{ key: 'name' }, { key: 'city' }] }],
    },
  ],
});

/** A host on a folder; its messages, and the requests to its model. */
async function hostOn(
  folder: string,
  change: (ports: Partial<Ports>) => Partial<Ports> = (it) => it,
) {
  const { ports, server } = await stageWith(facts, { combineReplies: true });
  const host = await createHost({
    store: lowdbStore(folder),
    definitions: { talk: compile(talk) },
    ports: change(ports),
  });
  return { host, server };
}

async function folderForTest(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'dramaturg-combined-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

async function agentLines(host: Awaited<ReturnType<typeof createHost>>) {
  const transcript = await host.transcript('a', { from: 0, limit: 100 });
  return transcript.flatMap(({ role, text }) => (role === 'agent' ? [text] : []));
}

test('a recording has both calls, and replays them without a model', async () => {
  const recording = join(await folderForTest(), 'ada.recording');
  const { ports, server } = await stageWith(facts, { combineReplies: true });
  const said = { recording, lines: ['I am Ada'], ports: () => ports };
  const recorded = await rehearse(compile(talk), { ...said, update: true });
  expect(server.requests.length).toBe(2);
  const replayed = await rehearse(compile(talk), { ...said, update: false });
  expect(replayed.events).toEqual(recorded.events);
  const usage = recorded.events.filter(({ type }) => type === 'usage.recorded');
  // The greeting, and the data with the message: what was paid once counts once.
  expect(usage.map(({ port }) => port)).toEqual(['reply', 'extract']);
  expect(server.requests.length).toBe(2);
});

test.each(['check-in.context-graph.yaml', 'customer-intake.plan.json'])(
  'calls of %s say what the next reply may be only when replies are combined',
  async (path) => {
    const folder = await folderForTest();
    const recordedWith = async (combineReplies: boolean) => {
      const recording = join(folder, `${combineReplies}.recording`);
      const { ports } = await stageWith(roaming(1), { combineReplies });
      const said = { recording, lines: ['Hello', 'Good evening'], ports: () => ports };
      const recorded = await rehearse(definition(path), { ...said, update: true });
      const replayed = await rehearse(definition(path), { ...said, update: false });
      expect(replayed.events).toEqual(recorded.events);
      return (await readFile(recording, 'utf8')).includes('"reply":{"prompt":');
    };
    expect(await recordedWith(true)).toBe(true);
    expect(await recordedWith(false)).toBe(false);
  },
);

test('on a host the model knows the tools of the lifecycle, and one request makes a turn', async () => {
  const { host, server } = await hostOn(await folderForTest());
  await host.start('talk', { id: 'a', contact: 'ada' });
  await host.settle();
  await host.receive({ contact: 'ada', text: 'I am Ada' });
  await host.settle();
  expect(await agentLines(host)).toEqual(['Asked for.', 'And where do you live?']);
  // The first message, and the data with the second.
  expect(server.requests.length).toBe(2);
  const prompt = JSON.stringify(server.requests[1]?.messages);
  const tools = (server.requests[0]?.tools ?? []).map(({ function: tool }) => tool.name);
  const ofLifecycle = tools.filter((name) => !name.endsWith('_task'));
  expect(ofLifecycle.length).toBeGreaterThan(0);
  expect(ofLifecycle.filter((name) => !prompt.includes(`- ${name}: `))).toEqual([]);
  await host.stop();
});

test('after a restart between the data and the reply, the model is asked once, and one message is sent', async () => {
  const folder = await folderForTest();
  let asked = 0;
  // The first reply is the greeting; the process ends before the second one is answered.
  const hanging = (ports: Partial<Ports>): Partial<Ports> => ({
    ...ports,
    reply: (input, call) => {
      asked += 1;
      return asked === 1 ? ports.reply!(input, call) : new Promise(() => {});
    },
  });
  const first = await hostOn(folder, hanging);
  await first.host.start('talk', { id: 'a', contact: 'ada' });
  await first.host.settle();
  await first.host.receive({ contact: 'ada', text: 'I am Ada' });
  await until(() => asked === 2, 'the second reply');
  await first.host.stop({ within: 0 });
  const second = await hostOn(folder);
  await second.host.settle();
  expect(await agentLines(second.host)).toEqual(['Asked for.', 'Asked for.']);
  // The data is stored, and the message is not.
  expect(second.server.requests.map(({ response_format: form }) => form)).toEqual([undefined]);
  await second.host.stop();
});
