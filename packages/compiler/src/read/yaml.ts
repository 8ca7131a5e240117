import type * as yaml from 'yaml';
import type {
  Alias,
  CST,
  ParsedNode,
  Scalar,
  Composer as YamlComposer,
  Lexer as YamlLexer,
  YAMLMap,
  YAMLSeq,
} from 'yaml';
import { Composer, isAlias, isMap, isScalar, isSeq, Lexer, Parser } from '#yaml';
import type { Problem } from '../diagnostic.ts';
import { didYouMean } from '../words.ts';
import { Findings, hideBrackets, ReadingStoppedError, showBrackets } from './findings.ts';
import { numberProblem } from './json.ts';
import type { Positions, Span } from './positions.ts';
import {
  controlCharacter,
  cyclicAlias,
  duplicateKey,
  empty,
  notJsonValue,
  printNumber,
  quote,
  reservedKey,
  syntax,
  tooDeep,
  tooLarge,
  tooManyAliases,
} from './problems.ts';
import { maxDepth, maxRepeated, maxYamlTokens } from './source.ts';
import { type Key, noContent, type ReadContent, ValueLocations } from './value-locations.ts';
import { type ErrorSource, functionOfTag, YamlErrors } from './yaml-errors.ts';

type Members = Record<string, unknown>;

export interface YamlValueOptions {
  /** Whether tags of CloudFormation become objects. */
  readonly placeholders: boolean;
  /** Whether the brackets of placeholders are hidden in the text. */
  readonly hidesBrackets: boolean;
}

/** Makes the value of a parsed document. Throws `ReadingStoppedError` when it is too deep or too large. */
export function yamlContent(
  contents: ParsedNode,
  findings: Findings,
  options: YamlValueOptions,
): ReadContent {
  const maker = new ValueMaker(findings, options);
  const value = maker.value(contents);
  return { value, locations: maker.locations };
}

/**
 * Walks the nodes in the order of the text, so an alias means the last anchor of its name before it. The
 * target of an alias is walked again, which makes a copy with the locations of the original.
 *
 *     V1  Findings are reported on the first walk only: `repeating` is 0.
 *     V2  `path` is the path of the current value; its length is the depth.
 *     V3  A node in `open` is not finished, so an alias to it is cyclic.
 */
class ValueMaker {
  readonly locations = new ValueLocations();
  private readonly path: (string | number)[] = [];
  private readonly anchors = new Map<string, ParsedNode>();
  private readonly targets = new Map<Alias, ParsedNode>();
  private readonly open = new Set<ParsedNode>();
  /** The number of nested aliases at this moment, and the outermost one. */
  private repeating = 0;
  private repeatedAt: Span = { start: 0, end: 0 };
  private repeated = 0;
  private readonly findings: Findings;
  private readonly options: YamlValueOptions;

  constructor(findings: Findings, options: YamlValueOptions) {
    this.findings = findings;
    this.options = options;
  }

  value(node: ParsedNode, key?: Key, span: Span = spanOf(node)): unknown {
    if (this.repeating > 0) this.countRepeated();
    if (isAlias(node)) return this.aliased(node, key);
    if (node.anchor !== undefined && this.repeating === 0) this.anchors.set(node.anchor, node);
    const name = this.options.placeholders ? functionOfTag(node.tag) : undefined;
    return name === undefined ? this.plain(node, key, span) : this.tagged(name, node, key, span);
  }

  /** `!Sub text` is `{ "Fn::Sub": "text" }`. Both have the place of the text. */
  private tagged(
    name: string,
    node: Exclude<ParsedNode, Alias.Parsed>,
    key: Key | undefined,
    span: Span,
  ): Members {
    const place = this.locations.add(span.start, span.end, key);
    this.checkDepth(this.path.length, span);
    this.path.push(name);
    const value = this.plain(node, { name, ...span }, span);
    this.path.pop();
    this.locations.close(place, span.end);
    return { [name]: value };
  }

