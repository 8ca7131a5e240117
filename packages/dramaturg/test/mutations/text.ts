import type { Random } from './random.ts';
import type { Tree } from './structure.ts';

type Mutation = (text: string, random: Random) => string;

/** Changes one part of a text and describes the change. */
export function mutateText(text: string, random: Random): { text: string; done: string } {
  const done = random.of(names);
  return { text: mutations[done]!(text, random), done };
}

const mutations: Readonly<Record<string, Mutation>> = {
  'cut the end': (text, random) => text.slice(0, random.below(text.length)),
  'cut the beginning': (text, random) => text.slice(random.below(text.length)),
  'delete some': (text, random) => {
    const at = random.below(text.length);
    return text.slice(0, at) + text.slice(at + 1 + random.below(4));
  },
  'insert a sign': (text, random) => {
    const at = random.below(text.length + 1);
    return text.slice(0, at) + random.of(signs) + text.slice(at);
  },
  'delete a sign': (text, random) => {
    const places = [...text.matchAll(/[{}[\]",:'-]/g)].map(({ index }) => index);
    if (places.length === 0) return '';
    const at = random.of(places);
    return text.slice(0, at) + text.slice(at + 1);
  },
  'repeat a line': (text, random) => changeLine(text, random, (line) => `${line}\n${line}`),
  'delete a line': (text, random) => changeLine(text, random, () => undefined),
  'indent a line': (text, random) => changeLine(text, random, (line) => ` ${line}`),
  'outdent a line': (text, random) => changeLine(text, random, (line) => line.replace(/^ /, '')),
  'indent by a tab': (text, random) =>
    changeLine(text, random, (line) => line.replace(/^(?: {2}|)/, '\t')),
  'indent by tabs everywhere': (text) =>
    text.replaceAll(/^(?: {2})+/gm, (blanks) => '\t'.repeat(blanks.length / 2)),
  'other quotes in a line': (text, random) =>
    changeLine(text, random, (line) => line.replaceAll('"', "'")),
  'typographic quotes in a line': (text, random) =>
    changeLine(text, random, (line) => line.replaceAll('"', '“')),
  'no quotes in a line': (text, random) =>
    changeLine(text, random, (line) => line.replaceAll('"', '')),
  'join two lines': (text, random) => {
    const ends = [...text.matchAll(/\n/g)].map(({ index }) => index);
    if (ends.length === 0) return text;
    const at = random.of(ends);
    return text.slice(0, at) + text.slice(at + 1);
  },
  'other line ends': (text, random) => text.replaceAll('\n', random.of(['\r\n', '\r', '\u2028'])),
};
const names = Object.keys(mutations);

const signs = [
  ['{', '}', '[', ']', ':', ': ', ',', '"', "'", '\\', '\n', '\t', '- ', '#', '//', '/*', '*/'],
  ['&a ', '*a ', '<<: ', '!!int ', '? ', '|\n', '---\n', '%', '@', '`', '\0', '\uFEFF', '\uD800'],
].flat();

function changeLine(
  text: string,
  random: Random,
  change: (line: string) => string | undefined,
): string {
  const lines = text.split('\n');
  const at = random.below(lines.length);
  const changed = change(lines[at]!);
  lines.splice(at, 1, ...(changed === undefined ? [] : [changed]));
  return lines.join('\n');
}

/** A tree as YAML in block style with quoted texts. */
export function yamlOf(value: unknown, indent = ''): string {
  if (!isTree(value) || Object.keys(value).length === 0) return JSON.stringify(value);
  const deeper = `${indent}  `;
  const lines = Object.entries(value).map(([key, part]) => {
    const isBlock = isTree(part) && Object.keys(part).length > 0;
    const written = isBlock ? `\n${deeper}${yamlOf(part, deeper)}` : ` ${yamlOf(part, deeper)}`;
    return Array.isArray(value) ? `-${written}` : `${plainKey(key)}:${written}`;
  });
  return lines.join(`\n${indent}`);
}

function plainKey(key: string): string {
  return /^[A-Za-z_]\w*$/.test(key) ? key : JSON.stringify(key);
}

function isTree(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null;
}
