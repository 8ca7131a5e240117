import { isRecord, type Json } from '@dramaturg/compiler';
import { InstanceHistory } from '@dramaturg/host';
import { expect, test } from 'vitest';
import { isSlowStep, until } from '@dramaturg/testing';
import { compile } from '../../src/compile.ts';
import { behaviours, createHost, hosted } from '../../src/host.ts';
import { memoryStore, type Ports, understudyPorts } from '../../src/index.ts';
import { formats } from '../../src/known-formats.ts';
import { type Base, basesOf, type Mutant, mutantOf } from '../mutations/mutants.ts';
import { Random } from '../mutations/random.ts';
import { scaled } from '../../../../.config/scaled.ts';

/**
 * No false "compatible": fixtures are changed at random, and two instances of each are brought into the same random state. One of
 * them is migrated to the changed definition. If that was compatible, both do the same from then on, until they enter another state.
 * Whatever the verdict was, a migrated instance goes on, and its history can be repeated.
 */
const count = Number(process.env['DRAMATURG_MUTANTS'] ?? scaled(15));
/** Most mutants have errors, need input, or cannot be migrated. */
const triesMax = 100 * count;
const names = formats.map(({ name }) => name).filter((name) => name !== 'lifecycle');

test.each(names)(
  '%s: a compatible instance goes on as if it had kept its version',
  async (format) => {
    const compiled = new Map<string, Definition>();
    const bases = basesOf(format).filter(({ name, value, options }) => {
      const text = JSON.stringify(value);
      if (text.length >= 12_000) return false;
      const definition = compile(text, { format, options });
      compiled.set(name, definition);
      return definition.chart !== undefined;
    });
    const faults: string[] = [];
    const verdicts = new Map<string, number>();
    for (let seed = 0; seed < triesMax; seed += 1) {
      const mutant = seed % 3 === 0 ? mutantOf(bases, seed) : reworded(bases, seed);
      const base = bases.find(({ name }) => mutant.history.startsWith(`${seed}: ${name}`))!;
      const after = compile(mutant.text, {
        format,
        fileName: mutant.fileName,
        options: base.options,
      });
      if (!after.chart) continue;
      try {
        const { verdict, faults: found } = await migrated(
          compiled.get(base.name)!,
          after,
          new Random(seed),
        );
        verdicts.set(verdict, (verdicts.get(verdict) ?? 0) + 1);
        faults.push(...found.map((fault) => `${mutant.history}: ${fault}`));
      } catch (error) {
        // Some fixtures need input.
        if ((error as Error).name === 'InputError') continue;
        faults.push(`${mutant.history}: ${String(error instanceof Error ? error.stack : error)}`);
      }
      const migrations = (verdicts.get('compatible') ?? 0) + (verdicts.get('migratable') ?? 0);
      if (verdicts.has('compatible') && migrations >= count) break;
    }
    expect(faults).toEqual([]);
    expect(verdicts.get('compatible') ?? 0).toBeGreaterThan(0);
  },
);

/** A definition with one other text or number, which is often in a state that the instances are not in. */
function reworded(bases: readonly Base[], seed: number): Mutant {
  const random = new Random(seed);
  const { name, value, options } = random.of(bases);
  const places: [Record<string, unknown>, string][] = [];
  const tree = structuredClone(value);
  const pending: unknown[] = [tree];
  for (const part of pending) {
    for (const [key, inner] of Object.entries(part as Record<string, unknown>)) {
      if (typeof inner === 'object' && inner !== null) pending.push(inner);
      else if (typeof inner === 'number' || /\s/.test(String(inner)))
        places.push([part as Record<string, unknown>, key]);
    }
  }
  if (places.length === 0) return mutantOf(bases, seed);
  const [holder, key] = random.of(places);
  holder[key] = typeof holder[key] === 'number' ? holder[key] + 1 : `${String(holder[key])} Again.`;
  return {
    text: JSON.stringify(tree),
    fileName: 'reworded.json',
    options,
    history: `${seed}: ${name}, other ${key}`,
  };
}

type Definition = ReturnType<typeof compile>;

