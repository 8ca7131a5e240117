import { execFileSync } from 'node:child_process';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Chart, check, compile, type Diagnostic, type JsonObject } from '@dramaturg/compiler';
import { checkChart } from '@dramaturg/compiler/chart';
import { compilerProblems, type ProblemKind } from '@dramaturg/compiler/format';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { formats } from '../src/known-formats.ts';
import { type BrowserBundle, bundleBrowser, type BundledBrowser } from './browser-bundle.ts';

/**
 * The pages of docs/diagnostics: one for each code, and its examples print what the compiler reports. With
 * UPDATE_GOLDEN=1 the printed findings are first written into the pages: read the difference as an author would.
 */
const root = join(import.meta.dirname, '../../..');
const folder = join(root, 'docs/diagnostics');
const kinds: readonly ProblemKind[] = [
  ...compilerProblems,
  ...formats.flatMap((format) => format.problems),
];

/** A page that has loaded nothing but the first part of `dramaturg/browser`. */
let browser: BrowserBundle;
let bundled: BundledBrowser;
beforeAll(async () => {
  bundled = await bundleBrowser();
  browser = await bundled.open();
});
afterAll(() => bundled.remove());

/** Codes that are always reported together with another one. */
const inCompany: Readonly<Record<string, string>> = {
  'npc/assumed-initial-state': 'It is assumed only of states that stand alone, which is said too.',
  'npc/assumed-transitions': 'It is assumed only of states that stand alone, which is said too.',
  'npc/assumed-end': 'It is assumed only of states that stand alone, which is said too.',
  'format/too-many-findings': 'It says that there are many others.',
};

test('every code has a page, and every page has a code', () => {
  const pages = globSync('*/*.md', { cwd: folder }).map((path) =>
    path.replaceAll('\\', '/').replace(/\.md$/, ''),
  );
  expect(pages.toSorted()).toEqual(kinds.map(({ code }) => code).toSorted());
});

test('the index is current', () => {
  const script = join(root, '.config/diagnostics-index.ts');
  expect(() =>
    execFileSync(process.execPath, [script, '--check'], { stdio: 'pipe' }),
  ).not.toThrow();
});

describe.each(byCode(kinds))('%s', (code, kind) => {
  const path = join(folder, `${code}.md`);

  test('has a page with its name and severity', () => {
    const { title, severity } = pageAt(path);
    expect({ title, severity }).toEqual({ title: code, severity: kind.severity });
  });

  test('has an example that gives the finding as it is printed', () => {
    const findings = findingsOf(pageAt(path).example);
    const own = findings.filter((finding) => finding.code === code);
    const others = findings.filter((finding) => finding.code !== code);
    if (process.env['UPDATE_GOLDEN']) update(path, own);

    expect(own).not.toEqual([]);
    expect(own.map(({ severity }) => severity)).toEqual(own.map(() => kind.severity));
    expect(pageAt(path).printed?.text).toBe(own.map(print).join('\n'));
    const comesAlone = !(code in inCompany);
    expect(comesAlone ? others.map(print) : []).toEqual([]);
    expect(comesAlone || others.length > 0).toBe(true);
  });

  test('has a mended example that no longer gives it and has no error', () => {
    const left = findingsOf(pageAt(path).fixed).filter(
      (finding) => finding.code === code || finding.severity === 'error',
    );
    expect(left.map(print)).toEqual([]);
  });
});

function byCode(some: readonly ProblemKind[]): [string, ProblemKind][] {
  return some.map((kind) => [kind.code, kind]);
}

type Finding = Pick<Diagnostic, 'code' | 'severity' | 'message'> & {
  readonly hint?: string | undefined;
};

/** A fenced block: what stands behind the opening fence, and what stands within. */
interface Block {
  readonly info: string;
  readonly text: string;
}

function pageAt(path: string) {
  const page = readFileSync(path, 'utf8');
  const blocks = [...page.matchAll(/^```(.+)\n([\s\S]*?)^```$/gm)].map(([, info, text]) => ({
    info: info!,
    text: text!.replace(/\n$/, ''),
  }));
  const definitions = blocks.filter(({ info }) => info !== 'text');
  return {
    title: /^# (.*)$/m.exec(page)?.[1],
    severity: /^`(\w+)`$/m.exec(page)?.[1],
    example: definitions.find(({ info }) => !isFixed(info)),
    printed: blocks.find(({ info }) => info === 'text'),
    fixed: definitions.find(({ info }) => isFixed(info)),
  };
}

function isFixed(info: string): boolean {
  return info.split(' ').includes('fixed');
}

/**
 * Checks a block as its fence says: `yaml plan file="a.plan.yaml" format="plan" options={"completion":"all"}`, or
 * `json chart` for what is true of the charts of any format. With `compile` it is compiled as for a run, and with `browser`
 * it is checked in a page.
 */
function findingsOf(block: Block | undefined): readonly Finding[] {
  if (!block) throw new Error('The page has no such block.');
  const [language = '', kind] = block.info.split(' ');
  if (kind === 'chart') return findingsOfChart(JSON.parse(block.text) as Chart);
  const settings = {
    fileName: (setting(block.info, 'file') as string | undefined) ?? `example.${language}`,
    format: setting(block.info, 'format') as string | undefined,
    options: setting(block.info, 'options') as JsonObject | undefined,
  };
  const words = block.info.split(' ');
  const text = withCharacters(block.text);
  if (words.includes('browser')) return browser.check(text, settings).diagnostics;
  const read = words.includes('compile') ? compile : check;
  return read(text, { ...settings, formats }).diagnostics;
}

/** What is said against any chart, whatever it was lowered from. */
function findingsOfChart(chart: Chart): readonly Finding[] {
  const findings: Finding[] = [];
  checkChart(chart, ({ hint, ...problem }) => {
    findings.push({ ...problem, hint: typeof hint === 'function' ? hint() : hint });
  });
  return findings;
}

function setting(info: string, name: string): unknown {
  const written = new RegExp(` ${name}=(\\S+)`).exec(info)?.[1];
  return written === undefined ? undefined : JSON.parse(written);
}

/** `⟨U+0007⟩` is a character that cannot be shown, and `⟨abc × 500⟩` is `abc` 500 times. */
function withCharacters(text: string): string {
  return text
    .replace(/⟨U\+([0-9A-F]{4,6})⟩/g, (_, digits: string) =>
      String.fromCodePoint(Number.parseInt(digits, 16)),
    )
    .replace(/⟨([^⟩]*) × (\d+)⟩/g, (_, repeated: string, times: string) =>
      repeated.repeat(Number(times)),
    );
}

function print({ message, hint }: Finding): string {
  return hint === undefined ? message : `${message}\nhint: ${hint}`;
}

function update(path: string, findings: readonly Finding[]): void {
  const printed = `\`\`\`text\n${findings.map(print).join('\n')}\n\`\`\``;
  const text = readFileSync(path, 'utf8');
  writeFileSync(
    path,
    text.replace(/^```text\n[\s\S]*?^```$/m, () => printed),
  );
}
