import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { modelServer } from '@dramaturg/langchain/testing';
import type { Usage } from 'dramaturg';
import { describe, expect, onTestFinished, test } from 'vitest';
import { dramaturg, eventsOf, examples, folderWith } from './command.ts';

const intake = 'customer-intake.plan.json';
const talk = [intake, '--script', 'customer-intake.transcript'];
const reached = 'The limit of calls is reached: 3 of 3 used. To go on, raise limits.calls';

describe('a limit', () => {
  test('that a conversation reaches ends it, and says what to do', async () => {
    const { code, stdout, stderr } = await dramaturg([
      'run',
      ...talk,
      '--json',
      '--max-calls',
      '3',
    ]);
    expect({ code, stderr }).toEqual({ code: 4, stderr: '' });
    const events = eventsOf(stdout);
    const failed = events.filter(({ type }) => type === 'turn.failed');
    expect(failed).toHaveLength(1);
    expect(failed[0]).toMatchObject({ code: 'port/limit-reached' });
    expect(failed[0]?.['message']).toContain(reached);
    expect(events.at(-1)).toMatchObject({ type: 'conversation.ended', outcome: 'unfinished' });
  });

  test('that was reached while it was recorded is reached in the replay, without being given', async () => {
    const recording = join(await folderWith({}), 'talk.recording');
    const result = await dramaturg(['run', ...talk, '--max-calls', '3', '--record', recording]);
    expect(result.code).toBe(4);
    expect(result.stdout).toContain('To go on, raise the limit and run it again.');
    expect(await dramaturg(['run', intake, '--replay', recording])).toEqual(result);
  });

  test('of time aborts an agent, and the workflow fails', async () => {
    const workflow = {
      StartAt: 'Work',
      States: { Work: { Type: 'Task', Agent: 'Slow', End: true } },
    };
    const cwd = await folderWith({
      'work.asl.json': JSON.stringify(workflow),
      'agents.mjs':
        'export const Slow = (_, { signal }) => new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));',
    });
    const run = ['run', 'work.asl.json', '--agents', 'agents.mjs', '--max-call-time', '50'];
    const { code, stdout } = await dramaturg(run, { cwd });
    expect(code).toBe(4);
    expect(stdout).toContain('"runAgent" did not answer within 50 ms.');
  });

  test('is that of an instance too, over several commands, and is shown', async () => {
    const folder = await folderWith({});
    const store = join(folder, 'store');
    const limit = ['--max-calls', '3'];
    await dramaturg(['start', store, intake, '--contact', 'maria', '--id', 'intake-1', ...limit]);
    const sent = await dramaturg(['send', store, 'intake-1', 'Hello, I am Maria', ...limit]);
    expect(sent.stdout).toContain('✓ intake-1: WAITING_FOR_REPLY');
    const refused = await dramaturg(['send', store, 'intake-1', '4711-B', ...limit]);
    expect(refused.stdout).toContain(`✗ intake-1: NEEDS_HUMAN_INTERVENTION\n  ${reached}`);
    const { stdout } = await dramaturg(['show', store, 'intake-1']);
    expect(stdout).toMatch(/^ {2}used {17}3 calls$/m);
    expect(stdout).toContain(reached);
    const { stdout: shown } = await dramaturg(['show', store, 'intake-1', '--json']);
    expect(JSON.parse(shown)).toMatchObject({ used: { calls: 3, inputTokens: 0, cost: 0 } });

    const resumed = await dramaturg(['resume', store, 'intake-1', '--max-calls', '30']);
    expect(resumed.stdout).toContain('What kind of issue do you have?');
  });

  test('ends a turn in the middle, and the message is judged once when the instance goes on', async () => {
    const question = (key: string) => ({
      id: key,
      title: key,
      tasks: [
        {
          id: `ask-${key}`,
          description: `Ask for the ${key}.`,
          deliverables: [{ key, type: 'string', description: `What is your ${key}?` }],
        },
      ],
    });
    const plan = { id: 'three', title: 'Three', states: ['name', 'city', 'colour'].map(question) };
    const folder = await folderWith({ 'three.plan.json': JSON.stringify(plan) });
    const store = join(folder, 'store');
    const limit = ['--max-calls', '2'];
    const file = join(folder, 'three.plan.json');
    await dramaturg(['start', store, file, '--contact', 'maria', '--id', 'three-1', ...limit]);
    const sent = await dramaturg(['send', store, 'three-1', 'Maria', ...limit]);
    expect(sent.stdout).toContain('✗ three-1: NEEDS_HUMAN_INTERVENTION');
    const resumed = await dramaturg(['resume', store, 'three-1', '--max-calls', '50']);
    expect(resumed.stdout).toContain('What is your city?');
    const { stdout } = await dramaturg(['logs', store, 'three-1', '--journal', '--json']);
    expect(stdout.match(/"deliverable\.collected"/g)).toHaveLength(1);
  });
});

