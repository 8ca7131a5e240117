import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as whole from '../src/index.ts';
import { type BrowserBundle, bundleBrowser, type BundledBrowser } from './browser-bundle.ts';
import { sampled, scaled } from '../../../.config/scaled.ts';

/** The YAML parser of browsers is bundled without some of its modules. It reads every text like the whole one. */
const root = join(import.meta.dirname, '../../..');
let bundled: BundledBrowser;
let page: BrowserBundle;
beforeAll(async () => {
  bundled = await bundleBrowser();
  page = await bundled.open();
  await page.loadWorkflowEngines();
});
afterAll(() => bundled.remove());

const read = (path: string) => readFileSync(join(root, path), 'utf8');
const pages = globSync('docs/**/*.md', { cwd: root, exclude: ['**/node_modules/**'] });
const files = globSync('{docs/examples,packages/*/*/test/fixtures}/**/*.{json,yaml,yml}', {
  cwd: root,
});
const texts = sampled([
  ...pages.flatMap((path) =>
    [...read(path).matchAll(/^```ya?ml.*\n([\s\S]*?)^```$/gm)].map(([, text]) => text!),
  ),
  // JSON is YAML as well.
  ...files.map(read).filter((text) => text.length < 6_000),
]);

/** Texts with what the parser of browsers leaves out, or reads by other ways. */
const unusual = [
  '%YAML 1.1\n---\na: yes\nb: 0o17\nc: 017\nd: 1_000\ne: 190:20:30\nf: 2001-12-14',
  'a: !!set { x, y }\nb: !!omap [ { x: 1 } ]\nc: !!pairs [ { x: 1 } ]\nd: !!binary aGk=\ne: !!timestamp 2001-12-14',
  'a: !!str 1\nb: !!int "2"\nc: !!float 3\nd: !!bool true\ne: !!null ~\nf: !!map {}\ng: !!seq []',
  'a: &x { n: 1 }\nb: { <<: *x, m: 2 }\nc: { <<: [*x, { k: 1 }] }\n<<: *x',
  '? { a: 1 }\n: b\n? [ c ]\n: d\n? |\n  long\n: e',
  "a: |+\n  kept\n\nb: >-\n  folded\n  line\n\n  other\nc: \"q\\u0041\\x42\\\n  d\"\nd: 'it''s'",
  'a: !own {}\nb: !Ref c\n!!str d: e',
  '%TAG ! tag:example.com,2000:\n---\n!x a',
  '--- 1\n--- 2',
  'a: *nowhere',
  'a: &a [ *a ]',
  '- .inf\n- -.INF\n- .nan\n- 0x1F\n- 1e400\n- 12345678901234567890',
  '\u{FEFF}a: b\r\nc: d\r',
  '',
  '---',
  '# nothing',
];

/** A text with a mistake: without a character, or with another one, at places that are spread over it. */
function withMistakes(text: string): readonly string[] {
  return Array.from({ length: 6 }, (_, index) => {
    const at = Math.floor((text.length * (index + 0.5)) / 6);
    const put = ['', ':', '\t', '"', '- ', '\n'][index]!;
    return text.slice(0, at) + put + text.slice(at + 1);
  });
}

function checked({ check }: Pick<typeof whole, 'check'>, text: string) {
  const { source, diagnostics } = check(text, { fileName: 'definition.yaml' });
  return { value: source.value, diagnostics };
}

test('there are texts', () => {
  expect(texts.length).toBeGreaterThan(scaled(300));
});

test.each([
  ['texts of docs and tests', () => texts],
  [
    'short texts with mistakes',
    () => texts.filter(({ length }) => length < 800).flatMap(withMistakes),
  ],
  [
    'unusual texts, and those with mistakes',
    () => unusual.flatMap((text) => [text, ...withMistakes(text)]),
  ],
])('%s are read in a browser as elsewhere', (_name, some) => {
  const differing = some().filter(
    (text) => JSON.stringify(checked(page, text)) !== JSON.stringify(checked(whole, text)),
  );
  expect(differing).toEqual([]);
});
