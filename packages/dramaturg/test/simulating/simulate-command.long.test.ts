import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readRecording } from '@dramaturg/host';
import { hasNextReplies } from '@dramaturg/host/engine';
import { type ChatRequest, type ModelAnswer, modelServer } from '@dramaturg/langchain/testing';
import { expect, onTestFinished, test } from 'vitest';
import type { SimulationReport } from '../../src/simulating/report.ts';
import { dramaturg, examples, folderWith } from '../command.ts';

const intake = 'customer-intake.plan.json';

async function reportOf(...args: readonly string[]): Promise<SimulationReport> {
  const { stdout, stderr } = await dramaturg(['simulate', ...args, '--json']);
  expect(stderr).toBe('');
  return JSON.parse(stdout) as SimulationReport;
}

test('the same seed gives the same conversations, byte for byte, and another seed others', async () => {
  const run = ['simulate', intake, '--runs', '2', '--json'];
  const [one, again, other] = await Promise.all([
    dramaturg(run),
    dramaturg(run),
    dramaturg([...run, '--seed', '2']),
  ]);
  expect(one).toMatchObject({ code: 0, stderr: '' });
  expect(again).toEqual(one);
  expect(other.stdout).not.toBe(one.stdout);
});

test('the number of conversations at the same time changes nothing in the report', async () => {
  const run = ['simulate', intake, '--runs', '3', '--json'];
  const [one, many] = await Promise.all([
    dramaturg([...run, '--concurrency', '1']),
    dramaturg([...run, '--concurrency', '9']),
  ]);
  expect(one).toMatchObject({ code: 0, stderr: '' });
  expect(many).toEqual(one);
});

test('every kind of person talks to a plan, and the report counts how it ended', async () => {
  const { personas, score, conversations, stuck } = await reportOf(intake, '--runs', '5');
  expect(personas.map(({ persona, conversations: count }) => [persona, count])).toEqual([
    ['cooperative', 5],
    ['terse', 5],
    ['confused', 5],
    ['hostile', 5],
    ['changes-mind', 5],
    ['two-at-once', 5],
    ['spanish', 5],
  ]);
  expect(score).toMatchObject({
    conversations: 35,
    good: personas.reduce((n, { good }) => n + good, 0),
  });
  expect(score.low).toBeLessThan(score.share);
  expect(score.high).toBeGreaterThan(score.share);
  // A person without a good end is listed with a place in the definition.
  expect(stuck.flatMap(({ conversations: names }) => names)).toHaveLength(35 - score.good);
  for (const { line, because } of stuck)
    expect([line, because]).toEqual([
      expect.any(Number),
      expect.stringMatching(/gave up|asked for a person/),
    ]);
  const [first] = conversations;
  expect(first?.ending).toMatchObject({ outcome: 'completed', isGood: true, state: 'farewell' });
  expect(first?.turns.flatMap(({ moves }) => moves).at(1)).toEqual({
    from: 'greeting',
    to: 'customer-intake',
    by: 'Greeting: all tasks complete',
    line: 31,
    column: 9,
  });
});

test('a person who answers two questions at once gives a value that was not asked for', async () => {
  const { conversations } = await reportOf(intake, '--personas', 'two-at-once', '--runs', '3');
  for (const { turns } of conversations) {
    const extracted = turns.flatMap(({ decided }) =>
      decided.flatMap(({ port, answer }) => (port === 'extract' ? [answer] : [])),
    ) as readonly { readonly deliverables?: object }[];
    expect(extracted.some(({ deliverables = {} }) => Object.keys(deliverables).length > 1)).toBe(
      true,
    );
  }
});