/** A model behind a server on this machine; each request costs it some tokens. */
async function model(text: string) {
  const server = await modelServer(({ response_format }) => ({
    text: response_format === undefined ? text : '{}',
  }));
  onTestFinished(() => server[Symbol.asyncDispose]());
  const asked = () => server.requests.length;
  return { asked, options: ['--model', 'openai:test-model', '--base-url', server.baseUrl] };
}

const usageIn = (stdout: string) =>
  eventsOf(stdout).filter(({ type }) => type === 'usage.recorded') as unknown as Usage[];
const sum = (usages: readonly Usage[], field: 'inputTokens' | 'outputTokens' | 'cost') =>
  usages.reduce((total, usage) => total + (usage[field] ?? 0), 0);

describe('a model', () => {
  const input = 'Good morning\nGood evening\nGood night\n';

  test('that has used up its tokens is not asked any more', async () => {
    const { options, asked } = await model('What may I call you?');
    const run = ['run', intake, '--json', ...options, '--max-tokens', '1'];
    const { code, stdout } = await dramaturg(run, { input });
    expect(code).toBe(4);
    expect(asked()).toBe(1);
    expect(usageIn(stdout)).toEqual([
      expect.objectContaining({ port: 'reply', key: 'conversation/0/reply', requests: 1 }),
    ]);
    expect(stdout).toContain('The limit of tokens is reached: ');
  });

  test('has its cost told by the prices, and shown at the end', async () => {
    const prices = { 'test-model': { input: 1_000_000, output: 2_000_000 } };
    const cwd = await folderWith({ 'prices.json': JSON.stringify(prices) });
    const { options } = await model('What may I call you?');
    const run = ['run', join(examples, intake), ...options, '--prices', 'prices.json'];
    const { stdout } = await dramaturg([...run, '--json'], { cwd, input });
    const usages = usageIn(stdout);
    const tokens = [sum(usages, 'inputTokens'), sum(usages, 'outputTokens')] as const;
    expect(tokens[0]).toBeGreaterThan(0);
    const cost = tokens[0] + 2 * tokens[1];
    expect(sum(usages, 'cost')).toBe(cost);

    const { stdout: shown } = await dramaturg(run, { cwd, input });
    expect(shown.replaceAll(/\s+/g, ' ')).toContain(
      `tokens in, ${tokens[1]} out, cost ${new Intl.NumberFormat('en').format(cost)}.`,
    );
  });

  test('is recorded once, and replayed when it is gone', async () => {
    const recording = join(await folderWith({}), 'talk.recording');
    const { options, asked } = await model('What may I call you?');
    const run = ['run', intake, '--json'];
    const result = await dramaturg([...run, ...options, '--record', recording], { input });
    expect(result.code).toBe(0);
    expect(usageIn(result.stdout).length).toBeGreaterThan(3);
    const before = asked();
    expect(await dramaturg([...run, '--replay', recording])).toEqual(result);
    expect(asked()).toBe(before);
  });

  test('that plays the agents of a workflow is limited too', async () => {
    const { options } = await model('"packed"');
    const run = ['run', 'order.asl.json', '--input', 'order.json', '--json', '--no-wait'];
    const whole = await dramaturg([...run, ...options]);
    const usages = usageIn(whole.stdout);
    expect(usages.length).toBeGreaterThan(1);
    const { code, stdout } = await dramaturg([...run, ...options, '--max-tokens', '1']);
    expect(code).toBe(4);
    expect(usageIn(stdout).length).toBeLessThan(usages.length);
    expect(stdout).toContain('The limit of tokens is reached: ');
  });
});

describe('a mistake in the call', () => {
  test.for([
    [['--max-calls', 'few'], "argument 'few' is invalid. It must be a whole number, 0 or more."],
    [['--max-time', '-1'], "argument '-1' is invalid. It must be a number, 0 or more."],
    [['--max-cost', '1'], '--max-cost needs the prices of the models.'],
    [['--max-call-cost', '1'], '--max-call-cost needs the prices of the models.'],
    [['--max-cost', '1', '--prices', 'torn.json'], '"torn.json" is not JSON: '],
    [['--max-cost', '1', '--prices', 'odd.json'], 'The prices are wrong at gpt-6-luna: '],
    [['--prices', 'none.json'], 'There is no file "none.json".'],
    [['--replay', 'a.recording', '--max-calls', '3'], "cannot be used with option '--max-calls"],
  ] as const)('%j is told, with what to do', async ([options, sentence]) => {
    const cwd = await folderWith({
      'torn.json': '{"gpt-6-luna"',
      'odd.json': '{"gpt-6-luna": 3}',
      [intake]: await readFile(new URL(`../../../docs/examples/${intake}`, import.meta.url)),
    });
    const { code, stdout, stderr } = await dramaturg(['run', intake, ...options], { cwd });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(sentence);
    expect(stderr).toContain('\nhint: ');
  });
});
