import { noContent, type ReadContent } from './content.ts';
import { withoutControlCharacters } from './control-characters.ts';
import { Findings } from './findings.ts';
import { readJson } from './json.ts';
import { maxLength, maxYamlLength } from './limits.ts';
import { positionsOf, type Positions } from './positions.ts';
import { printNumber, tooLarge } from './problems.ts';
import type { Source } from './source.ts';
import { readYaml } from '#read-yaml';

export type Language = 'json' | 'yaml';

export interface ReadOptions {
  /** When absent, the file name decides, or else the beginning of the text. */
  readonly language?: Language;
  readonly fileName?: string;
  /** In UTF-16 units. A longer text is refused unread. Default: 5,000,000 for JSON and 1,000,000 for YAML. */
  readonly maxLength?: number;
  /**
   * Reads the syntax of deployment tools: `${name}` outside of quotes becomes a string, and a tag of CloudFormation becomes an
   * object: `!GetAtt Orders.Arn` is `{ "Fn::GetAtt": "Orders.Arn" }`. Default: false, both are errors.
   */
  readonly placeholders?: boolean;
}

/** Reads a text as JSON or YAML. Never throws: all problems of the text are in the diagnostics. */
export function read(text: string, options: ReadOptions = {}): Source {
  const positions = positionsOf(text);
  const findings = new Findings();
  const { value, locations } = contentOf(text, options, findings, positions);
  return {
    text,
    value,
    diagnostics: findings.diagnostics(positions, (offset) => locations.pathAt(offset)),
    locate: (path, part = 'value') =>
      positions.range(locations.locate(path, part) ?? { start: 0, end: 0 }),
  };
}

function contentOf(
  text: string,
  options: ReadOptions,
  findings: Findings,
  positions: Positions,
): ReadContent {
  const language = options.language ?? languageOf(text, options.fileName);
  const limit = options.maxLength ?? (language === 'yaml' ? maxYamlLength : maxLength);
  if (text.length > limit) {
    const isYamlLimit = language === 'yaml' && options.maxLength === undefined;
    const hint = isYamlLimit
      ? `As JSON, up to ${printNumber(maxLength)} are read.`
      : 'Split the definition into several.';
    findings.add(tooLarge(printNumber(text.length), limit, 'characters', hint), {
      start: 0,
      end: 0,
    });
    return noContent();
  }
  const clean = withoutControlCharacters(text, findings);
  if (clean === undefined) return noContent();
  return language === 'json'
    ? readJson(clean, findings, options)
    : readYaml(clean, findings, positions, options);
}

/** The language of a text, by its file name or else by its beginning. */
export function languageOf(text: string, fileName = ''): Language {
  return languageOfFile(fileName) ?? languageOfText(text);
}

function languageOfFile(name: string): Language | undefined {
  if (/\.jsonc?$/i.test(name)) return 'json';
  if (/\.ya?ml$/i.test(name)) return 'yaml';
  return undefined;
}

/** Reads YAML in braces as JSON, as most authors mean it. A file name such as `a.yaml` overrules this. */
function languageOfText(text: string): Language {
  return /^\uFEFF?[ \t\r\n]*(?:[{["]|\/\/|\/\*)/.test(text) ? 'json' : 'yaml';
}
