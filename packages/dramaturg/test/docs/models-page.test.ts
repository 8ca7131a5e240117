import { mkdtemp, rm } from 'node:fs/promises';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type LangchainOptions, langchainPorts } from '@dramaturg/langchain';
import * as langchainTesting from '@dramaturg/langchain/testing';
import * as dramaturg from 'dramaturg';
import * as workflowPorts from 'dramaturg/ports';
import { expect, onTestFinished, test } from 'vitest';
import { blocksOf, root } from './blocks.ts';

/**
 * Runs the programs of docs/models.md: OpenAI's real client talks to a server on this machine, whatever server the page names.
 */
const programs = blocksOf('docs/models.md').filter(({ language }) => language === 'js');
const intake = readFileSync(join(root, 'docs/examples/customer-intake.plan.json'), 'utf8');

test('the programs of the page run', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'dramaturg-models-'));
  const model = await langchainTesting.modelServer((request) =>
    request.response_format === undefined ? { text: 'What may I call you?' } : { text: '{}' },
  );
  onTestFinished(async () => {
    await model[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });
  const names = {
    ...dramaturg,
    ...workflowPorts,
    ...langchainTesting,
    text: intake,
    accounts: { find: () => Promise.resolve({}) },
    lowdbStore: (name: string) => dramaturg.lowdbStore(join(folder, name)),
    langchainPorts: (options: LangchainOptions) =>
      langchainPorts({ ...options, baseUrl: model.baseUrl, modelOptions: { apiKey: 'none' } }),
  };
  const made = await Promise.all(programs.map(({ text }) => runProgram(text, names)));
  expect(made.length).toBeGreaterThan(4);

  const [host, ...others] = made.flatMap(({ host: one }) => one ?? []);
  expect(others).toEqual([]);
  const order = { contact: 'maria', text: 'Good morning', id: '1' };
  const { instance } = await host!.receive({ ...order, orStart: { definition: 'intake' } });
  const said = async () => {
    const lines = await host!.transcript(instance!, { from: 0, limit: 100 });
    return lines.flatMap(({ role, text }) => (role === 'agent' ? [text] : []));
  };
  await expect.poll(said).toContain('What may I call you?');
  await host![Symbol.asyncDispose]();
  expect(model.requests[0]).toMatchObject({ model: 'gpt-6-luna' });
});

interface Made {
  readonly host?: dramaturg.Host;
}

/** Runs a block with what its imports and its page give it. @returns what it declares as `host` */
async function runProgram(text: string, names: Readonly<Record<string, unknown>>): Promise<Made> {
  const body = text.replaceAll(/^import .*$/gm, '');
  const result = /\bconst host\b/.test(body) ? 'return { host };' : 'return {};';
  const given = Object.keys(names).filter((name) => !body.includes(`const ${name} `));
  // oxlint-disable-next-line typescript/no-implied-eval -- the page under test is code
  const make = new Function(...given, `return (async () => { ${body}\n${result} })();`);
  return make(...given.map((name) => names[name])) as Promise<Made>;
}
