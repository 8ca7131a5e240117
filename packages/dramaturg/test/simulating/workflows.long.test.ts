import { join } from 'node:path';
import { modelServer } from '@dramaturg/langchain/testing';
import { expect, test } from 'vitest';
import type { SimulationReport } from '../../src/simulating/report.ts';
import { dramaturg, folderWith } from '../command.ts';

/** Persons beside workflows: they complete tasks with tokens, debate, decide, and talk in the conversations that a workflow holds. */

async function reportOf(file: string, ...args: readonly string[]): Promise<SimulationReport> {
  const { stdout, stderr } = await dramaturg(['simulate', file, ...args, '--json']);
  expect(stderr).toBe('');
  return JSON.parse(stdout) as SimulationReport;
}

const end = { Type: 'Succeed' };

const callback = {
  StartAt: 'Approve',
  States: {
    Approve: {
      Type: 'Task',
      Resource: 'arn:aws:states:::sqs:sendMessage.waitForTaskToken',
      Parameters: { QueueUrl: 'https://queue', MessageBody: { 'token.$': '$$.Task.Token' } },
      TimeoutSeconds: 7200,
      Catch: [
        { ErrorEquals: ['Denied'], Next: 'No' },
        { ErrorEquals: ['States.Timeout'], Next: 'Late' },
      ],
      Next: 'Way',
    },
    Way: {
      Type: 'Choice',
      Choices: [{ Variable: '$.amount', NumericGreaterThan: 100, Next: 'Big' }],
      Default: 'Small',
    },
    Big: end,
    Small: end,
    No: { Type: 'Fail', Error: 'No' },
    Late: { Type: 'Fail', Error: 'Late' },
  },
};

const debate = {
  StartAt: 'Discuss',
  States: {
    Discuss: {
      Type: 'Debate',
      Agents: ['Engineer', 'Designer', 'Owner'],
      TopicPath: '$.question',
      Rounds: 2,
      Consensus: { Method: 'voting' },
      End: true,
    },
  },
};

const fileWith = async (name: string, definition: object, others: Record<string, object> = {}) => {
  const texts = Object.entries({ [name]: definition, ...others }).map(
    ([file, each]) => [file, JSON.stringify(each)] as const,
  );
  return join(await folderWith(Object.fromEntries(texts)), name);
};

const endsOf = ({ conversations }: SimulationReport, persona: string) =>
  new Set(conversations.flatMap((each) => (each.persona === persona ? [each.ending.state] : [])));