test('transcripts are written, and a run plays the lines of one again', async () => {
  const folder = join(await folderWith({}), 'runs');
  await dramaturg([
    'simulate',
    intake,
    '--personas',
    'hostile,terse',
    '--runs',
    '1',
    '--out',
    folder,
  ]);
  expect((await readdir(folder)).toSorted()).toEqual([
    'hostile-01.transcript',
    'run.json',
    'terse-01.transcript',
  ]);
  const transcript = await readFile(join(folder, 'terse-01.transcript'), 'utf8');
  expect(transcript).toContain('[to "customer-intake" by Greeting: all tasks complete');
  const played = await dramaturg(['run', intake, '--script', join(folder, 'terse-01.transcript')]);
  expect(played.stdout).toContain('The conversation is completed.');
  // The next simulation takes the place of this one.
  await dramaturg(['simulate', intake, '--personas', 'terse', '--runs', '1', '--out', folder]);
  expect((await readdir(folder)).toSorted()).toEqual(['run.json', 'terse-01.transcript']);
});

test('a folder with other files is refused before anything runs', async () => {
  const folder = await folderWith({ 'letter.txt': 'Dear Ada' });
  const { code, stderr } = await dramaturg(['simulate', intake, '--out', folder]);
  expect(code).toBe(2);
  expect(stderr).toContain('has files that are not of a simulation, such as "letter.txt"');
  expect(await readdir(folder)).toEqual(['letter.txt']);
});

test('options and states leave no doubt about what a good end is', async () => {
  const { score } = await reportOf(intake, '--runs', '1', '--personas', 'terse', '--good', 'none');
  expect(score).toMatchObject({ good: 0, conversations: 1 });
  const { code, stderr } = await dramaturg([
    'simulate',
    intake,
    '--runs',
    '1',
    '--personas',
    'terse',
    '--good',
    'none',
    '--min',
    '50',
  ]);
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: 'error: The score is 0 %, less than 50 %.\n',
  });
});

test('a conversation that does not come to an end stops at the limit of turns', async () => {
  const { conversations } = await reportOf(
    intake,
    '--personas',
    'cooperative',
    '--runs',
    '1',
    '--max-turns',
    '2',
  );
  expect(conversations[0]?.ending).toEqual({
    outcome: 'turn limit',
    isGood: false,
    state: 'customer-intake',
    because: 'No end after 2 messages, asked for "issue_type".',
  });
});

/** Options for a model behind a server on this machine. */
async function modelThat(answers: (request: ChatRequest, count: number) => ModelAnswer) {
  const server = await modelServer(answers);
  onTestFinished(() => server[Symbol.asyncDispose]());
  return { server, options: ['--model', 'openai:test-model', '--base-url', server.baseUrl] };
}

/** Reads the name, and asks for it otherwise. */
const talks = ({ response_format: form, messages }: ChatRequest): ModelAnswer => {
  if (form === undefined) return { text: 'What may I call you?' };
  const name = /Ada Byron|Sam Lee|Maria Costa|Omar Haddad/.exec(
    messages.at(-1)?.content ?? '',
  )?.[0];
  return {
    text: JSON.stringify(name === undefined ? {} : { deliverables: { customer_name: name } }),
  };
};

test('a simulation with a model is recorded, and replayed without it, byte for byte', async () => {
  const { server, options } = await modelThat(talks);
  const folder = join(await folderWith({}), 'runs');
  const run = [
    'simulate',
    intake,
    '--personas',
    'terse,hostile',
    '--runs',
    '2',
    '--max-turns',
    '4',
  ];
  const recorded = await dramaturg([...run, ...options, '--out', folder, '--json']);
  expect(recorded).toMatchObject({ code: 0, stderr: '' });
  expect(JSON.parse(recorded.stdout)).toMatchObject({
    agent: 'openai:test-model',
    used: { calls: expect.any(Number) },
  });
  const asked = server.requests.length;
  const replayed = await dramaturg(['simulate', intake, '--replay', folder, '--json']);
  expect(replayed).toEqual(recorded);
  expect(server.requests).toHaveLength(asked);
  expect(await areNextRepliesIn(folder)).toEqual([false, false, false, false]);
});

