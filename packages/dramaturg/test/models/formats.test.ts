import { memoryPorts } from '@dramaturg/host';
import { until } from '@dramaturg/testing';
import { type ModelAnswer, modelServer } from '@dramaturg/langchain/testing';
import {
  compile,
  createHost,
  type JsonObject,
  lowdbStore,
  memoryStore,
  type Ports,
  type Usage,
} from 'dramaturg';
import { langchainPorts } from '@dramaturg/langchain';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { answering, type Asked, converse, definition, stageWith } from './stage.ts';

/** A model that understands plain answers in a plan, records the facts and follows its instructions. */
const attentive =
  (facts: Readonly<Record<string, unknown>>) =>
  (asked: Asked): ModelAnswer => {
    if (asked.schema !== undefined) return answering(asked, { deliverables: saidOf(asked, facts) });
    const [, task] = /call complete_task with (\{.*\})/.exec(asked.prompt) ?? [];
    const [, question = 'Thank you and goodbye.'] =
      /most urgent first\n- (.*)/.exec(asked.prompt) ?? [];
    return {
      text: question,
      ...(task
        ? { toolCalls: [{ name: 'complete_task', arguments: JSON.parse(task) as object }] }
        : {}),
    };
  };

/** The facts that the last message contains. */
function saidOf({ said }: Asked, facts: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(
    Object.entries(facts).filter(([, value]) => said.includes(String(value))),
  );
}

const facts = {
  customer_name: 'Maria',
  account_number: '4711-B',
  issue_type: 'technical',
  symptom: 'dark',
  restart_helped: true,
};
const lines = ['I am Maria', 'It is 4711-B', 'technical', 'The screen stays dark', 'true'];

