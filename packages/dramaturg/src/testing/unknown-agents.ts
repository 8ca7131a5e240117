import type { Diagnostic, Source } from '@dramaturg/compiler';
import { Reporter } from '@dramaturg/compiler/format';
import { formatNamed } from '../known-formats.ts';
import { unknownAgent } from './problems.ts';
import type { Subject } from './subject.ts';
import type { TestFile } from './test-file.ts';

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