  private plain(
    node: Exclude<ParsedNode, Alias.Parsed>,
    key: Key | undefined,
    span: Span,
  ): unknown {
    const place = this.locations.add(span.start, span.end, key);
    if (isScalar(node)) return this.scalar(node, span);
    this.checkDepth(this.path.length, span);
    this.open.add(node);
    const value = isMap<ParsedNode, ParsedNode | null>(node) ? this.map(node) : this.list(node);
    this.open.delete(node);
    this.locations.close(place, span.end);
    return value;
  }

  private aliased(alias: Alias.Parsed, key: Key | undefined): unknown {
    const span = spanOf(alias);
    const target = this.target(alias);
    if (!target) {
      this.locations.add(span.start, span.end, key);
      return null;
    }
    return this.repeat(span, () => this.value(target, key, span));
  }

  /** The target of an alias; undefined, and reported, when it does not exist or is cyclic. */
  private target(alias: Alias.Parsed): ParsedNode | undefined {
    const target = this.targets.get(alias) ?? this.anchors.get(alias.source);
    if (!target) {
      // The parser has reported an alias that has no name at all.
      if (alias.source === '') return undefined;
      const hint =
        didYouMean(alias.source, this.anchors.keys()) ??
        `Write ${quote(`&${alias.source}`)} before what it repeats, or put the text in quotes if it begins with the "*".`;
      this.report(
        syntax(`There is no anchor ${quote(alias.source)} before this alias.`, hint),
        spanOf(alias),
      );
      return undefined;
    }
    this.targets.set(alias, target);
    if (!this.open.has(target)) return target;
    this.report(cyclicAlias(alias.source), spanOf(alias));
    return undefined;
  }

  private repeat<Made>(span: Span, make: () => Made): Made {
    if (this.repeating === 0) this.repeatedAt = span;
    this.repeating += 1;
    const made = make();
    this.repeating -= 1;
    return made;
  }

  private list(node: YAMLSeq.Parsed): unknown[] {
    return node.items.map((item, index) => {
      this.path.push(index);
      const value = this.value(item);
      this.path.pop();
      return value;
    });
  }

  private map(node: YAMLMap.Parsed): Members {
    const members: Members = {};
    const own = node.items.some(({ key }) => isMerge(key)) ? this.ownKeys(node) : undefined;
    const firstKeys = new Map<string, Key>();
    for (const { key: keyNode, value } of node.items) {
      if (own && isMerge(keyNode)) {
        if (value) this.merge(value, members, own, 1);
        continue;
      }
      const key = this.key(keyNode);
      this.path.push(key.name);
      this.checkKey(key, firstKeys);
      this.member(members, key, value);
      this.path.pop();
    }
    return members;
  }

  private member(members: Members, key: Key, node: ParsedNode | null): void {
    const value = node ? this.value(node, key) : this.nothing(key);
    if (key.name !== '__proto__') members[key.name] = value;
  }

  /** Makes the null of a key without a value, located after the key. */
  private nothing(key: Key): null {
    this.locations.add(key.end, key.end, key);
    return null;
  }

  private checkKey(key: Key, firstKeys: Map<string, Key>): void {
    if (key.name === '__proto__') this.report(reservedKey(key.name), key);
    if (key.name.includes('\0')) this.report(controlCharacter('\0'), key);
    const first = firstKeys.get(key.name);
    if (!first) firstKeys.set(key.name, key);
    else if (this.repeating === 0 && this.findings.accepts(duplicateKey)) {
      const related = { span: first, path: [...this.path], message: 'It is here first.' };
      this.findings.add(duplicateKey(key.name), key, [...this.path], [related]);
    }
  }