test('a model plays a plan from the first message to the last', async () => {
  const { ports, server } = await stageWith(attentive(facts));
  const { output, events } = await converse(definition('customer-intake.plan.json'), ports, lines);
  expect(output).toMatchObject({ outcome: 'completed', deliverables: facts });
  expect(events.filter(({ type }) => type === 'task.completed').map(({ task }) => task)).toEqual([
    'welcome',
    'name',
    'identify',
    'classify',
    'symptom',
    'restart',
    'goodbye',
  ]);
  // The second request contains the first reply, and the current message only once.
  const second = server.requests.filter(({ response_format: form }) => form === undefined)[1];
  expect(second?.messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user']);
});

test('a model fills in what is said early, in any language, and the plan asks for nothing twice', async () => {
  const { ports, server } = await stageWith(attentive(facts));
  const { output, events } = await converse(definition('customer-intake.plan.json'), ports, [
    'Ich heiße Maria, Kundennummer 4711-B, es ist technical: der Schirm bleibt dark',
    'true',
  ]);
  expect(output).toMatchObject({ outcome: 'completed', deliverables: facts });
  const volunteered = events.filter(({ type }) => type === 'deliverable.volunteered');
  expect(volunteered.map(({ deliverable }) => deliverable)).toEqual([
    'account_number',
    'issue_type',
    'symptom',
  ]);
  const asked = events.flatMap(({ type, text }) => (type === 'message.sent' ? [String(text)] : []));
  expect(asked.join('\n')).not.toMatch(/account number|kind of issue|does not work/u);
  // The reply learns what the person has said already.
  const replies = server.requests.filter(({ response_format: form }) => form === undefined);
  expect(JSON.stringify(replies.at(1)?.messages)).toContain('(said earlier)');
});

test('the schema of an extraction is the same during a whole visit of a state', async () => {
  const { ports, server } = await stageWith(attentive(facts));
  await converse(definition('customer-intake.plan.json'), ports, [
    'hm',
    '4711-B first',
    'I am Maria',
  ]);
  const forms = server.requests.flatMap(({ response_format: form }) =>
    form === undefined ? [] : [JSON.stringify(form)],
  );
  expect([forms.length, new Set(forms).size]).toEqual([3, 1]);
});

test('a model chooses among the verdicts of a scenario and extracts its variables', async () => {
  const { ports } = await stageWith((asked) => {
    if (asked.options) {
      const agrees = /agree/.test(asked.said);
      return answering(asked, { option: agrees ? 'pass' : 'redirect', reason: 'So it seems.' });
    }
    if (asked.schema) return answering(asked, { cargo: 'goats', fare: 'a penny' });
    return { text: 'Well, well.' };
  });
  const { events, output } = await converse(
    definition('npc/test/fixtures/ferry/ferry.npc.json'),
    ports,
    ['Nice weather', 'Two goats. I agree to a penny', 'I agree to hide it'],
    { player: { name: 'Ada' } },
  );
  expect(
    events.filter(({ type }) => type === 'verdict.reached').map((each) => each['decision']),
  ).toEqual(['redirect', 'pass', 'pass']);
  expect(output).toMatchObject({
    outcome: 'ACCEPT',
    variables: { cargo: 'goats', fare: 'a penny' },
  });
});

test('a context graph passes through its hidden states, calls its tools and ends', async () => {
  const { ports } = await stageWith(
    (asked) => {
      if (asked.options) return answering(asked, { option: pick(asked), reason: '' });
      if (/"queries"/.test(JSON.stringify(asked.schema)))
        return answering(asked, { queries: ['accounts'] });
      if (asked.schema) return answering(asked, { arguments: { email: 'me@example.com' } });
      return { text: 'Let me see.' };
    },
    {
      memory: ['Maria has two accounts.'],
      tools: {
        '000000000000000000000003': { run: () => ({ account: 7 }) },
        'send-email': { run: ({ subject }) => ['sent', subject] },
      },
    },
  );
  const { events, output } = await converse(
    definition('context-graph/test/fixtures/tools/tools.context-graph.json', {
      tools: {
        '000000000000000000000003': {
          name: 'find_account',
          parameters: { type: 'object', properties: { email: { type: 'string' } } },
        },
      },
    }),
    ports,
    ['My account is locked', 'That is all'],
    { opening: 'person' },
  );
  expect(
    events.flatMap(({ type, tool, arguments: given, result }) =>
      type === 'tool.called' ? [[tool, given, result]] : [],
    ),
  ).toEqual([
    ['find_account', { email: 'me@example.com' }, { account: 7 }],
    ['send-email', expect.objectContaining({ subject: 'Summary' }), ['sent', 'Summary']],
  ]);
  expect(events.find(({ type }) => type === 'memory.recalled')).toMatchObject({
    memories: ['Maria has two accounts.'],
  });
  expect(output).toMatchObject({ outcome: 'completed', state: 'end' });
});

/** The exit that the last message asks for; the first action when it asks for none. */
function pick({ options = [], said, prompt }: Asked): string {
  const isThere = (id: string) => options.includes(id);
  if (!isThere('A1')) return options[0]!;
  // The traversal has returned to a state that speaks.
  if (/find_account: /.test(prompt) && !/all/.test(said)) return 'A2';
  return /all/.test(said) && isThere('E2') ? 'E2' : 'E1';
}

test('the agents of a workflow are functions, a model and other workflows, and their usage is counted', async () => {
  const usages: Usage[] = [];
  const { ports } = await stageWith(
    ({ prompt }) => ({ text: prompt.includes('agent "Price"') ? '40' : '"packed"' }),
    { playAgents: true, agents: { Order: definition('order.asl.json') } },
  );
  const runAgent: typeof ports.runAgent = async (input, call) => {
    const output = await ports.runAgent(input, call);
    if (output.usage) usages.push(output.usage as Usage);
    return output;
  };
  const outer = JSON.stringify({
    StartAt: 'Order',
    States: { Order: { Type: 'Task', Agent: 'Order', End: true } },
  });
  const { output } = await converse(compile(outer), { ...ports, runAgent }, [], {
    input: { items: ['lamp', 'bulb'] },
  });
  expect(output).toMatchObject({ status: 'succeeded', output: ['packed', 'packed'] });
  expect(usages).toEqual([{ model: 'test-model', requests: 3, inputTokens: 30, outputTokens: 3 }]);
});

test('a model that plays an agent calls tools, and answers again when a guardrail rejects its answer', async () => {
  const { ports, server } = await stageWith(
    ({ prompt }) => {
      if (/It has \d+ characters/.test(prompt)) return { text: '"Assam."' };
      if (prompt.includes('found tea')) return { text: '"It comes from the hills of Assam."' };
      return { text: '{"toolCalls": [{"name": "search", "arguments": {"query": "tea"}}]}' };
    },
    { playAgents: true, tools: { search: { run: ({ query }) => `found ${query as string}` } } },
  );
  const research = compile(
    JSON.stringify({
      StartAt: 'Find',
      States: {
        Find: {
          Type: 'Task',
          Agent: 'Researcher',
          Tools: { Allowed: ['search'] },
          Guardrails: { Output: { Rules: [{ Type: 'length', Max: 10 }], OnFail: 'retry' } },
          End: true,
        },
      },
    }),
  );
  const { output } = await converse(research, ports, [], { input: {} });
  expect(output).toMatchObject({ status: 'succeeded', output: 'Assam.' });
  expect(server.requests).toHaveLength(3);
});

test('a host that ends while a played agent works repeats only the call without an answer', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'dramaturg-models-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const searches: string[] = [];
  let isStuck = true;
  const search = {
    idempotent: true,
    run: async (input: JsonObject, { key, signal }: { key: string; signal: AbortSignal }) => {
      const query = input['query'] as string;
      searches.push(`${query} ${key}`);
      if (query === 'hills' && isStuck)
        await new Promise((_, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason as Error));
        });
      return `found ${query}`;
    },
  };
  const wanted = ['tea', 'hills'].map((query) => ({ name: 'search', arguments: { query } }));
  const { ports, server } = await stageWith(
    ({ prompt }) =>
      prompt.includes('found hills') ? { text: '"The hills of Assam."' } : { toolCalls: wanted },
    { playAgents: true, tools: { search } },
  );
  const States = {
    Find: { Type: 'Task', Agent: 'Researcher', Tools: { Allowed: ['search'] }, End: true },
  };
  const research = compile(JSON.stringify({ StartAt: 'Find', States }));
  const open = () =>
    createHost({ store: lowdbStore(folder), definitions: { research }, ports, onError: () => {} });
  const first = await open();
  await first.start('research', { id: 'r' });
  await until(() => searches.length === 2, 'the second search');
  await first.stop({ within: 0 });
  isStuck = false;
  const second = await open();
  onTestFinished(() => second.stop({ within: 0 }));
  await until(async () => (await second.get('r')).ended, 'the end');
  expect(await second.get('r')).toMatchObject({ output: 'The hills of Assam.' });
  expect(server.requests).toHaveLength(2);
  expect(searches.map((line) => line.split(' ')[0])).toEqual(['tea', 'hills', 'hills']);
  expect(searches[2]).toBe(searches[1]);
});

