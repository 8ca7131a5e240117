import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { createInterface } from 'node:readline';
import { langchainPorts } from '@dramaturg/langchain';
import { expect, onTestFinished, test } from 'vitest';

const command = fileURLToPath(new URL('../src/model-server/main.ts', import.meta.url));

test('the model server shows how much of a request was the beginning of the one before', async () => {
  const child = spawn(process.execPath, [command, '--port', '0', '--json']);
  onTestFinished(() => void child.kill());
  const [announced] = (await once(createInterface(child.stderr), 'line')) as [string];
  const [baseUrl = ''] = /http:\S+v1/.exec(announced) ?? [];
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const { think } = langchainPorts({ model: 'openai:any', baseUrl });
  const call = { signal: new AbortController().signal, onText: () => {} };
  const input = {
    key: 'c/1',
    transcript: { conversation: 'c', length: 1 },
    prompt: [{ title: 'Role', text: 'You judge.', constant: true }],
    message: 'Hello',
  };
  const shown: object[] = [];
  for (let count = 1; count <= 2; count += 1) {
    await think(input, call);
    const { value } = (await lines.next()) as { value: string };
    shown.push(JSON.parse(value) as object);
  }
  expect(shown).toEqual([
    { request: 1, answers: 'text', input: expect.any(Number) as number, cached: 0, share: 0 },
    { ...shown[0], request: 2, cached: (shown[0] as { input: number }).input, share: 1 },
  ]);
});

test('a wrong port is refused in a sentence', () => {
  const { status, stderr } = spawnSync(process.execPath, [command, '--port', 'x']);
  expect([status, String(stderr)]).toEqual([
    2,
    '--port has to be a number from 0 to 65535, and not "x".\n',
  ]);
});
