import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { lowdbStore, sqliteStore } from '../../src/index.ts';
import { readStore } from '../../src/store.ts';
import { endingOf, firstWords, play, type Play, plays } from './conversations.ts';
import type { Job } from './killed-conversation.ts';

/** Failed turns in a process that is killed after the failure, and again while the failed call is repeated. */

const script = join(import.meta.dirname, 'killed-conversation.ts');

/** Runs processes until one ends by itself. @returns how many were killed */
async function lives(folder: string): Promise<number> {
  for (let killed = 0; killed < 5; killed += 1) {
    const signal = await new Promise<string | undefined>((resolve, reject) => {
      execFile(process.execPath, ['--no-warnings', script, folder], (error, _, stderr) => {
        if (error && error.signal !== 'SIGKILL') reject(new Error(stderr, { cause: error }));
        else resolve(error?.signal ?? undefined);
      });
    });
    if (signal === undefined) return killed;
  }
  throw new Error('It never came to its end.');
}

function jobOf({ fixture, steps }: Play, answers: Job['answers'], failing: string): Job {
  const { options, input } = fixture.setup;
  return {
    store: 'lowdb',
    definition: fixture.definition,
    ...(options ? { options } : {}),
    ...(input ? { input: input as NonNullable<Job['input']> } : {}),
    texts: steps.flatMap((step) => (step.kind === 'user' ? [step.text] : [])),
    personBegins: firstWords(steps) !== undefined,
    answers,
    failing,
  };
}

/** A transcript of each format that contains only messages. */
const simple = Object.entries(plays).map(([format, all]) => {
  const each = all.find(({ steps }) => steps.every(({ kind }) => kind !== 'event'))!;
  return [`${format}: ${each.fixture.name}: ${each.name}`, each] as const;
});

const stores = ['lowdb', 'sqlite'] as const;

test.each(simple.map(([name, each], index) => [name, stores[index % 2]!, each] as const))(
  '%s, across kills on %s',
  async (_, store, each) => {
    const { calls, given, ...straight } = await play(each);
    // The failure of an agent is an answer.
    const turns = calls.filter((call) => !call.includes('/work/'));
    const failing = turns[Math.floor(turns.length / 2)]!;
    const folder = mkdtempSync(join(tmpdir(), 'dramaturg-killed-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const job = { ...jobOf(each, Object.fromEntries(given), failing), store } satisfies Job;
    writeFileSync(join(folder, 'job.json'), JSON.stringify(job));
    expect(await lives(folder)).toBe(2);
    expect(existsSync(join(folder, 'repeated'))).toBe(true);
    const path = join(folder, 'store');
    const reader = await readStore(store === 'lowdb' ? lowdbStore(path) : sqliteStore(path));
    const ending = await endingOf(reader);
    await reader.stop();
    expect(ending).toEqual(straight);
  },
);