test('the context of an agent is ranked without a memory, and memoryPorts provides the writable memory', async () => {
  const { ports } = await stageWith(() => ({}), {
    memory: ['Tea is kept by somebody else.'],
    agents: { Adviser: (input) => input },
  });
  const workflow = (task: object) =>
    compile(
      JSON.stringify({
        StartAt: 'Advise',
        States: { Advise: { Type: 'Task', Agent: 'Adviser', ...task, End: true } },
      }),
    );
  const outputOf = async (task: object, given: Partial<Ports> = ports) =>
    (await converse(workflow(task), given, [], { input: { notes, question: 'tea' } })).output;
  const notes = ['Coffee is grown in Brazil.', 'Tea is grown in Assam.', 'Rain falls in Spain.'];
  const Context = { Strategy: 'semantic', Query: 'tea', Candidates: '$.notes', TopK: 1 };
  expect(await outputOf({ Context })).toMatchObject({ output: { notes: [notes[1]] } });
  const Memory = {
    Namespace: 'tea',
    Type: 'semantic',
    Read: { Query: 'tea' },
    Write: { Value: 'Tea is warm.' },
  };
  expect(await outputOf({ Memory })).toMatchObject({
    error: 'States.MemoryNotConfigured',
    cause: expect.stringContaining('memoryPorts() after it in the list of ports'),
  });
  const both = { ...ports, ...memoryPorts() };
  expect(await outputOf({ Memory }, both)).toMatchObject({ output: { _memory: [] } });
  expect(await outputOf({ Memory }, both)).toMatchObject({
    output: { _memory: [{ text: 'Tea is warm.' }] },
  });
});

test('a definition that waits for a person fails as an agent', async () => {
  const { ports } = await stageWith(() => ({ text: 'Hello!' }), {
    agents: { Intake: definition('customer-intake.plan.json') },
  });
  await expect(
    ports.runAgent({ key: 'k', agent: 'Intake', input: {} }, quiet),
  ).rejects.toMatchObject({
    message: expect.stringContaining(
      'The agent "Intake" waits for a person, but a definition that runs as an agent cannot talk to anyone. Start it on a host instead.',
    ),
    usage: { requests: 1 },
  });
});

test.each(['parcel.lifecycle.json', 'callback'])(
  'a definition that waits for an event fails as an agent: %s',
  async (name) => {
    const callback = { Type: 'Task', Resource: 'arn:aws:states:::lambda:invoke.waitForTaskToken' };
    const { ports } = await stageWith(() => ({ text: '"sent"' }), {
      playAgents: true,
      agents: {
        'parcel.lifecycle.json': definition('parcel.lifecycle.json'),
        callback: compile(
          JSON.stringify({ StartAt: 'Ask', States: { Ask: { ...callback, End: true } } }),
        ),
      },
    });
    await expect(ports.runAgent({ key: 'k', agent: name, input: {} }, quiet)).rejects.toThrow(
      `The agent "${name}" waits for an event, but a definition that runs as an agent receives no events. Start it on a host instead.`,
    );
  },
);