test('tasks with a token are completed, failed, late, and left alone until they time out', async () => {
  const file = await fileWith('callback.asl.json', callback);
  const bounds = ['--personas', 'cooperative,hostile,late,absent', '--runs', '12'];
  const report = await reportOf(file, ...bounds);
  expect(endsOf(report, 'cooperative')).toEqual(new Set(['Big', 'Small', 'No']));
  expect(endsOf(report, 'hostile')).toContain('No');
  expect(endsOf(report, 'late')).toContain('Late');
  expect(endsOf(report, 'absent')).toContain('Late');
  const turns = report.conversations.flatMap((each) => each.turns);
  expect(turns.map(({ person }) => person)).toContainEqual(
    expect.stringMatching(/^\(completes\) Approve: \{"amount":\d+/),
  );
  expect(turns).toContainEqual(expect.objectContaining({ asks: 'Approve' }));
  expect(await reportOf(file, ...bounds)).toEqual(report);
});

test('a person whose persona has an answer completes a task with it', async () => {
  const file = await fileWith('callback.asl.json', callback);
  const persona = join(
    await folderWith({
      'rich.persona.yaml': 'description: Rich\nagrees: 1\nanswers: { amount: 777 }\n',
    }),
    'rich.persona.yaml',
  );
  const report = await reportOf(file, '--personas', persona, '--runs', '3');
  expect(endsOf(report, 'rich')).toEqual(new Set(['Big']));
});

test('a person is asked again after a retry, and time before a question is not its delay', async () => {
  const file = await fileWith('again.asl.json', {
    StartAt: 'Rest',
    States: {
      Rest: { Type: 'Wait', Seconds: 86_400, Next: 'Ask' },
      Ask: { Type: 'Approval', Prompt: 'Go on?', Timeout: '1h', OnTimeout: 'Fail', Next: 'Done' },
      Done: end,
    },
  });
  const { conversations } = await reportOf(file, '--personas', 'cooperative', '--runs', '4');
  for (const { ending, turns, waitedMs } of conversations) {
    expect({ ending, waitedMs }).toMatchObject({
      ending: { outcome: 'succeeded' },
      waitedMs: 86_400_000,
    });
    expect(turns.map(({ happening }) => happening)).toContain('(time passes)');
  }
});

test('debaters speak and vote by the rules of a persona, refuse, or are never heard', async () => {
  const file = await fileWith('debate.asl.json', debate);
  const input = ['--input', '{"question":"Rewrite it?"}'];
  const report = await reportOf(
    file,
    ...input,
    '--personas',
    'cooperative,hostile,absent,late',
    '--runs',
    '8',
  );
  const endings = (persona: string) =>
    report.personas.find((each) => each.persona === persona)!.endings;
  expect(endings('cooperative')).toEqual({ succeeded: 8 });
  expect(endings('late')).toEqual({ succeeded: 8 });
  expect(endings('hostile')).toHaveProperty('failed');
  expect(report.stuck.map(({ because }) => because)).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/^States.TaskFailed: "\w+" does not take part/),
      expect.stringMatching(/^States.Timeout: "\w+" does not answer/),
    ]),
  );
  const said = report.conversations.flatMap(({ turns }) => turns.flatMap(({ agent }) => agent));
  expect(said).toContainEqual(expect.stringMatching(/^Engineer: /));
  expect(said).toContainEqual(expect.stringMatching(/^Owner votes (yes|no)$/));
});

test('a workflow that holds a conversation is talked to, and decides afterwards', async () => {
  const file = await fileWith(
    'outer.asl.json',
    {
      StartAt: 'Talk',
      States: {
        Talk: { Type: 'Task', Agent: 'plan:claim', ResultPath: '$.said', Next: 'Ask' },
        Ask: { Type: 'Approval', Prompt: 'Pay it?', Next: 'Done' },
        Done: end,
      },
    },
    {
      'claim.plan.json': {
        id: 'claim',
        title: 'Claim',
        states: [
          {
            id: 'claim',
            title: 'Claim',
            tasks: [
              {
                id: 'amount',
                description: 'Amount',
                deliverables: [{ key: 'amount', type: 'number', description: 'How much is it?' }],
              },
            ],
          },
        ],
      },
    },
  );
  const report = await reportOf(file, '--personas', 'cooperative,absent', '--runs', '6');
  const [cooperative] = report.personas;
  expect(cooperative).toMatchObject({ good: 6, endings: { succeeded: 6 } });
  const [{ turns } = report.conversations[0]!] = report.conversations;
  const lines = turns.flatMap(({ person }) => person ?? []);
  expect(lines[0]).toMatch(/\d/);
  expect(lines.at(-1)).toMatch(/^\(decides\) approve/);
});

/** A model that agrees, completes tasks with the first result, and plays agents. */
async function agreeingModel() {
  const server = await modelServer(({ messages }) => {
    const text = JSON.stringify(messages);
    const option = text.includes('result 1') ? 'result 1' : 'approve';
    return { text: JSON.stringify({ option, reason: 'It is fine.', response: 'I am for it.' }) };
  });
  const model = 'openai:test-model';
  return { server, model, options: ['--base-url', server.baseUrl] };
}

