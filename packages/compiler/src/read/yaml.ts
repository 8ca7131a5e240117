import { Composer, isScalar, Lexer, Parser } from '#yaml';
import type { Composer as YamlComposer, CST, Lexer as YamlLexer, ParsedNode } from 'yaml';
import type * as yaml from 'yaml';
import { hideBrackets } from './bare-placeholders.ts';
import { noContent, type ReadContent } from './content.ts';
import { Findings, ReadingStoppedError } from './findings.ts';
import { maxDepth, maxYamlTokens } from './limits.ts';
import type { Positions } from './positions.ts';
import { empty, notJsonValue, printNumber, syntax, tooDeep, tooLarge } from './problems.ts';
import { YamlErrors, type ErrorSource } from './yaml-errors.ts';
import { yamlContent } from './yaml-value.ts';

/**
 * Always the core schema, without further tags. Duplicate keys are found while the value is created, because the library's check
 * is quadratic.
 */
const options = {
  schema: 'core',
  merge: false,
  resolveKnownTags: false,
  uniqueKeys: false,
  prettyErrors: false,
  logLevel: 'silent',
} as const;

/**
 * Reads YAML 1.2 in its core schema, with merge keys. With placeholders, brackets may close at any indentation, and brackets of
 * placeholders do not count.
 */
export function readYaml(
  given: string,
  findings: Findings,
  positions: Positions,
  { placeholders = false }: { readonly placeholders?: boolean | undefined } = {},
): ReadContent {
  if (!placeholders) return readWith(given, findings, positions, { placeholders });
  const strict = new Findings();
  const content = readWith(given, strict, positions, { placeholders });
  const lenient = new Findings();
  const again =
    strict.has(syntax) &&
    readWith(hideBrackets(given), lenient, positions, { placeholders, lexer: lenientLexer() });
  const isBetter = again && !lenient.has(syntax);
  findings.addAll(isBetter ? lenient : strict);
  return isBetter ? again : content;
}

interface YamlOptions {
  readonly placeholders: boolean;
  /** A lenient lexer; the text then has its placeholders hidden. */
  readonly lexer?: YamlLexer;
}

function readWith(
  given: string,
  findings: Findings,
  positions: Positions,
  { placeholders, lexer }: YamlOptions,
): ReadContent {
  // The parser does not treat a lone carriage return as a line end.
  const text = given.replace(/\r(?!\n)/g, '\n');
  const errors = new YamlErrors(text, positions, findings, placeholders);
  try {
    const contents = compose(text, findings, errors, lexer ?? new Lexer());
    if (contents && !isVoid(contents)) {
      const content = yamlContent(contents, findings, {
        placeholders,
        hidesBrackets: lexer !== undefined,
      });
      errors.report();
      return content;
    }
    errors.report();
    if (findings.none) findings.add(empty(), { start: 0, end: 0 }, []);
    return noContent();
  } catch (error) {
    if (!(error instanceof ReadingStoppedError)) throw error;
    errors.report();
    return noContent();
  }
}

/**
 * Drives the parser one token at a time, to stop hostile texts early: tokens are counted before they are parsed, and the
 * depth is checked before anything recurses into the tree.
 */
function compose(
  text: string,
  findings: Findings,
  errors: YamlErrors,
  lexer: YamlLexer,
): ParsedNode | null {
  const parser = new Parser();
  const composer = composerReportingTo(errors);
  let tokens = 0;
  let documents = 0;

  /** Takes a token of the first document; returns false when a second one begins. */
  function take(token: CST.Token): boolean {
    if (token.type === 'document') documents += 1;
    if (documents > 1) {
      const hint = 'Keep one, and put each of the others into a file of its own.';
      findings.add(
        notJsonValue('A second document begins here; a definition is one.', hint),
        { start: token.offset, end: token.offset + 3 },
        [],
      );
      return false;
    }
    if (token.type === 'error') errors.add(token, 'UNEXPECTED_TOKEN', token.message);
    else composer.next(token).next();
    return true;
  }

  function takeAll(parsed: Iterable<CST.Token>): boolean {
    for (const token of parsed) if (!take(token)) return false;
    return true;
  }

  let more = true;
  for (const lexeme of lexer.lex(text)) {
    tokens += 1;
    if (tokens > maxYamlTokens) {
      const hint = 'As JSON, more is read; or split the definition into several.';
      const end = parser.offset;
      findings.add(
        tooLarge(`more than ${printNumber(maxYamlTokens)}`, maxYamlTokens, 'parts of YAML', hint),
        { start: end, end },
        [],
      );
      throw new ReadingStoppedError();
    }
    more = takeAll(parser.next(lexeme));
    if (!more) break;
    const outermost = parser.stack[maxDepth + 1];
    // The first entry of the stack is the document, the last may be a scalar.
    if (outermost && 'items' in outermost) {
      findings.add(tooDeep(maxDepth), { start: outermost.offset, end: outermost.offset + 1 }, []);
      throw new ReadingStoppedError();
    }
  }
  if (more) takeAll(parser.end());
  const { value: document } = composer.end().next();
  return document?.contents ?? null;
}

/**
 * Creates a composer that reports to `errors`. The library would make an `Error` with a stack for each problem, and hostile input
 * can have one a character. So its error handler, a private field, is replaced by one that stops after enough errors.
 */
function composerReportingTo(errors: YamlErrors): YamlComposer {
  const composer = new Composer(options);
  const report = (source: ErrorSource, code: string, message: string, isWarning?: boolean): void =>
    errors.add(source, code, message, isWarning);
  Object.assign(composer, { onError: report });
  return composer;
}

/** Whether a document is empty, such as `---` alone. An explicit null is a value. */
function isVoid(contents: ParsedNode): boolean {
  return isScalar(contents) && contents.value === null && contents.source === '' && !contents.tag;
}

type Step = () => Generator<string, unknown>;

/** The members of the library's lexer that its types keep private. */
interface Members {
  /** The least indentation of the next line of a value. */
  indentNext: number;
  parseFlowCollection: Step;
  parseQuotedScalar: Step;
}

/**
 * A lexer that lets brackets and strings continue at any indentation. YAML wants them further in than the key, but the parsers of
 * deployment tools do not, and templates with pasted JSON rely on it.
 */
function lenientLexer(): yaml.Lexer {
  const lexer = new Lexer();
  const members = lexer as unknown as Members;
  const atAnyIndentation = (step: Step): Step =>
    function* () {
      const { indentNext } = members;
      members.indentNext = 0;
      const next = yield* step.call(lexer);
      members.indentNext = indentNext;
      return next;
    };
  members.parseFlowCollection = atAnyIndentation(members.parseFlowCollection);
  members.parseQuotedScalar = atAnyIndentation(members.parseQuotedScalar);
  return lexer;
}
