import { isAlias, isMap, isScalar, isSeq } from '#yaml';
import type { Alias, ParsedNode, Scalar, YAMLMap, YAMLSeq } from 'yaml';
import { didYouMean } from '../did-you-mean.ts';
import type { Problem } from '../diagnostic.ts';
import { showBrackets } from './bare-placeholders.ts';
import { functionOfTag } from './cloudformation-tags.ts';
import type { ReadContent } from './content.ts';
import { ReadingStoppedError, type Findings } from './findings.ts';
import { maxDepth, maxRepeated } from './limits.ts';
import { numberProblem } from './json.ts';
import { type Key, ValueLocations } from './value-locations.ts';
import type { Span } from './positions.ts';
import {
  controlCharacter,
  cyclicAlias,
  duplicateKey,
  notJsonValue,
  quote,
  reservedKey,
  syntax,
  tooDeep,
  tooManyAliases,
} from './problems.ts';

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
