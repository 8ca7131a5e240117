import type { World } from '@dramaturg/compiler/machine';
import { Frame } from './evaluating.ts';
import { isTrue, jsonText, sameValue, sorted, transform } from './list-functions.ts';
import { createMatcher } from './text-functions.ts';
import type { Group, Stage, SyntaxNode } from './syntax.ts';
import {
  asSequence,
  type Callable,
  CodedError,
  fieldOf,
  isCallable,
  isNumeric,
  isSequence,
  type List,
  partsOf,
  sequence,
  setField,
} from './values.ts';
import { longestText, outOfMemory, type Work } from '../work.ts';

/** A tail call: `apply` makes it after the function has returned. */
class TailCall {
  readonly call: SyntaxNode;
  readonly input: unknown;
  readonly frame: Frame;

  constructor(call: SyntaxNode, input: unknown, frame: Frame) {
    this.call = call;
    this.input = input;
    this.frame = frame;
  }
}

/** A result with the variables that steps have bound; `@` is the result. */
type Tuple = Readonly<Record<string, unknown>>;

/** Units to create a function, and a result with variables. */
const [functionUnits, tupleUnits] = [8, 4];
/** Items of a range. */
const rangeMax = 10_000_000;

/**
 * Evaluates the syntax trees of the library. The library's own evaluator takes thirty times as long, nests generators as deep
 * as a list is long, and has endless loops.
 */
export class Evaluator {
  readonly work: Work;
  readonly world: World;

  constructor(work: Work, world: World) {
    this.work = work;
    this.world = world;
  }

  evaluate(node: SyntaxNode, input: unknown, frame: Frame): unknown {
    this.work.enter();
    let result = this.#evaluate(node, input, frame);
    if (node.predicate || node.group) result = this.#settle(result, input);
    for (const { expr } of node.predicate ?? []) result = this.#filter(expr, result, frame);
    if (node.group && node.type !== 'path') result = this.#group(node.group, result, frame);
    this.work.leave();
    if (node.keepArray && isSequence(result) && !result.tupleStream) result.keepSingleton = true;
    return unwrapped(result);
  }

  /** Calls a function, then its tail calls. */
  apply(callee: unknown, args: readonly unknown[], input?: unknown): unknown {
    return this.#settle(this.#call(callee, args, input), input);
  }

