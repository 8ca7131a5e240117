import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '@dramaturg/testing';
import { langchainPorts } from '@dramaturg/langchain';
import { compile, createHost, memoryStore, type Ports, understudyPorts } from 'dramaturg';
import { expect, onTestFinished, test } from 'vitest';
import { dramaturg } from './command.ts';
import { converse } from './models/stage.ts';

/** The permissions of a task hold in the definition that it runs as its agent, and in those that this runs. */

const workflow = (task: object) =>
  compile(
    JSON.stringify({
      StartAt: 'Ask',
      States: { Ask: { Type: 'Task', ...task, End: true } },
    }),
    { fileName: 'outer.asl.json' },
  );

/** Its agent asks for both tools. */
const inner = workflow({ Agent: 'Clerk', Tools: {} });

const id = '0123456789abcdef01234567';

/** A conversation whose model uses a tool that has an id besides its name. */
const graph = compile(
  JSON.stringify({
    name: 'desk',
    description: 'A desk.',
    new_user_initial_state: 'talk',
    returning_user_initial_state: 'talk',
    terminal_state: 'talk',
    states: [
      {
        type: 'action',
        name: 'talk',
        objective: 'Talk',
        actions: ['Ask'],
        intra_state_navigation_guidelines: [],
        action_guidelines: [],
        boundary_constraints: [],
        exit_conditions: [],
        exit_condition_tool_call_specs: [],
        action_tool_call_specs: [
          { tool_id: id, additional_instruction: 'It', result_persistence: 'ephemeral' },
          { tool_id: 'weather', additional_instruction: 'It', result_persistence: 'ephemeral' },
        ],
        skip_active_memory_retrieval: true,
      },
    ],
  }),
  { format: 'context-graph', options: { tools: { [id]: { name: 'delete_all' } } } },
);

const toolCalls = ['delete_all', 'weather'].map((name) => ({ name, arguments: {} }));
const Clerk = Object.assign(
  (_: unknown, { toolResults = [] }: { readonly toolResults?: readonly unknown[] | undefined }) =>
    toolResults.length === 0 ? { toolCalls } : 'Done.',
  { enforces: ['Tools'] },
);

const permissions = {
  'a denied tool': { Denied: ['delete_all'] },
  'a tool that is not allowed': { Allowed: ['weather'] },
};

/** Runs a task on a host until it has ended, or its child waits for a person. @returns the tools that ran */
async function toolsOnHost(agent: string, tools: object): Promise<string[]> {
  const ran: string[] = [];
  let replies = 0;
  const ports: Partial<Ports> = {
    ...understudyPorts(),
    reply: () => ({ text: 'Hello.', toolCalls: (replies += 1) === 1 ? toolCalls : [] }),
    callTool: ({ tool, name }) => {
      ran.push(name ?? tool);
      return { result: null };
    },
    runAgent: (call) => ({ result: Clerk(call.input, call) }),
  };
  const definitions = {
    desk: graph,
    inner,
    between: workflow({ Agent: 'workflow:inner' }),
    outer: workflow({ Agent: agent, Tools: tools }),
  };
  const channels = { web: { deliver: () => {} } };
  const host = await createHost({ store: memoryStore(), definitions, ports, channels });
  onTestFinished(() => host.stop({ within: 0 }));
  const { id: outer } = await host.start('outer', { contact: 'ada' });
  await until(async () => (await host.get(outer)).ended || replies > 1, 'the end, or a person');
  return ran;
}

test.each(
  Object.entries(permissions).flatMap(([what, tools]) =>
    ['context-graph:desk', 'workflow:inner', 'workflow:between'].map(
      (agent) => [what, agent, tools] as const,
    ),
  ),
)('on a host, %s does not run in %s', async (_, agent, tools) => {
  expect(await toolsOnHost(agent, {})).toEqual(['delete_all', 'weather']);
  expect(await toolsOnHost(agent, tools)).toEqual(['weather']);
});