async function migrated(before: Definition, after: Definition, random: Random) {
  const faults: string[] = [];
  const held: (() => void)[] = [];
  let isHeld = false;
  const understudy = understudyPorts();
  // A workflow rests where its agents are at work.
  const runAgent: Ports['runAgent'] = async ({ agent }) => {
    if (isHeld) await new Promise<void>((resolve) => held.push(resolve));
    return { result: { by: agent } };
  };
  const host = await createHost({
    store: memoryStore(),
    definitions: { it: before },
    ports: { ...understudy, runAgent, callTool: async () => ({ result: {} }) },
    channels: { main: { deliver: () => {} } },
    onError: (error) => {
      if (!isSlowStep(error)) faults.push(`the host reports ${String(error)}`);
    },
  });
  try {
    isHeld = before.kind === 'workflow';
    const ids = ['twin-1', 'twin-2'];
    const input = isHeld ? { input: { items: [{ sku: 'a' }], topic: 'Cats' } } : {};
    for (const id of ids) await host.start('it', { id, contact: id, input });
    /** Until nothing is in progress but agents that are held. */
    const settle = async () => {
      let hasSettled = false;
      void host.settle({ within: 100_000 }).then((isSo) => {
        hasSettled = isSo;
      });
      await until(async () => {
        if (hasSettled) return true;
        const views = await Promise.all(ids.map((id) => host.get(id)));
        return held.length > 0 && held.length === views.flatMap(({ calls }) => calls).length;
      }, 'agents that are held');
    };
    await settle();
    const say = async (text: string) => {
      for (const id of ids) await host.receive({ contact: id, text });
      await settle();
    };
    for (let turns = random.below(4); turns > 0; turns -= 1)
      if (before.kind === 'conversation') await say(random.of(words));
      else {
        for (const release of held.splice(0)) release();
        await settle();
      }
    const views = await Promise.all(ids.map((id) => host.get(id)));
    if (views.some(({ ended }) => ended)) return { verdict: 'ended', faults };
    const { items } = await host.assess(hosted('it', after), {}, { limit: 10 });
    const assessed = items.find(({ id }) => id === 'twin-2');
    if (!assessed) return { verdict: 'same', faults };
    await host.define(hosted('it', after));
    const answer = await host.migrate('twin-2');
    const isBlocked = assessed.verdict === 'blocked';
    if (answer.accepted === isBlocked)
      faults.push(`it was ${assessed.verdict}, and migrating it gave ${JSON.stringify(answer)}`);
    if (isBlocked) return { verdict: assessed.verdict, faults };
    const lengths = await Promise.all(ids.map(async (id) => (await host.get(id)).journalLength));
    isHeld = false;
    if (before.kind === 'conversation') {
      await say(random.of(words));
      await say(random.of(words));
    } else {
      for (const release of held.splice(0)) release();
      await host.settle({ within: 100_000 });
    }
    const [kept, moved] = await Promise.all(
      ids.map(async (id, index) =>
        untilNextState(await host.journal(id, { from: lengths[index]!, limit: 5_000 }), id),
      ),
    );
    if (assessed.verdict === 'compatible' && JSON.stringify(kept) !== JSON.stringify(moved))
      faults.push(`it goes on otherwise: ${JSON.stringify(moved)} and not ${JSON.stringify(kept)}`);
    const history = new InstanceHistory({
      id: 'twin-2',
      charts: await host.charts('twin-2'),
      behaviours,
    });
    await history.take(await host.journal('twin-2', { from: 0, limit: 10_000 }));
    if (history.departures.length > 0) faults.push(JSON.stringify(history.departures));
    return { verdict: assessed.verdict, faults };
  } finally {
    for (const release of held.splice(0)) release();
    await host.stop({ within: 0 });
  }
}

const words = ['My name is Ada.', 'yes', 'no', '42', 'I would like a refund, please.', 'Hello?'];

/** The events of an instance without its id, until it enters another state. */
function untilNextState(journal: readonly Json[], id: string): readonly string[] {
  const events: string[] = [];
  for (const line of journal) {
    if (!isRecord(line) || line['source'] === 'step' || !isRecord(line['event'])) continue;
    const { source, event } = line as { source: string; event: { type: string } };
    if (source === 'flow' && /entered|transition|exited|left/.test(event.type)) break;
    events.push(`${source} ${withoutId(JSON.stringify(event), id)}`);
  }
  // Calls of items end in any order.
  return events;
}

function withoutId(text: string, id: string): string {
  return text
    .replaceAll(new RegExp(`(["/:])${id}(?=["/:])`, 'g'), '$1it')
    .replaceAll(/\d{13}(\.\d+)?/g, 'time');
}
