import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { dramaturg } from '../command.ts';
import { root } from './blocks.ts';

/** The definitions in docs/examples/clinic, explored and simulated. */

const folder = join(root, 'docs/examples/clinic');
const definitions = readdirSync(folder).filter((name) => /\.(?:plan|asl)\.yaml$/.test(name));

test.each(definitions)(
  'an exploration of %s reaches everything, and says nothing against it',
  async (file) => {
    const { stdout } = await dramaturg(
      ['explore', file, '--json', '--max-steps', '5000', '--seconds', '300'],
      { cwd: folder },
    );
    const { percent, findings } = JSON.parse(stdout) as Record<string, unknown>;
    expect({ percent, findings }).toEqual({ percent: 100, findings: [] });
  },
);

test('all seven kinds of persons come to an end', async () => {
  const { stdout } = await dramaturg(
    ['simulate', 'intake.plan.yaml', '--agents', './agents.mjs', '--json', '--runs', '2'],
    {
      cwd: folder,
    },
  );
  const { conversations } = JSON.parse(stdout) as {
    readonly conversations: readonly {
      readonly persona: string;
      readonly ending: { readonly outcome: string };
    }[];
  };
  expect(new Set(conversations.map(({ persona }) => persona)).size).toBe(7);
  const outcomes = conversations.map(({ ending }) => ending.outcome);
  expect(outcomes).not.toContain('outage');
  expect(outcomes).toEqual(expect.arrayContaining(['completed', 'handed over']));
});
