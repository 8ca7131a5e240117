import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { drawingOf } from '@dramaturg/compiler/chart';
import { runsAll } from '../../../.config/scaled.ts';
import { compile } from '../src/index.ts';
import { dramaturg, folderWith } from './command.ts';

/** Targets that are not states, in the tools of authors. Spec: docs/formats/plan.md#other-targets */

const fixture = (format: string, name: string) =>
  readFile(
    join(import.meta.dirname, '../../formats', format, 'test/fixtures/emergency', name),
    'utf8',
  );

describe.each([
  ['npc', 'inn.npc.yaml', ['door', 'room']],
  ['context-graph', 'inn.context-graph.yaml', ['door', 'triage', 'room', 'farewell']],
] as const)('%s', (format, file, states) => {
  test('a drawing shows the person, once, beside the states', async () => {
    const { chart } = compile(await fixture(format, file), { fileName: file });
    const { nodes, edges } = drawingOf(chart!);
    const person = nodes.filter(({ sort }) => sort === 'aside');
    expect(person.map(({ name }) => name)).toEqual(['A person takes over']);
    expect(edges.filter(({ target }) => target === person[0]!.id)).toHaveLength(1);
    expect(nodes.map(({ name }) => name)).toEqual(expect.arrayContaining([...states]));
  });

  test('an exploration reaches each of them, and its tests pass', async ({ skip }) => {
    skip(!runsAll);
    const folder = await folderWith({ [file]: await fixture(format, file) });
    const found = await dramaturg(
      ['explore', file, '--json', '--out', 'a.test.yaml', '--max-steps', '400', '--seconds', '300'],
      { cwd: folder },
    );
    const { percent, findings } = JSON.parse(found.stdout) as {
      readonly percent: number;
      readonly findings: readonly unknown[];
    };
    expect({ percent, findings, stderr: found.stderr }).toEqual({
      percent: 100,
      findings: [],
      stderr: '',
    });
    expect((await dramaturg(['test', 'a.test.yaml'], { cwd: folder })).code).toBe(0);
  });

  test('a simulation that is handed over ends so', async () => {
    const folder = await folderWith({ [file]: await fixture(format, file) });
    const { stdout } = await dramaturg(['simulate', file, '--json', '--runs', '3'], {
      cwd: folder,
    });
    const { conversations } = JSON.parse(stdout) as {
      readonly conversations: readonly { readonly ending: { readonly outcome: string } }[];
    };
    expect(conversations.map(({ ending }) => ending.outcome)).toContain('handed over');
  });
});