test('a model decides on approvals and completes tasks, and its decisions are replayed without it', async () => {
  const { server, model, options } = await agreeingModel();
  await using _ = server;
  const { Approve } = callback.States;
  const file = await fileWith('both.asl.json', {
    StartAt: 'Ask',
    States: {
      ...callback.States,
      Ask: {
        Type: 'Approval',
        Prompt: 'Pay it?',
        ResultPath: '$.decision',
        Next: 'Approve',
      },
      Approve,
    },
  });
  const out = join(await folderWith({}), 'runs');
  const args = ['--personas', 'hostile', '--runs', '2', '--person-model', model, ...options];
  const report = await reportOf(file, ...args, '--out', out);
  const asked = server.requests.length;
  expect(asked).toBeGreaterThanOrEqual(4);
  const [{ turns, ending, usedByPerson } = report.conversations[0]!] = report.conversations;
  expect(turns.flatMap(({ person }) => person ?? [])).toEqual([
    expect.stringMatching(/^\(decides\) approve by \w+: It is fine/),
    expect.stringMatching(/^\(completes\) Approve: /),
  ]);
  expect(ending.outcome).toBe('succeeded');
  expect(usedByPerson).toMatchObject({ requests: 2 });
  expect(JSON.stringify(server.requests[0])).toContain('distrusts every question');
  const replayed = await reportOf(file, '--replay', out);
  expect(server.requests).toHaveLength(asked);
  const held = ({ conversations }: SimulationReport) =>
    conversations.map(({ usedByPerson: __, ...each }) => each);
  expect(held(replayed)).toEqual(held(report));
});

test('a model plays the agents of a debate, recorded and replayed byte for byte', async () => {
  const { server, model, options } = await agreeingModel();
  await using _ = server;
  const file = await fileWith('debate.asl.json', {
    ...debate,
    States: { Discuss: { ...debate.States.Discuss, Consensus: { Required: true } } },
  });
  const out = join(await folderWith({}), 'runs');
  const input = ['--input', '{"question":"Rewrite it?"}', '--personas', 'terse', '--runs', '2'];
  const run = await dramaturg([
    'simulate',
    file,
    ...input,
    '--model',
    model,
    ...options,
    '--out',
    out,
    '--json',
  ]);
  expect(run).toMatchObject({ code: 0, stderr: '' });
  const report = JSON.parse(run.stdout) as SimulationReport;
  expect(report).toMatchObject({ agent: model, personas: [{ endings: { succeeded: 2 } }] });
  const asked = server.requests.length;
  expect(asked).toBeGreaterThan(2);
  const replayed = await dramaturg(['simulate', file, '--replay', out, '--json']);
  expect(replayed).toEqual(run);
  expect(server.requests).toHaveLength(asked);
});

test('an outage of the model that decides ends its run, and is counted', async () => {
  await using server = await modelServer(() => ({ status: 400, error: { message: 'No.' } }));
  const file = await fileWith('callback.asl.json', callback);
  const { stdout, code } = await dramaturg([
    'simulate',
    file,
    '--personas',
    'terse',
    '--runs',
    '2',
    '--person-model',
    'openai:test-model',
    '--base-url',
    server.baseUrl,
    '--json',
  ]);
  expect(code).toBe(4);
  const { conversations } = JSON.parse(stdout) as SimulationReport;
  expect(conversations.map(({ ending }) => ending)).toEqual([
    expect.objectContaining({ outcome: 'outage', state: 'Approve' }),
    expect.objectContaining({ outcome: 'outage', state: 'Approve' }),
  ]);
});

test.each([
  [['--model', 'openai:x'], 'A model plays agents and the persons', 'parcel.lifecycle.json'],
  [['--person-model', 'openai:x'], 'rules send its events', 'parcel.lifecycle.json'],
  [['--person-model', 'openai:x'], 'Nobody takes part in "report.asl.json"', 'report.asl.json'],
  [['--lifecycle'], 'Only conversations take --lifecycle', 'refund.asl.json'],
  [['--input', '{"a"'], '--input', 'refund.asl.json'],
])('%j is answered with a sentence', async (options, message, file) => {
  const { code, stderr } = await dramaturg(['simulate', file, ...options]);
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) });
});
