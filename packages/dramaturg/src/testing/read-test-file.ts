import {
  type Diagnostic,
  hasErrors,
  isRecord,
  type Path,
  portSchemas,
  type Source,
} from '@dramaturg/compiler';
import { read, Reporter } from '@dramaturg/compiler/format';
import { checkShape } from '@dramaturg/compiler/shapes';
import { formatNamed } from '../known-formats.ts';
import {
  expectations,
  failureShape,
  fileFields,
  happenings,
  readDuration,
  readPattern,
  stepFields,
  taskEndings,
  taskFields,
  type TestCase,
  testFields,
  type TestFile,
  testFileShape,
  type TestStep,
  untilTheEnd,
} from './test-file.ts';
import { unknownColumns } from './examples.ts';
import * as problems from './problems.ts';
import { unknownAgent } from './problems.ts';
import type { Subject } from './subject.ts';

export interface ReadTestFile {
  readonly source: Source;
  readonly diagnostics: readonly Diagnostic[];
  /** Present unless one of the diagnostics is an error. */
  readonly file?: TestFile;
}

/** Reads a test file. All its mistakes are in the diagnostics, each with its position. */
export function readTestFile(text: string, fileName: string): ReadTestFile {
  const source = read(text, { fileName });
  const reporter = new Reporter(source);
  if (source.value !== undefined) {
    reporter.run(() => {
      checkShape(source.value, testFileShape, reporter.reportShape);
      new TestFileRules(reporter).check(source.value);
    });
  }
  const diagnostics = reporter.sorted();
  if (hasErrors(diagnostics)) return { source, diagnostics };
  return { source, diagnostics, file: testFileShape.parse(source.value) };
}

/** Happenings for one instance, which may be a child. */
const addressed: ReadonlySet<string> = new Set(['event', 'operator', 'task']);

/** Checks the rules that the shape cannot express. Parts of a wrong shape are skipped: they are reported already. */
class TestFileRules {
  readonly #reporter: Reporter;

  constructor(reporter: Reporter) {
    this.#reporter = reporter;
  }

  check(value: unknown): void {
    if (!isRecord(value)) return;
    this.#knowsFields(value, fileFields, 'test file', []);
    if (typeof value['now'] === 'string' && Number.isNaN(Date.parse(value['now'])))
      this.#report(problems.badTime(value['now']), ['now']);
    const names = new Set<unknown>();
    for (const [index, test] of listIn(value, 'tests').entries()) {
      if (!isRecord(test)) continue;
      const path = ['tests', index];
      if (names.has(test['name'])) this.#report(problems.sameName(String(test['name'])), path);
      names.add(test['name']);
      this.#checkTest(test, path);
    }
  }

