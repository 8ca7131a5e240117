import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { check, type Json, type JsonObject } from '@dramaturg/compiler';
import { describe, expect, test } from 'vitest';
import { runsAll } from '../../../../../.config/scaled.ts';
import { asl } from '../../src/index.ts';
import { query } from '../data/evaluate.ts';
import { explained } from './explained.ts';
import { isAlike, type Recorded, replay, type Result } from './replay.ts';

/** Replays recordings of the upstream engine. `explained` has a reason for every difference. */
const root = new URL('../../../../../../shared/corpus/asl-oracle/', import.meta.url);
const isThere = existsSync(root);

interface Probe {
  readonly intrinsic?: string;
  readonly jsonpath?: string;
  readonly id?: string;
  readonly data?: Json;
  readonly context?: JsonObject;
  readonly validate?: JsonObject;
  readonly result: { readonly value?: Json; readonly error?: string; readonly valid?: boolean };
}

function read(file: string): unknown {
  return isThere ? JSON.parse(readFileSync(new URL(file, root), 'utf8')) : [];
}

function reasonFor(name: string): string | undefined {
  return Object.entries(explained).find(([, names]) =>
    names.some((one) => (one.endsWith('*') ? name.startsWith(one.slice(0, -1)) : name === one)),
  )?.[0];
}

/** A fault: a difference without a reason, or a reason by full name without a difference. */
function complaint(name: string, agrees: boolean): string | undefined {
  const isNamed = Object.values(explained).some((names) => names.includes(name));
  if (agrees) return isNamed ? `${name} agrees after all` : undefined;
  return reasonFor(name) === undefined ? `nothing explains why ${name} differs` : undefined;
}

test.skipIf(!isThere)(
  'the recordings in ../shared are here; without them nothing is compared',
  () => {
    expect(isThere).toBe(true);
  },
);

const probes = new Set([
  'bench.json',
  'probe-intrinsics.json',
  'probe-jsonpath.json',
  'probe-validator.json',
]);
const files = isThere
  ? readdirSync(root).filter((file) => file.endsWith('.json') && !probes.has(file))
  : [];

type Named = Recorded & { readonly id?: string; readonly source?: string };

function casesIn(file: string): (readonly [name: string, one: Named])[] {
  const content = read(file) as Named[] | { workflow: JsonObject; scenarios: Named[] };
  const cases = Array.isArray(content)
    ? content
    : content.scenarios.map((one) => ({ ...one, workflow: content.workflow }));
  // Its error leads back to it until the limit of steps, which takes seconds.
  const isShort = ({ id }: Named) => runsAll || id !== 'debate-agent-throws';
  return cases.filter(isShort).map((one) => [one.id ?? one.source!, one]);
}

describe.each(files)('%s', (file) => {
  test.each(casesIn(file))('%s', async (name, one) => {
    const ours = await replay(one);
    expect(complaint(name, isSame(ours, one.result))).toBeUndefined();
  });
});

/** Recordings that differ because a path leads to nothing, and agree where it is null as in the engine. */
const agreesWithNull = [
  'flow-params-missing',
  'flow-params-missing-task',
  'choice-missing-IsNull-true',
  'choice-missing-IsString-false',
  'choice-missing-IsNumeric-false',
  'choice-missing-IsBoolean-false',
  'catch-inputpath',
  'map-context-after',
  'spec08-robust-error-handling/timeout-exhausted',
  'spec08-robust-error-handling/model-error-alternative-fails',
  'tut01-hello-world/no-input',
  'tut07-secure-research/no-code',
  'tut11-fault-tolerant/ok',
  'tut11-fault-tolerant/validation',
  'tut11-fault-tolerant/timeout-then-ratelimit-then-ok',
  'tut11-fault-tolerant/timeout-always-fallback',
  'tut14-research-assistant/three-arg-mathadd',
];

// The rest differs in other ways too: the engine wraps scalars, compares null with null, and waits 0 seconds for null.
test.skipIf(!isThere)('recordings agree where paths to nothing are null', async () => {
  const found: string[] = [];
  for (const [name, one] of files.flatMap(casesIn)) {
    if (!reasonFor(name)?.startsWith('E Missing path')) continue;
    const differs = !isSame(await replay(one), one.result);
    if (differs && isSame(await replay(one, 'null'), one.result)) found.push(name);
  }
  expect(found.toSorted()).toEqual(agreesWithNull.toSorted());
});

function isSame(ours: Result, { status, output, error }: Result): boolean {
  if (ours.status !== status) return false;
  if (status === 'success') return isAlike(ours.output, output);
  return status !== 'failure' || ours.error === error;
}

const evaluated = ['probe-intrinsics.json', 'probe-jsonpath.json']
  .flatMap((file) => read(file) as Probe[])
  // The others are calls of the engine's own methods.
  .filter(({ intrinsic, jsonpath }) => intrinsic !== undefined || jsonpath !== undefined);

test.each(evaluated.map((probe) => [probe.intrinsic ?? probe.jsonpath!, probe] as const))(
  'probe %s',
  (text, { intrinsic, data = {}, context = {}, result }) => {
    const ours = evaluate(text, data, context);
    const agrees =
      result.error === undefined
        ? 'value' in ours && isAlike(ours.value, result.value)
        : ours.error === result.error;
    const kind = intrinsic === undefined ? 'jsonpath' : 'intrinsic';
    expect(complaint(`${kind} ${text}`, agrees)).toBeUndefined();
  },
);

function evaluate(text: string, data: Json, context: JsonObject): { value?: Json; error?: string } {
  try {
    return { value: query(text, data, { dialect: 'agent', context }) };
  } catch (thrown) {
    return { error: (thrown as { error: string }).error };
  }
}

test.each((read('probe-validator.json') as Probe[]).map((probe) => [probe.id!, probe] as const))(
  'validator %s',
  (id, { validate, result }) => {
    const { diagnostics } = check(JSON.stringify(validate), {
      formats: [asl],
      format: 'asl',
      options: { dialect: 'agent' },
    });
    const isValid = diagnostics.every(({ severity }) => severity !== 'error');
    expect(complaint(`validator ${id}`, isValid === result.valid)).toBeUndefined();
  },
);
