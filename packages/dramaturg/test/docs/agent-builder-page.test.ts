import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { dramaturg } from '../command.ts';
import { blocksOf, root, settingOf } from './blocks.ts';

/** Stands for the Agents SDK of OpenAI, which needs its models. */
const sdk = `
export class Agent { constructor(options) { Object.assign(this, options); } }
export class Runner {}
export const withTrace = (_name, run) => run();
export const run = async ({ name, outputType }, text, { signal }) => {
  signal.throwIfAborted();
  const category = text.includes('money back') ? 'refund' : 'question';
  return { finalOutput: outputType?.parse({ category }) ?? name + ': ' + text };
};
`;

/** Follows the page: `export` before the agents, and `type` before the imported type. */
async function followed(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'dramaturg-agent-builder-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const modules = join(folder, 'node_modules');
  await mkdir(join(modules, '@openai/agents'), { recursive: true });
  await symlink(join(root, 'node_modules/zod'), join(modules, 'zod'), 'junction');
  const description = { name: '@openai/agents', type: 'module', exports: './index.js' };
  await writeFile(join(modules, '@openai/agents/package.json'), JSON.stringify(description));
  await writeFile(join(modules, '@openai/agents/index.js'), sdk);
  for (const block of blocksOf('docs/how-to/from-agent-builder.md')) {
    const file = settingOf(block, 'file');
    const text = block.text
      .replaceAll(/^const \w+ = new Agent/gm, 'export $&')
      .replace(' AgentInputItem,', ' type$&');
    if (file !== undefined) await writeFile(join(folder, file), text);
  }
  return folder;
}

test('the exported agents answer in the definition, and a refund waits for approval', async () => {
  const options = ['--agents', 'agents.mjs', '--input', '{"input_as_text": "my money back"}'];
  const run = ['run', 'help.asl.yaml', ...options];
  const { stdout } = await dramaturg(run, { cwd: await followed(), input: 'approve\n' });
  expect(stdout).toMatch(/\? Pay the refund\?[^]*> Pay Task[^]*Answer: .*The refund was paid\./);
});