test('a model that wants next replies gets them, and its replay makes the same calls', async () => {
  const { options } = await modelThat(talks);
  const folder = join(await folderWith({}), 'runs');
  const bounds = ['--personas', 'terse', '--runs', '2', '--max-turns', '3', '--json'];
  const given = [...bounds, ...options, '--combine-replies', '--out', folder];
  const recorded = await dramaturg(['simulate', intake, ...given]);
  expect(recorded).toMatchObject({ code: 0, stderr: '' });
  expect(await areNextRepliesIn(folder)).toEqual([true, true]);
  const replayed = await dramaturg(['simulate', intake, '--replay', folder, '--json']);
  expect(replayed).toEqual(recorded);
});

/** Whether the recorded calls of each conversation have their next reply. */
async function areNextRepliesIn(folder: string): Promise<readonly boolean[]> {
  const names = (await readdir(folder)).filter((name) => /-\d+\.(?!transcript)/.test(name));
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
  return texts.map((text, index) => hasNextReplies(readRecording(text, names[index]!)));
}

test('a replay fails with the first difference when a prompt has changed', async () => {
  const { options } = await modelThat(talks);
  const plan = await readFile(join(examples, intake), 'utf8');
  const folder = await folderWith({ 'intake.plan.json': plan });
  const definition = join(folder, 'intake.plan.json');
  const runs = join(folder, 'runs');
  const bounds = ['--personas', 'terse', '--runs', '1', '--max-turns', '2'];
  await dramaturg(['simulate', definition, ...bounds, ...options, '--out', runs]);
  await writeFile(definition, plan.replace('What is your name?', 'What do people call you?'));
  const { code, stderr } = await dramaturg(['simulate', definition, '--replay', runs]);
  expect(code).toBe(4);
  expect(stderr).toContain('The run leaves the recording');
  expect(stderr).toContain('The definition has changed.');
});

test('a model plays the persons: it sees the conversation from the other side, and may leave', async () => {
  const { options, server } = await modelThat(({ messages }) => {
    const said = messages.filter(({ role }) => role === 'assistant').length;
    return { text: ['Ada Byron', '4711-B', '[leaves]'][said] ?? '[leaves]' };
  });
  const { stdout, code } = await dramaturg([
    'simulate',
    intake,
    '--personas',
    'hostile',
    '--runs',
    '1',
    '--json',
    '--person-model',
    ...options.slice(1),
  ]);
  expect(code).toBe(0);
  const { conversations, persons, agent } = JSON.parse(stdout) as SimulationReport;
  expect({ persons, agent }).toEqual({ persons: 'openai:test-model', agent: 'understudy' });
  const [{ turns, ending, usedByPerson } = conversations[0]!] = conversations;
  expect(turns.map(({ person }) => person)).toEqual([undefined, 'Ada Byron', '4711-B']);
  expect(ending).toMatchObject({ outcome: 'left', state: 'customer-intake' });
  expect(usedByPerson).toMatchObject({ requests: 3 });
  const [first] = server.requests;
  expect(JSON.stringify(first?.messages)).toContain('distrusts every question');
  expect(first?.messages.at(-1)).toMatchObject({ role: 'user' });
});

test('an outage of the model ends its conversation, and the others go on', async () => {
  const { options } = await modelThat((request) => {
    // Only the person of the second conversation has this name.
    const hears = JSON.stringify(request.messages);
    return hears.includes('Ada')
      ? { status: 400, error: { message: 'out of order' } }
      : talks(request);
  });
  const folder = await folderWith({
    'one.persona.yaml': 'description: One\nlike: terse\nanswers: { customer_name: Ada }\n',
    'two.persona.yaml': 'description: Two\nlike: terse\nanswers: { customer_name: Sam Lee }\n',
  });
  const { code, stdout } = await dramaturg([
    'simulate',
    intake,
    '--runs',
    '1',
    '--max-turns',
    '2',
    '--json',
    ...options,
    '--personas',
    `${folder}/one.persona.yaml,${folder}/two.persona.yaml`,
  ]);
  expect(code).toBe(0);
  const { conversations } = JSON.parse(stdout) as SimulationReport;
  expect(conversations.map(({ ending }) => ending)).toMatchObject([
    { outcome: 'outage', because: expect.stringContaining('out of order') },
    { outcome: 'turn limit' },
  ]);
});

