import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { check, isRecord, type Json, type JsonObject } from '@dramaturg/compiler';
import { detect } from '@dramaturg/compiler/format';
import { expect, test } from 'vitest';
import { asl } from '../src/index.ts';
import { run } from './run.ts';

/** Published workflows. `oracle/` runs them to their ends. */
const root = new URL('../../../../../shared/corpus/asl/', import.meta.url);

/** The faults of rejected workflows, with the entry in the review of the language. */
const refused: Readonly<Record<string, readonly [code: string, reason: string]>> = {
  'spec01-customer-support.asl.json': [
    'asl/unknown-target',
    'F 29: dangling targets in the introduction',
  ],
  'spec01-declarative-analyze-decide.asl.json': [
    'asl/unknown-target',
    'F 29: dangling targets in the introduction',
  ],
  'spec07-cost-optimized-research.asl.json': [
    'asl/unknown-function',
    'F 29: States.EstimateCost is used and never defined',
  ],
};

const isThere = existsSync(root);

test.skipIf(!isThere)(
  'the workflows in ../shared are here; without them nothing is compared',
  () => {
    expect(isThere).toBe(true);
  },
);

const files = isThere ? readdirSync(root).filter((file) => file.endsWith('.asl.json')) : [];

test.each(files)('%s is a workflow, and compiles unless it has a known fault', (file) => {
  const text = readFileSync(new URL(file, root), 'utf8');
  expect(detect(JSON.parse(text), [asl], {})).toMatchObject({ format: { name: 'asl' } });
  const { diagnostics } = check(text, { formats: [asl] });
  const codes = diagnostics.flatMap(({ severity, code }) => (severity === 'error' ? [code] : []));
  const [expected] = refused[file] ?? [];
  expect([...new Set(codes)].filter((code) => code === expected)).toEqual(
    expected === undefined ? [] : [expected],
  );
  expect(expected === undefined ? codes : []).toEqual([]);
});

/** Why some workflows cannot succeed. */
const isTemplate = 'This is a template or a module: include it in a workflow.';
const failing: Readonly<Record<string, string>> = {
  'spec10-decorator-template.asl.json': isTemplate,
  'spec10-template-analysis.asl.json': isTemplate,
  'spec10-template-validation.asl.json': isTemplate,
  'tut12-template-document-processing.asl.json': isTemplate,
  'tut12-template-notification.asl.json': isTemplate,
  'tut12-template-validation.asl.json': isTemplate,
  // No answer of its agents is a success, so it ends in its Fail.
  'tut13-analyze-document.asl.json': 'text',
  // F 29: it adds three numbers.
  'tut14-research-assistant.asl.json': 'States.MathAdd was given 3 arguments.',
};

test.each(files.filter((file) => !Object.hasOwn(refused, file)))(
  '%s runs to its end with agents that answer whatever is asked of them',
  async (file) => {
    const definition = JSON.parse(readFileSync(new URL(file, root), 'utf8')) as JsonObject;
    const answer = whateverIsReadIn(definition);
    const lists = agentsThatList(definition);
    const { output } = await run(definition, {
      input: answer,
      options: { dialect: 'agent' },
      decide: ({ options }) => ({ decision: options[0]!.id, comment: 'fine' }),
      ports: {
        runAgent: ({ agent, reasoning }) => {
          const result = lists.has(agent) ? [answer] : answer;
          return { result: reasoning ? { result, reasoning: { steps: ['so'] } } : result };
        },
        callTool: () => ({ result: answer }),
        choose: ({ options }) => ({ option: options[0]!.id }),
      },
    });
    expect(
      output?.status === 'succeeded' ? 'succeeded' : (output as { cause?: string }).cause,
    ).toBe(failing[file] ?? 'succeeded');
  },
);

/** Data in which every path of a workflow has a value. */
function whateverIsReadIn(definition: JsonObject): JsonObject {
  const lists = new Set<string>();
  const texts = new Set<string>();
  const data: Record<string, Json> = {};
  const text = JSON.stringify(definition);
  for (const [, name] of text.matchAll(/"ItemsPath":"\$\.([\w.]+)"/g))
    lists.add(name!.split('.').at(-1)!);
  for (const [, name] of text.matchAll(/"Cause\.\$":"\$\.(?:\w+\.)*(\w+)"/g)) texts.add(name!);
  for (const [, path] of text.matchAll(/\$\.((?:\w+\.)*\w+)/g)) {
    const steps = path!.split('.');
    for (let from = 0; from < steps.length; from += 1) {
      let at = data;
      steps.slice(from).forEach((step, index, all) => {
        const isLast = index === all.length - 1;
        if (!isLast) at = at[step] = isRecord(at[step]) ? at[step] : {};
        else if (!isRecord(at[step]))
          at[step] = lists.has(step) ? [{}] : texts.has(step) ? 'text' : 1;
      });
    }
  }
  for (const name of lists) data[name] = [{}];
  return data;
}

/** The agents whose result is the list of a Map. */
function agentsThatList({ States: states }: JsonObject): ReadonlySet<string> {
  const all = Object.values(states as Record<string, JsonObject>);
  const paths = all.flatMap(({ ItemsPath: path }) => (path === undefined ? [] : [path]));
  return new Set(
    all.flatMap(({ Agent: agent, ResultPath: path }) =>
      typeof agent === 'string' && path !== undefined && paths.includes(path) ? [agent] : [],
    ),
  );
}
