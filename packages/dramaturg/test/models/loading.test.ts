import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { runsAll } from '../../../../.config/scaled.ts';

/** Runs a program in a new process and returns the modules of LangChain that it loaded. */
function loadedBy(program: string): string[] {
  const watch = `
    import { registerHooks } from 'node:module';
    registerHooks({ load: (url, context, next) => {
      if (/node_modules\\/(?:@langchain|langchain|openai)\\//.test(url)) console.log(url);
      return next(url, context);
    } });`;
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    [
      '--import',
      `data:text/javascript,${encodeURIComponent(watch)}`,
      '--input-type=module',
      '--eval',
      program,
    ],
    { cwd: fileURLToPath(new URL('..', import.meta.url)), encoding: 'utf8' },
  );
  if (status !== 0) throw new Error(stderr);
  return stdout.split('\n').filter(Boolean);
}

const call = `{ signal: new AbortController().signal, onText: () => {} }`;

test('importing dramaturg and creating ports does not load LangChain', () => {
  expect(
    loadedBy(`
      import { langchainPorts } from '@dramaturg/langchain';
      const { callTool, runAgent } = langchainPorts({
        model: 'openai:gpt-6-luna',
        tools: { look: { run: () => 1, parameters: { type: 'object' } } },
        agents: { Work: () => 2 },
      });
      await callTool({ key: 'k', tool: 'look', arguments: {} }, ${call});
      await runAgent({ key: 'k', agent: 'Work', input: {} }, ${call});
    `),
  ).toEqual([]);
});

test('LangChain is loaded at the first call of a model', ({ skip }) => {
  skip(!runsAll);
  const loaded = loadedBy(`
    import { langchainPorts } from '@dramaturg/langchain';
    const { think } = langchainPorts({ model: 'openai:gpt-6-luna', baseUrl: 'http://127.0.0.1:1/v1' });
    const transcript = { conversation: 'c', length: 0 };
    await think({ key: 'k', transcript, prompt: [] }, ${call}).catch(() => {});
  `);
  expect(loaded.some((url) => url.includes('/@langchain/openai/'))).toBe(true);
});