test('a definition that fails as an agent fails with its own error', async () => {
  const failing = compile(
    JSON.stringify({
      StartAt: 'No',
      States: { No: { Type: 'Fail', Error: 'Refused', Cause: 'Not today' } },
    }),
  );
  const { ports } = await stageWith(() => ({}), { agents: { No: failing } });
  await expect(ports.runAgent({ key: 'k', agent: 'No', input: {} }, quiet)).rejects.toMatchObject({
    message: 'Not today',
    error: 'Refused',
  });
});

test('a definition that runs itself as an agent is stopped', async () => {
  const endless = compile(
    JSON.stringify({ StartAt: 'On', States: { On: { Type: 'Task', Agent: 'Self', End: true } } }),
  );
  const { ports } = await stageWith(() => ({}), { agents: { Self: endless } });
  await expect(ports.runAgent({ key: 'k', agent: 'Self', input: {} }, quiet)).rejects.toMatchObject(
    {
      error: 'States.AgentInvocationFailed',
    },
  );
});

test('a cancelled call stops a definition that runs as an agent and closes its connection', async () => {
  const { ports, server } = await stageWith(() => ({ text: '1', delay: 60_000 }), {
    playAgents: true,
    agents: { Order: definition('order.asl.json') },
  });
  const cancelling = new AbortController();
  const asked = Promise.resolve(
    ports.runAgent(
      { key: 'k', agent: 'Order', input: { items: [] } },
      { ...quiet, signal: cancelling.signal },
    ),
  ).catch(() => 'stopped');
  await until(() => server.requests.length === 1, 'the request');
  cancelling.abort();
  expect(await asked).toBe('stopped');
  await until(() => server.left() === 1, 'the closed connection');
});

const quiet = { signal: new AbortController().signal, onText: () => {} };

test('a conversation continues after a restart of its host, and the model gets the earlier messages', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'dramaturg-models-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const { ports, server } = await stageWith(attentive(facts));
  const open = () =>
    createHost({
      store: lowdbStore(folder),
      definitions: { intake: definition('customer-intake.plan.json') },
      ports,
      channels: { main: { deliver: () => {} } },
    });
  let host = await open();
  await host.start('intake', { id: 'i', contact: 'maria' });
  for (const text of lines) {
    await until(async () => (await host.get('i')).state === 'WAITING_FOR_REPLY', 'the turn');
    await host.stop();
    host = await open();
    await host.receive({ contact: 'maria', text });
  }
  await until(async () => (await host.get('i')).ended, 'the end');
  expect((await host.get('i')).state).toBe('COMPLETED');
  const last =
    server.requests
      .at(-1)
      ?.messages.map(({ content }) => content)
      .join('\n') ?? '';
  for (const said of ['I am Maria', 'The screen stays dark', 'What is your account number?'])
    expect(last).toContain(said);
  await host.stop();
});

test.each(['pause', 'cancel'] as const)(
  'to %s an instance in the middle of a turn closes the connection to the model',
  async (command) => {
    let answers: ModelAnswer = { text: 'Late', delay: 60_000 };
    const server = await modelServer(() => answers);
    onTestFinished(() => server[Symbol.asyncDispose]());
    const host = await createHost({
      store: memoryStore(),
      definitions: { intake: definition('customer-intake.plan.json') },
      ports: langchainPorts({ model: 'openai:test-model', baseUrl: server.baseUrl }),
      channels: { main: { deliver: () => {} } },
    });
    onTestFinished(() => host.stop({ within: 0 }));
    await host.start('intake', { id: 'i', contact: 'maria' });
    await until(() => server.requests.length === 1, 'the request');
    await (command === 'pause' ? host.pause('i') : host.cancel('i', 'enough'));
    await until(() => server.left() === 1, 'the closed connection');
    if (command === 'cancel') return;
    answers = { text: 'Hello!' };
    await host.resume('i');
    await until(async () => (await host.get('i')).state === 'WAITING_FOR_REPLY', 'the turn');
    const said = await host.transcript('i', { from: 0, limit: 100 });
    expect(said.filter(({ role }) => role === 'agent').map(({ text }) => text)).toEqual(['Hello!']);
  },
);