  #settle(given: unknown, input: unknown): unknown {
    let result = given;
    while (result instanceof TailCall) {
      const { call, input: context, frame } = result;
      const next = this.evaluate(call.procedure, context, frame);
      const values = call.arguments.map((argument) => this.evaluate(argument, context, frame));
      result = this.#call(next, values, input);
    }
    return result;
  }

  #call(callee: unknown, args: readonly unknown[], input: unknown): unknown {
    if (!isCallable(callee)) throw new CodedError('T1006');
    this.work.spend(1);
    return callee(args, input);
  }

  #evaluate(node: SyntaxNode, input: unknown, frame: Frame): unknown {
    switch (node.type) {
      case 'path':
        return this.#path(node, input, frame);
      case 'binary':
        return this.#binary(node, input, frame);
      case 'unary':
        return this.#unary(node, input, frame);
      case 'name':
        return this.lookup(input, node.value as string);
      case 'string':
      case 'number':
      case 'value':
        return node.value;
      case 'wildcard':
        return this.#fields(input);
      case 'descendant':
        return input === undefined ? undefined : this.#descendants(input);
      case 'parent':
        return frame.lookup(node.slot.label, this.work);
      case 'condition': {
        const holds = isTrue(this.evaluate(node.condition, input, frame), this.work);
        const next = holds ? node.then : node.else;
        return next && this.evaluate(next, input, frame);
      }
      case 'block': {
        const inner = new Frame(frame);
        let result: unknown;
        for (const each of node.expressions) result = this.evaluate(each, input, inner);
        return result;
      }
      case 'bind': {
        const value = this.evaluate(node.rhs, input, frame);
        frame.bind(node.lhs.value as string, value);
        return value;
      }
      case 'regex':
        return createMatcher(node.value as RegExp, this);
      case 'function':
        return this.#function(node, this.#arguments(node, input, frame), input, frame);
      case 'variable':
        if (node.value !== '') return frame.lookup(node.value as string, this.work);
        return (input as List | undefined)?.outerWrapper ? (input as List)[0] : input;
      case 'lambda':
        return node.thunk
          ? new TailCall(node.body, input, frame)
          : this.#lambda(node, input, frame);
      case 'partial':
        return this.#partial(node, input, frame);
      case 'apply':
        return this.#chain(node, input, frame);
      case 'transform':
        return transform(this, node, frame);
      default:
        throw new CodedError('S0206', { token: node.type });
    }
  }

  #path(node: SyntaxNode, input: unknown, frame: Frame): unknown {
    node.isPlain ??= isPlain(node);
    if (node.isPlain) {
      const found = this.#plainPath(node, input, frame);
      if (found !== notPlain) return found;
    }
    const [first] = node.steps;
    let list: List = Array.isArray(input) && first!.type !== 'variable' ? input : sequence(input);
    let result: List | undefined;
    let tuples: List | undefined;
    let isTuples = false;
    for (const [at, step] of node.steps.entries()) {
      isTuples ||= step.tuple === true;
      if (at === 0 && step.consarray) result = this.evaluate(step, list, frame) as List;
      else if (isTuples) tuples = this.#tupleStep(step, list, tuples, frame);
      else result = this.#step(step, list, frame, at === node.steps.length - 1);
      if (!isTuples && (result === undefined || result.length === 0)) break;
      if (step.focus === undefined && result) list = result;
    }
    if (isTuples && tuples)
      result = node.tuple ? tuples : asSequence(tuples.map((tuple) => (tuple as Tuple)['@']));
    if (node.keepSingletonArray && result) {
      const isWhole = result.cons === true;
      if (!isSequence(result)) result = isWhole ? sequence(result) : asSequence([...result]);
      result.keepSingleton = true;
    }
    return node.group ? this.#group(node.group, isTuples ? tuples : result, frame) : result;
  }

  /** Fast path: names that lead through objects. */
  #plainPath({ steps }: SyntaxNode, input: unknown, frame: Frame): unknown {
    let value = input;
    for (const [at, step] of steps.entries()) {
      this.work.spend(1 / 2);
      if (at === 0 && step.type === 'variable')
        value = step.value === '' ? input : frame.lookup(step.value as string, this.work);
      else if (Array.isArray(value)) return notPlain;
      else value = fieldOf(value, step.value as string);
      if (value === undefined) return undefined;
    }
    return Array.isArray(value) && isSequence(value) ? notPlain : value;
  }

  #step(step: SyntaxNode, input: List, frame: Frame, isLast: boolean): List {
    if (step.type === 'sort') {
      return this.#stages(step.stages, this.#sort(step, input, frame), frame) as List;
    }
    const results: unknown[] = [];
    for (const item of input) {
      let result = this.evaluate(step, item, frame);
      for (const { expr } of step.stages ?? []) result = this.#filter(expr, result, frame);
      if (result !== undefined) results.push(result);
    }
    const [only] = results;
    if (isLast && results.length === 1 && Array.isArray(only) && !isSequence(only)) return only;
    const flat = sequence();
    for (const result of results) {
      if (!Array.isArray(result) || (result as List).cons) flat.push(result);
      else this.#pushAll(flat, result);
    }
    return flat;
  }

  #pushAll(list: List, items: readonly unknown[]): void {
    this.work.items(items.length);
    for (const item of items) list.push(item);
  }

  #stages(stages: readonly Stage[] | undefined, input: unknown, frame: Frame): unknown {
    let result = input;
    for (const { type, expr, value } of stages ?? []) {
      if (type === 'filter') result = this.#filter(expr, result, frame);
      else {
        const tuples = result as Tuple[];
        this.work.items(tuples.length);
        for (const [at, tuple] of tuples.entries()) setField(tuple, value, at);
      }
    }
    return result;
  }

  #tupleStep(step: SyntaxNode, input: List, bound: List | undefined, frame: Frame): List {
    if (step.type === 'sort') {
      const list = this.#sort(step, bound ?? input, frame);
      if (bound) return this.#stages(step.stages, list, frame) as List;
      const tuples = list.map((item, at) => ({ '@': item, [step.index!]: at }));
      return this.#stages(step.stages, tupleStream(tuples), frame) as List;
    }
    const tuples: Tuple[] = [];
    for (const tuple of (bound ?? input.map((item) => ({ '@': item }))) as Tuple[]) {
      const found = this.evaluate(step, tuple['@'], this.#frameOf(tuple, frame));
      if (found === undefined) continue;
      const results = (Array.isArray(found) ? found : [found]) as List;
      this.work.spend(results.length * (tupleUnits + Object.keys(tuple).length));
      for (const [at, result] of results.entries()) {
        const next = { ...tuple };
        if (results.tupleStream) Object.assign(next, result);
        else {
          setField(next, step.focus ?? '@', result);
          if (step.index !== undefined) setField(next, step.index, at);
          if (step.ancestor) next[step.ancestor.label] = tuple['@'];
        }
        tuples.push(next);
      }
    }
    return this.#stages(step.stages, tupleStream(tuples), frame) as List;
  }

  #frameOf(tuple: Tuple, frame: Frame): Frame {
    const inner = new Frame(frame);
    for (const name of Object.keys(tuple)) inner.bind(name, tuple[name]);
    return inner;
  }

  #filter(predicate: SyntaxNode, given: unknown, frame: Frame): unknown {
    const input = (Array.isArray(given) ? given : sequence(given)) as List;
    const results = sequence();
    if (input.tupleStream) results.tupleStream = true;
    if (predicate.type === 'number') {
      const item = input.at(Math.floor(predicate.value as number));
      if (Array.isArray(item)) return item;
      if (item !== undefined) results.push(item);
      return results;
    }
    for (const [at, item] of input.entries()) {
      const env = input.tupleStream ? this.#frameOf(item as Tuple, frame) : frame;
      const context = input.tupleStream ? (item as Tuple)['@'] : item;
      const found = this.evaluate(predicate, context, env);
      const indexes = isNumeric(found) ? [found] : found;
      if (Array.isArray(indexes)) {
        this.work.items(indexes.length);
        if (indexes.every(isNumeric)) {
          for (const index of indexes) {
            const whole = Math.floor(index);
            if ((whole < 0 ? input.length + whole : whole) === at) results.push(item);
          }
          continue;
        }
      }
      if (isTrue(found, this.work)) results.push(item);
    }
    return results;
  }

  #binary(node: SyntaxNode, input: unknown, frame: Frame): unknown {
    const left = this.evaluate(node.lhs, input, frame);
    const operator = node.value as string;
    if (operator === 'and' || operator === 'or') {
      const holds = isTrue(left, this.work);
      if (holds === (operator === 'or')) return holds;
      return isTrue(this.evaluate(node.rhs, input, frame), this.work);
    }
    const right = this.evaluate(node.rhs, input, frame);
    try {
      return this.#operate(operator, left, right);
    } catch (error) {
      if (error instanceof CodedError) error.token = operator;
      throw error;
    }
  }

  #operate(operator: string, left: unknown, right: unknown): unknown {
    switch (operator) {
      case '=':
      case '!=':
        if (left === undefined || right === undefined) return false;
        return sameValue(left, right, this.work) === (operator === '=');
      case '&': {
        const text = this.textOf(left) + this.textOf(right);
        // The engine joins strings without copying them.
        if (text.length > longestText) throw outOfMemory();
        this.work.spend(text.length / 4_096);
        return text;
      }
      case '..':
        return this.#range(left, right);
      case 'in': {
        if (left === undefined || right === undefined) return false;
        if (!Array.isArray(right)) return left === right;
        this.work.spend(right.length / 32);
        if (typeof left === 'string')
          for (const item of right)
            if (typeof item === 'string' && item.length === left.length)
              this.work.characters(item.length);
        return right.includes(left) && !Number.isNaN(left);
      }
      case '<':
      case '<=':
      case '>':
      case '>=':
        return this.#isOrdered(operator, left, right);
      default:
        return calculate(operator, left, right);
    }
  }

  textOf(value: unknown): string {
    return value === undefined ? '' : jsonText(value, this.work);
  }

  #isOrdered(operator: string, left: unknown, right: unknown): boolean | undefined {
    for (const value of [left, right])
      if (!['string', 'number', 'undefined'].includes(typeof value))
        throw new CodedError('T2010', { value });
    if (left === undefined || right === undefined) return undefined;
    if (typeof left !== typeof right) throw new CodedError('T2009', { value: left, value2: right });
    if (typeof left === 'string')
      this.work.characters(Math.min(left.length, (right as string).length));
    const [one, other] = [left as number, right as number];
    switch (operator) {
      case '<':
        return one < other;
      case '<=':
        return one <= other;
      case '>':
        return one > other;
      default:
        return one >= other;
    }
  }

  #range(from: unknown, to: unknown): unknown {
    if (from !== undefined && !Number.isInteger(from))
      throw new CodedError('T2003', { value: from });
    if (to !== undefined && !Number.isInteger(to)) throw new CodedError('T2004', { value: to });
    if (from === undefined || to === undefined) return undefined;
    const [first, length] = [from as number, (to as number) - (from as number) + 1];
    if (length <= 0) return undefined;
    if (length > rangeMax) throw new CodedError('D2014', { value: length });
    this.work.items(length);
    return asSequence(Array.from({ length }, (_, at) => first + at));
  }

  #unary(node: SyntaxNode, input: unknown, frame: Frame): unknown {
    if (node.value === '{') return this.#group(node as unknown as Group, input, frame);
    if (node.value === '-') {
      const value = this.evaluate(node.expression, input, frame);
      if (value === undefined) return undefined;
      if (!isNumeric(value)) throw new CodedError('D1002', { value, token: '-' });
      return -value;
    }
    const list: List = [];
    for (const part of node.expressions) {
      const value = this.evaluate(part, input, frame);
      if (part.value === '[' || !Array.isArray(value)) {
        if (value !== undefined) list.push(value);
      } else this.#pushAll(list, value);
    }
    if (node.consarray) Object.defineProperty(list, 'cons', { value: true });
    return list;
  }

  lookup(input: unknown, name: string): unknown {
    if (!Array.isArray(input)) return fieldOf(input, name);
    this.work.items(input.length);
    const results = sequence();
    for (const item of input) {
      const found = Array.isArray(item) ? this.#nested(item, name) : fieldOf(item, name);
      if (Array.isArray(found)) this.#pushAll(results, found);
      else if (found !== undefined) results.push(found);
    }
    return results;
  }

  #nested(list: readonly unknown[], name: string): unknown {
    this.work.enter();
    const found = this.lookup(list, name);
    this.work.leave();
    return found;
  }

  #fields(given: unknown): unknown {
    const input = (given as List | undefined)?.outerWrapper ? (given as List)[0] : given;
    const results = sequence();
    if (typeof input !== 'object' || input === null) return results;
    for (const value of partsOf(input)) {
      this.work.items(1);
      if (Array.isArray(value)) this.#flatten(value, results);
      else results.push(value);
    }
    return results;
  }

  #flatten(list: readonly unknown[], into: List): void {
    this.work.enter();
    this.work.items(list.length);
    for (const item of list) {
      if (Array.isArray(item)) this.#flatten(item, into);
      else into.push(item);
    }
    this.work.leave();
  }

  #descendants(input: unknown): unknown {
    const results = sequence();
    const visit = (value: unknown): void => {
      this.work.enter();
      if (!Array.isArray(value)) results.push(value);
      if (typeof value === 'object' && value !== null)
        for (const part of partsOf(value)) visit(part);
      this.work.leave();
    };
    visit(input);
    return results.length === 1 ? results[0] : results;
  }

  /** Groups a list by keys. An object constructor is a group of one. */
  #group({ lhs: pairs }: Group, given: unknown, frame: Frame): object {
    const input = (Array.isArray(given) ? given : sequence(given)) as List;
    const isTuples = input.tupleStream === true;
    if (!isTuples && input.length <= 1) return this.#object(pairs, input[0], frame);
    const groups = new Map<string, { readonly pair: number; data: unknown; isList: boolean }>();
    for (const item of input) {
      const env = isTuples ? this.#frameOf(item as Tuple, frame) : frame;
      const context = isTuples ? (item as Tuple)['@'] : item;
      for (const [pair, [keyNode]] of pairs.entries()) {
        const key = this.evaluate(keyNode, context, env);
        if (key === undefined) continue;
        this.#requireKey(key);
        const known = groups.get(key);
        if (!known) groups.set(key, { pair, data: item, isList: false });
        else if (known.pair !== pair) throw new CodedError('D1009', { value: key });
        else if (known.data === undefined) known.data = item;
        else if (item !== undefined) {
          if (!known.isList) {
            known.data = Array.isArray(known.data) ? [...known.data] : [known.data];
            known.isList = true;
          }
          if (Array.isArray(item)) this.#pushAll(known.data as List, item);
          else (known.data as List).push(item);
        }
      }
    }
    const result = {};
    for (const [key, { pair, data }] of groups) {
      const valueNode = pairs[pair]![1];
      const tuple = isTuples ? this.#joined(data) : undefined;
      const value = tuple
        ? this.evaluate(valueNode, tuple['@'], this.#frameOf(tuple, frame))
        : this.evaluate(valueNode, data, frame);
      if (value !== undefined) setField(result, key, value);
    }
    return result;
  }

  /** Fast path: a group of one. */
  #object(pairs: Group['lhs'], item: unknown, frame: Frame): object {
    const keys = pairs.map(([key]) => this.evaluate(key, item, frame));
    const seen = new Set<string>();
    const result = {};
    for (const [at, key] of keys.entries()) {
      if (key === undefined) continue;
      this.#requireKey(key);
      if (seen.has(key)) throw new CodedError('D1009', { value: key });
      if (pairs.length > 1) seen.add(key);
      const value = this.evaluate(pairs[at]![1], item, frame);
      if (value !== undefined) setField(result, key, value);
    }
    return result;
  }

  #requireKey(key: unknown): asserts key is string {
    if (typeof key !== 'string') throw new CodedError('T1003', { value: key });
    this.work.spend(2);
    this.work.characters(key.length);
  }

  /** Joins several tuples: each variable has the list of its values. */
  #joined(given: unknown): Tuple {
    if (!Array.isArray(given)) return given as Tuple;
    const [first, ...more] = given as Tuple[];
    const joined: Record<string, unknown> = { ...first };
    const own = new Set<string>();
    for (const tuple of more)
      for (const [name, value] of Object.entries(tuple)) {
        this.work.items(1);
        if (!own.has(name)) {
          const old = joined[name];
          setField(joined, name, Array.isArray(old) ? [...old] : old === undefined ? [] : [old]);
          own.add(name);
        }
        if (Array.isArray(value)) this.#pushAll(joined[name] as List, value);
        else if (value !== undefined) (joined[name] as List).push(value);
      }
    return joined;
  }

  #sort(node: SyntaxNode, input: List, frame: Frame): List {
    if (input.length <= 1) return input;
    const isTuples = input.tupleStream === true;
    const valueOf = (item: unknown, term: SyntaxNode) =>
      isTuples
        ? this.evaluate(term, (item as Tuple)['@'], this.#frameOf(item as Tuple, frame))
        : this.evaluate(term, item, frame);
    const result = sorted(
      input,
      (one, other) => {
        for (const { expression, descending } of node.terms) {
          const [left, right] = [valueOf(one, expression), valueOf(other, expression)];
          if (left === undefined || right === undefined) {
            if (left === right) continue;
            return left === undefined;
          }
          for (const value of [left, right])
            if (typeof value !== 'string' && typeof value !== 'number')
              throw new CodedError('T2008', { value });
          if (typeof left !== typeof right)
            throw new CodedError('T2007', { value: left, value2: right });
          if (left === right) continue;
          return (left as number) < (right as number) === descending;
        }
        return false;
      },
      this.work,
    );
    return isTuples ? tupleStream(result) : result;
  }

  #arguments(node: SyntaxNode, input: unknown, frame: Frame): unknown[] {
    return node.arguments.map((argument) => this.evaluate(argument, input, frame));
  }

  #function(node: SyntaxNode, args: unknown[], input: unknown, frame: Frame): unknown {
    const callee = this.evaluate(node.procedure, input, frame);
    const { type, steps, value } = node.procedure;
    const token = (type === 'path' ? steps[0]!.value : value) as string | undefined;
    if (callee === undefined && type === 'path' && frame.lookup(token!, this.work) !== undefined)
      throw new CodedError('T1005', { token });
    try {
      return this.apply(callee, args, input);
    } catch (error) {
      if (error instanceof CodedError) error.token ??= token;
      throw error;
    }
  }

  #lambda(node: SyntaxNode, input: unknown, frame: Frame): Callable {
    this.work.spend(functionUnits);
    const call = (given: readonly unknown[], context?: unknown): unknown => {
      const args = node.signature ? validated(node.signature, given, context) : given;
      const inner = new Frame(frame);
      for (const [at, parameter] of node.arguments.entries())
        inner.bind(parameter.value as string, args[at]);
      return this.evaluate(node.body, input, inner);
    };
    return Object.assign(call, { arity: node.arguments.length });
  }

  /** `$f(?, 2)`: a function of the arguments that are left open. */
  #partial(node: SyntaxNode, input: unknown, frame: Frame): Callable {
    const isOpen = ({ type, value }: SyntaxNode) => type === 'operator' && value === '?';
    const fixed = node.arguments.map((argument) =>
      isOpen(argument) ? undefined : this.evaluate(argument, input, frame),
    );
    const callee = this.evaluate(node.procedure, input, frame);
    if (!isCallable(callee)) {
      const { type, steps, value } = node.procedure;
      const token = (type === 'path' ? steps[0]!.value : value) as string;
      const isName = type === 'path' && frame.lookup(token, this.work) !== undefined;
      throw new CodedError(isName ? 'T1007' : 'T1008', { token });
    }
    const call = (given: readonly unknown[]): unknown => {
      let next = 0;
      const args = node.arguments.map((argument, at) =>
        isOpen(argument) ? given[next++] : fixed[at],
      );
      return this.apply(callee, args);
    };
    return Object.assign(call, { arity: node.arguments.filter(isOpen).length });
  }

  /** `value ~> $f`, or the function that calls both. */
  #chain(node: SyntaxNode, input: unknown, frame: Frame): unknown {
    const left = this.evaluate(node.lhs, input, frame);
    if (node.rhs.type === 'function') {
      const args = [left, ...this.#arguments(node.rhs, input, frame)];
      const result = this.#function(node.rhs, args, input, frame);
      return kept(result, node);
    }
    const right = this.evaluate(node.rhs, input, frame);
    if (!isCallable(right)) throw new CodedError('T2006', { value: right });
    if (!isCallable(left)) return kept(this.apply(right, [left]), node);
    const call = (args: readonly unknown[]) =>
      this.apply(right, [unwrapped(this.apply(left, args))]);
    return Object.assign(call, { arity: 1 });
  }
}

