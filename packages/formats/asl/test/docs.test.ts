import { readFileSync } from 'node:fs';
import type { Json, JsonObject } from '@dramaturg/compiler';
import { describe, expect, test } from 'vitest';
import { type Agent, outputOf } from './run.ts';

/** The examples of docs/formats/asl-agents.md: a workflow, its agents, an input, and the output that is printed. */
const page = readFileSync(
  new URL('../../../../docs/formats/asl-agents.md', import.meta.url),
  'utf8',
);

const blocks = [...page.matchAll(/```(\w+)([^\n]*)\n([\s\S]*?)```/g)].map(
  ([, language, about, text]) => ({ language, about: about!.trim(), text: text! }),
);

const examples = blocks.flatMap(({ about, text }, index) => {
  const file = /^file="(.*)"$/.exec(about)?.[1];
  if (file === undefined) return [];
  const following = blocks.slice(index + 1);
  const next = (is: (block: (typeof blocks)[number]) => boolean) => following.find(is)!.text;
  return [
    {
      file,
      definition: JSON.parse(text) as JsonObject,
      agents: next(({ language }) => language === 'js'),
      input: JSON.parse(next((block) => block.about === 'input')) as Json,
      output: JSON.parse(next((block) => block.about === 'output')) as Json,
    },
  ];
});

test('there is an example for every block', () => {
  expect(examples.length).toBeGreaterThan(0);
  expect(examples).toHaveLength(page.match(/^```json output$/gm)!.length);
});

describe.each(examples)('$file', ({ definition, agents, input, output }) => {
  test('runs, and has the output of the page', async () => {
    const module = (await import(
      /* @vite-ignore */ `data:text/javascript,${encodeURIComponent(agents)}`
    )) as Record<string, Agent>;
    expect(await outputOf(definition, { input, agents: module })).toEqual(output);
  });
});
