import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

/** Runs a program in a process of its own, as users have it, and tells which modules of LangChain it has loaded. */
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

test('whoever imports dramaturg and makes ports has not loaded LangChain', () => {
  expect(
    loadedBy(`
      import { langchainPorts } from 'dramaturg';
      const { callTool, runAgent } = langchainPorts({
        model: 'openai:gpt-5',
        tools: { look: { run: () => 1, parameters: { type: 'object' } } },
        agents: { Work: () => 2 },
      });
      await callTool({ key: 'k', tool: 'look', arguments: {} }, ${call});
      await runAgent({ key: 'k', agent: 'Work', input: {} }, ${call});
    `),
  ).toEqual([]);
});

test('LangChain is loaded when a model is asked', () => {
  const loaded = loadedBy(`
    import { langchainPorts } from 'dramaturg';
    const { think } = langchainPorts({ model: 'openai:gpt-5', baseUrl: 'http://127.0.0.1:1/v1' });
    const transcript = { conversation: 'c', length: 0 };
    await think({ key: 'k', transcript, prompt: [] }, ${call}).catch(() => {});
  `);
  expect(loaded.some((url) => url.includes('/@langchain/openai/'))).toBe(true);
});