const notPlain = Symbol('not plain');

/** A list of one result is that result. */
function unwrapped(result: unknown): unknown {
  if (!isSequence(result) || result.tupleStream) return result;
  return result.length > 1 || (result.length === 1 && result.keepSingleton) ? result : result[0];
}

/** As in JSONata 2.0.6: `$list ~> $map($f)[]` is a list. */
function kept(result: unknown, { lhs, rhs }: SyntaxNode): unknown {
  if (isSequence(result) && (lhs.keepArray || rhs.keepArray)) result.keepSingleton = true;
  return result;
}

function isPlain({ steps, group, keepSingletonArray }: SyntaxNode): boolean {
  if (group || keepSingletonArray) return false;
  return steps.every(
    (step, at) =>
      (step.type === 'name' || (at === 0 && step.type === 'variable')) &&
      !step.stages &&
      !step.predicate &&
      !step.group &&
      !step.tuple &&
      !step.keepArray,
  );
}

function tupleStream(tuples: unknown[]): List {
  return Object.assign(asSequence(tuples), { tupleStream: true });
}

function calculate(operator: string, left: unknown, right: unknown): number | undefined {
  if (left !== undefined && !isNumeric(left)) throw new CodedError('T2001', { value: left });
  if (right !== undefined && !isNumeric(right)) throw new CodedError('T2002', { value: right });
  if (left === undefined || right === undefined) return undefined;
  switch (operator) {
    case '+':
      return left + right;
    case '-':
      return left - right;
    case '*':
      return left * right;
    case '/':
      return left / right;
    default:
      return left % right;
  }
}

/** The arguments as a signature takes them. @throws CodedError */
export function validated(
  signature: { readonly validate: (args: readonly unknown[], input: unknown) => unknown[] },
  args: readonly unknown[],
  input: unknown,
): unknown[] {
  try {
    return signature.validate(args, input);
  } catch (error) {
    const { code, ...fields } = error as { readonly code?: unknown };
    if (typeof code !== 'string') throw error;
    throw new CodedError(code, fields);
  }
}
