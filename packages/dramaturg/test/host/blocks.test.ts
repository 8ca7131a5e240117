import { readFileSync } from 'node:fs';
import { memoryPorts } from '@dramaturg/host';
import { until } from '@dramaturg/testing';
import { compile, createHost, memoryStore, type Ports, understudyPorts } from 'dramaturg';
import { expect, onTestFinished, test } from 'vitest';

/** The blocks of workflows on a host: each phase of a task is a stored step. */

const fixture = (name: string) =>
  compile(
    readFileSync(
      new URL(`../../../formats/asl/test/fixtures/${name}/${name}.asl.json`, import.meta.url),
      'utf8',
    ),
    { fileName: `${name}.asl.json` },
  );

const said = { response: 'so be it', vote: 'no', decision: 'later' };

const workflows: readonly [name: string, input: object, ports: Partial<Ports>][] = [
  ['panel', { question: 'Rewrite?' }, { runAgent: () => ({ result: said }) }],
  [
    'budget',
    { sources: ['a', 'b'] },
    { runAgent: () => ({ result: 'read', usage: { inputTokens: 900, cost: 3 } }) },
  ],
  [
    'guarded',
    { text: 'Write to ana@example.com' },
    { runAgent: () => ({ result: { text: 'Dear Ana', valid: true } }) },
  ],
  [
    'tools',
    { question: 'Weather?' },
    {
      runAgent: ({ toolResults }) => ({
        result:
          toolResults?.length === 0
            ? { toolCalls: [{ name: 'read_file', arguments: { path: 'data/x' } }] }
            : 'fine',
      }),
      callTool: () => ({ result: 'sunny' }),
    },
  ],
  [
    'memory',
    { user: 'u7', messages: ['Hi', 'Again'] },
    { ...memoryPorts(), runAgent: () => ({ result: { text: 'Hello', visit: {} } }) },
  ],
];

test.each(workflows)(
  '%s runs on a host that is stopped while an agent works',
  async (name, input, ports) => {
    const store = memoryStore();
    const calls: string[] = [];
    let isFirst = true;
    const answers: Partial<Ports> = {
      ...understudyPorts(),
      choose: ({ options }) => ({ option: options[0]!.id }),
      ...ports,
      runAgent: (call, use) => {
        calls.push(call.key);
        if (!isFirst) return ports.runAgent!(call, use);
        isFirst = false;
        return new Promise(() => {});
      },
    };
    const open = () =>
      createHost({ store, definitions: { flow: fixture(name) }, ports: answers, channels: {} });
    let host = await open();
    onTestFinished(() => host.stop({ within: 0 }));
    await host.start('flow', { id: 'w', input: { input } });
    await until(() => Promise.resolve(calls.length > 0), 'the first call');
    await host.stop({ within: 0 });
    host = await open();
    await until(async () => (await host.get('w')).ended, 'the end');
    expect(await host.get('w')).toMatchObject({ state: 'COMPLETED' });
    // Only the open call is repeated, with the same key.
    expect(calls.filter((key) => key === calls[0]).length).toBeGreaterThan(1);
    const journal = JSON.stringify(await host.journal('w', { from: 0, limit: 1_000 }));
    expect(journal).toContain('"status":"succeeded"');
  },
);