test('if every conversation has failed, so has the simulation', async () => {
  const { options } = await modelThat(() => ({ status: 400, error: { message: 'out of order' } }));
  const { code, stdout } = await dramaturg([
    'simulate',
    intake,
    '--personas',
    'terse',
    '--runs',
    '2',
    ...options,
  ]);
  expect(code).toBe(4);
  expect(stdout).toContain('2 outage');
});

test.each([
  [['--personas', 'terze'], 'There is no persona "terze".\nhint: Did you mean "terse"?'],
  [['--personas', 'shy.persona.yaml'], 'There is no file "shy.persona.yaml".'],
  [['--runs', '0'], 'It must be a whole number from 1 to 1000.'],
  [['--replay', '.'], 'it has no "run.json"'],
])('%j is answered with a sentence', async (options, message) => {
  const { code, stderr } = await dramaturg(['simulate', intake, ...options]);
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) });
});

test('persons send the events of a lifecycle, also some that it refuses', async () => {
  const { conversations, personas } = await reportOf(
    'parcel.lifecycle.json',
    '--runs',
    '10',
    '--personas',
    'cooperative,hostile',
  );
  const ends = new Set(conversations.map(({ ending }) => ending.outcome));
  expect([...ends].toSorted()).toEqual(['DELIVERED', 'RETURNED']);
  expect(conversations.every(({ ending }) => ending.isGood)).toBe(true);
  const [cooperative, hostile] = personas;
  expect(cooperative!.messages).toBeGreaterThan(hostile!.messages);
  const refusals = conversations.flatMap(({ turns }) => turns.flatMap(({ failures }) => failures));
  expect(refusals).toContainEqual(expect.stringMatching(/^refused: An instance in "\w+" does not/));
});

test('persons decide on the approvals of a workflow, each as somebody who may', async () => {
  const { conversations } = await reportOf(
    'refund.asl.json',
    '--input',
    'refund.json',
    '--runs',
    '10',
    '--personas',
    'cooperative,confused',
  );
  const words = conversations.flatMap(({ turns }) => turns.map(({ person = '' }) => person));
  expect(words).toContainEqual(
    expect.stringMatching(/^\(decides\) approve by (ana|bob|dan): As agreed/),
  );
  expect(words).toContainEqual(expect.stringContaining('by somebody'));
  const outcomes = new Set(conversations.map(({ ending }) => ending.outcome));
  expect([...outcomes].toSorted()).toEqual(['failed', 'succeeded']);
});

test('a definition in which nobody talks is refused', async () => {
  const { code, stderr } = await dramaturg(['simulate', 'report.asl.json']);
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: expect.stringContaining(
      'Nobody takes part in "report.asl.json": it is a workflow without an approval, a task with a token, a debate or a conversation.',
    ),
  });
});

test('a workflow that goes round without an end is stopped, and counted', async () => {
  const folder = await folderWith({
    'poll.asl.json': JSON.stringify({
      StartAt: 'Ask',
      States: {
        Ask: { Type: 'Approval', Prompt: 'Begin?', Next: 'Again' },
        Again: { Type: 'Task', Agent: 'Poll', ResultPath: null, Next: 'Done?' },
        'Done?': {
          Type: 'Choice',
          Choices: [{ Variable: '$.found', BooleanEquals: true, Next: 'Done' }],
          Default: 'Again',
        },
        Done: { Type: 'Succeed' },
      },
    }),
  });
  const { conversations } = await reportOf(
    join(folder, 'poll.asl.json'),
    '--personas',
    'cooperative',
    '--runs',
    '1',
  );
  expect(conversations.map(({ ending }) => ending)).toEqual([
    {
      outcome: 'call limit',
      isGood: false,
      state: 'Again',
      because: expect.stringContaining(
        'has made 2000 calls and goes on: it is in the state "Again"',
      ),
    },
  ]);
});