  /**
   * Adds the members of a `<<`: of an object, or of a list of objects, where the first object with a key wins. The object's
   * own keys win over merged ones, wherever they are.
   */
  private merge(node: ParsedNode, members: Members, own: ReadonlySet<string>, depth: number): void {
    const span = spanOf(node);
    this.checkDepth(this.path.length + depth, span);
    if (isAlias(node)) {
      const target = this.target(node);
      if (target) this.repeat(span, () => this.merge(target, members, own, depth + 1));
    } else if (isSeq(node)) {
      for (const item of node.items) this.merge(item, members, own, depth + 1);
    } else if (isMap<ParsedNode, ParsedNode | null>(node)) {
      this.open.add(node);
      this.mergeMembers(node, members, own, depth);
      this.open.delete(node);
    } else {
      this.report(
        notJsonValue(
          'A merge takes an object or a list of objects.',
          'Write <<: *name, with the anchor of an object.',
        ),
        span,
      );
    }
  }

  private mergeMembers(
    node: YAMLMap.Parsed,
    members: Members,
    own: ReadonlySet<string>,
    depth: number,
  ): void {
    for (const { key: keyNode, value } of node.items) {
      if (this.repeating > 0) this.countRepeated();
      if (isMerge(keyNode)) continue;
      const key = this.key(keyNode);
      if (own.has(key.name) || Object.hasOwn(members, key.name)) continue;
      this.path.push(key.name);
      if (key.name === '__proto__') this.report(reservedKey(key.name), key);
      this.member(members, key, value);
      this.path.pop();
    }
    // After the members, because those win over merged ones.
    for (const { key, value } of node.items)
      if (value && isMerge(key)) this.merge(value, members, own, depth + 1);
  }

  private ownKeys(node: YAMLMap.Parsed): ReadonlySet<string> {
    return new Set(node.items.flatMap(({ key }) => (isMerge(key) ? [] : [this.nameOf(key) ?? ''])));
  }

  /** A key as written: `1.0` and `true` are the strings "1.0" and "true". */
  private key(node: ParsedNode): Key {
    const span = spanOf(node);
    const name = isAlias(node) && !this.target(node) ? '' : this.nameOf(node);
    if (isScalar(node) && node.anchor !== undefined && this.repeating === 0)
      this.anchors.set(node.anchor, node);
    if (name === undefined)
      this.report(
        notJsonValue('A list or object cannot be a key.', 'Write the key as a text.'),
        span,
      );
    return { name: name ?? '', ...span };
  }

  private nameOf(node: ParsedNode): string | undefined {
    const named = isAlias(node) ? (this.targets.get(node) ?? this.anchors.get(node.source)) : node;
    return isScalar(named) ? this.shown(named.source) : undefined;
  }

  private scalar(node: Scalar.Parsed, span: Span): unknown {
    const { value, source } = node;
    if (typeof value === 'number') {
      const problem = numberProblem(source, value);
      if (problem) this.report(problem, span);
      return Number.isFinite(value) ? value : null;
    }
    if (typeof value !== 'string') return value;
    if (value.includes('\0')) this.report(controlCharacter('\0'), span);
    return this.shown(value);
  }

  private shown(text: string): string {
    return this.options.hidesBrackets ? showBrackets(text) : text;
  }

  private checkDepth(depth: number, span: Span): void {
    if (depth < maxDepth) return;
    this.findings.add(tooDeep(maxDepth), this.repeating > 0 ? this.repeatedAt : span, [
      ...this.path,
    ]);
    throw new ReadingStoppedError();
  }

  private countRepeated(): void {
    this.repeated += 1;
    if (this.repeated <= maxRepeated) return;
    this.findings.add(tooManyAliases(maxRepeated), this.repeatedAt, [...this.path]);
    throw new ReadingStoppedError();
  }

  private report(problem: Problem, span: Span): void {
    if (this.repeating === 0) this.findings.add(problem, span, [...this.path]);
  }
}

function isMerge(key: ParsedNode): boolean {
  return isScalar(key) && key.type === 'PLAIN' && key.source === '<<';
}

function spanOf({ range: [start, end] }: ParsedNode): Span {
  return { start, end };
}

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
interface LexerMembers {
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
  const members = lexer as unknown as LexerMembers;
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