test.each(Object.entries(permissions))(
  'among the agents of a model, %s does not run in a definition',
  async (_, tools) => {
    const ran: string[] = [];
    const run = (name: string) => ({ run: () => void ran.push(name) });
    const ports = langchainPorts({
      model: 'openai:none',
      agents: { Clerk, inner, between: workflow({ Agent: 'inner' }) },
      tools: { delete_all: run('delete_all'), weather: run('weather') },
    });
    const task = { Agent: 'between', Tools: tools };
    expect((await converse(workflow(task), ports, [], { input: {} })).output).toMatchObject({
      status: 'succeeded',
    });
    expect(ran).toEqual(['weather']);
  },
);

test('a definition that runs as an agent of a model ends when the budget of its task is used up', async () => {
  const calls: unknown[] = [];
  const Spender = Object.assign((_: unknown, { left }: { readonly left?: unknown }) => {
    calls.push(left);
    return { _tokens: 60 };
  });
  const spending = compile(
    JSON.stringify({
      StartAt: 'A',
      States: {
        A: { Type: 'Task', Agent: 'Spender', Next: 'B' },
        B: { Type: 'Task', Agent: 'Spender', Next: 'C' },
        C: { Type: 'Task', Agent: 'Spender', End: true },
      },
    }),
    { fileName: 'spending.asl.json' },
  );
  const { runAgent, ...ports } = langchainPorts({
    model: 'openai:none',
    agents: { Spender, spending },
  });
  const counted: Partial<Ports> = {
    ...ports,
    runAgent: async (input, call) => runAgent(input, call),
  };
  const task = { Agent: 'spending', Budget: { MaxTokens: 100 } };
  const { output } = await converse(workflow(task), counted, [], { input: {} });
  expect(output).toMatchObject({ status: 'failed', error: 'States.BudgetExceeded' });
  expect(calls).toEqual([{ tokens: 100 }, { tokens: 40 }]);
});

test.each(Object.entries(permissions))(
  'in the terminal, %s does not run in a nested workflow, and an agent that does not respect it is not called',
  async (_, tools) => {
    const folder = mkdtempSync(join(tmpdir(), 'dramaturg-permissions-'));
    const file = (name: string, content: unknown) =>
      writeFileSync(
        join(folder, name),
        typeof content === 'string' ? content : JSON.stringify(content),
      );
    const task = (Agent: string, Tools?: object) => ({
      StartAt: 'Ask',
      States: { Ask: { Type: 'Task', Agent, Tools, End: true } },
    });
    file('inner.asl.json', task('Clerk', {}));
    file('outer.asl.json', task('workflow:inner', tools));
    file('limited.asl.json', task('workflow:inner', { RateLimits: { '*': { MaxPerMinute: 1 } } }));
    file('ran.txt', '');
    const agents = (enforces: string) => `
      import { appendFileSync } from 'node:fs';
      const ran = (name) => () => appendFileSync(new URL('ran.txt', import.meta.url), name + ' ');
      export const tools = { delete_all: ran('delete_all'), weather: ran('weather') };
      export const Clerk = (_, { toolResults = [] }) => {
        ran('Clerk')();
        return toolResults.length === 0 ? { toolCalls: ${JSON.stringify(toolCalls)} } : 'Done.';
      };
      ${enforces}`;
    file('agents.mjs', agents(`Clerk.enforces = ['Tools'];`));
    file('unknown.mjs', agents(''));
    const run = (name: string, ...more: string[]) =>
      dramaturg(['run', `${name}.asl.json`, ...more], { cwd: folder });
    expect((await run('outer', '--agents', 'agents.mjs')).code).toBe(0);
    expect(readFileSync(join(folder, 'ran.txt'), 'utf8')).toBe('Clerk weather Clerk ');
    for (const [name, module] of [
      ['outer', 'unknown.mjs'],
      ['limited', 'agents.mjs'],
    ] as const)
      expect((await run(name, '--agents', module)).stdout).toContain('States.Permissions');
    expect(readFileSync(join(folder, 'ran.txt'), 'utf8')).toBe('Clerk weather Clerk ');
    expect((await run('limited')).code).toBe(0);
  },
);
