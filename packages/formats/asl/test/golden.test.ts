import { readFileSync } from 'node:fs';
import type { JsonObject } from '@dramaturg/compiler';
import { golden } from '@dramaturg/testing';

import { describe, expect, test } from 'vitest';
import { asl, type WorkflowEmitted } from '../src/index.ts';
import { type Ran, run } from './run.ts';
import { runs } from './runs.ts';

const root = new URL('./fixtures/', import.meta.url);

// Workflows have no transcripts: their runs are below.
golden(asl, root, () => '');

describe.each(Object.entries(runs))('%s', (name, ways) => {
  const text = readFileSync(new URL(`${name}/${name}.asl.json`, root), 'utf8');
  const definition = JSON.parse(text) as JsonObject;

  test.for(Object.entries(ways))('runs: %s', async ([way, options]) => {
    const ran = await run(definition, options());
    await expect(traceOf(ran)).toMatchFileSnapshot(`fixtures/${name}/${way}.trace`);
  });

  test.for(Object.entries(ways))('runs unfused with the same events: %s', async ([, options]) => {
    const [fused, unfused] = [
      await run(definition, options()),
      await run(definition, { ...options(), fuse: false }),
    ];
    expect(traceOf(unfused)).toBe(traceOf(fused));
  });

  test.for(Object.entries(ways))(
    'has the same outcome with a crash at every call: %s',
    async ([, options]) => {
      const straight = await run(definition, { ...options(), start: { id: 'one' } });
      const crashed = await run(definition, { ...options(), start: { id: 'one' }, recover: true });
      expect(crashed.output).toEqual(straight.output);
      expect(crashed.calls.map(({ key }) => key).toSorted()).toEqual(
        straight.calls.map(({ key }) => key).toSorted(),
      );
      expect(crashed.seconds).toBe(straight.seconds);
      expect(linesOf(crashed.events).toSorted()).toEqual(linesOf(straight.events).toSorted());
    },
  );
});

/** A run as a text: a line for each event, then the outcome and the duration. */
function traceOf({ events, output, seconds }: Ran): string {
  const ended = output ? JSON.stringify(output) : 'still waiting';
  return [...linesOf(events), '', `after ${seconds} s: ${ended}`, ''].join('\n');
}

function linesOf(events: readonly WorkflowEmitted[]): string[] {
  return events
    .filter(({ type }) => type !== 'workflow.ended')
    .map(({ type, ...fields }) => `${type} ${JSON.stringify(fields, withoutTokens)}`);
}

/** Tokens are random. */
function withoutTokens(_: string, value: unknown): unknown {
  return typeof value === 'string'
    ? value.replace(/[\da-f]{8}-[\da-f]{4}-4[\da-f-]{21}/g, '<uuid>')
    : value;
}