  #checkTest(test: Record<string, unknown>, path: Path): void {
    this.#knowsFields(test, testFields, 'test', path);
    const steps = listIn(test, 'steps');
    for (const [index, step] of steps.entries())
      if (isRecord(step)) this.#checkStep(step, [...path, 'steps', index], index === 0);
    if (!steps.some((step) => isRecord(step) && fieldsIn(step, expectations).length > 0))
      this.#report(problems.noExpectation(), [...path, 'steps']);
    const [columns] = listIn(test, 'examples');
    if (!isRecord(columns)) return;
    for (const name of unknownColumns(test as unknown as TestCase))
      this.#report(problems.unknownColumn(name, Object.keys(columns)), path);
  }

  #checkStep(step: Record<string, unknown>, path: Path, isFirst: boolean): void {
    this.#knowsFields(step, stepFields, 'step', path);
    const happening = fieldsIn(step, happenings);
    if (happening.length > 1) this.#report(problems.twoHappenings(happening), path);
    if (Object.keys(step).length === 0) this.#report(problems.emptyStep(), path);
    if ('child' in step && !happening.some((name) => addressed.has(name)))
      this.#report(problems.childWithoutEvent(), [...path, 'child']);
    if ('files' in step && !('person' in step))
      this.#report(problems.filesWithoutPerson(), [...path, 'files']);
    const answers = listIn(step, 'answers');
    if (answers.length > 0 && happening.length === 0 && !isFirst)
      this.#report(problems.answersWithoutHappening(), [...path, 'answers']);
    for (const [index, answer] of answers.entries())
      if (isRecord(answer)) this.#checkAnswer(answer, [...path, 'answers', index]);
    if (isRecord(step['task'])) this.#checkTask(step['task'], [...path, 'task']);
    const { later } = step as TestStep;
    if (typeof later === 'string' && !isPlaceholder(later))
      if (later !== untilTheEnd && readDuration(later) === undefined)
        this.#report(problems.badDuration(later), [...path, 'later']);
    for (const field of ['said', 'unsaid']) this.#checkParts(step[field], [...path, field]);
  }

  #checkTask(task: Record<string, unknown>, path: Path): void {
    this.#knowsFields(task, taskFields, 'task', path);
    const given = taskEndings.filter((name) => Object.hasOwn(task, name));
    if (given.length !== 1) this.#report(problems.unclearTask(given), path);
  }

  #checkAnswer(answer: Record<string, unknown>, path: Path): void {
    const ports = Object.keys(portSchemas);
    for (const [port, output] of Object.entries(answer)) {
      if (port === 'fails') {
        checkShape(output, failureShape, (found, inner, details) =>
          this.#reporter.reportShape(found, [...path, 'fails', ...inner], details),
        );
      } else if (!ports.includes(port))
        this.#report(problems.unknownPort(port, [...ports, 'fails']), [...path, port]);
    }
  }

  #checkParts(given: unknown, path: Path): void {
    for (const part of [given].flat()) {
      if (typeof part !== 'string') continue;
      try {
        readPattern(part);
      } catch (error) {
        this.#report(problems.badPattern((error as SyntaxError).message), path);
      }
    }
  }

  #knowsFields(
    value: Record<string, unknown>,
    known: readonly string[],
    what: string,
    path: Path,
  ): void {
    for (const field of Object.keys(value)) {
      if (known.includes(field)) continue;
      this.#reporter.report(problems.unknownField(field, what, known), [...path, field], {
        at: 'key',
      });
    }
  }

  #report(problem: Parameters<Reporter['report']>[0], path: Path): void {
    this.#reporter.report(problem, path);
  }
}

/** The fields of a step that belong to a group. */
export function fieldsIn<Group extends object>(
  step: object,
  group: Group,
): (keyof Group & string)[] {
  return Object.keys(step).filter((key): key is keyof Group & string => Object.hasOwn(group, key));
}

function listIn(value: Record<string, unknown>, field: string): readonly unknown[] {
  const list = value[field];
  return Array.isArray(list) ? list : [];
}

function isPlaceholder(text: string): boolean {
  return /<[\w -]+>/.test(text);
}

/** Reports answers of agents that no definition names: a misspelt answer would never be given. */
export function unknownAgents(
  { agents, tests }: TestFile,
  source: Source,
  { definition, others }: Pick<Subject, 'definition' | 'others'>,
): readonly Diagnostic[] {
  const charts = [definition, ...Object.values(others)].flatMap((hosted) => {
    const compiled = 'lifecycle' in hosted ? [hosted.definition, hosted.lifecycle] : [hosted];
    return compiled.flatMap(({ chart }) => chart ?? []);
  });
  const parts: unknown[] = [...charts];
  for (const part of parts)
    if (typeof part === 'object' && part !== null) parts.push(...Object.values(part));
  const known = new Set(parts);
  const named = charts.flatMap((chart) =>
    (formatNamed(chart.format)?.agentReferences?.(chart) ?? []).map(({ name }) => name),
  );
  const reporter = new Reporter(source);
  const check = (given: object | undefined, path: (string | number)[]) => {
    for (const name of Object.keys(given ?? {}))
      if (!known.has(name))
        reporter.report(unknownAgent(name, [...new Set(named)]), [...path, 'agents', name], {
          at: 'key',
        });
  };
  check(agents, []);
  for (const [index, test] of tests.entries())
    check(test.agents, [...(test.at ?? ['tests', index])]);
  return reporter.sorted();
}
